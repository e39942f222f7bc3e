"""The lower bound of a run: it is looked for while the colony is built, in a thread beside it.

So no time of solving is spent on it, and it is known before the first iteration: a run ends at the
same solution whenever it is repeated.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from gpu.core.bounds import LowerBound
from gpu.core.colony import never
from gpu.core.instance import Instance
from gpu.core.machine.compiling import COMPILING
from gpu.core.problem import Problem

Stop = Callable[[], bool]


def _of_coloring(instance: Any, stop: Stop) -> LowerBound | None:
    from gpu.bounds.coloring import coloring_bound  # slow to import

    return coloring_bound(instance, stop)


_MAKERS: Mapping[Problem, Callable[[Any, Stop], LowerBound | None]] = {
    Problem.COLORING: _of_coloring,
}


def bound_of(instance: Instance, stop: Stop = never) -> LowerBound | None:
    """Return what no solution is better than; None where nothing is known, or if it is stopped."""
    make = _MAKERS.get(instance.problem)
    return make(instance, stop) if make else None


class Bounding:
    """Looks for a lower bound of the costs of ``instance``, until ``stop`` says so."""

    def __init__(self, instance: Instance, stop: Stop) -> None:
        self._bound: LowerBound | None = None
        self._error: Exception | None = None
        self._instance, self._stop = instance, stop
        self._thread = threading.Thread(target=self._work, name="lower bound", daemon=True)
        if instance.problem in _MAKERS:
            self._thread.start()

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
        try:
            with COMPILING.until(self._stop):
                self._bound = bound_of(self._instance, self._stop)
        except Exception as error:
            self._error = error
