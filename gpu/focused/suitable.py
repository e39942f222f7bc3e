"""Which instances the focused colonies, Focused ACO and the crossing colonies take."""

from __future__ import annotations

import numpy as np

from gpu.core.errors import ParameterError
from gpu.focused.parameters import MOST_DIRECTED
from gpu.problems.tsp.distances import longest_possible
from gpu.problems.tsp.instance import TspInstance

FOCUSED_CUDA_LONGEST = 1 << 27  # distance with which sums of some ten are 32-bit numbers
FACO_CUDA_LONGEST = (1 << 30) - 1  # distance up to which the sum of two is one


def require_symmetric(instance: TspInstance) -> None:
    """Raise ParameterError if ``instance`` is directed: stretches of its tours cannot be turned."""
    if instance.directed:
        raise ParameterError(
            f"{instance.name} is directed: choose the colony acs, mmas or focused-cores"
        )


def require_few_directed(instance: TspInstance) -> None:
    """Raise ParameterError if ``instance`` is directed and too large."""
    if instance.directed and instance.n > MOST_DIRECTED:
        raise ParameterError(
            f"focused colonies take directed instances of up to {MOST_DIRECTED:,} cities, and "
            f"{instance.name} has {instance.n:,}: choose the colony acs or mmas"
        )


def require_for_focused_cuda(instance: TspInstance) -> None:
    """Raise ParameterError if focused-gpu does not take ``instance``."""
    require_symmetric(instance)
    require_short(instance, "focused", FOCUSED_CUDA_LONGEST)


def require_for_faco_cuda(instance: TspInstance) -> None:
    """Raise ParameterError if faco-gpu does not take ``instance``."""
    require_symmetric(instance)
    require_short(instance, "faco", FACO_CUDA_LONGEST)


def require_short(instance: TspInstance, family: str, longest: int) -> None:
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
