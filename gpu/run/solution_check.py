"""Checks that a colony's solutions are what it says they are: their costs are computed anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import SolutionError, WrongSolutionError
from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot


def checked_best(instance: Instance, taken: Snapshot, known: Snapshot) -> NDArray[np.int32] | None:
    """Return the best solution of ``taken``, checked: the ``known`` one, if it is the same.

    WrongSolutionError if it is none, or has another cost than ``taken`` says.
    """
    solution = taken.best_solution
    if (
        solution is not None
        and known.best_solution is not None
        and np.array_equal(solution, known.best_solution)
    ):
        if taken.best_cost != known.best_cost:
            noun = instance.problem.words.solution
            costs = f"{taken.best_cost} and {known.best_cost}"
            raise WrongSolutionError(f"the colony says that one {noun} costs {costs}")
        return known.best_solution
    check(instance, solution, taken.best_cost)
    return solution


def check(instance: Instance, solution: NDArray[np.int32] | None, cost: int | None) -> None:
    """Raise WrongSolutionError unless ``solution`` is None, or valid and of this ``cost``."""
    if solution is None:
        return
    noun = instance.problem.words.solution
    try:
        exact = instance.cost_of(solution)
    except SolutionError as error:
        raise WrongSolutionError(
            f"the colony made something else than a {noun} ({error})"
        ) from error
    if exact != cost:
        raise WrongSolutionError(f"the colony says {cost} of a {noun} that costs {exact}")
