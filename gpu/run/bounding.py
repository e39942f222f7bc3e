"""The lower bound of a run: what no solution is better than, looked for in a thread beside it.

That of a coloring is looked for while the colony is built, and is known before the first iteration.
That of tours may take many seconds: the run begins without it, hears of it once it is there, and
stops it at its own end. In either case the same instance has the same bound.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.bounds import LowerBound
from gpu.core.colony import never
from gpu.core.instance import Instance
from gpu.core.machine.compiling import COMPILING
from gpu.core.machine.processes import lower_priority
from gpu.core.problem import Problem

Stop = Callable[[], bool]

FEW_CITIES = 3
"""Cities of an instance with one tour, or one in each direction: its bound is known at once."""

_NICER = 5  # niceness of a thread that works while the run does


def _of_coloring(instance: Any, stop: Stop) -> LowerBound | None:
    from gpu.bounds.coloring import coloring_bound  # slow to import

    return coloring_bound(instance, stop)


def _of_tours(instance: Any, stop: Stop) -> LowerBound | None:
    from gpu.bounds.held_karp import tour_bound  # slow to import

    return tour_bound(instance, stop)


def _by_penalties(instance: Any, witness: NDArray[Any]) -> LowerBound:
    from gpu.bounds.held_karp import bound_by_penalties  # slow to import

    return bound_by_penalties(instance, witness)


class _Kind(NamedTuple):
    """How the bounds of a problem are found, and are checked."""

    make: Callable[[Any, Stop], LowerBound | None]
    wanted: Callable[[Instance], bool]  # whether a run looks for one
    quick: Callable[[Instance], bool]  # whether it waits for it before its first iteration
    # Return the bound that a witness shows; SolutionError if it shows none.
    shown_by: Callable[[Any, NDArray[Any]], LowerBound]


_KINDS: Mapping[Problem, _Kind] = {
    Problem.COLORING: _Kind(
        _of_coloring,
        lambda graph: True,
        lambda graph: True,
        lambda graph, shown: graph.bound_by(shown),
    ),
    Problem.TSP: _Kind(
        _of_tours,
        lambda instance: instance.optimum is None,  # else that is what tours are measured by
        lambda instance: instance.n <= FEW_CITIES,
        _by_penalties,
    ),
}


def bound_of(instance: Instance, stop: Stop = never) -> LowerBound | None:
    """Return what no solution is better than; None where nothing is known, or if it is stopped."""
    kind = _KINDS.get(instance.problem)
    return kind.make(instance, stop) if kind else None


def bound_shown_by(instance: Instance, witness: NDArray[np.integer]) -> LowerBound:
    """Return the lower bound that a ``witness`` shows; SolutionError if it shows none."""
    kind = _KINDS.get(instance.problem)
    return kind.shown_by(instance, witness) if kind else instance.bound_by(witness)


class Bounding:
    """Looks for a lower bound of the costs of ``instance``, until ``stop`` says so.

    Where it is not ``quick``, whoever waits for it waits for long.
    """

    def __init__(self, instance: Instance, stop: Stop) -> None:
        kind = _KINDS.get(instance.problem)
        self.wanted = kind is not None and kind.wanted(instance)
        self.quick = kind is None or not self.wanted or kind.quick(instance)
        self._bound: LowerBound | None = None
        self._error: Exception | None = None
        self._instance, self._stop = instance, stop
        self._forgotten = threading.Event()
        self._thread = threading.Thread(target=self._work, name="lower bound", daemon=True)

    def start(self) -> None:
        """Begin, unless none is wanted."""
        if self.wanted:
            self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether nothing is looked for any more."""
        return self._thread.ident is not None and not self._thread.is_alive()

    @property
    def forgotten(self) -> bool:
        """Whether nobody wants it any more."""
        return self._forgotten.is_set()

    def forget(self) -> None:
        """Stop looking."""
        self._forgotten.set()

    def result(self) -> LowerBound | None:
        """Wait for the bound; None if there is none, or it was stopped. Raise what failed."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._bound

    def join(self) -> None:
        """Wait until nothing is looked for any more."""
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        if not self.quick:
            lower_priority(_NICER)
        try:
            with COMPILING.until(self._over):
                self._bound = bound_of(self._instance, self._over)
        except Exception as error:
            self._error = error

    def _over(self) -> bool:
        return self.forgotten or self._stop()
