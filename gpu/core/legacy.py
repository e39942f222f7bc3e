"""What a colony leaves to the one that goes on in its place, when a run is changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.history import History
from gpu.core.instance import Solution
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Snapshot
from gpu.core.trails import KnownTrails

NEW = -1  # the former number of a city that was not there


class KeptTrails:
    """Trails in units of the initial one: a whole matrix, or a list; pairs on no list have 1.

    The entries of one city are listed from the oldest to the newest, if their order is known.
    """

    def __init__(self, n: int, kept: NDArray[np.float32] | KnownTrails) -> None:
        self.n, self._kept = n, kept
        self._keys: NDArray[np.int64] | None = None  # of listed pairs, ascending
        self._order: NDArray[np.intp] | None = None

    def at(self, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> NDArray[np.float32]:
        """Return the trails from ``rows`` to ``columns``, which broadcast against each other."""
        if isinstance(self._kept, np.ndarray):
            whole: NDArray[np.float32] = self._kept[rows, columns]
            return whole
        if self._keys is None or self._order is None:
            keys = self._kept.rows.astype(np.int64) * self.n + self._kept.columns
            self._order = np.argsort(keys, kind="stable")
            self._keys = keys[self._order]
        wanted = np.asarray(rows, np.int64) * self.n + columns
        found = np.full(wanted.shape, np.float32(1))
        if len(self._keys):
            place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
            known = self._keys[place] == wanted
            found[known] = self._kept.values[self._order[place[known]]]
        return found

    def matrix(self) -> NDArray[np.float32]:
        """Return all trails, float32 of shape (n, n); not a copy where they are a matrix."""
        if isinstance(self._kept, np.ndarray):
            return self._kept
        whole = np.ones((self.n, self.n), np.float32)
        whole[self._kept.rows, self._kept.columns] = self._kept.values
        return whole

    def listed(self) -> KnownTrails:
        """Return all trails that differ from the initial one."""
        if not isinstance(self._kept, np.ndarray):
            return self._kept
        rows, columns = np.nonzero(self._kept != 1)
        values = self._kept[rows, columns]
        return KnownTrails(rows.astype(np.int32), columns.astype(np.int32), values)

    def renumbered(self, former: NDArray[np.integer]) -> KeptTrails:
        """Return the trails among other cities: ``former`` has the number that each had, or NEW."""
        n, there = len(former), np.flatnonzero(former != NEW)
        if isinstance(self._kept, np.ndarray):
            whole = np.ones((n, n), np.float32)
            whole[np.ix_(there, there)] = self._kept[np.ix_(former[there], former[there])]
            return KeptTrails(n, whole)
        number = np.full(self.n, NEW, np.int32)
        number[former[there]] = there
        rows, columns = number[self._kept.rows], number[self._kept.columns]
        both = (rows != NEW) & (columns != NEW)
        return KeptTrails(n, KnownTrails(rows[both], columns[both], self._kept.values[both]))


@dataclass(frozen=True, slots=True, eq=False)
class RestartBest:
    """The best solution since trails last began."""

    solution: Solution
    cost: int
    iteration: int  # that found it; if not after trails last began, there is none since


@dataclass(frozen=True, slots=True, eq=False)
class Legacy:
    """The state of a colony between two iterations, for the colony that takes its place."""

    state: Snapshot  # numbers, history and best solution; at least one iteration was made
    trails: KeptTrails | None  # None where a colony cannot pass them on
    restarted: int = 0  # the iteration after which trails last began anew; 0 if they never did
    level: float = 1.0  # of a trail that never got a deposit, where that is not the initial one
    restart_best: RestartBest | None = None  # None: as the best of all

    @property
    def best_since_restart(self) -> RestartBest:
        """The best solution since trails last began."""
        state = self.state
        assert state.best_solution is not None
        return self.restart_best or RestartBest(
            state.best_solution, state.cost, state.best_iteration
        )

    def on(self, solution: Solution, cost: int, former: NDArray[np.integer]) -> Legacy:
        """Return what is left for another instance, on which the best solution is this one.

        ``former`` is as in :meth:`KeptTrails.renumbered`. The costs of earlier iterations are
        forgotten: they are of another instance. The last iteration counts as if it had built this
        solution alone.
        """
        last = self.state.iteration
        history = History(last, np.array([cost], np.int64), np.array([cost], np.float64))
        state = replace(
            self.state,
            best_cost=cost,
            best_iteration=last,
            best_solution=solution,
            iteration_best=cost,
            iteration_mean=float(cost),
            history=history,
        )
        trails = None if self.trails is None else self.trails.renumbered(former)
        return Legacy(state, trails, self.restarted, self.level)


@runtime_checkable
class Heritable(Protocol):
    """A colony that can be replaced between two iterations by one with other parameters."""

    def legacy(self) -> Legacy:
        """Finish what is in flight and return what is left; at least one iteration was made."""

    def inherit(self, legacy: Legacy) -> None:
        """Go on where another colony stopped; called once, before the first iteration.

        With the same instance and parameters, the next iterations are what those of the other
        colony would have been.
        """


@runtime_checkable
class Adjustable(Protocol):
    """A colony that can go on with other parameters and need not be built anew."""

    def adjust(self, parameters: Parameters) -> bool:
        """Work with other ``parameters``, none of them automatic, from the next iteration on.

        It can if each iteration reads anew all numbers that change. If it cannot, nothing changes,
        and the result is False. It is called between two iterations, after at least one. The next
        iterations are those of a colony that was built with these parameters and inherited what
        this one leaves. The colony also keeps what none can leave to another one: temperatures,
        what a bandit has learned, tabu lists, and trails where colonies do not inherit.
        """
