"""The MAX-MIN Ant System on the CPU, on one core or all: the same tours either way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.construction.cpu.colony import MatrixColony
from gpu.construction.cpu.construction import LINK, RENEW
from gpu.construction.cpu.state import ConstructionState
from gpu.construction.parameters import CpuParameters
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Wanted
from gpu.core.trails import LEAST_TRAIL
from gpu.cpu.stages import Stage, each, shared
from gpu.cpu.structures import allocated
from gpu.max_min.cpu.iteration import BEGUN, MmasCpuRules, MmasCpuState, TrailUpdate, run
from gpu.max_min.parameters import DEPOSITS, MmasCpuParameters, spread_of


class MmasCpuColony(MatrixColony):
    """The MAX-MIN Ant System on the CPU: one tour deposits; see :class:`MatrixColony`."""

    _run = staticmethod(run)

    ALL_DEPOSIT = False

    def _update(
        self, parameters: CpuParameters, construction: ConstructionState, nearest: int
    ) -> tuple[MmasCpuState, Sequence[Stage]]:
        assert isinstance(parameters, MmasCpuParameters)
        n, sides = len(self._neighbours), construction.ants.ends.shape[2]
        self._rules = MmasCpuRules(
            keep=np.float32(1.0 - parameters.rho),
            gain=parameters.rho * nearest,
            nearest=float(nearest),
            spread=spread_of(n, parameters.p_best),
            deposit=DEPOSITS[parameters.deposit],
            patience=parameters.restart,
        )
        self._trail_update = allocated(TrailUpdate, 2, amount=1, ends=(n, sides))
        self._trail_update.limits[:] = max(np.float32(self._rules.spread), LEAST_TRAIL), 1
        state = MmasCpuState(construction, self._neighbours, self._rules, self._trail_update)
        return state, (Stage(LINK, "update", each(1)), Stage(RENEW, "update", shared(n)))

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        return replace(super().legacy(), restarted=int(self._trail_update.numbers[BEGUN]))

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        super()._take_trails(trails, legacy)
        self._trail_update.numbers[BEGUN] = legacy.restarted
        most = self._rules.nearest / max(legacy.state.cost, 1)
        least = max(np.float32(most * self._rules.spread), LEAST_TRAIL)
        self._trail_update.limits[:] = least, np.float32(most)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        return {**super()._more(wanted), "limits": tuple(self._trail_update.limits.tolist())}
