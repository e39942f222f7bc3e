"""What runs and colonies tell of their iterations, made by hand or compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.core.history import History, Improvement, Progress
from gpu.core.snapshot import Snapshot


def progress_of(
    iteration: int, seconds: float, best: int, mean: float, found: Sequence[tuple[int, int]]
) -> Progress:
    """What happened in one iteration; ``found`` has iteration and cost of each improvement."""
    return Progress(
        iteration,
        tuple(Improvement(at, seconds, at, cost, mean) for at, cost in found),
        counts=np.ones(1, np.int64),
        ends=np.array([iteration]),
        seconds=np.array([seconds]),
        best=np.array([best]),
        mean=np.array([mean]),
    )


def history_of(costs: Sequence[int]) -> History:
    """The history of a colony with one ant, whose solutions had these costs."""
    return History(len(costs), np.array(costs, np.int64), np.array(costs, np.float64))


def assert_same_history(one: Snapshot, other: Snapshot) -> None:
    """Both tell the same of all iterations, and end with what they tell of the last."""
    assert one.history.last == other.history.last == one.iteration
    np.testing.assert_array_equal(one.history.best, other.history.best)
    np.testing.assert_array_equal(one.history.mean, other.history.mean)
    if one.iteration:
        assert one.history.best[-1] == one.iteration_best
        assert one.history.mean[-1] == one.iteration_mean
