from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from views.plots.bounded_curve import MOST_CURVE_POINTS, BoundedCurve, MeanCurve


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


def test_a_second_state_of_the_same_iteration_replaces_the_first() -> None:
    history = BoundedCurve()
    history.append(3, 0.1, 50.0)
    history.append(3, 0.2, 40.0)
    assert history.points(seconds=True).tolist() == [[0.2, 40.0]]


def test_clear_forgets() -> None:
    history = BoundedCurve()
    history.append(1, 0.1, 50.0)
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
