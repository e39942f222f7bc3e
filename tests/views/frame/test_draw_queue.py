"""When views draw, so that the colony has the processor."""

from __future__ import annotations

import math

import pytest

from tests.clock import Clock
from views.frame import draw_queue
from views.frame.draw_queue import LONGEST_WAIT, PAST_COUNTED, Throttle


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch, draw_queue)


def draw_for(clock: Clock, throttle: Throttle, seconds: float, cost: float) -> int:
    """Draw whenever it is time, each time at this cost; return how often."""
    drawn, end = 0, clock.now + seconds
    while clock.now < end:
        wait = throttle.wait()
        if wait > 0:
            clock.now += max(wait, 0.001)
        else:
            drawn += 1
            clock.work(cost)
    return drawn


@pytest.mark.parametrize("cost", [0.001, 0.004, 0.010])
def test_drawing_takes_its_share_of_the_time(clock: Clock, cost: float) -> None:
    throttle = Throttle()
    throttle.share = 0.05
    drawn = draw_for(clock, throttle, 60.0, cost)
    assert drawn * cost == pytest.approx(0.05 * 60, rel=0.05)


def test_what_costs_too_much_is_drawn_now_and_then_all_the_same(clock: Clock) -> None:
    throttle = Throttle()
    throttle.share = 0.05
    assert draw_for(clock, throttle, 60.0, 0.1) == pytest.approx(60 / LONGEST_WAIT, rel=0.05)


def test_without_a_limit_there_is_no_waiting(clock: Clock) -> None:
    throttle = Throttle()
    assert throttle.share == math.inf
    for _ in range(100):
        assert throttle.wait() == 0
        clock.work(0.03)


def test_other_work_of_the_thread_counts_but_is_soon_forgotten(clock: Clock) -> None:
    throttle = Throttle()
    throttle.share = 0.05
    assert throttle.wait() == 0
    clock.work(5.0)  # the user moves the map
    assert throttle.wait() == 0
    assert throttle.wait() > 0
    clock.now += 2 * PAST_COUNTED
    assert throttle.wait() == 0
    assert draw_for(clock, throttle, 10.0, 0.005) == pytest.approx(0.05 * 10 / 0.005, rel=0.1)
