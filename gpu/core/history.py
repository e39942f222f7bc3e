"""What the iterations of a colony found: the costs of each, and what happened between two looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen

HISTORY_KEPT = 4096
"""Iterations whose costs a colony keeps. Who wants all costs makes no more between two looks."""


def _none() -> NDArray[np.int64]:
    return frozen(np.empty(0, np.int64))


def _no_numbers() -> NDArray[np.float64]:
    return frozen(np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The costs of a colony's last iterations, at most ``HISTORY_KEPT``, in their order."""

    last: int = 0  # the last of these iterations, counted from 1
    best: NDArray[np.int64] = field(default_factory=_none)  # (k,): of each, its best solution's
    mean: NDArray[np.float64] = field(default_factory=_no_numbers)  # (k,): of all its solutions


def of_ring(ring: NDArray[np.integer], last: int, ants: int) -> History:
    """Return the history that a colony keeps in a ring.

    Parameters
    ----------
    ring
        Shape (HISTORY_KEPT, 2), 64-bit integers: in the row of iteration i mod HISTORY_KEPT, the
        cost of its best solution, and the sum of the costs of all.
    last
        Iterations finished.
    ants
        Solutions that each iteration builds.
    """
    end = (last + 1) % HISTORY_KEPT
    rows = ring[1 : last + 1] if last < HISTORY_KEPT else np.concatenate([ring[end:], ring[:end]])
    return History(last, frozen(rows[:, 0].astype(np.int64)), frozen(rows[:, 1] / ants))


def put_into_ring(ring: NDArray[np.integer], history: History, ants: int) -> None:
    """Write ``history`` into the ring of a colony, as :func:`of_ring` reads it."""
    places = np.arange(history.last - len(history.best) + 1, history.last + 1) % HISTORY_KEPT
    ring[places, 0] = history.best
    ring[places, 1] = np.round(history.mean * ants).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Improvement:
    """A solution that is better than all before it, and when it was found."""

    iteration: int  # from 1; 0 for what the run or its colony began with
    seconds: float  # of the run; see :class:`Progress`
    solutions_built: int  # by all ants until the end of that iteration
    cost: int
    iteration_mean: float  # mean cost of that iteration's solutions; NaN for iteration 0
    # what found it, if the colony says so; of several between two looks only the last one's
    found_by: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """What happened between two looks at a colony.

    The iterations are in pieces, p in all. A piece is one iteration in a young run, and several in
    an older one. Only the two looks have measured times: those between are linear in the number of
    iterations.
    """

    last: int = 0  # the last iteration before the second look
    improvements: tuple[Improvement, ...] = ()  # in their order
    counts: NDArray[np.int64] = field(default_factory=_none)  # (p,): iterations in each piece
    ends: NDArray[np.int64] = field(default_factory=_none)  # (p,): its last iteration
    # (p,): of the run, at its end
    seconds: NDArray[np.float64] = field(default_factory=_no_numbers)
    best: NDArray[np.int64] = field(default_factory=_none)  # (p,): least cost of its solutions
    mean: NDArray[np.float64] = field(default_factory=_no_numbers)  # (p,): mean cost of all of them

    @property
    def iterations(self) -> int:
        """How many iterations there are between the two looks."""
        return int(self.counts.sum())

    @property
    def iteration_best(self) -> int:
        """Cost of the best solution of these iterations; there must be one."""
        return int(self.best.min())

    @property
    def iteration_mean(self) -> float:
        """Mean cost of all solutions of these iterations; there must be one."""
        return float(np.average(self.mean, weights=self.counts))


def joined(parts: Sequence[Progress]) -> Progress:
    """Return what happened in ``parts``, which follow each other, as one."""
    if not parts:
        return Progress()
    return Progress(
        parts[-1].last,
        tuple(one for part in parts for one in part.improvements),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        np.concatenate([part.seconds for part in parts]),
        np.concatenate([part.best for part in parts]),
        np.concatenate([part.mean for part in parts]),
    )


def between(progress: Progress, after: float, until: float) -> Progress:
    """Return what of ``progress`` happened later than ``after`` seconds, until ``until``."""
    first, end = np.searchsorted(progress.seconds, (after, until), side="right").tolist()
    found = tuple(one for one in progress.improvements if after < one.seconds <= until)
    last = int(progress.ends[end - 1]) if end else 0
    here = slice(first, end)
    return Progress(
        last,
        found,
        progress.counts[here],
        progress.ends[here],
        progress.seconds[here],
        progress.best[here],
        progress.mean[here],
    )
