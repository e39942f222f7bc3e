"""The candidates of each city, by their distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.alpha import alpha_neighbours
from gpu.cpu.geometry import Geometry, geometry_of, is_flat
from gpu.cpu.greedy import greedy_tour
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import quadrant_neighbours
from gpu.tour_changes.parameters import ALPHA


class Lists(NamedTuple):
    """What does not change: the cities, and the candidates of each by their distance."""

    geometry: Geometry
    flat: bool  # whether a distance is that of EUC_2D, the common case, which has a short cut
    neighbours: NDArray[np.int32]  # (n, k)
    lengths: NDArray[np.int32]  # (n, k)


def lists_of(instance: TspInstance, k: int, nearness: str) -> tuple[Lists, NDArray[np.int32]]:
    """Return the candidates of each city by (distance, index), and the greedy tour."""
    if nearness == ALPHA:
        neighbours = alpha_neighbours(instance, k).neighbours
    else:
        neighbours = quadrant_neighbours(instance, k)
    lengths = instance.distances(np.arange(instance.n)[:, None], neighbours)
    order = np.argsort(lengths * instance.n + neighbours, axis=1)
    spans = np.take_along_axis(lengths, order, 1).astype(np.int32)
    neighbours = np.take_along_axis(neighbours, order, 1)
    geometry = geometry_of(instance, 1.0)
    lists = Lists(geometry, is_flat(geometry), neighbours, spans)
    return lists, greedy_tour(instance, neighbours)
