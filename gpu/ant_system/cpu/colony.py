"""The Ant System on the CPU, on one core or all: the same tours either way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.ant_system.cpu.iteration import AsRules, run
from gpu.ant_system.parameters import AsCpuParameters
from gpu.construction.cpu.colony import MatrixColony
from gpu.construction.cpu.construction import LINK, RENEW
from gpu.construction.cpu.tables import ChoiceRules
from gpu.construction.parameters import CpuParameters
from gpu.core.devices import Device
from gpu.cpu.stages import Shift, Stage, shared
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric


def prepare() -> None:
    """Compile the colony, once for all on this machine: some seconds, or nothing.

    Whoever does not call this waits as long when the first colony is built.
    """
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    triangle = TspInstance("triangle", "", Metric.EUC_2D, corners, None, corners)
    AsCpuColony(triangle, AsCpuParameters(), 0, threads=1).close()


def build_sequential(
    instance: TspInstance, parameters: AsCpuParameters, device: Device, seed: int
) -> AsCpuColony:
    """The sequential Ant System (2013, Algorithms 1 and 2), on one core."""
    return AsCpuColony(instance, parameters, seed, threads=1)


def build_parallel(
    instance: TspInstance, parameters: AsCpuParameters, device: Device, seed: int
) -> AsCpuColony:
    """As :func:`build_sequential`, the ants shared out among all cores of ``device``."""
    return AsCpuColony(instance, parameters, seed, threads=device.cores)


class AsCpuColony(MatrixColony):
    """The Ant System on the CPU: all ants deposit; see :class:`MatrixColony`."""

    def _update_stages(
        self,
        parameters: CpuParameters,
        choice: ChoiceRules,
        nearest: int,
    ) -> Sequence[Stage]:
        m, n = self._ants.routes.shape
        most = (2**32 - 1) // m
        keep = np.float32(1.0 - parameters.rho)
        self._rules = AsRules(choice, keep, most, scale=nearest / (m * most))
        return (
            Stage(LINK, "update", shared(len(self._ants.ends))),
            Stage(RENEW, "update", shared(n)),
        )

    def _work(self, gate: NDArray[np.int64], shift: Shift) -> None:
        run(
            self._matrices, self._geometry, self._ants, self._rules, self._moves, self._searches,
            self._record, gate, self._places[shift.thread], *shift,
        )  # fmt: skip
