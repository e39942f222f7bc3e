"""The MAX-MIN Ant System on the CPU, on one core or all: the same tours either way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.colony import MatrixColony
from gpu.construction.cpu.construction import LINK, RENEW
from gpu.construction.cpu.tables import FAINTEST, ChoiceRules
from gpu.construction.parameters import CpuParameters
from gpu.core.devices import Device
from gpu.cpu.stages import Shift, Stage, each, shared
from gpu.max_min.cpu.iteration import run
from gpu.max_min.cpu.tables import LEAST, MOST, MmasRules, state_of
from gpu.max_min.limits import DEPOSITS, spread_of
from gpu.max_min.parameters import MmasCpuParameters
from gpu.problems.tsp.instance import TspInstance


def build_sequential(
    instance: TspInstance, parameters: MmasCpuParameters, device: Device, seed: int
) -> MmasCpuColony:
    """The MAX-MIN Ant System (2020, Fig. 1), on one core."""
    return MmasCpuColony(instance, parameters, seed, threads=1)


def build_parallel(
    instance: TspInstance, parameters: MmasCpuParameters, device: Device, seed: int
) -> MmasCpuColony:
    """As :func:`build_sequential`, the ants shared out among all cores of ``device``."""
    return MmasCpuColony(instance, parameters, seed, threads=device.cores)


class MmasCpuColony(MatrixColony):
    """The MAX-MIN Ant System on the CPU: one tour deposits; see :class:`MatrixColony`."""

    ALL_DEPOSIT = False

    def _update_stages(
        self,
        parameters: CpuParameters,
        choice: ChoiceRules,
        nearest: int,
    ) -> Sequence[Stage]:
        assert isinstance(parameters, MmasCpuParameters)
        n, sides = len(self._neighbours), self._ants.ends.shape[2]
        self._rules = MmasRules(
            choice=choice,
            keep=np.float32(1.0 - parameters.rho),
            gain=parameters.rho * nearest,
            nearest=float(nearest),
            spread=spread_of(n, parameters.p_best),
            deposit=DEPOSITS[parameters.deposit],
            patience=parameters.restart,
        )
        self._state = state_of(n, sides)
        self._state.limits[LEAST] = max(np.float32(self._rules.spread), FAINTEST)
        return Stage(LINK, "update", each(1)), Stage(RENEW, "update", shared(n))

    def _limits(self) -> tuple[float, float]:
        limits = self._state.limits
        return float(limits[LEAST]), float(limits[MOST])

    def _work(self, gate: NDArray[np.int64], shift: Shift) -> None:
        run(
            self._matrices, self._geometry, self._ants, self._neighbours, self._rules, self._state,
            self._moves, self._searches, self._record, gate, self._places[shift.thread], *shift,
        )  # fmt: skip
