"""Whether a colony's solutions are what it says they are; what is not is never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import FormicariumError, SolutionError
from gpu.core.snapshot import Snapshot

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.run.session import Session


class WrongSolutionError(FormicariumError):
    """A solution that is not what the colony says it is; nothing of it is shown."""


class SolutionCheck:
    """Checks the solutions of one run against its instance, and never trusts their costs."""

    def __init__(self, instance: Instance, session: Session) -> None:
        self._instance = instance
        self._session = session

    def best(self, taken: Snapshot, before: Snapshot) -> NDArray[np.int32] | None:
        """Return the best solution of ``taken``: that of ``before`` where it is the same.

        Parameters
        ----------
        taken : Snapshot
            A new state of the colony.
        before : Snapshot
            The state before, with a best solution that was checked, or none.

        Raises
        ------
        WrongSolutionError
            If it is no solution, or costs something else.
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
        """Raise WrongSolutionError unless ``solution`` is one, and costs so much; None may pass."""
        if solution is None:
            return
        try:
            exact = self._instance.cost_of(solution)
        except SolutionError as error:
            raise self._wrong(f"made something else than a {self._noun} ({error})") from error
        if exact != cost:
            raise self._wrong(f"says {cost} of a {self._noun} that costs {exact}")

    @property
    def _noun(self) -> str:
        return self._instance.problem.words.solution

    def _wrong(self, what: str) -> WrongSolutionError:
        return WrongSolutionError(
            f"{self._session.colony} {what}: the result cannot be trusted, so the run was ended; "
            "please report it with the run's log"
        )
