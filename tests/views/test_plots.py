from __future__ import annotations

import dataclasses
import math
import sys
import time

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gpu.snapshot import Wanted
from tests.hands import click, double_click, move
from tests.views.conftest import CPU, GPU
from tests.views.scenes import snapshot, uniform
from views.convergence_view import ConvergenceView
from views.device_view import DeviceView
from views.formats import whole
from views.hit_rate_view import HitRate, HitRateView
from views.log_view import MOST_LINES, LogView, in_words
from views.pheromone_view import PheromoneView
from views.plot import Plot, logarithmic_ticks, tick_texts

INSTANCE = uniform(80)


@pytest.fixture
def convergence(qtbot: QtBot) -> ConvergenceView:
    view = ConvergenceView()
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show_instance(INSTANCE)
    view.show()
    qtbot.waitExposed(view)
    return view


def feed(view: ConvergenceView | HitRateView | DeviceView, count: int = 30) -> None:
    for iteration in range(1, count + 1):
        view.show_snapshot(snapshot(INSTANCE, iteration, memory=True))


def test_the_curves_hold_what_came_in(convergence: ConvergenceView) -> None:
    assert "begin with a run" in convergence.plot.hint.text()
    feed(convergence)
    states = [snapshot(INSTANCE, iteration) for iteration in range(1, 31)]
    for name, field in (
        ("best", "best_cost"),
        ("latest", "iteration_best"),
        ("mean", "iteration_mean"),
    ):
        points = convergence.curves[name].points
        assert points[:, 0].tolist() == list(range(1, 31))
        assert points[:, 1].tolist() == [getattr(state, field) for state in states]
    assert convergence.plot.hint.text() == ""


def test_the_first_iteration_is_a_dot_above_its_number(convergence: ConvergenceView) -> None:
    feed(convergence, 1)
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
    feed(convergence)
    button = convergence.axis_choice.buttons["seconds"]
    click(button)
    assert convergence.curves["best"].points[-1, 0] == pytest.approx(0.6)
    x, _ = convergence.plot.box.viewRange()
    assert x[1] == pytest.approx(0.6)


def test_the_range_holds_the_optimum_and_what_is_switched_on(
    qtbot: QtBot, convergence: ConvergenceView
) -> None:
    feed(convergence)
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
    assert not convergence.chips["optimum"].isEnabled()


def test_the_user_s_own_range_is_kept_until_a_double_click(
    qtbot: QtBot, convergence: ConvergenceView
) -> None:
    feed(convergence)
    box = convergence.plot.box
    box.setRange(xRange=(5, 6), padding=0)
    box.sigRangeChangedManually.emit(None)
    feed(convergence)
    assert box.viewRange()[0] == [5, 6]
    viewport = convergence.plot.widget.viewport()
    double_click(viewport)
    assert box.viewRange()[0][1] == 30


def test_a_wheel_zooms(qtbot: QtBot, convergence: ConvergenceView) -> None:
    feed(convergence)
    before = convergence.plot.box.viewRange()[0]
    convergence.plot.box.scaleBy((0.5, 0.5))
    assert convergence.plot.box.viewRange()[0] != before


def test_the_mouse_reads_values(qtbot: QtBot, convergence: ConvergenceView) -> None:
    feed(convergence)
    state = snapshot(INSTANCE, 20)
    scene = convergence.plot.box.mapViewToScene(QPointF(20, state.best_cost))
    place = convergence.plot.widget.mapFromScene(scene)
    move(convergence.plot.widget.viewport(), place)
    qtbot.waitUntil(lambda: "iteration" in convergence.reading.text())
    assert "gap" in convergence.reading.text()


def test_a_hidden_view_catches_up_when_it_is_shown(convergence: ConvergenceView) -> None:
    convergence.hide()
    feed(convergence)
    assert len(convergence.curves["best"].points) == 0
    convergence.show()
    assert len(convergence.curves["best"].points) == 30


def test_ticks_have_the_texts_that_people_expect() -> None:
    assert tick_texts([50000, 60000], 1, 10000) == ["50\u202f000", "60\u202f000"]
    assert tick_texts([0.1, 0.2], 1, 0.1) == ["0.1", "0.2"]
    major, minor = logarithmic_ticks(0, 2.2, 500)
    assert major[1] == [0, 1, 2]
    assert [round(10**place) for place in minor[1]] == [2, 5, 20, 50]


def test_a_growing_range_keeps_room_so_that_the_axes_stand_still(qtbot: QtBot) -> None:
    plot = Plot("x", "y")
    qtbot.addWidget(plot)
    ranges = []
    for end in range(1, 201):
        plot.follow((0, end), (1, 2), growing=True)
        (low, high), y = plot.box.viewRange()
        assert low == 0
        assert end <= high <= 1.1 * end + 1e-9
        assert y == [1, 2]
        ranges.append(high)
    assert len(set(ranges)) < 50
    plot.follow((0, 20), (1, 2), growing=True)  # much less: a new run
    assert plot.box.viewRange()[0] == [0, 20]
    plot.follow((0, 21), (1, 2), growing=True)
    assert plot.box.viewRange()[0][1] > 22
    plot.fit()
    assert plot.box.viewRange()[0] == [0, 21]


def test_an_axis_is_drawn_again_only_when_it_changes(
    qtbot: QtBot, convergence: ConvergenceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(convergence, 100)
    drawn: list[object] = []
    axis = convergence.plot.axes["bottom"]
    plain = pg.AxisItem.paint

    def paint(item: object, *more: object) -> None:
        drawn.append(item)
        plain(item, *more)

    monkeypatch.setattr(pg.AxisItem, "paint", paint)
    qtbot.wait(20)
    drawn.clear()
    convergence.curves["best"].refresh()
    convergence.plot.widget.viewport().repaint()
    assert drawn == []
    convergence.plot.box.setXRange(0, 500)
    convergence.plot.widget.viewport().repaint()
    assert axis in drawn


def test_an_impossible_range_is_not_shown(qtbot: QtBot) -> None:
    plot = Plot("x", "y")
    qtbot.addWidget(plot)
    plot.follow((0, 10), (1, 2))
    before = plot.box.viewRange()
    plot.follow((0, math.nan), (1, 2))
    assert plot.box.viewRange() == before


@pytest.fixture
def pheromone(qtbot: QtBot) -> PheromoneView:
    view = PheromoneView()
    qtbot.addWidget(view)
    view.resize(420, 420)
    view.show_instance(INSTANCE)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_the_picture_is_logarithmic_with_a_legend(pheromone: PheromoneView) -> None:
    assert not pheromone.bar.isVisible()
    state = snapshot(INSTANCE, 10)
    pheromone.show_snapshot(state)
    assert pheromone.bar.isVisible()
    shades = pheromone.image._shades
    assert state.pheromone is not None
    assert shades.shape == state.pheromone.shape
    assert shades[5, 5] == 1  # the initial trail is the lower end of the scale; 0 is no trail
    brightest = np.unravel_index(state.pheromone.argmax(), shades.shape)
    assert shades[brightest] == shades.max() > 220
    middle = math.sqrt(100.0)
    row = np.array([[1.0, middle], [middle, 100.0]], dtype=np.float32)
    pheromone.show_snapshot(dataclasses.replace(state, pheromone=row))
    assert pheromone.image._shades.tolist() == [[1, 128], [128, 255]]


def test_shown_small_the_brightest_pixel_of_each_square_survives(pheromone: PheromoneView) -> None:
    shades = np.ones((512, 512), dtype=np.float32)
    shades[100, 300] = 1000.0
    pheromone.show_snapshot(dataclasses.replace(snapshot(INSTANCE, 3), pheromone=shades))
    picture = pheromone.graphics.grab().toImage()
    top = max(
        (picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())),
        key=lambda colour: colour.red() + colour.green(),
    )
    assert top.red() > 180  # viridis ends in yellow, and its lower half has next to no red
    assert top.green() > 180


def test_before_the_first_iteration_there_are_no_trails_to_show(pheromone: PheromoneView) -> None:
    pheromone.show_snapshot(dataclasses.replace(snapshot(INSTANCE, 1), iteration=0))
    assert not pheromone.bar.isVisible()
    hint = pheromone.hint
    assert hint.isVisible()
    assert "appear here" in hint.text()
    pheromone.resize(200, 220)
    assert hint.width() == pheromone.graphics.width()
    assert hint.wordWrap()
    assert hint.heightForWidth(hint.width()) <= hint.height()
    pheromone.show_snapshot(snapshot(INSTANCE, 2))
    assert not hint.isVisible()


def test_the_caption_names_a_selective_memory(pheromone: PheromoneView) -> None:
    pheromone.show_memory(8)
    pheromone.show_snapshot(snapshot(INSTANCE, 10, memory=True))
    assert "Selective memory, s = 8" in pheromone.caption.text()
    pheromone.show_memory(0)
    assert "memory" not in pheromone.caption.text()
    pheromone.show_instance(uniform(2000))
    pheromone.show_snapshot(snapshot(uniform(2000), 10))
    assert "4² trails a pixel" in pheromone.caption.text()
    assert Wanted.PHEROMONE in pheromone.wanted


def test_the_mouse_reads_a_trail(qtbot: QtBot, pheromone: PheromoneView) -> None:
    state = snapshot(INSTANCE, 10)
    assert state.best_solution is not None
    pheromone.show_snapshot(state)
    scene = pheromone.box.mapViewToScene(QPointF(11.5, 10.5))
    move(pheromone.graphics.viewport(), pheromone.graphics.mapFromScene(scene))
    start, end = state.best_solution[10] + 1, state.best_solution[11] + 1
    qtbot.waitUntil(lambda: f"city {start} → city {end}" in pheromone.reading.text())


@pytest.fixture
def rates(qtbot: QtBot) -> HitRateView:
    view = HitRateView()
    qtbot.addWidget(view)
    view.resize(450, 380)
    view.show()
    return view


def test_hit_ratios_since_the_beginning_and_since_the_last_state(rates: HitRateView) -> None:
    feed(rates)
    means, recent = rates._means["local"].points, rates._recent["local"].points
    assert means[:, 1] == pytest.approx(90.0)
    assert recent[:, 1] == pytest.approx(90.0)
    assert rates._means["overall"].points[-1, 1] == pytest.approx(98.06, abs=0.1)
    assert "local 90.00" in rates.note.text()


def test_the_switch_of_recent_ratios_has_the_colours_of_both(rates: HitRateView) -> None:
    sign = rates.chips["recent"].icon().pixmap(18, 12).toImage()
    drawn = [sign.pixelColor(9, y) for y in range(12)]
    hues = {role: rates.theme.colour(role).hue() for role in ("local", "overall")}
    seen = {
        min(hues, key=lambda role: abs(hues[role] - colour.hue()))
        for colour in drawn
        if colour.alpha()
    }
    assert seen == {"local", "overall"}


def test_without_a_selective_memory_the_view_says_so(rates: HitRateView) -> None:
    rates.show_snapshot(snapshot(INSTANCE, 5))
    assert "keeps every trail" in rates.run_plot.hint.text()
    assert len(rates._means["local"].points) == 0


def test_rates_against_memory(qtbot: QtBot, rates: HitRateView) -> None:
    click(rates.page_choice.buttons["memory"])
    assert rates.measure.button.isVisible()
    rates.show_rates([HitRate(1, 0.5, 0.25), HitRate(8, 0.9, 0.8)])
    assert rates._sizes["local"].points.tolist() == [[0, 50], [3, 90]]
    assert rates._sizes["overall"].points.tolist() == [[0, 25], [3, 80]]
    axis = rates.memory_plot.axes["bottom"]
    assert axis.tickStrings([0.0, 3.0, 5.0], 1, 1) == ["1", "8", "32"]


def test_the_device_and_where_its_time_goes(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.resize(420, 600)
    view.show_device(GPU, {"numpy": "2.0", "platform": "Linux"})
    view.show()
    feed(view)
    texts = [label.text() for label in view.findChildren(QLabel)]
    assert "NVIDIA H100 80GB HBM3" in texts
    assert "CUDA 13.0" in texts
    assert "numpy 2.0" in texts
    assert [bar.name for bar in view.phases.bars] == ["construction", "update", "lengths"]
    assert "ms an iteration" in view.phases_title.text()
    assert len(view.curve.points) == 30
    assert view.wanted == Wanted.BRANCHING
    view.begin_run()
    assert not view.phases.bars
    view.show_snapshot(dataclasses.replace(snapshot(INSTANCE, 5), branching=None))
    assert view.phases.bars
    assert "and this view is in sight" in view.plot.hint.text()


def test_a_version_is_told_once(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.show_device(CPU, {"python": "3.11", "numpy": "2.0"})
    texts = " ".join(label.text() for label in view.findChildren(QLabel))
    assert texts.count("3.11") == 1


def test_any_colonys_phases_are_shown_in_their_order(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.show()
    phases = {"choice info": 1.0, "construction": 8.0, "update": 0.5, "local search": 0.5}
    view.show_snapshot(dataclasses.replace(snapshot(INSTANCE, 5), phases=phases))
    assert [(bar.name, bar.value) for bar in view.phases.bars] == list(phases.items())
    assert view.phases.bars[0].text.endswith("10 %")
    assert "10.0" in view.phases_title.text()
    assert len({bar.role for bar in view.phases.bars}) == len(phases)


def test_moves_of_local_search_are_told_where_there_is_one(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.show()
    view.show_snapshot(snapshot(INSTANCE, 5))
    assert view.moves.isHidden()
    view.show_snapshot(snapshot(INSTANCE, 6, improved=True))
    n = INSTANCE.n
    assert [(bar.name, bar.value) for bar in view.moves.bars] == [
        ("2-opt", 31 * n),
        ("Or-opt", 12 * n),
    ]
    assert view.moves_title.isVisible()
    assert f"{whole(43 * n)} improvements" in view.moves_title.text()
    assert "local search" in [bar.name for bar in view.phases.bars]
    view.begin_run()
    assert view.moves_title.isHidden()


def test_limits_of_trails_are_told_where_there_are_any(qtbot: QtBot) -> None:
    view = DeviceView()
    qtbot.addWidget(view)
    view.show()
    shown = snapshot(INSTANCE, 5)
    view.show_snapshot(shown)
    assert view.limits_note.isHidden()
    view.show_snapshot(dataclasses.replace(shown, iteration=6, limits=(2e-5, 1.25)))
    assert view.limits_note.isVisible()
    assert "between 2.0·10⁻⁵ and 1.25 of" in view.limits_note.text()
    view.begin_run()
    assert view.limits_note.isHidden()


def test_the_log_in_words_and_as_in_the_file(qtbot: QtBot) -> None:
    view = LogView()
    qtbot.addWidget(view)
    view.resize(420, 300)
    view.show()
    lines = [
        '{"kind": "improvement", "seconds": 1.5, "iteration": 12, "best": 51000, "gap_percent": 2}',
        '{"kind": "outcome", "seconds": 3, "ending": "finished", "reason": "done", "best": null}',
        "not JSON",
    ]
    view.add_lines(lines)
    assert "↓ iteration 12  best 51\u202f000 (2.00\u202f%)" in view.text.toPlainText()
    assert "finished: done" in view.text.toPlainText()
    click(view.form.buttons["file"])
    assert view.text.toPlainText().split("\n") == lines
    view.hide()
    view.add_lines([str(number) for number in range(2 * MOST_LINES)])
    view.show()
    assert view.text.blockCount() == MOST_LINES
    assert view.text.toPlainText().endswith(str(2 * MOST_LINES - 1))


@pytest.mark.skipif(sys.platform == "win32", reason="needs another time zone")
def test_a_session_line_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    line = (
        '{"kind": "session", "started": "2026-01-01T12:30:00+00:00", "instance": {"name": "a280"},'
        ' "session": {"colony": "acs-seq", "device": "cpu:1", "seed": 7}}'
    )
    monkeypatch.setenv("TZ", "UTC-3")  # three hours ahead of it
    try:
        time.tzset()
        assert in_words(line) == "2026-01-01 15:30:00  acs-seq on cpu:1, a280, seed 7"
    finally:
        monkeypatch.undo()
        time.tzset()
