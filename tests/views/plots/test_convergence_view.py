"""Costs over time: the live run, recorded ones over it, scales."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction, QImage, QPainter, QTransform
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpu.core.bounds import LowerBound
from gpu.core.cost_curve import RunCurves
from gpu.core.history import Progress
from gpu.core.snapshot import RunState, Wanted
from gpu.problems.tsp.routes.closed_tours import restricted
from gpu.run.log.recorded import curves_of
from gpu.run.log.run_log import read_log
from tests.colonies import progress_of
from tests.graphs import queens
from tests.hands import click, double_click, move
from tests.logs import CITIES, OPTIMUM, line, outcome, written
from tests.views.graph_scenes import coloring_snapshot
from tests.views.scenes import feed, in_sight, pixel_of, show_state, snapshot, uniform
from views.plots.convergence_view import ConvergenceView
from views.plots.cost_plot import MarkLayer
from views.plots.overlays import MOST_CHIPS, Overlay

INSTANCE = uniform(80)
GRAPH = dataclasses.replace(queens(6), optimum=None)


@pytest.fixture
def convergence(qtbot: QtBot) -> ConvergenceView:
    view = ConvergenceView()
    view.show_instance(INSTANCE)
    return in_sight(qtbot, view, 500, 400)


def test_the_curves_hold_what_came_in(convergence: ConvergenceView) -> None:
    assert "begin with a run" in convergence.plot.hint.text()
    feed(convergence, INSTANCE)
    states = [snapshot(INSTANCE, iteration) for iteration in range(1, 31)]
    for name, field in (("latest", "iteration_best"), ("mean", "iteration_mean")):
        points = convergence.curves[name].points
        assert points[:, 0].tolist() == list(range(1, 31))
        assert points[:, 1].tolist() == [getattr(state, field) for state in states]
    assert convergence.plot.hint.text() == ""


def test_the_text_of_a_change_is_not_behind_the_axis_at_the_right(
    convergence: ConvergenceView,
) -> None:
    feed(convergence, INSTANCE)
    box, layer = convergence.plot.box.sceneBoundingRect(), MarkLayer(convergence.plot.box)
    layer.show_marks([(box.right() - 12, "end after 90 s")])
    image = QImage(500, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    with QPainter(image) as painter:
        layer.draw(painter, QTransform(), QRectF(image.rect()))
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(400, 500) & 0xFFFFFF
    lit = pixels.max(axis=0) > 0
    assert not lit[int(box.right()) - 9 :].any()
    assert lit[int(box.right()) - 60 : int(box.right()) - 16].any()


def test_tours_with_forbidden_edges_are_not_drawn_but_said(convergence: ConvergenceView) -> None:
    barred = np.zeros((4, 4), np.bool_)
    barred[0, 1] = barred[1, 0] = True
    instance = restricted(uniform(4), forbidden=barred)
    beyond = instance.forbidden_from
    assert beyond is not None
    convergence.show_instance(instance)
    assert f"A forbidden edge counts {instance.cost_unit.text(beyond)}" in (
        convergence.chips["latest"].toolTip()
    )
    state = dataclasses.replace(snapshot(INSTANCE, 1), best_cost=None, best_solution=None)
    none = progress_of(1, 0.1, beyond + 40, beyond + 90.0, [])
    show_state(convergence, dataclasses.replace(state, progress=none))
    assert convergence.plot.hint.text() == "Each tour until now has a forbidden edge."
    for name in ("latest", "mean"):
        assert np.isnan(convergence.curves[name].points[:, 1]).all()
    best = beyond - 5
    found = progress_of(2, 0.2, best, float(beyond), [(2, best)])
    show_state(convergence, dataclasses.replace(state, iteration=2, best_cost=best, progress=found))
    assert convergence.plot.hint.text() == ""
    assert convergence.curves["latest"].points[-1].tolist() == [2, best]
    worse = progress_of(3, 0.3, beyond, float(beyond), [])
    show_state(convergence, dataclasses.replace(state, iteration=3, best_cost=best, progress=worse))
    convergence._read_at(2.0, best)
    assert "forbidden" not in convergence.reading.text()
    convergence._read_at(3.0, best)
    assert "have forbidden edges" in convergence.reading.text()


def test_every_improvement_is_a_step_where_it_was_found(convergence: ConvergenceView) -> None:
    state = snapshot(INSTANCE, 1)
    found = [[(0, 950), (1, 900)], [], [(4, 820), (5, 810), (6, 800)], [(9, 700)], []]
    for iteration, these in zip((1, 3, 7, 9, 40), found, strict=True):
        now = dataclasses.replace(
            state,
            iteration=iteration,
            best_cost=these[-1][1] if these else 700,
            progress=progress_of(iteration, 0.1 * iteration, 900, 950.0, these),
        )
        show_state(convergence, now)
    curve = convergence.curves["best"]
    expected = [one for these in found for one in these]
    assert curve.points.tolist() == [*map(list, expected), [40, 700]]
    spot = pixel_of(convergence.plot, 3.0, 900.0)
    picture = convergence.plot.widget.grab().toImage()
    colours = {picture.pixelColor(spot.x(), spot.y() + dy).name() for dy in (-1, 0, 1)}
    assert convergence.theme["best"] in colours  # before the step, not on a slope
    convergence.plot.hovered.emit(5.0, 0.0)
    assert "iteration 5:  best 810" in convergence.reading.text()


def test_means_are_of_whole_intervals(convergence: ConvergenceView) -> None:
    costs = np.random.default_rng(1).integers(800, 1000, 3000)
    cuts = [0, 1, 2, 5, 600, 601, 2999, 3000]
    for begin, end in pairwise(cuts):
        part = costs[begin:end]
        progress = Progress(
            end,
            counts=np.array([end - begin]),
            ends=np.array([end]),
            seconds=np.array([end * 0.1]),
            best=np.array([part.min()]),
            mean=np.array([part.mean()]),
        )
        state = RunState(end, end, 800, 1, int(part[-1]), float(part[-1]), progress=progress)
        show_state(convergence, state)
    for name, function in (("latest", np.min), ("mean", np.mean)):
        points = convergence.curves[name].points
        expected = [(end, function(costs[begin:end])) for begin, end in pairwise(cuts)]
        assert points == pytest.approx(np.array(expected))


def test_the_first_iteration_is_a_dot_above_its_number(convergence: ConvergenceView) -> None:
    feed(convergence, INSTANCE, 1)
    plot = convergence.plot
    (left, right), _ = plot.box.viewRange()
    (_, places), *_ = plot.axes["bottom"].tickValues(left, right, 300)
    assert list(places) == [1.0]
    (best,) = convergence.curves["best"].points
    place = pixel_of(plot, *best)
    picture = plot.widget.grab().toImage()
    around = [picture.pixelColor(place.x() + dx, place.y() + dx) for dx in (-1, 0, 1)]
    best_colour = convergence.theme.colour("best").getRgb()
    for colour in around:  # its edge may be smoothed, by a shade
        assert colour.getRgb() == pytest.approx(best_colour, abs=1)


def test_iterations_and_seconds_along_the_axis(qtbot: QtBot, convergence: ConvergenceView) -> None:
    feed(convergence, INSTANCE)
    button = convergence.axis_choice.buttons["seconds"]
    click(button)
    assert convergence.curves["best"].points[-1, 0] == pytest.approx(0.6)
    x, _ = convergence.plot.box.viewRange()
    assert x[1] == pytest.approx(0.6)


def test_the_range_holds_the_optimum_and_what_is_switched_on(
    qtbot: QtBot, convergence: ConvergenceView
) -> None:
    feed(convergence, INSTANCE)
    assert INSTANCE.optimum is not None
    _, (low, high) = convergence.plot.box.viewRange()
    assert low < INSTANCE.optimum < high
    assert high > convergence.curves["mean"].points[:, 1].max()
    for name in ("mean", "latest", "optimum"):
        click(convergence.chips[name])
    _, (low, high) = convergence.plot.box.viewRange()
    best = convergence.curves["best"].points[:, 1]
    assert high < best.max() + 0.1 * (best.max() - best.min())
    assert not convergence.curves["mean"].isVisible()


def test_the_right_axis_is_the_gap(convergence: ConvergenceView) -> None:
    axis = convergence.plot.axes["right"]
    optimum = INSTANCE.optimum
    assert optimum is not None
    (spacing, places), *_ = axis.tickValues(optimum, 2 * optimum, 300)
    assert axis.tickStrings(places, 1, spacing)
    gaps = [100 * (place / optimum - 1) for place in places]
    for gap, text in zip(gaps, axis.tickStrings(places, 1, spacing), strict=True):
        assert float(text) == pytest.approx(gap, abs=0.5)
    convergence.show_instance(uniform(80, known=False))
    assert not axis.isVisible()
    assert convergence.chips["optimum"].isHidden()


def test_the_user_s_own_range_is_kept_until_a_double_click(
    qtbot: QtBot, convergence: ConvergenceView
) -> None:
    feed(convergence, INSTANCE)
    box = convergence.plot.box
    box.setRange(xRange=(5, 6), padding=0)
    box.sigRangeChangedManually.emit(None)
    feed(convergence, INSTANCE)
    assert box.viewRange()[0] == [5, 6]
    viewport = convergence.plot.widget.viewport()
    double_click(viewport)
    assert box.viewRange()[0][1] == 30


def test_the_mouse_reads_values(qtbot: QtBot, convergence: ConvergenceView) -> None:
    feed(convergence, INSTANCE)
    state = snapshot(INSTANCE, 20)
    place = pixel_of(convergence.plot, 20, state.cost)
    move(convergence.plot.widget.viewport(), place)
    qtbot.waitUntil(lambda: "iteration" in convergence.reading.text())
    assert "gap" in convergence.reading.text()


def test_a_hidden_view_catches_up_when_it_is_shown(convergence: ConvergenceView) -> None:
    convergence.hide()
    feed(convergence, INSTANCE)
    assert len(convergence.curves["best"].points) == 0
    convergence.show()
    assert len(convergence.curves["latest"].points) == 30


def test_an_axis_is_drawn_again_only_when_it_changes(
    qtbot: QtBot, convergence: ConvergenceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(convergence, INSTANCE, 100)
    drawn: list[object] = []
    axis = convergence.plot.axes["bottom"]
    plain = pg.AxisItem.paint

    def paint(item: object, *more: object) -> None:
        drawn.append(item)
        plain(item, *more)

    monkeypatch.setattr(pg.AxisItem, "paint", paint)
    convergence.plot.widget.viewport().repaint()
    drawn.clear()
    convergence.curves["best"].refresh()
    convergence.plot.widget.viewport().repaint()
    assert drawn == []
    convergence.plot.box.setXRange(0, 500)
    convergence.plot.widget.viewport().repaint()
    assert axis in drawn


def test_a_narrow_view_leaves_its_room_to_the_plot(convergence: ConvergenceView) -> None:
    convergence.resize(700, 300)
    assert convergence.axis_choice.isVisible()
    assert convergence.scale_button.text() == "Scale ▾"
    convergence.resize(250, 200)
    assert convergence.axis_choice.isHidden()
    assert convergence.scale_button.text() == "Iterations ▾"
    seconds = convergence.scale_button.menu().actions()[2]
    convergence.scale_button.menu().aboutToShow.emit()
    assert seconds.text() == "Seconds"
    seconds.trigger()
    assert convergence.scale_button.text() == "Seconds ▾"
    assert convergence.axis_choice.value == "seconds"


def test_the_reading_has_room_beside_the_buttons_or_a_line_of_its_own(
    convergence: ConvergenceView,
) -> None:
    show_state(convergence, snapshot(INSTANCE, 9))
    for width, height in ((700, 300), (440, 270), (310, 200)):
        convergence.resize(width, height)
        convergence.plot.hovered.emit(5.0, 0.0)
        QApplication.sendPostedEvents()
        reading, scale = convergence.reading, convergence.scale_button
        needed = reading.fontMetrics().horizontalAdvance("iteration 5:  best 810,  gap 8.00 %")
        assert reading.width() >= min(needed, 190), (width, height)
        assert (reading.geometry().bottom() < scale.geometry().top()) == (width == 440)
    assert convergence.axis_choice.isHidden()


def test_the_axis_of_lengths_has_their_unit_and_whole_numbers_alone(
    convergence: ConvergenceView,
) -> None:
    axis = convergence.plot.axes["left"]
    assert axis.labelText == "tour length"
    convergence.show_instance(dataclasses.replace(INSTANCE, unit="km"))
    assert axis.labelText == "tour length in km"
    scaled = dataclasses.replace(INSTANCE, unit="0.001 of the table's unit")
    convergence.show_instance(scaled)
    assert axis.labelText == "tour length"  # so long a unit has no room there
    show_state(convergence, snapshot(INSTANCE, 1))
    assert all(step >= 1 for step, _ in axis.tickSpacing(64975.9, 64976.1, 200))
    choose(convergence, "Gap in %")
    assert axis.tickSpacing(0.01, 0.02, 200)[0][0] < 1


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
    choose(view, "Logarithmic vertical axis")
    choose(view, "Logarithmic horizontal axis")
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


def bounded(cost: int, least: int, iteration: int = 3) -> RunState:
    """A state of a run on a graph, whose colorings have at least so many colors."""
    coloring = np.arange(GRAPH.n, dtype=np.int32) % cost
    bound = LowerBound(least, f"a clique of {least} vertices", np.arange(least))
    state = coloring_snapshot(GRAPH, iteration, coloring, wanted=Wanted.SOLUTION)
    return dataclasses.replace(state, bound=bound)


def test_the_lower_bound_is_a_dashed_line_that_gaps_are_measured_by(
    qtbot: QtBot, convergence: ConvergenceView
) -> None:
    convergence.show_instance(GRAPH)
    assert not convergence.chips["bound"].isVisible()
    assert not convergence.plot.axes["right"].isVisible()
    show_state(convergence, bounded(10, 9))
    chip = convergence.chips["bound"]
    assert chip.isVisible()
    assert "Every coloring has at least 9 colors: a clique of 9 vertices" in chip.toolTip()
    assert set(convergence.curves["bound"].points[:, 1]) == {9.0}
    assert convergence.plot.axes["right"].isVisible()
    _, (low, _) = convergence.plot.box.viewRange()
    assert low < 9  # it is in sight
    convergence.plot.hovered.emit(3.0, 0.0)
    assert "best 10,  gap +1 color" in convergence.reading.text()
    click(chip)
    assert not convergence.curves["bound"].isVisible()
    convergence.begin_run()
    assert not chip.isVisible()
    assert len(convergence.curves["bound"].points) == 0


def test_a_bound_that_is_far_below_leaves_the_curves_their_room(
    convergence: ConvergenceView,
) -> None:
    convergence.show_instance(GRAPH)
    show_state(convergence, bounded(30, 4))
    assert set(convergence.curves["bound"].points[:, 1]) == {4.0}
    _, (low, _) = convergence.plot.box.viewRange()
    assert low > 4


def test_gaps_are_to_the_best_known_cost_where_there_is_one(convergence: ConvergenceView) -> None:
    convergence.show_instance(GRAPH.with_optimum(8))
    show_state(convergence, bounded(10, 5))
    convergence.plot.hovered.emit(3.0, 0.0)
    assert "gap +2 colors" in convergence.reading.text()
    assert convergence.chips["bound"].isVisible()


def test_a_bound_that_is_the_best_known_cost_has_no_line_of_its_own(
    convergence: ConvergenceView,
) -> None:
    convergence.show_instance(GRAPH.with_optimum(9))
    show_state(convergence, bounded(10, 9))
    assert not convergence.chips["bound"].isVisible()
    assert len(convergence.curves["bound"].points) == 0
    assert "at least 9 colors: a clique of 9 vertices" in convergence.chips["optimum"].toolTip()
    show_state(convergence, bounded(10, 8))
    assert convergence.chips["bound"].isVisible()
