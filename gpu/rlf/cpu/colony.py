"""The ACO-RLF colony on the CPU, on one core or all: the same colorings either way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Trails
from gpu.core.trails import INITIAL_LEVEL, matrix_picture, matrix_trails
from gpu.cpu import main_memory as memory
from gpu.cpu.colony import Painter
from gpu.cpu.heir import CpuHeir
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each, shared
from gpu.cpu.structures import allocated
from gpu.problems.coloring.checks import checked_coloring
from gpu.problems.coloring.instance import GraphInstance, class_order
from gpu.rlf.cpu import state as states
from gpu.rlf.cpu.iteration import CONSTRUCT, FINISH, RENEW, SHARE, WEIGH, run
from gpu.rlf.cpu.state import LEVEL, Colorings, RlfRules, RlfState
from gpu.rlf.parameters import ColoringParameters


class RlfCpuColony(CpuHeir):
    """ACO-RLF on the CPU: all ants deposit; see :class:`CpuHeir`.

    The seed is in [0, 2**64). At most ``threads`` threads work.

    Raises
    ------
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    NUMBERS = frozenset({"alpha", "beta", "rho", "reward"})

    _run = staticmethod(run)
    _checked = staticmethod(checked_coloring)

    def __init__(
        self, instance: GraphInstance, parameters: ColoringParameters, seed: int, *, threads: int
    ) -> None:
        n = instance.n
        assert parameters.ants is not None
        m = parameters.ants
        threads = max(1, min(threads, m, n))
        self._instance = instance
        self._parameters, self._seed = parameters, seed
        rules = self._coloring_rules(parameters)
        tried = rules.trials > 0
        needed = states.bytes_needed(n, m, tried)
        memory.require(f"this colony on {instance.name} ({n} vertices, {m} ants)", needed, m)
        level = np.array([0, 0, 1], np.float32)
        ants = allocated(Colorings, (m, n), ends=(m, n + 1), costs=m, quanta=m, shares=level)
        self._state = RlfState(states.pairs_of(instance, tried), ants, rules, record_of(n))
        workspaces = [states.workspace_of(n) for _ in range(threads)]
        state, workspaces, improvement = self._improvement(parameters, self._state, workspaces)
        stages = (
            Stage(WEIGH, "choice info", shared(n)),
            Stage(CONSTRUCT, "construction", shared(m, n)),
            *improvement,
            Stage(SHARE, "update", each(1)),
            Stage(RENEW, "update", shared(n)),
            Stage(FINISH, "update", each(1)),
        )
        super().__init__(m, self._state.record, stages, state, workspaces)

    def _coloring_rules(self, parameters: ColoringParameters) -> RlfRules:
        assert parameters.ants is not None
        return states.rules_of(self._seed, parameters, self._instance.n, parameters.ants)

    def _rules_for(self, parameters: Any) -> Sequence[Any]:
        return (self._coloring_rules(parameters),)

    def _improvement(
        self, parameters: Any, state: RlfState, workspaces: list[Any]
    ) -> tuple[Any, list[Any], Sequence[Stage]]:
        """Prepare how colorings are improved before they deposit.

        Return what is then the colony's state and its workspaces, and the stages of that.
        """
        return state, workspaces, ()

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        trails, level = self._state.pairs.trails, self._state.ants.shares[LEVEL] * INITIAL_LEVEL
        select = partial(matrix_trails, trails, directed=False, level=level)
        return lambda coloring: matrix_picture(trails, class_order(coloring)), select

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        return replace(super().legacy(), level=float(self._state.ants.shares[LEVEL]))

    def _kept_trails(self) -> KeptTrails:
        return KeptTrails(self._instance.n, self._state.pairs.trails.copy())

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        self._state.pairs.trails[:] = trails.matrix()
        self._state.ants.shares[LEVEL] = legacy.level

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails of vertex ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        return np.array(self._state.pairs.trails[city])
