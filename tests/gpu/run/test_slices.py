from __future__ import annotations

import pytest

from gpu.run import slices
from gpu.run.slices import SLICE, Slices
from tests.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch, slices)


def test_iterations_at_most_double_until_a_slice_has_its_length(clock: Clock) -> None:
    made, counts = Slices(), []
    for _ in range(8):
        made.begin()
        clock.now += 0.001 * made.count
        made.end(made.count)
        counts.append(made.count)
    assert counts[:4] == [2, 4, 8, 16]
    assert all(19 <= count <= 20 for count in counts[5:])
    made.begin()
    clock.now += 100 * SLICE  # something held it up
    made.end(20)
    assert made.count == 1


def test_time_between_slices_does_not_count_and_a_failed_one_neither(clock: Clock) -> None:
    made = Slices()
    over = made.begin()
    assert not over()
    clock.now += SLICE
    assert over()
    assert over.passed
    assert made.elapsed == pytest.approx(SLICE)
    made.end(1)
    clock.now += 5
    assert made.elapsed == made.spent == pytest.approx(SLICE)
    made.begin()
    clock.now += 7
    assert made.under_way
    made.leave()
    assert made.elapsed == pytest.approx(SLICE)
