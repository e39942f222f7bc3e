"""Checks that a colony's solutions are what it says they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import FormicariumError, SolutionError
from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot


class WrongSolutionError(FormicariumError):
    """A colony gave an invalid solution, or a wrong cost; the run ends because of it."""


class SolutionCheck:
    """Computes the costs of the solutions of ``colony`` anew, from the instance."""

    def __init__(self, colony: str) -> None:
        self._colony = colony  # its name

    def best(
        self, instance: Instance, taken: Snapshot, known: Snapshot
    ) -> NDArray[np.int32] | None:
        """Check and return the best solution of ``taken``: the ``known`` one, if it is the same."""
        solution = taken.best_solution
        if (
            solution is not None
            and known.best_solution is not None
            and np.array_equal(solution, known.best_solution)
        ):
            if taken.best_cost != known.best_cost:
                noun = instance.problem.words.solution
                costs = f"{taken.best_cost} and {known.best_cost}"
                raise self.wrong(f"says that one {noun} costs {costs}")
            return known.best_solution
        self.check(instance, solution, taken.best_cost)
        return solution

    def check(
        self, instance: Instance, solution: NDArray[np.int32] | None, cost: int | None
    ) -> None:
        """Raise WrongSolutionError unless ``solution`` is None, or valid and of this ``cost``."""
        if solution is None:
            return
        noun = instance.problem.words.solution
        try:
            exact = instance.cost_of(solution)
        except SolutionError as error:
            raise self.wrong(f"made something else than a {noun} ({error})") from error
        if exact != cost:
            raise self.wrong(f"says {cost} of a {noun} that costs {exact}")

    def wrong(self, what: str) -> WrongSolutionError:
        """Return the error that the colony does ``what``."""
        return WrongSolutionError(
            f"{self._colony} {what}: the result cannot be trusted, so the run was ended; "
            "please report it with the run's log"
        )
