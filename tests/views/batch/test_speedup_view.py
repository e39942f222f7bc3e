from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from gpu.batch.measured import Measurement, SpeedupReport, Spread
from tests.hands import click
from views.batch.speedup_view import SpeedupView
from views.widgets.picture_export import make_due_layouts


def measurement(system: str, device: str, us: float, seconds: float | None) -> Measurement:
    return Measurement(
        system=system,
        search="acs",
        device=device,
        model="H100" if device == "cuda:0" else "Xeon",
        cores=132,
        detail="",
        ants=100,
        parameters={},
        iteration_ms=Spread.of([us / 10]),
        solution_us=Spread.of([us * 0.9, us, us * 1.2]),
        construction_ms=Spread.of([]),
        target_seconds=(seconds, seconds, seconds),
    )


def report(n: int) -> SpeedupReport:
    return SpeedupReport(
        instance=f"uniform-{n}",
        n=n,
        optimum=1000,
        seeds=(1, 2, 3),
        iterations=50,
        target_cost=1100,
        budget=10.0,
        measurements=(
            measurement("acs-gpu-alt", "cuda:0", 10.0, 0.5),
            measurement("acs-seq", "cpu:1", 1000.0, 20.0),
            measurement("acs-gpu", "cpu", 400.0, None),
        ),
        versions={},
        machine="",
        complete=True,
        problem="tsp",
    )


@pytest.fixture
def view(qtbot: QtBot) -> SpeedupView:
    made = SpeedupView()
    qtbot.addWidget(made)
    made.resize(460, 420)
    made.show()
    return made


def cells(view: SpeedupView, row: int) -> list[str]:
    return [text.replace("\u202f", " ") for text in view.table.texts(row)]


def test_one_instance_gives_bars_with_whiskers(view: SpeedupView) -> None:
    assert not view.pages.isVisible()
    view.show_reports([report(500)])
    fast, one, cores = view.bars.bars
    assert (fast.name, fast.text) == ("acs-gpu-alt on cuda:0", "100 ×")
    assert fast.value == pytest.approx(100)
    assert fast.low < 100 < fast.high
    assert one.value == 1
    assert cores.value == pytest.approx(2.5)
    assert view.bars.isVisible()
    assert "3 runs of 50 iterations; target length of 1\u202f100, gap 10.00" in view.note.text()
    assert "cuda:0: H100" in view.note.text()


def test_against_all_cores_and_to_the_same_length(view: SpeedupView) -> None:
    view.show_reports([report(500)])
    click(view.base.buttons["cpu"])
    assert view.bars.bars[0].value == pytest.approx(40)
    click(view.base.buttons["cpu:1"])
    click(view.what.buttons["target"])
    fast, one, cores = view.bars.bars
    assert fast.value == pytest.approx(40)
    assert math.isnan(fast.low)
    assert one.value == 1
    assert cores.text == "not reached"


def test_several_instances_give_curves(view: SpeedupView) -> None:
    view.show_reports([report(n) for n in (100, 1000)])
    assert view.plot.isVisible()
    points = view._curves["acs-gpu-alt on cuda:0"].points
    assert points.tolist() == [[2.0, 2.0], [3.0, 2.0]]
    view.show_reports([report(100), report(100), report(1000)])
    assert view._curves["acs-gpu-alt on cuda:0"].points.tolist() == points.tolist()
    assert "acs-seq on cpu:1" not in view.chips  # it is what the others are compared with
    click(view.chips["acs-gpu-alt on cuda:0"])
    assert not view._curves["acs-gpu-alt on cuda:0"].isVisible()


def test_the_table_has_every_number(view: SpeedupView) -> None:
    view.show_reports([report(500)])
    click(view.what.buttons["table"])
    assert view.table.isVisible()
    assert cells(view, 0) == [
        "uniform-500", "500", "acs-gpu-alt", "cuda:0", "100", "10.0", "9.50 – 11.0",
        "100 ×", "40.0 ×", "500 ms", "40.0 ×", "",
    ]  # fmt: skip
    assert cells(view, 2)[9] == "not reached"


def test_the_button_starts_and_cancels(qtbot: QtBot, view: SpeedupView) -> None:
    bar = view.measure
    with qtbot.waitSignal(bar.started):
        click(bar.button)
    bar.begin("Warming up")
    assert bar.isVisible()
    assert bar.button.text() == "Cancel"
    bar.advance(0.5, "timing")
    assert bar.progress.value() == 500
    with qtbot.waitSignal(bar.cancelled):
        click(bar.button)
    bar.finish("")
    assert not bar.isVisible()
    bar.allow("Stop the run first")
    assert not bar.button.isEnabled()
    assert bar.button.toolTip() == "Stop the run first"


def test_a_table_is_measured_once_and_not_for_each_of_its_cells(view: SpeedupView) -> None:
    class Counting(QStyledItemDelegate):
        asked = 0

        def sizeHint(
            self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
        ) -> QSize:
            self.asked += 1
            return super().sizeHint(option, index)

    view.what.buttons["table"].click()
    view.show_reports([report(500)])
    table = view.table
    counting = Counting(table)
    table.setItemDelegate(counting)
    view.show_reports([report(n) for n in range(100, 110)])
    assert len(table.content.rows) == 30
    assert counting.asked <= 3 * 30 * len(table.headings)


def test_no_button_is_cut_where_there_is_little_room(view: SpeedupView) -> None:
    view.show_reports([report(500)])
    view.resize(270, 600)
    make_due_layouts(view)
    assert view.measure.button.y() > view.scope.y()  # in two rows
    view.resize(270, 600 - view.pages.height() + 42)  # bars have next to no room
    make_due_layouts(view)
    for button in (view.scope, view.contenders, view.measure.button, view.what, view.base):
        assert not button.geometry().intersects(view.area.geometry())
        assert button.height() >= button.minimumSizeHint().height()
    assert not view.note.geometry().intersects(view.pages.geometry())
    assert view.note.height() >= view.note.heightForWidth(view.note.width())


def test_curves_can_be_read_where_there_is_little_room(view: SpeedupView) -> None:
    view.show_reports([report(100), report(200), report(500)])
    view.measure.begin("uniform-200: warming up")
    view.resize(300, 250)
    make_due_layouts(view)
    assert view.plot.height() >= 120
    assert view.overflow.height() > 0  # they scroll
