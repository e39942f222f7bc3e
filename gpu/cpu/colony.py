"""What all colonies on the CPU have in common: snapshots, and going on where another stopped."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.history import of_ring, put_into_ring
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Snapshot, Trails, Wanted
from gpu.core.trails import (
    TABLES,
    KnownTrails,
    Single,
    branching_factor,
    lists_read,
    owners,
    pheromone_picture,
    strongest_trails,
    tables_of,
)
from gpu.cpu import record as records
from gpu.cpu.record import ColonyRecord
from gpu.cpu.stages import Stage, StagedWork

UNMARKED = np.float32(1)  # the trail of an edge that no tour has marked

Painter = Callable[[NDArray[np.integer]], NDArray[np.float32]]
"""Takes the best solution, which gives the order of rows and columns; returns a picture."""


class CpuColony(StagedWork):
    """A colony on the CPU; see :mod:`gpu.core.colony`.

    The same seed gives the same solutions on every machine and with any number of threads. The
    ``record`` is part of ``state``.
    """

    NUMBERS: ClassVar[frozenset[str]] = frozenset()
    """Parameters of which nothing but rules is made: see :meth:`adjust`."""

    _instance: Any
    _parameters: Parameters

    def __init__(
        self,
        ants: int,
        record: ColonyRecord,
        stages: Sequence[Stage],
        state: Any,
        workspaces: list[Any],
        threads: int | None = None,
    ) -> None:
        self._m, self._record = ants, record
        # Iterations of the colony whose place this one has taken, and the solutions built in them
        self._inherited = self._built_before = 0
        super().__init__(stages, state, workspaces, threads)

    @abstractmethod
    def _painters(self) -> tuple[Painter, Callable[[], Trails]] | None:
        """Return what paints all trails as they stand, and what selects the strongest.

        None if there are no trails, because the instance is too large for them.
        """

    @abstractmethod
    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""

    def _rules_for(self, parameters: Any) -> Iterable[Any]:
        """Return all rules that compiled code gets for ``parameters``, each of another type."""
        return ()

    def _adjusted(self) -> None:
        """Renew what follows from the rules beside the coming iterations."""

    def adjust(self, parameters: Parameters) -> bool:
        """Work with other numbers; see :class:`gpu.core.legacy.Adjustable`."""
        if not parameters.differing(self._parameters) <= self.NUMBERS:
            return False
        self._parameters = parameters
        for rules in self._rules_for(parameters):
            self._shared = _with_rules(self._shared, rules)
        self._adjusted()
        return True

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        """Return what a snapshot has that not all colonies know."""
        return {}

    def _single_trails(self) -> Single | None:
        """Return where single trails are read, or None where there are no candidates."""
        return None

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state after the last iteration, with the parts named in ``wanted``."""
        record = self._record
        numbers = record.numbers.tolist()
        iteration = numbers[records.ITERATION]
        best = last = picture = trails = None
        if iteration and wanted & (Wanted.SOLUTION | TABLES):
            best = self._instance.checked(record.best_solution, numbers[records.BEST_COST])
        if iteration > self._inherited and Wanted.ITERATION_SOLUTION in wanted:
            last = self._instance.checked(record.last_solution, numbers[records.LAST_BEST])
        if wanted & (Wanted.PHEROMONE | Wanted.TRAILS):
            solution = record.best_solution if iteration else np.arange(self._instance.n)
            if (painters := self._painters()) is not None:
                paint, select = painters
                picture = paint(solution) if Wanted.PHEROMONE in wanted else None
                trails = select() if Wanted.TRAILS in wanted else None
        single = self._single_trails() if wanted & TABLES else None
        strip, band = tables_of(wanted, best, single)
        return Snapshot(
            iteration=iteration,
            solutions_built=self._built_before + (iteration - self._inherited) * self._m,
            solutions_each=self._m,
            best_cost=numbers[records.BEST_COST] if iteration else None,
            best_iteration=numbers[records.BEST_ITERATION],
            iteration_best=numbers[records.LAST_BEST] if iteration else None,
            iteration_mean=numbers[records.LAST_TOTAL] / self._m if iteration else math.nan,
            history=of_ring(record.history, iteration, self._m),
            best_solution=best,
            iteration_solution=last,
            pheromone=picture,
            trails=trails,
            phases=self._times,
            **self._more(wanted),
            strip=strip,
            band=band,
        )


def _with_rules(state: Any, rules: Any) -> Any:
    """Return ``state`` with these ``rules`` in the place of those of their type."""
    if type(state) is type(rules):
        return rules
    if isinstance(state, tuple):
        parts = [_with_rules(part, rules) for part in state]
        return type(state)._make(parts) if hasattr(state, "_make") else tuple(parts)
    return state


@dataclass(frozen=True, slots=True, eq=False)
class ListedTrails:
    """Trails that are kept for each candidate's edge; all other edges have the same one."""

    lists: NDArray[np.int32]  # (n, k): the candidates of each city
    values: NDArray[np.float32]  # (n, k)
    directed: bool = False  # whether the trails are of edges that lead away from the city
    other: np.float32 = UNMARKED  # the trail of all other edges

    def known(self, unit: np.float32 | int = 1) -> KnownTrails:
        """Return the candidates' trails, in units of ``unit``."""
        rows = owners(*self.lists.shape)
        return KnownTrails(rows, self.lists.ravel(), (self.values / unit).ravel())


class ListedColony(CpuColony):
    """A colony on the CPU that keeps trails for each candidate's edge."""

    @abstractmethod
    def _listed_trails(self) -> ListedTrails:
        """Return the trails as they stand."""

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        trails = self._listed_trails()
        row = np.full(len(trails.lists), trails.other)
        row[trails.lists[city]] = trails.values[city]
        return row

    def _single_trails(self) -> Single:
        trails = self._listed_trails()
        return trails.lists, lists_read(trails.lists, trails.values, float(trails.other))

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        trails = self._listed_trails()
        known = trails.known(trails.other)

        def paint(order: NDArray[np.integer]) -> NDArray[np.float32]:
            return frozen(pheromone_picture(known, order) * trails.other)

        return paint, lambda: strongest_trails(known, len(trails.lists), trails.directed)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        if Wanted.BRANCHING in wanted:
            more["branching"] = branching_factor(self._listed_trails().values)
        return more


class CpuHeir(CpuColony):
    """A colony on the CPU whose trails another one can take over; see :mod:`gpu.core.legacy`."""

    @abstractmethod
    def _kept_trails(self) -> KeptTrails:
        """Return a copy of all trails."""

    @abstractmethod
    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        """Go on with ``trails``, those of ``legacy``, and with what follows from it."""

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        return Legacy(self.snapshot(Wanted.SOLUTION), self._kept_trails())

    def inherit(self, legacy: Legacy) -> None:
        """Go on where another colony stopped; see :class:`gpu.core.legacy.Heritable`."""
        state, record, numbers = legacy.state, self._record, self._record.numbers
        assert state.best_solution is not None
        assert state.iteration_best is not None
        assert legacy.trails is not None
        self._inherited, self._built_before = state.iteration, state.solutions_built
        numbers[records.ITERATION] = state.iteration
        numbers[records.BEST_COST] = state.cost
        numbers[records.BEST_ITERATION] = state.best_iteration
        numbers[records.LAST_BEST] = state.iteration_best
        numbers[records.LAST_TOTAL] = round(state.iteration_mean * self._m)
        record.best_solution[:] = state.best_solution
        put_into_ring(record.history, state.history, self._m)
        self._take_trails(legacy.trails, legacy)
