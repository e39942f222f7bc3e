"""Checks every solution of a colony, so that a wrong one is never shown or written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import FormicariumError, SolutionError
from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot
from gpu.run.session import Session


class WrongSolutionError(FormicariumError):
    """A colony gave an invalid solution, or a wrong cost; the run ends because of it."""


class SolutionCheck:
    """Checks the solutions of one run against the instance, and computes their costs anew."""

    def __init__(self, instance: Instance, session: Session) -> None:
        self._instance = instance
        self._session = session
        self._noun = instance.problem.words.solution

    def best(self, taken: Snapshot, before: Snapshot) -> NDArray[np.int32] | None:
        """Check and return the best solution of ``taken``.

        If it equals that of the state ``before``, which has been checked, that array is returned,
        and only the cost is checked.

        Raises
        ------
        WrongSolutionError
            If it is not a valid solution, or has another cost.
        """
        solution, known = taken.best_solution, before.best_solution
        if solution is not None and known is not None and np.array_equal(solution, known):
            if taken.best_cost != before.best_cost:
                raise self._wrong(
                    f"says that one {self._noun} costs {taken.best_cost} and {before.best_cost}"
                )
            return known
        self.check(solution, taken.best_cost)
        return solution

    def check(self, solution: NDArray[np.int32] | None, cost: int) -> None:
        """Raise WrongSolutionError unless ``solution`` is None, or valid and of this ``cost``."""
        if solution is None:
            return
        try:
            exact = self._instance.cost_of(solution)
        except SolutionError as error:
            raise self._wrong(f"made something else than a {self._noun} ({error})") from error
        if exact != cost:
            raise self._wrong(f"says {cost} of a {self._noun} that costs {exact}")

    def _wrong(self, what: str) -> WrongSolutionError:
        return WrongSolutionError(
            f"{self._session.colony} {what}: the result cannot be trusted, so the run was ended; "
            "please report it with the run's log"
        )
