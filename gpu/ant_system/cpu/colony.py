"""The Ant System on the CPU, on one core or all: the same tours either way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.ant_system.cpu.iteration import AsRules, AsState, run
from gpu.construction.cpu.colony import MatrixColony
from gpu.construction.cpu.construction import LINK, RENEW
from gpu.construction.cpu.state import ConstructionState
from gpu.construction.parameters import CpuParameters
from gpu.cpu.stages import Stage, shared


class AsCpuColony(MatrixColony):
    """The Ant System on the CPU: all ants deposit; see :class:`MatrixColony`."""

    _run = staticmethod(run)

    def _update(
        self, parameters: CpuParameters, construction: ConstructionState, nearest: int
    ) -> tuple[AsState, Sequence[Stage]]:
        m, n = construction.ants.routes.shape
        most = (2**32 - 1) // m
        rules = AsRules(np.float32(1.0 - parameters.rho), most, scale=nearest / (m * most))
        return AsState(construction, rules), (
            Stage(LINK, "update", shared(len(construction.ants.ends))),
            Stage(RENEW, "update", shared(n)),
        )
