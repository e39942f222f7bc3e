"""An instance as the kernels read it: packed candidate rows, and where distances come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.cpu.nearest_tour import nearest_neighbour_length
from gpu.cuda.kernels import Geometry
from gpu.cuda.kernels.constants import BACKUP_ROWS, CITY_BITS, LANES, NOT_LISTED, MetricNumber
from gpu.cuda.machine import Arrays
from gpu.cuda.sharing import made_once
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates, weights

MOST_CITIES = 1 << CITY_BITS
CITY_MASK = np.uint32(MOST_CITIES - 1)  # the bits of a packed candidate that are its city's

METRICS = {Metric[number.name]: number for number in MetricNumber if number}
"""Metrics that the kernels compute from coordinates; the others come as a matrix."""


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
            packed[rows, :k, 1] = weights(lengths, nearest[rows, None], beta).view(np.uint32)
    return packed


@dataclass(frozen=True, slots=True, weakref_slot=True)
class DeviceCities:
    """The instance as kernels read it."""

    n: int
    beta: float  # exponent of the heuristic
    metric: MetricNumber
    directed: bool  # whether trails have a direction
    nearest_neighbour_length: int  # L_nn, which sets the unit of the trails
    values: dict[str, NDArray[Any]]  # by buffer name: rows, backup, nearest, coordinates or matrix

    @staticmethod
    def of(instance: TspInstance, candidates: int, beta: float) -> DeviceCities:
        """Prepare ``instance`` with lists of ``candidates`` cities, once for all colonies.

        Raises
        ------
        DeviceMemoryError
            If the instance has more cities than a packed candidate can name.
        """
        return _prepared(instance, candidates, beta)

    @classmethod
    def _of(cls, instance: TspInstance, candidates: int, beta: float) -> DeviceCities:
        if instance.n > MOST_CITIES:
            raise DeviceMemoryError(
                f"{instance.name} has {instance.n} cities; the GPU colonies take {MOST_CITIES}"
            )
        lists = build_candidates(instance, candidates)
        metric = METRICS.get(instance.metric, MetricNumber.MATRIX)
        nearest = np.ascontiguousarray(lists.distances[:, 0])
        backup_width = BACKUP_ROWS * LANES
        unlisted = np.full(lists.backup.shape, NOT_LISTED, dtype=np.uint8)
        values: dict[str, NDArray[Any]] = {
            "rows": pack_rows(instance, lists.neighbours, lists.reverse, nearest, beta, LANES),
            "backup": pack_rows(instance, lists.backup, unlisted, nearest, beta, backup_width),
            "nearest": nearest,
        }
        if metric:
            assert instance.coordinates is not None
            values["coordinates"] = instance.coordinates[:, :2]
        else:
            values["matrix"] = instance.all_distances()
        length = nearest_neighbour_length(instance)
        return cls(instance.n, beta, metric, instance.directed, length, values)

    @property
    def lists(self) -> NDArray[np.int32]:
        """The candidates of each city, nearest first; int32, shape (n, k)."""
        cities = self.values["rows"][:, :, 0] & CITY_MASK
        width = int(np.count_nonzero(cities[0]))  # beyond the list: city 0 itself
        return cities[:, :width].astype(np.int32)

    def geometry(self, arrays: Arrays) -> Geometry:
        """Where kernels get distances from."""
        return Geometry.from_arrays(arrays, n=self.n, metric=self.metric, beta=self.beta)


_prepared = made_once(DeviceCities._of)
