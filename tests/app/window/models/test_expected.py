from __future__ import annotations

import pytest

from app.window.models.expected import Expected
from gpu.core.snapshot import Snapshot
from gpu.run.stopping import StopSettings


def state(iteration: int, elapsed: float) -> Snapshot:
    return Snapshot(iteration, 10 * iteration, 100, 1, 100, 100.0, elapsed=elapsed)


def test_the_share_grows_and_the_rest_shrinks_within_an_iteration() -> None:
    expected, stop = Expected(), StopSettings(iterations=4)
    assert expected.share_and_left(state(0, 3.0), stop) == (0.0, None)
    assert expected.share_and_left(state(1, 10.0), stop) == pytest.approx((0.25, 30.0))
    assert expected.share_and_left(state(1, 14.0), stop) == pytest.approx((0.35, 26.0))
    # It takes longer than the one before: no more is promised than its end will bring.
    assert expected.share_and_left(state(1, 25.0), stop) == pytest.approx((0.5, 25.0))
    assert expected.share_and_left(state(2, 30.0), stop) == pytest.approx((0.5, 30.0))
    assert expected.share_and_left(state(4, 50.0), stop) == pytest.approx((1.0, 0.0))


def test_time_is_counted_as_it_goes_by() -> None:
    expected, stop = Expected(), StopSettings(seconds=10.0)
    for elapsed in (1.0, 2.0, 9.0):
        found = expected.share_and_left(state(1, elapsed), stop)
        assert found == pytest.approx((elapsed / 10, 10 - elapsed))
    assert Expected().share_and_left(state(1, 1.0), StopSettings()) == (None, None)
