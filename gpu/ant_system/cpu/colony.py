"""The Ant System on the CPU, on one core or all: the same tours either way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.ant_system.cpu.iteration import AsRules, AsState, run
from gpu.construction.cpu.colony import MatrixColony
from gpu.construction.cpu.construction import LINK, RENEW
from gpu.construction.cpu.state import Construction
from gpu.construction.parameters import CpuParameters
from gpu.cpu.stages import Stage, shared


class AsCpuColony(MatrixColony):
    """The Ant System on the CPU: all ants deposit; see :class:`MatrixColony`."""

    NUMBERS = frozenset({"alpha", "rho"})

    _run = staticmethod(run)

    def _update_rules(self, parameters: CpuParameters) -> AsRules:
        assert parameters.ants is not None
        most = (2**32 - 1) // parameters.ants
        scale = self._nearest / (parameters.ants * most)
        return AsRules(np.float32(1.0 - parameters.rho), most, scale)

    def _update(
        self, construction: Construction, rules: AsRules
    ) -> tuple[AsState, Sequence[Stage]]:
        n = construction.ants.routes.shape[1]
        return AsState(construction, rules), (
            Stage(LINK, "update", shared(len(construction.ants.ends))),
            Stage(RENEW, "update", shared(n)),
        )
