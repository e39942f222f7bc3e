"""Hit rates, and curves with few points that keep their extremes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import Merges
from gpu.timing.measured import HitRate
from tests.hands import click
from tests.views.scenes import feed, show_state, snapshot, uniform
from views.plots.bounded_curve import MOST_CURVE_POINTS, BoundedCurve, MeanCurve
from views.plots.hit_rate_view import HitRateView

INSTANCE = uniform(80)


@pytest.fixture
def rates(qtbot: QtBot) -> HitRateView:
    view = HitRateView()
    qtbot.addWidget(view)
    view.resize(450, 380)
    view.show()
    return view


def test_hit_ratios_since_the_beginning_and_since_the_last_state(rates: HitRateView) -> None:
    feed(rates, INSTANCE)
    means, recent = rates.means["local"].points, rates.recent["local"].points
    assert means[:, 1] == pytest.approx(90.0)
    assert recent[:, 1] == pytest.approx(90.0)
    assert rates.means["overall"].points[-1, 1] == pytest.approx(98.06, abs=0.1)
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
    show_state(rates, snapshot(INSTANCE, 5))
    assert "keeps every trail" in rates.run_plot.hint.text()
    assert len(rates.means["local"].points) == 0


def test_shares_of_ants_that_won_and_of_merged_changes(rates: HitRateView) -> None:
    for count in (1, 2):
        merges = Merges(ants=100 * count, won=30 * count, merged=27 * count)
        show_state(rates, dataclasses.replace(snapshot(INSTANCE, count), merges=merges))
    assert rates.means["local"].points[:, 1] == pytest.approx(30.0)
    assert rates.means["overall"].points[:, 1] == pytest.approx(90.0)
    assert [rates.chips[name].text() for name in ("local", "overall")] == [
        "Ants that won",
        "Merged of these",
    ]
    assert "merged of these 90.00" in rates.note.text()
    click(rates.page_choice.buttons["memory"])
    assert rates.chips["overall"].text() == "Global"
    click(rates.page_choice.buttons["run"])
    assert rates.chips["overall"].text() == "Merged of these"
    rates.begin_run()
    feed(rates, INSTANCE)  # another colony, with a selective memory
    assert rates.chips["local"].text() == "Local"


def test_rates_against_memory(qtbot: QtBot, rates: HitRateView) -> None:
    click(rates.page_choice.buttons["memory"])
    assert rates.measure.button.isVisible()
    rates.show_rates([HitRate(1, 0.5, 0.25), HitRate(8, 0.9, 0.8)])
    assert rates.sizes["local"].points.tolist() == [[0, 50], [3, 90]]
    assert rates.sizes["overall"].points.tolist() == [[0, 25], [3, 80]]
    axis = rates.memory_plot.axes["bottom"]
    assert axis.tickStrings([0.0, 3.0, 5.0], 1, 1) == ["1", "8", "32"]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5 * MOST_CURVE_POINTS))
def test_extremes_and_ends_survive_any_number_of_points(values: list[float]) -> None:
    history = BoundedCurve()
    for iteration, value in enumerate(values):
        history.append(iteration, iteration / 10, value)
    points = history.points()
    assert len(points) <= MOST_CURVE_POINTS
    assert points[:, 1].min() == min(values)
    assert points[:, 1].max() == max(values)
    assert points[-1].tolist() == [len(values) - 1, values[-1]] or len(values) > MOST_CURVE_POINTS
    assert (np.diff(points[:, 0]) > 0).all()


def test_the_newest_point_is_always_there() -> None:
    history = BoundedCurve()
    for iteration in range(10 * MOST_CURVE_POINTS):
        history.append(iteration, 0.0, 1.0)
        assert history.points()[-1, 0] == iteration


def test_a_second_state_of_an_iteration_replaces_the_first_and_clear_forgets_it() -> None:
    history = BoundedCurve()
    history.append(3, 0.1, 50.0)
    history.append(3, 0.2, 40.0)
    assert history.points(seconds=True).tolist() == [[0.2, 40.0]]
    history.clear()
    assert len(history) == 0
    assert history.points().shape == (0, 2)


def test_a_mean_is_that_of_all_since_the_point_before() -> None:
    values = np.random.default_rng(1).random(5 * MOST_CURVE_POINTS // 2)
    means = MeanCurve()
    for iteration, value in enumerate(values, 1):
        means.append(iteration, 0.0, value)
    points = means.points()
    assert len(points) <= MOST_CURVE_POINTS
    begin = 0
    for end, mean in points:
        assert np.isclose(mean, values[begin : int(end)].mean())
        begin = int(end)
    assert begin == len(values)
