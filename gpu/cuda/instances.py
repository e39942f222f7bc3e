"""Instances as the kernels read them: packed candidate rows, where distances come from, graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.cpu.first_tours import nearest_neighbour_length
from gpu.cuda.kernels.constants import BACKUP_ROWS, CITY_BITS, LANES, NOT_LISTED, MetricNumber
from gpu.cuda.machine import made_once
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates, weights

MOST_CITIES = 1 << CITY_BITS
CITY_MASK = np.uint32(MOST_CITIES - 1)  # the bits of a packed candidate that are its city's

METRIC_NUMBERS = {Metric[number.name]: number for number in MetricNumber if number}
"""Metrics that the kernels compute from coordinates; the others come as a matrix."""


def check_cities(instance: TspInstance) -> None:
    """Refuse an instance that has more cities than a packed candidate can name.

    Raises
    ------
    DeviceMemoryError
        If it has.
    """
    if instance.n > MOST_CITIES:
        raise DeviceMemoryError(
            f"{instance.name} has {instance.n} cities; the GPU colonies take {MOST_CITIES}"
        )


def distance_values(instance: TspInstance) -> dict[str, NDArray[Any]]:
    """What kernels compute distances from: ``coordinates``, or else the ``matrix`` of them all."""
    if _metric_number(instance) is MetricNumber.MATRIX:
        return {"matrix": instance.all_distances()}
    assert instance.coordinates is not None
    return {"coordinates": instance.coordinates[:, :2]}


def distance_numbers(instance: TspInstance, beta: float) -> dict[str, Any]:
    """The numbers of :class:`gpu.cuda.kernels.Distances`, and whether trails have a direction."""
    metric = _metric_number(instance)
    numbers = {"n": instance.n, "metric": metric, "beta": beta, "shortest": instance.shortest}
    return {**numbers, "directed": instance.directed}


def _metric_number(instance: TspInstance) -> MetricNumber:
    if instance.directed:
        return MetricNumber.MATRIX
    return METRIC_NUMBERS.get(instance.metric, MetricNumber.MATRIX)


def pack_rows(
    instance: TspInstance,
    lists: NDArray[np.int32],
    reverse: NDArray[np.uint8],  # rank of the row's city on each one's own list
    nearest: NDArray[np.int32],
    beta: float,
    width: int,
) -> NDArray[np.uint32]:
    """Pack lists of cities into rows of ``width`` entries for warps; uint32, (n, width, 2).

    Each entry has a city | reverse << CITY_BITS, then the bits of η^β, in units of the ``nearest``
    distance of the row's city. Beyond the list each entry is the row's own city with weight 0.
    """
    n, k = lists.shape
    cities = np.arange(n)
    packed = np.zeros((n, width, 2), dtype=np.uint32)
    packed[:, :, 0] = cities[:, None] | NOT_LISTED << CITY_BITS
    if k:
        packed[:, :k, 0] = lists.astype(np.uint32) | reverse.astype(np.uint32) << CITY_BITS
        for start in range(0, n, 4096):  # in blocks, because distances are int64 and many
            rows = slice(start, start + 4096)
            lengths = instance.distances(cities[rows, None], lists[rows])
            packed[rows, :k, 1] = weights(
                lengths, nearest[rows, None], beta, instance.shortest
            ).view(np.uint32)
    return packed


@dataclass(frozen=True, slots=True, weakref_slot=True)
class DeviceCities:
    """The instance as kernels read it."""

    n: int
    directed: bool  # whether trails have a direction
    nearest_neighbour_length: int  # L_nn, which sets the unit of the trails
    numbers: dict[str, Any]  # that kernels take; see distance_numbers()
    values: dict[str, NDArray[Any]]  # by buffer name: rows, backup, nearest, coordinates or matrix

    @staticmethod
    def of(instance: TspInstance, candidates: int, beta: float) -> DeviceCities:
        """Prepare ``instance`` with lists of ``candidates`` cities, once for all colonies.

        Raises
        ------
        DeviceMemoryError
            If the instance has more cities than a packed candidate can name.
        """
        return _prepared_cities(instance, candidates, beta)

    @classmethod
    def _of(cls, instance: TspInstance, candidates: int, beta: float) -> DeviceCities:
        check_cities(instance)
        lists = build_candidates(instance, candidates)
        nearest = np.ascontiguousarray(lists.distances[:, 0])
        backup_width = BACKUP_ROWS * LANES
        unlisted = np.full(lists.backup.shape, NOT_LISTED, dtype=np.uint8)
        values: dict[str, NDArray[Any]] = {
            "rows": pack_rows(instance, lists.neighbours, lists.reverse, nearest, beta, LANES),
            "backup": pack_rows(instance, lists.backup, unlisted, nearest, beta, backup_width),
            "nearest": nearest,
            **distance_values(instance),
        }
        length, numbers = nearest_neighbour_length(instance), distance_numbers(instance, beta)
        return cls(instance.n, instance.directed, length, numbers, values)

    @property
    def lists(self) -> NDArray[np.int32]:
        """The candidates of each city, nearest first; int32, shape (n, k)."""
        cities = self.values["rows"][:, :, 0] & CITY_MASK
        width = int(np.count_nonzero(cities[0]))  # beyond the list: city 0 itself
        return cities[:, :width].astype(np.int32)


_prepared_cities = made_once(DeviceCities._of)


MOST_DEVICE_VERTICES = 1 << 14
"""Vertices whose sets fit the registers of a warp; see ``VertexSet`` in color_graph.cu."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class DeviceGraph:
    """The graph as kernels read it."""

    n: int  # vertices
    words: int  # that a set of vertices takes
    row: int  # words of a row of the adjacency on the device: whole lines of 128 bytes
    values: dict[str, NDArray[Any]]  # by buffer name: adjacency, n² / 8 bytes and the padding
    directed: bool = False
    lists: NDArray[np.int32] | None = None  # there are no candidates

    @staticmethod
    def of(instance: GraphInstance) -> DeviceGraph:
        """Prepare ``instance``, once for all colonies.

        Raises
        ------
        DeviceMemoryError
            If it has too many vertices.
        """
        return _prepared_graph(instance)

    @classmethod
    def _of(cls, instance: GraphInstance) -> DeviceGraph:
        if instance.n > MOST_DEVICE_VERTICES:
            raise DeviceMemoryError(
                f"{instance.name} has {instance.n} vertices; the GPU colonies take "
                f"{MOST_DEVICE_VERTICES}: choose a colony on the CPU"
            )
        words = instance.adjacency.shape[1]
        row = -(-words // LANES) * LANES
        adjacency = np.zeros((instance.n, row), np.uint32)
        adjacency[:, :words] = instance.adjacency
        return cls(instance.n, words, row, {"adjacency": adjacency})


_prepared_graph = made_once(DeviceGraph._of)
