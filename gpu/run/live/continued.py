"""A colony that goes on from the best solution of another one, where trails cannot be passed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import Colony, Foreseeing, never
from gpu.core.history import History
from gpu.core.legacy import Adjustable
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Merges, Snapshot, Wanted


def seed_after(seed: int, iteration: int) -> int:
    """Return the seed of the colony that goes on after ``iteration``: it draws other numbers."""
    return int(np.random.SeedSequence((seed, iteration)).generate_state(1, np.uint64)[0])


class Continued:
    """A new colony that began with the best solution of the one before, and counts on from there.

    See :class:`gpu.core.colony.Colony`. The ``former`` state is the last one of the colony before,
    with its solution.
    """

    def __init__(self, colony: Colony, former: Snapshot) -> None:
        self._colony, self._former = colony, former

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`."""
        self._colony.iterate(count, stop)

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.core.colony.Colony.timed_iteration`."""
        return self._colony.timed_iteration()

    def expected_seconds(self) -> float:
        """Return how long an iteration takes; see :class:`gpu.core.colony.Foreseeing`."""
        colony = self._colony
        return colony.expected_seconds() if isinstance(colony, Foreseeing) else 0.0

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state, with the iterations of both colonies in it."""
        former, own = self._former, self._colony.snapshot(wanted)
        counted = former.iteration + own.iteration
        history = History(counted, own.history.best, own.history.mean)
        begun = own.iteration > 0
        if begun and own.best_iteration and own.cost < former.cost:
            best = own.best_solution
            cost, at = own.cost, former.iteration + own.best_iteration
        else:
            best = former.best_solution if Wanted.SOLUTION in wanted else None
            cost, at = former.cost, former.best_iteration
        merges = own.merges
        if merges is not None and (old := former.merges) is not None:
            merges = Merges(
                old.ants + merges.ants, old.won + merges.won, old.merged + merges.merged
            )
        return replace(
            own,
            iteration=counted,
            solutions_built=former.solutions_built + own.solutions_built,
            best_cost=cost,
            best_iteration=at,
            best_solution=best,
            iteration_best=own.iteration_best if begun else former.iteration_best,
            iteration_mean=own.iteration_mean if begun else former.iteration_mean,
            history=history,
            merges=merges,
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """Return all trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        return self._colony.trails_from(city)

    def adjust(self, parameters: Parameters) -> bool:
        """Work with other numbers; see :class:`gpu.core.legacy.Adjustable`."""
        return isinstance(self._colony, Adjustable) and self._colony.adjust(parameters)

    def close(self) -> None:
        """Free the colony's memory."""
        self._colony.close()
