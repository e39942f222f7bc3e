"""What the coloring colonies of all devices have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.candidates import HEAVIEST
from gpu.errors import DeviceError, SolutionError
from gpu.instances.graph import GraphInstance
from gpu.summaries import frozen

MOST_TRIALS = 4096
"""Stochastic trials in vain after which an ant that only tries turns the wheel all the same.

The 2017 paper knows no end. But a candidate may be so much lighter than vertices that are none that
an ant would wait for ever.
"""

MOST_DEPOSIT = 2**32 - 1
"""Whole numbers that all ants together may deposit on one trail."""


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


def greedy_colors(instance: GraphInstance) -> int:
    """Colors that suffice if each vertex gets the first free one, those of high degree first."""
    pairs = np.concatenate([instance.edges, instance.edges[:, ::-1]])
    neighbours = pairs[np.argsort(pairs[:, 0], kind="stable"), 1]
    ends = np.concatenate([[0], np.cumsum(instance.degrees, dtype=np.int64)])
    colors = np.full(instance.n, -1, np.int32)
    for vertex in np.argsort(-instance.degrees, kind="stable"):
        near = colors[neighbours[ends[vertex] : ends[vertex + 1]]]
        taken = np.zeros(len(near) + 1, np.bool_)
        taken[near[(near >= 0) & (near < len(taken))]] = True
        colors[vertex] = int(np.argmin(taken))
    return int(colors.max()) + 1


def checked_coloring(
    instance: GraphInstance, colors: NDArray[np.integer], count: int
) -> NDArray[np.int32]:
    """Return a read-only copy of a colony's coloring, proved proper and of so many colors.

    Raises
    ------
    DeviceError
        If it is not.
    """
    copy = np.array(colors, dtype=np.int32)
    try:
        exact = instance.cost_of(copy)
    except SolutionError as error:
        raise DeviceError(f"{error}; the device or its driver is not working correctly") from error
    if exact != count:
        raise DeviceError(
            f"the colony reported a coloring of {instance.name} with {count} colors, but it has "
            f"{exact}; the device or its driver is not working correctly"
        )
    return frozen(copy)
