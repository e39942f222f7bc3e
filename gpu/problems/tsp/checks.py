"""Whether what a colony returns is a tour, and has the length that it says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import WrongSolutionError
from gpu.problems.tsp.instance import TspInstance


def checked_tour(
    instance: TspInstance, tour: NDArray[np.integer], length: int
) -> NDArray[np.int32]:
    """Return a read-only copy of a tour that has this length, or raise WrongSolutionError."""
    copy = checked_permutation(instance, tour)
    exact = instance.tour_length(copy)
    if exact != length:
        raise WrongSolutionError(
            f"the colony reported a tour of length {length} through {instance.name}, but its "
            f"length is {exact}"
        )
    return copy


def checked_permutation(instance: TspInstance, tour: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return a read-only copy of a permutation of the cities, or raise WrongSolutionError."""
    n = instance.n
    copy = np.array(tour, dtype=np.int32)
    inside = copy.shape == (n,) and 0 <= copy.min() <= copy.max() < n
    if not inside or np.any(np.bincount(copy, minlength=n) != 1):
        raise WrongSolutionError(
            f"the colony returned a route through {instance.name} that does not visit each city "
            "once"
        )
    return frozen(copy)
