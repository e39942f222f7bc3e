"""The present state of a run: what its colony shows, checked, and what the run began with."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from gpu.core.colony import Colony
from gpu.core.errors import WrongSolutionError
from gpu.core.history import History, Improvement
from gpu.core.instance import Instance, Solution
from gpu.core.snapshot import Snapshot, Wanted
from gpu.run.course import Course


class Present:
    """The state of a run after its last good slice; see :class:`gpu.run.run.Run`.

    ``state`` is replaced as a whole, so another thread may read it.
    """

    def __init__(self, generation: int) -> None:
        self.state = Snapshot(0, 0, None, 0, None, math.nan, generation=generation)
        self._generation = generation
        self._edits = 0  # changes of the instance
        self._course = Course()
        self._start: Snapshot | None = None  # the state with which the run began, with its solution
        self.checking = 0.0  # seconds in which costs were computed anew
        self._progressed = 0  # the iteration in which the colony last bettered its own best

    @property
    def improvements(self) -> Sequence[Improvement]:
        """Every solution that was better than all before it, since the beginning; it grows."""
        return self._course.improvements

    @property
    def judged(self) -> Snapshot:
        """``state`` as stop criteria see it.

        A colony that has not reached the solution which the run began with makes progress as long
        as it betters its own best.
        """
        return replace(self.state, best_iteration=max(self.state.best_iteration, self._progressed))

    def begin(self, solution: Solution, cost: int) -> None:
        """Note the solution with which the run begins."""
        self.state = replace(
            self.state,
            best_cost=cost,
            best_solution=solution,
            progress=self._course.begin(cost),
        )
        self._start = self.state

    def observe(
        self, colony: Colony, instance: Instance, elapsed: float, recorded: Wanted
    ) -> Snapshot:
        """Renew the state after a slice, and return it with the parts that are ``recorded``.

        Without them only a new best solution is fetched from the device.
        """
        taken, state = colony.snapshot(Wanted.NUMBERS), self.state
        best = state.best_solution
        known = taken.best_cost == state.best_cost and state.best_iteration > 0
        if recorded or best is None or not (known or self._start_is_better(taken)):
            taken = colony.snapshot(Wanted.SOLUTION | recorded)
            with self._timed():
                best = _checked_best(instance, taken, self.state)
        return self._take_in(taken, best, elapsed)

    def snapshot(
        self, colony: Colony, instance: Instance, wanted: Wanted, elapsed: float
    ) -> Snapshot:
        """Renew the state, and return it with the parts ``wanted``, checked."""
        taken = colony.snapshot(wanted | Wanted.SOLUTION)
        with self._timed():
            best = _checked_best(instance, taken, self.state)
            if taken.iteration_solution is not None:
                instance.checked(taken.iteration_solution, taken.iteration_best)
        return self._take_in(taken, best, elapsed)

    def take_over(self, solution: Solution, cost: int) -> None:
        """Make the state of what is left of the best solution, on other cities."""
        state = self.state
        self._edits += 1
        of_start = not state.best_iteration  # the colony has found none that is as good
        self._progressed = state.iteration
        self.state = replace(
            state,
            best_cost=cost,
            best_solution=solution,
            best_iteration=0 if of_start else state.iteration,
            iteration_solution=None,
            built_solution=None,
            edits=self._edits,
            progress=self._course.restart(cost, of_start=of_start),
        )
        self._start = self.state if of_start else None

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Count the time of a check."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.checking += time.perf_counter() - begun

    def _take_in(self, taken: Snapshot, best: Solution | None, elapsed: float) -> Snapshot:
        """Make the new state of what the colony shows; return it with all parts."""
        progress = self._course.follow(taken, elapsed)
        self._progressed = taken.best_iteration
        taken = replace(
            taken,
            best_solution=best,
            ants_best=best,
            history=History(),
            progress=progress,
            elapsed=elapsed,
            generation=self._generation,
            edits=self._edits,
        )
        if self._start is not None and self._start_is_better(taken):
            solution, cost = self._start.best_solution, self._start.best_cost
            taken = replace(taken, best_solution=solution, best_cost=cost, best_iteration=0)
        self.state = replace(
            taken, pheromone=None, ants_best=None, trails=None, strip=None, band=None
        )
        return taken

    def _start_is_better(self, taken: Snapshot) -> bool:
        """Whether the colony has found nothing that is as good as what the run began with."""
        start = self._start
        return start is not None and (not taken.iteration or taken.cost > start.cost)


def _checked_best(instance: Instance, taken: Snapshot, known: Snapshot) -> Solution | None:
    """Return the best solution of ``taken``, checked: the ``known`` one, if it is the same.

    WrongSolutionError if it is none, or has another cost than ``taken`` says.
    """
    solution = taken.best_solution
    if solution is None:
        return None
    if known.best_solution is not None and np.array_equal(solution, known.best_solution):
        if taken.best_cost != known.best_cost:
            noun = instance.problem.words.solution
            costs = f"{taken.best_cost} and {known.best_cost}"
            raise WrongSolutionError(f"the colony says that one {noun} costs {costs}")
        return known.best_solution
    instance.checked(solution, taken.best_cost)
    return solution
