"""Follows a colony from look to look, so that no improvement is lost between two of them."""

from __future__ import annotations

import numpy as np

from gpu.core.errors import WrongSolutionError
from gpu.core.history import Improvement, Progress
from gpu.core.snapshot import Snapshot

PIECES = 512
"""A piece of progress has one iteration, or this part of all iterations so far."""

_NOTHING = np.iinfo(np.int64).max  # the best cost before there is a solution


class Course:
    """All improvements of a run, and where the last look found it."""

    def __init__(self) -> None:
        self.improvements: list[Improvement] = []  # since the beginning, in their order
        self._iteration, self._seconds, self._built = 0, 0.0, 0  # at the last look
        self._start = _NOTHING  # cost of the solution that the run or its colony began with

    def begin(self, cost: int) -> Progress:
        """Note the cost of the solution that the run begins with."""
        self._start = cost
        self.improvements.append(Improvement(0, 0.0, 0, cost, float("nan")))
        return Progress(improvements=tuple(self.improvements))

    def follow(self, taken: Snapshot, elapsed: float) -> Progress:
        """Return what happened since the last look: ``taken`` is the colony ``elapsed`` seconds on.

        Raises
        ------
        WrongSolutionError
            If the colony's history has gaps, or another best cost than the colony says.
        """
        before, seconds, built = self._iteration, self._seconds, self._built
        history, new = taken.history, taken.iteration - before
        if history.last != taken.iteration or len(history.best) < min(new, taken.iteration):
            raise WrongSolutionError(f"the colony does not know what happened in {new} iterations")
        now = taken.iteration, elapsed, taken.solutions_built
        if not taken.iteration:
            self._iteration, self._seconds, self._built = now
            return Progress()

        found, best, start = list[Improvement](), self._best, self._start
        if taken.best_iteration == 0 and taken.cost < best:
            best = start = taken.cost
            found.append(Improvement(0, 0.0, 0, start, float("nan")))
        # Tours of the last iteration may have been improved since the last look.
        again = min(len(history.best), new + 1)
        costs, means = history.best[-again:], history.mean[-again:]
        least = np.minimum.accumulate(np.append(best, costs))
        for place in np.flatnonzero(least[1:] < least[:-1]).tolist():
            after = new - again + 1 + place  # iterations since the last look
            share = after / new if new else 1.0
            found.append(
                Improvement(
                    before + after,
                    seconds + share * (elapsed - seconds),
                    built + after * (taken.solutions_built - built) // max(new, 1),
                    int(costs[place]),
                    float(means[place]),
                )
            )
        if (best := int(least[-1])) != min(start, taken.cost):
            raise WrongSolutionError(
                f"the colony says that its best costs {taken.cost}, but its iterations' best "
                f"costs {best}"
            )
        # Only now, so that a run can go on after an error.
        self._iteration, self._seconds, self._built = now
        self._start = start
        self.improvements += found
        improvements = tuple(found)
        if not new:
            return Progress(taken.iteration, improvements)

        costs, means = history.best[-new:], history.mean[-new:]
        starts = np.arange(0, new, max(1, taken.iteration // PIECES))
        ends = np.append(starts[1:], new)
        return Progress(
            taken.iteration,
            improvements,
            counts=ends - starts,
            ends=before + ends,
            seconds=seconds + (elapsed - seconds) * ends / new,
            best=np.minimum.reduceat(costs, starts),
            mean=np.add.reduceat(means, starts) / (ends - starts),
        )

    def restart(self, cost: int, *, of_start: bool) -> Progress:
        """Note that the best solution now costs this, because the instance has changed.

        ``of_start`` says whether the run began with it, and the colony has found none as good.
        """
        self._start = cost if of_start else int(_NOTHING)
        one = Improvement(self._iteration, self._seconds, self._built, cost, float("nan"))
        self.improvements.append(one)
        return Progress(self._iteration, improvements=(one,))

    @property
    def _best(self) -> int:
        return self.improvements[-1].cost if self.improvements else int(_NOTHING)
