from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpu.core.history import Progress
from gpu.core.snapshot import RunState
from tests.hands import click, double_click, move
from tests.progress import progress_of
from tests.views.scenes import feed, show_state, snapshot, uniform
from tests.views.sight import in_sight
from views.plots.convergence_view import ConvergenceView

INSTANCE = uniform(80)


@pytest.fixture
def convergence(qtbot: QtBot) -> ConvergenceView:
    view = ConvergenceView()
    view.show_instance(INSTANCE)
    return in_sight(qtbot, view, 500, 400)


def test_the_curves_hold_what_came_in(convergence: ConvergenceView) -> None:
    assert "begin with a run" in convergence.plot.hint.text()
    feed(convergence, INSTANCE)
    states = [snapshot(INSTANCE, iteration) for iteration in range(1, 31)]
    for name, field in (
        ("latest", "iteration_best"),
        ("mean", "iteration_mean"),
    ):
        points = convergence.curves[name].points
        assert points[:, 0].tolist() == list(range(1, 31))
        assert points[:, 1].tolist() == [getattr(state, field) for state in states]
    assert convergence.plot.hint.text() == ""


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
    place = convergence.plot.box.mapViewToScene(QPointF(3.0, 900.0))
    spot = convergence.plot.widget.mapFromScene(place)
    picture = convergence.plot.widget.grab().toImage()
    colours = {picture.pixelColor(spot.x(), spot.y() + dy).name() for dy in (-1, 0, 1)}
    assert convergence.theme["best"] in colours  # before the step, not on a slope
    convergence._read_at(5.0, 0.0)
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


def test_a_flood_of_improvements_is_all_in_the_curve(convergence: ConvergenceView) -> None:
    found = [(at, 3000 - at) for at in range(1, 1001)]
    state = snapshot(INSTANCE, 1000)
    progress = progress_of(1000, 1.0, 2000, 2500.0, found)
    show_state(convergence, dataclasses.replace(state, best_cost=2000, progress=progress))
    assert convergence.curves["best"].points.tolist() == [*map(list, found)]


def test_the_first_iteration_is_a_dot_above_its_number(convergence: ConvergenceView) -> None:
    feed(convergence, INSTANCE, 1)
    plot = convergence.plot
    (left, right), _ = plot.box.viewRange()
    (_, places), *_ = plot.axes["bottom"].tickValues(left, right, 300)
    assert list(places) == [1.0]
    (best,) = convergence.curves["best"].points
    place = plot.widget.mapFromScene(plot.box.mapViewToScene(QPointF(*best)))
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


def test_a_wheel_zooms(qtbot: QtBot, convergence: ConvergenceView) -> None:
    feed(convergence, INSTANCE)
    before = convergence.plot.box.viewRange()[0]
    convergence.plot.box.scaleBy((0.5, 0.5))
    assert convergence.plot.box.viewRange()[0] != before


def test_the_mouse_reads_values(qtbot: QtBot, convergence: ConvergenceView) -> None:
    feed(convergence, INSTANCE)
    state = snapshot(INSTANCE, 20)
    scene = convergence.plot.box.mapViewToScene(QPointF(20, state.cost))
    place = convergence.plot.widget.mapFromScene(scene)
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


def test_lengths_are_whole_numbers_however_little_is_between_them(
    convergence: ConvergenceView,
) -> None:
    axis = convergence.plot.axes["left"]
    show_state(convergence, snapshot(INSTANCE, 1))
    assert all(step >= 1 for step, _ in axis.tickSpacing(64975.9, 64976.1, 200))
    convergence.scale_button._gap.trigger()
    assert axis.tickSpacing(0.01, 0.02, 200)[0][0] < 1


def test_the_axis_of_lengths_has_their_unit_where_it_is_known(convergence: ConvergenceView) -> None:
    axis = convergence.plot.axes["left"]
    assert axis.labelText == "tour length"
    convergence.show_instance(dataclasses.replace(INSTANCE, unit="km"))
    assert axis.labelText == "tour length in km"
    scaled = dataclasses.replace(INSTANCE, unit="0.001 of the table's unit")
    convergence.show_instance(scaled)
    assert axis.labelText == "tour length"  # so long a unit has no room there
