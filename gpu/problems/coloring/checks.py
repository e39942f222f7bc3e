"""Whether what a colony returns is a coloring, and has as many colors as it says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import SolutionError, WrongSolutionError
from gpu.problems.coloring.instance import GraphInstance


def checked_coloring(
    instance: GraphInstance, colors: NDArray[np.integer], count: int
) -> NDArray[np.int32]:
    """Return a read-only copy of a proper coloring with ``count`` colors, or raise WrongSolutionError."""
    copy = np.array(colors, dtype=np.int32)
    try:
        exact = instance.cost_of(copy)
    except SolutionError as error:
        raise WrongSolutionError(str(error)) from error
    if exact != count:
        raise WrongSolutionError(
            f"the colony reported a coloring of {instance.name} with {count} colors, but it has "
            f"{exact}"
        )
    return frozen(copy)
