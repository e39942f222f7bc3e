"""The lists of near cities that the ants of Focused ACO read, on every device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.faco.parameters import FacoParameters
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours, weights


class NearCities(NamedTuple):
    """The nearest cities of each city, by their distance."""

    candidates: NDArray[np.int32]  # (n, cl): from which ants draw
    backup: NDArray[np.int32]  # (n, bl): the next ones
    near: NDArray[np.int32]  # (n, k): those that the local search looks at
    lengths: NDArray[np.int32]  # (n, k): their distances
    heuristic: NDArray[np.float32]  # (n, cl): η^β of the candidates, in units of the row's largest


def near_cities(instance: TspInstance, resolved: FacoParameters) -> NearCities:
    """Make the lists for parameters that were resolved."""
    n, cl, k = instance.n, resolved.candidates, resolved.neighbours
    nearest = nearest_neighbours(instance, max(cl + resolved.backup, k))
    candidates, rest, _ = np.split(nearest, (cl, cl + resolved.backup), axis=1)
    near, rows = nearest[:, :k], np.arange(n)[:, None]
    away = instance.distances(rows, candidates)
    return NearCities(
        np.ascontiguousarray(candidates),
        np.ascontiguousarray(rest),
        np.ascontiguousarray(near),
        instance.distances(rows, near).astype(np.int32),
        weights(away, away[:, :1], resolved.beta),
    )
