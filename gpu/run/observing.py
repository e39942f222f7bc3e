"""Looks at the colony of a run, checks what it shows, and misses nothing between two looks."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.core.bounds import LowerBound
from gpu.core.colony import Colony
from gpu.core.errors import WrongSolutionError
from gpu.core.history import History, Improvement, Progress
from gpu.core.instance import Instance, Solution
from gpu.core.snapshot import RunState, Snapshot, Wanted

PROGRESS_PIECES = 512
"""A piece of progress has one iteration, or this part of all iterations so far."""

_NO_COST = int(np.iinfo(np.int64).max)  # the best cost before there is a solution


class ImprovementLog:
    """All improvements of a run, followed from look to look at its colony.

    What costs ``beyond`` or more is no solution.
    """

    def __init__(self, beyond: int = _NO_COST) -> None:
        self.improvements: list[Improvement] = []  # since the beginning, in their order
        self._iteration, self._seconds, self._built = 0, 0.0, 0  # at the last look
        self._beyond = beyond
        self._start = beyond  # cost of the solution that the run or its colony began with

    def begin(self, cost: int) -> Progress:
        """Note the cost of a solution that the run begins with: better than one noted before."""
        self._start = cost
        self.improvements.append(Improvement(0, 0.0, 0, cost, math.nan))
        return Progress(improvements=(self.improvements[-1],))

    def follow(self, shown: Snapshot, elapsed: float) -> Progress:
        """Return what happened since the last look, by what is ``shown`` after ``elapsed`` s.

        Raises
        ------
        WrongSolutionError
            If the colony's history has gaps, or another best cost than the colony says.
        """
        history, new = shown.history, shown.iteration - self._iteration
        if history.last != shown.iteration or len(history.best) < min(new, shown.iteration):
            raise WrongSolutionError(f"the colony does not know what happened in {new} iterations")
        before = self._iteration, self._seconds, self._built
        now = shown.iteration, elapsed, shown.solutions_built
        if not shown.iteration:
            self._iteration, self._seconds, self._built = now
            return Progress()
        found, start = self._found(shown, elapsed, new)
        # Only now, so that a run can go on after an error.
        self._iteration, self._seconds, self._built = now
        self._start = start
        self.improvements += found
        if not new:
            return Progress(shown.iteration, tuple(found))
        costs, means = history.best[-new:], history.mean[-new:]
        starts = np.arange(0, new, max(1, shown.iteration // PROGRESS_PIECES))
        ends = np.append(starts[1:], new)
        iteration, seconds, _ = before
        return Progress(
            shown.iteration,
            tuple(found),
            counts=ends - starts,
            ends=iteration + ends,
            seconds=seconds + (elapsed - seconds) * ends / new,
            best=np.minimum.reduceat(costs, starts),
            mean=np.add.reduceat(means, starts) / (ends - starts),
        )

    def restart(self, cost: int, *, of_start: bool) -> Progress:
        """Note that the best solution now costs this, because the instance has changed.

        ``of_start`` says whether the run began with it, and the colony has found none as good.
        """
        self._start = cost if of_start else self._beyond
        one = Improvement(self._iteration, self._seconds, self._built, cost, math.nan)
        self.improvements.append(one)
        return Progress(self._iteration, improvements=(one,))

    def _found(self, shown: Snapshot, elapsed: float, new: int) -> tuple[list[Improvement], int]:
        """Return the improvements in the ``new`` iterations, and the cost of the start."""
        best = self.improvements[-1].cost if self.improvements else self._beyond
        found, start = list[Improvement](), self._start
        if shown.best_iteration == 0 and shown.cost < best:
            best = start = shown.cost
            found.append(Improvement(0, 0.0, 0, start, math.nan))
        # Solutions of the last iteration may have been improved since the last look.
        again = min(len(shown.history.best), new + 1)
        costs, means = shown.history.best[-again:], shown.history.mean[-again:]
        least = np.minimum.accumulate(np.append(best, costs))
        for place in np.flatnonzero(least[1:] < least[:-1]).tolist():
            after = new - again + 1 + place  # iterations since the last look
            share = after / new if new else 1.0
            found.append(
                Improvement(
                    self._iteration + after,
                    self._seconds + share * (elapsed - self._seconds),
                    self._built + after * (shown.solutions_built - self._built) // max(new, 1),
                    int(costs[place]),
                    float(means[place]),
                )
            )
        if found and found[-1].iteration:
            found[-1] = replace(found[-1], found_by=shown.found_by)
        if (best := int(least[-1])) != min(start, shown.cost):
            raise WrongSolutionError(
                f"the colony says that its best costs {shown.cost}, but its iterations' best "
                f"costs {best}"
            )
        return found, start


class Observer:
    """Makes the state of a run from what its colony shows and what the run began with.

    ``state`` is replaced as a whole, so another thread may read it. What costs ``beyond`` or more
    is no solution: no state has it.
    """

    def __init__(self, generation: int, beyond: int | None = None) -> None:
        self.state = RunState(0, 0, None, 0, None, math.nan, generation=generation)
        self._beyond = _NO_COST if beyond is None else beyond
        self.found = ImprovementLog(self._beyond)
        self.checking = 0.0  # seconds in which costs were computed anew
        self.fetching = 0.0  # seconds that the last look took to fetch and check a solution
        self._start: RunState | None = None  # that with which the run began, with its solution

    def begin(self, solution: Solution, cost: int) -> None:
        """Note the solution with which the run begins, if it is one."""
        if cost >= self._beyond:
            return
        begun = self.found.begin(cost)
        self.state = replace(self.state, best_cost=cost, best_solution=solution, progress=begun)
        self._start = self.state

    def note_bound(self, bound: LowerBound | None) -> None:
        """Note what no solution is better than; None if that is not known any more."""
        self.state = replace(self.state, bound=bound, progress=Progress())

    def look(
        self, colony: Colony, instance: Instance, elapsed: float, recorded: Wanted
    ) -> RunState:
        """Renew the state after a slice, and return it with the parts that are ``recorded``.

        Without them only a new best solution is fetched from the device.
        """
        shown, state = colony.snapshot(Wanted.NUMBERS), self.state
        best = state.best_solution
        self.fetching = 0.0
        known = shown.best_cost == state.best_cost and state.best_iteration > 0
        if recorded or best is None or not (known or self._start_is_better(shown)):
            begun = time.perf_counter()
            shown = colony.snapshot(Wanted.SOLUTION | recorded)
            with self._timed():
                best = _checked_best(instance, shown, self.state)
            self.fetching = time.perf_counter() - begun
        return self._take_in(shown, best, elapsed)

    def snapshot(
        self, colony: Colony, instance: Instance, wanted: Wanted, elapsed: float
    ) -> RunState:
        """Renew the state, and return it with the parts ``wanted``, checked."""
        shown = colony.snapshot(wanted | Wanted.SOLUTION)
        with self._timed():
            best = _checked_best(instance, shown, self.state)
            if shown.iteration_solution is not None:
                instance.checked(shown.iteration_solution, shown.iteration_best)
        return self._take_in(shown, best, elapsed)

    def take_over(self, solution: Solution, cost: int) -> None:
        """Go on with what is left of the best solution, after the cities have changed."""
        state = self.state
        of_start = not state.best_iteration  # the colony has found none that is as good
        self.state = replace(
            state,
            best_cost=cost,
            best_solution=solution,
            best_iteration=0 if of_start else state.iteration,
            improved_iteration=state.iteration,
            ants_cost=None if of_start else cost,
            iteration_solution=None,
            built_solution=None,
            edits=state.edits + 1,
            progress=self.found.restart(cost, of_start=of_start),
            bound=None,
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

    def _take_in(self, shown: Snapshot, best: Solution | None, elapsed: float) -> RunState:
        """Make the new state from what is ``shown``; return it with all parts."""
        of_start: dict[str, Any] = {}
        if self._start is not None and self._start_is_better(shown):
            solution, cost = self._start.best_solution, self._start.best_cost
            of_start = {"best_solution": solution, "best_cost": cost, "best_iteration": 0}
            of_start |= {"found_by": ""}
        added = {
            "best_solution": best,
            "ants_best": best,
            "ants_cost": shown.best_cost,
            "improved_iteration": shown.best_iteration,
            "history": History(),
            "progress": self.found.follow(shown, elapsed),
            "elapsed": elapsed,
            "generation": self.state.generation,
            "edits": self.state.edits,
            "bound": self.state.bound,
        }
        taken = RunState.of(shown, **{**added, **self._without_none(shown), **of_start})
        self.state = replace(
            taken, pheromone=None, ants_best=None, trails=None, strip=None, band=None
        )
        return taken

    def _without_none(self, shown: Snapshot) -> dict[str, Any]:
        """Return what a state has in place of tours that cost too much to be solutions."""
        none: dict[str, Any] = {}
        if shown.iteration_best is not None and shown.iteration_best >= self._beyond:
            none |= {"iteration_solution": None, "built_solution": None}
        if shown.best_cost is not None and shown.cost >= self._beyond:
            none["ants_cost"] = None
            if self._start is None:
                none |= {"best_solution": None, "best_cost": None, "best_iteration": 0}
                none["found_by"] = ""
        return none

    def _start_is_better(self, shown: Snapshot) -> bool:
        """Whether the colony has found nothing that is as good as what the run began with.

        One that began with something as good itself has found nothing either.
        """
        start = self._start
        if start is None or not shown.iteration:
            return start is not None
        return shown.cost > start.cost or (shown.cost == start.cost and not shown.best_iteration)


def _checked_best(instance: Instance, shown: Snapshot, known: Snapshot) -> Solution | None:
    """Return the best solution that is ``shown``, checked: the ``known`` one, if it is the same.

    WrongSolutionError if it is none, or has another cost than the colony says.
    """
    solution = shown.best_solution
    if solution is None:
        return None
    if known.best_solution is not None and np.array_equal(solution, known.best_solution):
        if shown.best_cost != known.best_cost:
            noun = instance.problem.words.solution
            costs = f"{shown.best_cost} and {known.best_cost}"
            raise WrongSolutionError(f"the colony says that one {noun} costs {costs}")
        return known.best_solution
    instance.checked(solution, shown.best_cost)
    return solution
