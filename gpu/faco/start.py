"""What Focused ACO begins with, on every device: the lists of near cities, and the first tour."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.decisions import TrailSource
from gpu.cpu.first_tours import nearest_neighbour_tour
from gpu.cpu.geometry import CityGeometry
from gpu.cpu.record import record_of
from gpu.cpu.stage_loop import StageTask
from gpu.cpu.stages import EVERYTHING
from gpu.faco.parameters import FacoParameters
from gpu.local_search.cpu import improve_now, local_search_of, workspace_of
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
    lengths = instance.distances(np.arange(n)[:, None], nearest[:, : max(cl, k)])
    away = lengths[:, :cl]
    return NearCities(
        np.ascontiguousarray(candidates),
        np.ascontiguousarray(rest),
        np.ascontiguousarray(nearest[:, :k]),
        np.ascontiguousarray(lengths[:, :k], np.int32),
        weights(away, away[:, :1], resolved.beta, instance.shortest),
    )


def improved_start(
    instance: TspInstance, geometry: CityGeometry, neighbours: int
) -> NDArray[np.int32]:
    """Return the nearest-neighbour tour, improved by 2-opt and Or-opt with lists so long."""
    search = local_search_of(instance, "2opt+oropt", 1, neighbours)
    routes: NDArray[np.int32] = nearest_neighbour_tour(instance)[None].copy()
    lengths = np.array([instance.tour_length(routes[0])], np.int64)
    task = StageTask(thread=0, threads=1, iterations=1, stages=1, begin=0, end=EVERYTHING)
    own, record = workspace_of(search, 0), record_of(instance.n)
    improve_now(search.rule, own, geometry, record, task, routes, lengths)
    improved: NDArray[np.int32] = routes[0]
    return improved


class Followed(NamedTuple):
    """What the ants of the coming iteration begin with."""

    tour: NDArray[np.int32]  # (n,): the source, which they leave and follow
    shares: NDArray[np.float32]  # (arms,): how likely each number of new edges is


@runtime_checkable
class FollowedSource(TrailSource, Protocol):
    """A colony whose ants leave a common tour and follow it again."""

    def followed(self) -> Followed:
        """Return what the ants of the coming iteration begin with."""
