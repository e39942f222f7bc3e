"""Candidate lists, and the heuristic weights η^β that go with them.

Trails are kept beside the candidates, row by row, because one step reads exactly one row: each
candidate's number, weight and trail. ``reverse`` says where the same edge stands in the other
city's row, so that a symmetric update needs no search. Every colony on every device uses these
same arrays, which is why a CPU and a GPU run can give the same tours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours

NOT_LISTED = 255  # in ``reverse``: this city is not on the neighbour's list
SHORTEST = 0.1
"""Length that stands for 0 in η = 1/d, so that cities at one place keep a finite weight."""

LEAST_WEIGHT = 1e-30  # smallest η^β, in units of the row's largest; see :func:`weights`

LIGHTEST, HEAVIEST = np.float32(2.0**-100), np.float32(2.0**100)
"""Products of trail and η^β stay between these, so that a wheel's scale is an ordinary float32."""

BACKUP = 128  # neighbours beyond the candidates that the fallback tries before it scans every city


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate lists of an instance."""

    neighbours: NDArray[np.int32]  # (n, cl): nearest cities of each city, by distance, then index
    distances: NDArray[np.int32]  # (n, cl): their distances
    # (n, cl): rank of city u on the list of ``neighbours[u, r]``, or ``NOT_LISTED``
    reverse: NDArray[np.uint8]
    # (n, b): the next neighbours, in the same order; b = min(128, n - 1 - cl)
    backup: NDArray[np.int32]


def build_candidates(instance: TspInstance, cl: int) -> Candidates:
    """Build the lists of the ``cl`` nearest neighbours (1 <= cl <= min(n - 1, 254))."""
    n = instance.n
    both = nearest_neighbours(instance, min(n - 1, cl + BACKUP))
    neighbours = np.ascontiguousarray(both[:, :cl])
    cities = np.arange(n, dtype=np.int64)
    distances = instance.distances(cities[:, None], neighbours)
    # Position of the pair (v, u) among all listed pairs, found by binary search on v * n + u.
    pair = (cities[:, None] * n + neighbours).ravel()
    order = np.argsort(pair, kind="stable")
    wanted = (neighbours.astype(np.int64) * n + cities[:, None]).ravel()
    place = np.minimum(np.searchsorted(pair, wanted, sorter=order), pair.size - 1)
    listed = pair[order[place]] == wanted
    reverse = np.where(listed, order[place] % cl, NOT_LISTED).astype(np.uint8)
    return Candidates(
        neighbours,
        distances.astype(np.int32),
        reverse.reshape(n, cl),
        np.ascontiguousarray(both[:, cl:]),
    )


def weights(
    distances: NDArray[np.integer], nearest: NDArray[np.integer], beta: float
) -> NDArray[np.float32]:
    """η^β in units of each row's nearest neighbour: (d_nearest / d)^β, float32.

    Equations 1 and 2 of the 2016 paper compare and normalize within one city's row, so a factor
    common to the row changes nothing; without it η^β underflows float32 for long edges. A weight
    is never below ``LEAST_WEIGHT``, so that it is never a subnormal number, which a GPU takes
    for 0 and a CPU does not. ``nearest`` broadcasts to ``distances``. A whole β is a repeated
    product, in the same order on every device.
    """
    length = np.maximum(distances.astype(np.float64), SHORTEST)
    ratio = np.maximum(nearest.astype(np.float64), SHORTEST) / length
    if float(beta).is_integer():
        power = np.ones_like(ratio)
        for _ in range(int(beta)):
            power = power * ratio
    else:
        power = ratio**beta
    return np.maximum(power, LEAST_WEIGHT).astype(np.float32)
