from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from gpu.core.cost_curve import RunCurves
from gpu.run.log.recorded import curves_of
from gpu.run.log.run_log import read_log
from tests.hands import click
from tests.logs import CITIES, OPTIMUM, line, outcome, written
from tests.views.scenes import snapshot, uniform
from tests.views.sight import in_sight
from views.plots.convergence_view import ConvergenceView
from views.plots.overlays import MOST_CHIPS, Overlay


@pytest.fixture
def view(qtbot: QtBot) -> ConvergenceView:
    made = ConvergenceView()
    return in_sight(qtbot, made, 900, 700)


def curve(folder: Path, *costs: int, instance: object = CITIES) -> RunCurves:
    lines = [line(at, cost) for at, cost in enumerate(costs)]
    last = outcome(len(costs) - 1, costs[-1])
    return curves_of(read_log(written(folder / "run.jsonl", [*lines, last], instance=instance)))  # type: ignore[arg-type]


def overlay(curve: RunCurves, seed: int, alike: str = "same", instance: str = "cities") -> Overlay:
    return Overlay(f"acs-seq, seed {seed}", "acs-seq", alike, instance, curve)


def choose(view: ConvergenceView, text: str) -> None:
    """Choose an entry of the menu of the scale."""
    (action,) = [one for one in view.scale_button.menu().actions() if text in one.text()]
    assert isinstance(action, QAction)
    action.trigger()


def drawn(view: ConvergenceView) -> list[list[list[float]]]:
    """The points of each line of a recorded run that is drawn."""
    return [one.points.tolist() for one in view.overlays.layer.drawn]


def test_runs_that_differ_by_seed_alone_are_a_mean_with_a_band_or_each_a_curve(
    view: ConvergenceView, tmp_path: Path
) -> None:
    one, two = curve(tmp_path, 200, 180, 160), curve(tmp_path, 210, 170, 150)
    other = curve(tmp_path, 190, 190, 140)
    view.show_overlays([overlay(one, 1), overlay(two, 2), overlay(other, 3, "else")])
    assert [chip.text() for chip in view.overlays.chips] == ["acs-seq, 2 runs", "acs-seq, seed 3"]
    mean, single = drawn(view)
    assert mean == [[0, 205], [1, 175], [2, 155]]
    assert single == [[0, 190], [2, 140], [2, 140]]
    edge = view.overlays.layer.drawn[0].edge
    assert edge.min(axis=0).tolist() == [0, 150]
    assert edge.max(axis=0).tolist() == [2, 210]
    choose(view, "alone: each")
    assert len(drawn(view)) == len(view.overlays.chips) == 3
    click(view.overlays.chips[0])  # out of sight
    assert len(drawn(view)) == 2
    choose(view, "mean and band")
    assert len(drawn(view)) == 2
    view.show_overlays([])
    assert drawn(view) == []
    assert not view.overlays.isVisible()


def test_the_scale_has_gaps_tours_seconds_and_logarithmic_axes(
    view: ConvergenceView, tmp_path: Path
) -> None:
    view.show_overlays([overlay(curve(tmp_path, 200, 150, OPTIMUM), 1)])
    assert view.plot.hint.isHidden() or not view.plot.hint.isVisible()
    click(view.axis_choice.buttons["solutions"])
    assert drawn(view) == [[[0, 200], [10, 150], [20, 100], [20, 100]]]
    choose(view, "Gap in %")
    click(view.axis_choice.buttons["seconds"])
    assert drawn(view) == [[[0, 100], [0.5, 50], [1, 0], [1, 0]]]
    assert not view.plot.axes["right"].isVisible()
    choose(view, "Logarithmic axis of")
    choose(view, "Logarithmic axis below")
    (points,) = drawn(view)
    assert points[0] == [-3, 2]
    assert points[1] == pytest.approx([np.log10(0.5), np.log10(50)])
    assert points[2] == [0, -3]  # a gap of 0 is at the edge
    assert view.plot.axes["left"].tickStrings([2.0], 1, 1) == ["100"]
    choose(view, "Cost")
    assert drawn(view)[0][1][1] == pytest.approx(np.log10(150))


def test_the_live_run_is_drawn_in_the_same_scale(view: ConvergenceView, tmp_path: Path) -> None:
    instance = uniform(60)
    view.show_instance(instance)
    for iteration in (10, 20):
        view.take_in(snapshot(instance, iteration))
    state = snapshot(instance, 20)
    view.show_overlays([overlay(curve(tmp_path, 9000, 8000), 1)])
    click(view.axis_choice.buttons["solutions"])
    assert view.curves["best"].points[-1, 0] == state.solutions_built
    choose(view, "Gap in %")
    gap = instance.gap_percent(state.cost)
    assert view.curves["best"].points[-1, 1] == pytest.approx(gap)
    assert drawn(view)[0][0][1] == pytest.approx(8900)  # to the optimum of its own instance
    assert not view.overlays.warning.isVisible()
    choose(view, "Cost")  # neither the axis of gaps nor their names are those of one instance
    assert view.overlays.warning.isVisible()
    assert not view.plot.axes["right"].isVisible()
    assert view.overlays.chips[0].text() == "cities, acs-seq, seed 1"
    view.show_overlays([overlay(curve(tmp_path, 9000), 1, instance=instance.name)])
    assert not view.overlays.warning.isVisible()
    assert view.plot.axes["right"].isVisible()
    place = view.plot.box.mapViewToScene(view.plot.box.viewRect().center())
    assert place is not None
    view.plot.hovered.emit(state.solutions_built + 1.0, 0.0)
    assert f"best {state.best_cost}" in view.reading.text().replace("\u202f", "")


def test_many_runs_leave_room_for_the_plot(
    qtbot: QtBot, view: ConvergenceView, tmp_path: Path
) -> None:
    one = curve(tmp_path, 200, 150)
    runs = [overlay(one, seed, f"{seed}", f"instance {seed}") for seed in range(50)]
    for size in ((900, 700), (360, 240)):
        view.resize(*size)
        view.show_overlays(runs)
        shown = sum(chip.isVisible() for chip in view.overlays.chips)
        assert 0 < shown <= MOST_CHIPS
        assert view.overlays.more.text() == f"and {50 - shown} more"
        qtbot.waitUntil(lambda: view.plot.height() > 0.3 * view.height())
    assert len(drawn(view)) == 50
    assert view.overlays.of_others
    assert view.overlays.chips[0].text() == "instance 0, acs-seq, seed 0"
    assert view.overlays.chips[0].toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon


@pytest.mark.parametrize("size", [(334, 215), (300, 170), (300, 150)])
def test_a_low_view_draws_its_whole_plot_with_the_axis_below(
    qtbot: QtBot, view: ConvergenceView, tmp_path: Path, size: tuple[int, int]
) -> None:
    instance = uniform(60)
    view.show_instance(instance)
    view.take_in(snapshot(instance, 10))
    runs = [overlay(curve(tmp_path, 9000, 8000), seed, f"{seed}") for seed in range(4)]
    view.resize(*size)
    view.show_overlays(runs)
    qtbot.waitUntil(lambda: view.height() < 230)
    qtbot.waitUntil(lambda: view.plot.widget.height() <= view.plot.height())
    assert view.overlays.isVisible() is (size[1] > 180)
    above = view.overlays if view.overlays.isVisible() else view.chips["optimum"]
    assert above.geometry().bottom() < view.plot.y()
    axis = view.plot.axes["bottom"]
    low = axis.mapRectToScene(axis.boundingRect()).bottom()
    assert low <= view.plot.widget.viewport().height() + 1
    assert len(drawn(view)) == 4  # though the legend has no room
