"""An instance as the kernels of Focused ACO read it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.cuda.cities import METRICS, MOST_CITIES
from gpu.cuda.kernels import Geometry
from gpu.cuda.kernels.constants import MetricNumber
from gpu.cuda.machine import Arrays
from gpu.faco.parameters import FacoParameters
from gpu.faco.start import near_cities
from gpu.problems.tsp.instance import TspInstance


class FacoCities:
    """The instance, and what is near what.

    Raises
    ------
    DeviceMemoryError
        If the instance has more cities than the GPU colonies take.
    """

    def __init__(self, instance: TspInstance, resolved: FacoParameters) -> None:
        self.n = n = instance.n
        if n > MOST_CITIES:
            raise DeviceMemoryError(
                f"{instance.name} has {n} cities; the GPU colonies take {MOST_CITIES}"
            )
        self._instance = instance
        self.near = near_cities(instance, resolved)

    @property
    def directed(self) -> bool:
        """Whether trails have a direction."""
        return self._instance.directed

    @property
    def metric(self) -> int:
        """Its :class:`gpu.cuda.kernels.constants.MetricNumber`."""
        return METRICS.get(self._instance.metric, MetricNumber.MATRIX)

    @cached_property
    def values(self) -> dict[str, NDArray[Any]]:
        """Host arrays that kernels read, by the name of the buffer that they go into."""
        near, sites = self.near, np.zeros((self.n, 2))
        values: dict[str, NDArray[Any]] = {
            "candidates": near.candidates,
            "backup": near.backup if near.backup.size else np.zeros((1, 1), np.int32),
            "near": near.near,
            "near_lengths": near.lengths,
            "heuristic": near.heuristic,
            "nearest": np.ones(1, np.int32),  # of an η that is computed on the device
        }
        if self.metric:
            assert self._instance.coordinates is not None
            sites[:] = self._instance.coordinates[:, :2]
            values["coordinates"] = sites
        else:
            sites[:, 0] = np.arange(self.n)
            values["matrix"] = self._instance.all_distances()
        values["sites"] = sites.copy()
        return values

    def geometry(self, arrays: Arrays) -> Geometry:
        """Where kernels get exact distances from."""
        return Geometry.from_arrays(arrays, n=self.n, metric=self.metric, beta=1.0)
