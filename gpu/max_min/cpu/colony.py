"""The MAX-MIN Ant System on the CPU, on one core or all: the same tours either way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.construction.cpu.colony import MatrixColony
from gpu.construction.cpu.construction import LINK, RENEW
from gpu.construction.cpu.state import Construction
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Wanted
from gpu.core.trails import LEAST_TRAIL
from gpu.cpu.record import BEST_COST
from gpu.cpu.stages import Stage, each, shared
from gpu.cpu.structures import allocated
from gpu.max_min.cpu.iteration import BEGUN, MmasRules, MmasState, TrailUpdate, run
from gpu.max_min.parameters import DEPOSITS, MmasCpuParameters, spread_of


class MmasCpuColony(MatrixColony):
    """The MAX-MIN Ant System on the CPU: one tour deposits; see :class:`MatrixColony`."""

    NUMBERS = frozenset({"alpha", "rho", "p_best", "deposit", "restart"})

    _run = staticmethod(run)

    ALL_DEPOSIT = False

    def _update_rules(self, parameters: MmasCpuParameters) -> MmasRules:
        return MmasRules(
            keep=np.float32(1.0 - parameters.rho),
            gain=parameters.rho * self._nearest,
            nearest=float(self._nearest),
            spread=spread_of(self._instance.n, parameters.p_best),
            deposit=DEPOSITS[parameters.deposit],
            patience=parameters.restart,
        )

    def _update(
        self, construction: Construction, rules: MmasRules
    ) -> tuple[MmasState, Sequence[Stage]]:
        n, sides = len(self._neighbours), construction.ants.ends.shape[2]
        self._trail_update = allocated(TrailUpdate, 2, amount=1, ends=(n, sides))
        self._trail_update.limits[:] = max(np.float32(rules.spread), LEAST_TRAIL), 1
        state = MmasState(construction, self._neighbours, rules, self._trail_update)
        return state, (Stage(LINK, "update", each(1)), Stage(RENEW, "update", shared(n)))

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        return replace(super().legacy(), restarted=int(self._trail_update.numbers[BEGUN]))

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        super()._take_trails(trails, legacy)
        self._trail_update.numbers[BEGUN] = legacy.restarted
        self._adjusted()

    def _adjusted(self) -> None:
        rules = self._shared.rules
        most = rules.nearest / max(int(self._record.numbers[BEST_COST]), 1)
        least = max(np.float32(most * rules.spread), LEAST_TRAIL)
        self._trail_update.limits[:] = least, np.float32(most)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        return {**super()._more(wanted), "limits": tuple(self._trail_update.limits.tolist())}
