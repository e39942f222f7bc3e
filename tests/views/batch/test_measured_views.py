"""What was measured, as the views of speedups and of comparisons show it."""

from __future__ import annotations

import dataclasses
import math

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from gpu.timing.measured import ComparisonReport, ComparisonRow, Measurement, SpeedupReport, Spread
from tests.hands import click, press
from views.batch.comparison_view import ComparisonView
from views.batch.speedup_view import SpeedupView
from views.widgets.picture_export import as_image, make_due_layouts
from views.widgets.styling import apply
from views.widgets.theme import DARK, LIGHT, Theme

PHASES = ("choice info", "construction", "update")


def row(
    group: str, option: str, ms: tuple[float, ...], *, chosen: bool = False, why_not: str = ""
) -> ComparisonRow:
    times = dict(zip(PHASES, ms, strict=False))
    return ComparisonRow(
        group=group,
        option=option,
        meaning=f"what {option} is",
        phase="update" if group == "update" else "construction",
        chosen=chosen,
        system="as-st-dynamic",
        parameters={"ants": 1200},
        phases_ms={name: Spread.of([0.9 * ms, ms, 1.1 * ms]) for name, ms in times.items()},
        iteration_ms=Spread.of([sum(ms)] if ms else []),
        why_not=why_not,
    )


REPORT = ComparisonReport(
    instance="pr1200",
    n=1200,
    system="as-st-dynamic",
    device="cuda:0",
    model="H100",
    detail="",
    cores=132,
    seeds=(1, 2, 3),
    limit=5.0,
    rows=(
        row("colony", "as-st-dynamic", (0.1, 2.0, 0.2), chosen=True),
        row("colony", "as-task", (0.1, 200.0, 0.2)),
        row("update", "atomic", (0.1, 2.0, 0.2), chosen=True),
        row("update", "reduction", (0.1, 2.0, 10.0)),
        row("update", "gather", (), why_not="an iteration would take about 41 s"),
        row("workers", "1024", (0.1, 9.0, 0.2)),
        row("workers", "32", (0.1, 2.0, 0.2), chosen=True),
    ),
    versions={},
    machine="",
    complete=True,
    problem="tsp",
)


@pytest.fixture
def view(qtbot: QtBot) -> ComparisonView:
    made = ComparisonView()
    qtbot.addWidget(made)
    made.resize(420, 300)
    made.show()
    made.show_report(REPORT)
    make_due_layouts(made)
    return made


def texts(view: ComparisonView) -> list[list[str]]:
    return [view.table.texts(at) for at in range(len(view.table.content.rows))]


def place(view: ComparisonView, row: int, column: int) -> QRect:
    """Bring a cell into sight, and return where it is."""
    index = view.table.content.index(row, column)
    view.table.scrollTo(index)
    return view.table.visualRect(index)


def tip(view: ComparisonView, row: int, column: int) -> str:
    model = view.table.content
    return str(model.data(model.index(row, column), Qt.ItemDataRole.ToolTipRole))


def sort_by(view: ComparisonView, heading: str) -> None:
    header = view.table.horizontalHeader()
    column = view.table.headings.index(heading)
    place(view, 0, column)
    click(header.viewport(), QPoint(header.sectionViewportPosition(column) + 12, 8))


def test_before_anything_was_measured_it_says_what_it_would_measure(view: ComparisonView) -> None:
    view.show_report(None)
    assert not view.table.isVisible()
    assert not view.copy_button.isVisible()
    assert not view.phases.isVisible()
    assert "each option of the chosen" in view.note.text()
    assert view.report is None


def test_every_row_has_its_times_and_its_ratio_and_what_was_measured_is_named(
    view: ComparisonView,
) -> None:
    assert view.table.headings == [
        "Choice", "Option", "ms", "× fastest", "whole, ms",
        "choice info, ms", "construction, ms", "update, ms",
    ]  # fmt: skip
    rows = texts(view)
    assert rows[0] == [
        "colony", "● as-st-dynamic", "2.00", "1.00 ×", "2.30", "0.100", "2.00 ± 0.1", "0.200",
    ]  # fmt: skip
    assert rows[1][1:4] == ["as-task", "200", "100 ×"]
    assert rows[3][2:4] == ["10.0", "50.0 ×"]
    assert rows[3][7] == "10.0 ± 0.5"  # what decides has its spread
    assert rows[4] == [
        "update", "gather", "–", "an iteration would take about 41 s", "–", "–", "–", "–",
    ]  # fmt: skip
    assert "as-st-dynamic on cuda:0" in view.what.text()
    assert "H100, 1\u202f200 ants; medians of 3 rounds" in view.note.text()
    source = view.source
    assert (source.instance, source.colony, source.seed) == ("pr1200", "as-st-dynamic", 1)
    assert "pr1200, 1\u202f200 cities" in source.text


def in_sight(view: ComparisonView) -> list[str]:
    """Headings of columns that are in sight, whole, with no scrolling sideways."""
    header, table = view.table.horizontalHeader(), view.table
    assert not table.horizontalScrollBar().isVisible()
    return [
        heading
        for column, heading in enumerate(table.headings)
        if not table.isColumnHidden(column)
        and header.sectionViewportPosition(column) + header.sectionSize(column)
        <= table.viewport().width()
    ]


@pytest.mark.parametrize(
    ("width", "headings"),
    [(344, 3), (424, 4), (500, 5), (920, 8)],
)
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_ratio_and_whole_time_are_always_in_sight(
    qtbot: QtBot, view: ComparisonView, width: int, headings: int, theme: Theme
) -> None:
    apply(theme, view)
    view.apply_theme(theme)
    view.resize(width, 330)
    qtbot.waitUntil(lambda: len(in_sight(view)) == headings)
    order = ["Option", "× fastest", "whole, ms", "Choice", "ms", *view.table.headings[-3:]]
    assert sorted(in_sight(view)) == sorted(order[:headings])
    assert view.phases.isVisible() == (headings < 8)


def test_keys_show_the_phases_of_a_row_below(qtbot: QtBot, view: ComparisonView) -> None:
    qtbot.waitUntil(view.phases.isVisible)
    assert view.phases.text() == (
        "colony ● as-st-dynamic, compared by construction: choice info 0.100, "
        "construction 2.00 ± 0.1, update 0.200 ms"
    )
    click(view.table.viewport(), place(view, 0, 1).center())
    for _ in range(3):
        press(view.table, Qt.Key.Key_Down)
    assert view.phases.text() == (
        "update reduction, compared by update: choice info 0.100, construction 2.00, "
        "update 10.0 ± 0.5 ms"
    )
    press(view.table, Qt.Key.Key_Down)
    assert view.phases.text() == "update gather"


def test_cells_say_more_on_demand(view: ComparisonView) -> None:
    assert tip(view, 3, 1) == "What reduction is."
    assert tip(view, 2, 1).endswith("It is chosen.")
    assert "Time of update" in tip(view, 3, 3)
    assert "quartiles 9.50\u202fms to 10.5\u202fms, measured 3 times" in tip(view, 3, 2)
    horizontal, role = Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    heading = str(view.table.content.headerData(3, horizontal, role)).replace("\n", " ")
    assert "Bars are as long as this number, all on one scale" in heading
    assert tip(view, 4, 3) == "an iteration would take about 41 s"


def test_a_click_on_a_heading_sorts_by_value(view: ComparisonView) -> None:
    view.resize(900, 300)
    sort_by(view, "× fastest")
    ratios = [line[3] for line in texts(view)]
    assert ratios[-3:] == ["50.0 ×", "100 ×", "an iteration would take about 41 s"]
    sort_by(view, "× fastest")
    ratios = [line[3] for line in texts(view)]
    assert [ratios[0], ratios[-1]] == ["100 ×", "an iteration would take about 41 s"]
    sort_by(view, "Option")
    numbers = [line[1] for line in texts(view) if "1024" in line[1] or "32" in line[1]]
    assert numbers == ["● 32", "1024"]
    view.show_report(dataclasses.replace(REPORT, complete=False))
    assert [line[1] for line in texts(view) if line[1] in ("● 32", "1024")] == numbers  # kept
    sort_by(view, "Choice")
    assert [line[0] for line in texts(view)] == [one.group for one in REPORT.rows]


def test_rows_are_copied_as_text(view: ComparisonView) -> None:
    clipboard = QGuiApplication.clipboard()
    click(view.copy_button)
    lines = clipboard.text().splitlines()
    assert len(lines) == 1 + len(REPORT.rows)
    assert lines[0].split("\t")[:4] == ["Choice", "Option", "ms", "× fastest"]
    table = view.table
    middle = place(view, 1, 1).center()
    click(table.viewport(), middle)
    press(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = clipboard.text().splitlines()
    assert len(lines) == 2
    assert lines[1].split("\t")[:4] == ["colony", "as-task", "200", "100 ×"]


def test_bars_are_as_long_as_their_ratios_on_one_scale(
    view: ComparisonView,
) -> None:
    view.resize(900, 400)
    for theme in (DARK, LIGHT):
        view.apply_theme(theme)
        image = view.table.viewport().grab().toImage()
        widths = []
        for at in range(len(REPORT.rows)):
            cell = place(view, at, 3)
            y = round(cell.center().y() * image.devicePixelRatio())
            line = [
                image.pixelColor(round(x * image.devicePixelRatio()), y)
                for x in range(cell.left() + 60, cell.right())
            ]
            widths.append(sum(colour.saturation() > 100 for colour in line))
        assert widths[4] == 0  # not measured, no bar
        assert widths[1] > 50 * widths[0] / 2 > 0
        assert abs(widths[3] - widths[1] / 2) <= 3  # 50 and 100 times the fastest of their groups
        assert widths[5] > widths[6] > 0


def test_a_picture_shows_every_row_and_column(view: ComparisonView) -> None:
    view.resize(300, 220)
    before = view.size()
    assert view.overflow.height() > 0
    assert view.overflow.width() > 0
    image = as_image(view, DARK, "")
    table = view.table
    assert image.width() / 2 >= table.horizontalHeader().length()
    assert image.height() / 2 >= table.verticalHeader().length()
    assert view.size() == before


def test_phases_that_timing_has_slowed_down_are_parts_of_the_whole(view: ComparisonView) -> None:
    slow = row("colony", "as-task", (1.0, 8.0, 1.0), chosen=True)
    slow = dataclasses.replace(slow, iteration_ms=Spread.of([5.0]))
    fast = row("colony", "as-data", (1.0, 6.0, 1.0))
    view.show_report(dataclasses.replace(REPORT, rows=(slow, fast)))
    found = texts(view)
    assert found[0][4:] == ["5.00", "0.500", "4.00 ± 0.2", "0.500"]
    assert [one[2:5] for one in found] == [["4.00", "1.00 ×", "5.00"], ["6.00", "1.50 ×", "8.00"]]
    assert "slower while its phases are timed" in tip(view, 0, 6)


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
def speedups(qtbot: QtBot) -> SpeedupView:
    made = SpeedupView()
    qtbot.addWidget(made)
    made.resize(460, 420)
    made.show()
    return made


def cells(speedups: SpeedupView, row: int) -> list[str]:
    return [text.replace("\u202f", " ") for text in speedups.table.texts(row)]


def test_one_instance_gives_bars_with_whiskers_against_any_base(speedups: SpeedupView) -> None:
    assert not speedups.pages.isVisible()
    speedups.show_reports([report(500)])
    fast, one, cores = speedups.bars.bars
    assert (fast.name, fast.text) == ("acs-gpu-alt on cuda:0", "100 ×")
    assert fast.value == pytest.approx(100)
    assert fast.low < 100 < fast.high
    assert one.value == 1
    assert cores.value == pytest.approx(2.5)
    assert speedups.bars.isVisible()
    assert "3 runs of 50 iterations; target length of 1\u202f100, gap 10.00" in speedups.note.text()
    assert "cuda:0: H100" in speedups.note.text()
    click(speedups.base.buttons["cpu"])
    assert speedups.bars.bars[0].value == pytest.approx(40)
    click(speedups.base.buttons["cpu:1"])
    click(speedups.what.buttons["target"])
    fast, one, cores = speedups.bars.bars
    assert fast.value == pytest.approx(40)
    assert math.isnan(fast.low)
    assert one.value == 1
    assert cores.text == "not reached"


def test_several_instances_give_curves(speedups: SpeedupView) -> None:
    speedups.show_reports([report(n) for n in (100, 1000)])
    assert speedups.plot.isVisible()
    points = speedups.curves["acs-gpu-alt on cuda:0"].points
    assert points.tolist() == [[2.0, 2.0], [3.0, 2.0]]
    speedups.show_reports([report(100), report(100), report(1000)])
    assert speedups.curves["acs-gpu-alt on cuda:0"].points.tolist() == points.tolist()
    assert "acs-seq on cpu:1" not in speedups.chips  # it is what the others are compared with
    click(speedups.chips["acs-gpu-alt on cuda:0"])
    assert not speedups.curves["acs-gpu-alt on cuda:0"].isVisible()


def test_the_table_has_every_number(speedups: SpeedupView) -> None:
    speedups.show_reports([report(500)])
    table = speedups.what.buttons["table"]
    assert table.text() == "Table"
    click(table)
    assert speedups.table.isVisible()
    assert cells(speedups, 0) == [
        "uniform-500", "500", "acs-gpu-alt", "cuda:0", "100", "10.0", "9.50 – 11.0",
        "100 ×", "40.0 ×", "500 ms", "40.0 ×", "",
    ]  # fmt: skip
    assert cells(speedups, 2)[9] == "not reached"


def test_the_button_starts_and_cancels(qtbot: QtBot, speedups: SpeedupView) -> None:
    bar = speedups.measure
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


def test_a_table_is_measured_once_and_not_for_each_of_its_cells(speedups: SpeedupView) -> None:
    class Counting(QStyledItemDelegate):
        asked = 0

        def sizeHint(
            self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
        ) -> QSize:
            self.asked += 1
            return super().sizeHint(option, index)

    speedups.what.buttons["table"].click()
    speedups.show_reports([report(500)])
    table = speedups.table
    counting = Counting(table)
    table.setItemDelegate(counting)
    speedups.show_reports([report(n) for n in range(100, 110)])
    assert len(table.content.rows) == 30
    assert counting.asked <= 3 * 30 * len(table.headings)


def test_no_button_is_cut_where_there_is_little_room(speedups: SpeedupView) -> None:
    speedups.show_reports([report(500)])
    speedups.resize(270, 600)
    make_due_layouts(speedups)
    assert speedups.measure.button.y() > speedups.scope.y()  # in two rows
    speedups.resize(270, 600 - speedups.pages.height() + 42)  # bars have next to no room
    make_due_layouts(speedups)
    for button in (
        speedups.scope,
        speedups.contenders,
        speedups.measure.button,
        speedups.what,
        speedups.base,
    ):
        assert not button.geometry().intersects(speedups.area.geometry())
        assert button.height() >= button.minimumSizeHint().height()
    assert not speedups.note.geometry().intersects(speedups.pages.geometry())
    assert speedups.note.height() >= speedups.note.heightForWidth(speedups.note.width())


def test_curves_can_be_read_where_there_is_little_room(speedups: SpeedupView) -> None:
    speedups.show_reports([report(100), report(200), report(500)])
    speedups.measure.begin("uniform-200: warming up")
    speedups.resize(300, 250)
    make_due_layouts(speedups)
    assert speedups.plot.height() >= 120
    assert speedups.overflow.height() > 0  # they scroll


def test_solutions_that_are_other_work_are_not_compared(speedups: SpeedupView) -> None:
    whole = report(1000)
    first, *others = whole.measurements
    own = dataclasses.replace(first, own_work="its ants do more")
    speedups.show_reports([dataclasses.replace(whole, measurements=(own, *others))])
    assert speedups.bars.bars[0].text == "not compared"
    why = "Of acs-gpu-alt, only times to the target are compared, because its ants do more."
    assert why in speedups.note.text()
    click(speedups.what.buttons["target"])
    assert speedups.bars.bars[0].text.endswith(" ×")
