"""An instance as the kernels read it: packed candidate rows, and where distances come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.cuda.kernels import CandidateLists, Geometry
from gpu.cuda.machine import Array, Buffer
from gpu.problems.tsp.candidates import NOT_LISTED, build_candidates, weights
from gpu.problems.tsp.heuristics import nearest_neighbour_length
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric

LANES = 32
"""Candidates in a row, and threads in a warp."""

BACKUP_WIDTH = 128
"""Cities in a row of the backup list; ``BACKUP_ROWS`` warps wide in candidates.cuh."""

MOST_CITIES = 1 << 24
"""A packed candidate has 24 bits for its city."""

CITY_MASK = np.uint32(MOST_CITIES - 1)
"""Those bits."""

METRICS = {
    Metric.EUC_2D: 1,
    Metric.CEIL_2D: 2,
    Metric.ATT: 3,
    Metric.MAN_2D: 4,
    Metric.MAX_2D: 5,
}
"""Metrics that the kernels compute from coordinates; the others come as a matrix (0)."""


def pack_rows(
    instance: TspInstance,
    lists: NDArray[np.int32],
    reverse: NDArray[np.uint8],
    nearest: NDArray[np.int32],
    beta: float,
    width: int,
) -> NDArray[np.uint32]:
    """Pack lists of cities into rows for warps.

    Parameters
    ----------
    instance : TspInstance
        Gives the distances; at most ``MOST_CITIES`` cities.
    lists : ndarray of int32, shape (n, k)
        Cities for each row.
    reverse : ndarray of uint8, shape (n, k)
        Rank of the row's city on each one's own list.
    nearest : ndarray of int32, shape (n,)
        Distance of each city to the nearest other one.
    beta : float
        Exponent of the heuristic.
    width : int
        Entries in a row, at least k.

    Returns
    -------
    ndarray of uint32, shape (n, width, 2)
        First city | reverse << 24, then the bits of η^β. Beyond k each entry is the row's own
        city with weight 0.
    """
    n, k = lists.shape
    cities = np.arange(n)
    packed = np.zeros((n, width, 2), dtype=np.uint32)
    packed[:, :, 0] = cities[:, None] | NOT_LISTED << 24
    if k:
        packed[:, :k, 0] = lists.astype(np.uint32) | reverse.astype(np.uint32) << 24
        for start in range(0, n, 4096):  # in blocks, because distances are int64 and many
            rows = slice(start, start + 4096)
            lengths = instance.distances(cities[rows, None], lists[rows])
            packed[rows, :k, 1] = weights(lengths, nearest[rows, None], beta).view(np.uint32)
    return packed


@dataclass(frozen=True, slots=True)
class DeviceCities:
    """The instance as kernels read it.

    Attributes
    ----------
    n : int
        Cities.
    beta : float
        Exponent of the heuristic.
    metric : int
        Number of the metric, as ``Metric`` in gpu/cuda/kernels/geometry.cuh has it.
    directed : bool
        Whether trails have a direction.
    nearest_neighbour_length : int
        L_nn, which sets the unit of the trails.
    values : dict of str to ndarray
        Host arrays by buffer name: rows, backup, nearest, and coordinates or matrix.
    """

    n: int
    beta: float
    metric: int
    directed: bool
    nearest_neighbour_length: int
    values: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, instance: TspInstance, candidates: int, beta: float) -> DeviceCities:
        """Prepare ``instance`` with lists of ``candidates`` cities.

        Raises
        ------
        DeviceMemoryError
            If the instance has more cities than a packed candidate can name.
        """
        if instance.n > MOST_CITIES:
            raise DeviceMemoryError(
                f"{instance.name} has {instance.n} cities; the GPU colonies take {MOST_CITIES}"
            )
        lists = build_candidates(instance, candidates)
        metric = METRICS.get(instance.metric, 0)
        nearest = np.ascontiguousarray(lists.distances[:, 0])
        unlisted = np.full(lists.backup.shape, NOT_LISTED, dtype=np.uint8)
        values: dict[str, NDArray[Any]] = {
            "rows": pack_rows(instance, lists.neighbours, lists.reverse, nearest, beta, LANES),
            "backup": pack_rows(instance, lists.backup, unlisted, nearest, beta, BACKUP_WIDTH),
            "nearest": nearest,
        }
        if metric:
            assert instance.coordinates is not None
            values["coordinates"] = instance.coordinates[:, :2]
        else:
            values["matrix"] = instance.all_distances()
        length = nearest_neighbour_length(instance, lists)
        return cls(instance.n, beta, metric, instance.directed, length, values)

    @property
    def deposit(self) -> float:
        """n·L_nn, which over the best length is the global update's Δτ in units of τ₀."""
        return float(self.n) * float(self.nearest_neighbour_length)

    def buffers(self) -> list[Buffer]:
        """The buffers that :attr:`values` go into."""
        types = {"rows": np.uint32, "backup": np.uint32, "coordinates": np.float64}
        return [
            Buffer(name, value.shape, types.get(name, np.int32))
            for name, value in self.values.items()
        ]

    def geometry(self, arrays: Mapping[str, Array]) -> Geometry:
        """Where kernels get distances from."""
        return Geometry(
            n=self.n,
            metric=self.metric,
            beta=self.beta,
            coordinates=arrays.get("coordinates"),
            matrix=arrays.get("matrix"),
            nearest=arrays["nearest"],
        )

    def lists(self, arrays: Mapping[str, Array]) -> CandidateLists:
        """The candidate lists as kernels read them."""
        return CandidateLists(rows=arrays["rows"], backup=arrays["backup"])
