"""What colonies whose ants change tours share: parameters, and which instances they take."""

from __future__ import annotations

import numpy as np

from gpu.core.errors import ParameterError
from gpu.problems.tsp.distances import longest_possible
from gpu.problems.tsp.instance import TspInstance

AUTOMATIC, ALPHA, QUADRANTS = "automatic", "alpha", "quadrants"
"""Which cities are near a city."""

NEARNESS = {
    ALPHA: "those whose edges most likely belong to a short tour (Helsgaun 2000)",
    QUADRANTS: "the nearest, and the nearest in each of four directions: found at once",
}

ALPHA_LIMIT = 20_000  # cities up to which α is worth the seconds that it takes

STRONGEST = 100.0
"""The trail of an edge that is always in all tours; the least one is 1."""


CUDA_LONGEST = 1 << 27  # distance with which sums of some ten are 32-bit numbers


def require_symmetric(instance: TspInstance) -> None:
    """Raise ParameterError if ``instance`` is directed: stretches of its tours cannot be turned."""
    if instance.directed:
        raise ParameterError(f"{instance.name} is directed: choose the colony focused, acs or mmas")


def require_short(instance: TspInstance, family: str, longest: int = CUDA_LONGEST) -> None:
    """Raise ParameterError if kernels of ``family`` cannot add up the distances of ``instance``."""
    found = longest_distance(instance)
    if found > longest:
        raise ParameterError(
            f"{family}-gpu takes distances of up to {longest:,}, and {instance.name} may have some "
            f"of up to {found:,.0f}: choose the colony {family}-cores"
        )


def longest_distance(instance: TspInstance) -> float:
    """Return a length that no distance exceeds.

    Of places it is a bound that kernels keep for sums of differences of coordinates, too.
    """
    if instance.matrix is not None:
        return float(instance.matrix.max())
    assert instance.coordinates is not None
    spans = float(np.ptp(instance.coordinates, axis=0).sum())
    return max(spans, longest_possible(instance.metric, instance.coordinates))
