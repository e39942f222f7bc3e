"""What the coloring colonies of all devices have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.problems.tsp.neighbours import HEAVIEST

MOST_DEPOSIT = 2**32 - 1  # largest whole number that all ants together may deposit on one trail


def degree_powers(n: int, alpha: float) -> NDArray[np.float32]:
    """d^α for d = 0 .. n, float32 of shape (n + 1,), at most 2^100.

    A whole α is a repeated float32 product, as kernels and compiled code make one.
    """
    degrees = np.arange(n + 1, dtype=np.float32)
    if not float(alpha).is_integer():
        powers = (degrees.astype(np.float64) ** alpha).astype(np.float32)
    else:
        powers = np.ones_like(degrees)
        with np.errstate(over="ignore"):
            for _ in range(int(alpha)):
                powers *= degrees
    result: NDArray[np.float32] = np.minimum(powers, HEAVIEST)
    return result
