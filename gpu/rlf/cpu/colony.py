"""The ACO-RLF colony on the CPU, on one core or all: the same colorings either way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import key_of
from gpu.core.snapshot import Trails, Wanted
from gpu.core.trails import INITIAL_LEVEL, matrix_picture, matrix_trails
from gpu.cpu import main_memory as memory
from gpu.cpu.colony import CpuColony
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each, shared
from gpu.problems.coloring.checks import checked_coloring
from gpu.problems.coloring.instance import GraphInstance, class_order
from gpu.rlf.cpu import state as states
from gpu.rlf.cpu.iteration import CONSTRUCT, FINISH, RENEW, SHARE, WEIGH, run
from gpu.rlf.cpu.state import LEVEL, RlfState
from gpu.rlf.parameters import ColoringCpuParameters


class RlfCpuColony(CpuColony):
    """ACO-RLF on the CPU: all ants deposit; see :class:`gpu.core.colony.Colony`.

    The same seed gives the same colorings on every machine and with any number of threads.

    Parameters
    ----------
    instance : GraphInstance
    parameters : ColoringCpuParameters
    seed : int
        In [0, 2**64).
    threads : int
        At most so many.

    Raises
    ------
    DeviceMemoryError
        If the colony would not fit into free memory.
    DeviceError
        If the system does not grant the threads.
    """

    _run = staticmethod(run)

    def __init__(
        self,
        instance: GraphInstance,
        parameters: ColoringCpuParameters,
        seed: int,
        *,
        threads: int,
    ) -> None:
        key = key_of(seed)
        n = instance.n
        parameters = parameters.resolved(n)
        assert parameters.ants is not None
        m = parameters.ants
        threads = max(1, min(threads, m, n))
        self._graph = instance
        rules = states.rules_of(key, parameters, n, m)
        tried = rules.trials > 0
        memory.require(
            f"this colony on {instance.name} ({n} vertices, {m} ants)",
            states.bytes_needed(n, m, tried),
        )
        self._state = RlfState(
            states.pairs_of(instance, tried), states.colorings_of(n, m), rules, record_of(n)
        )
        state, workspaces, improvement = self._improvement(
            self._state, [states.workspace_of(n) for _ in range(threads)]
        )
        stages = (
            Stage(WEIGH, "choice info", shared(n)),
            Stage(CONSTRUCT, "construction", shared(m, n)),
            *improvement,
            Stage(SHARE, "update", each(1)),
            Stage(RENEW, "update", shared(n)),
            Stage(FINISH, "update", each(1)),
        )
        super().__init__(m, self._state.record, stages, state, workspaces)

    def _improvement(
        self, state: RlfState, workspaces: Sequence[Any]
    ) -> tuple[Any, Sequence[Any], Sequence[Stage]]:
        """Prepare how colorings are improved before they deposit.

        Return what is then the colony's state and its workspaces, and the stages of that.
        """
        return state, workspaces, ()

    def _draw(
        self, wanted: Wanted, order: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32] | None, Trails | None]:
        trails, level = self._state.pairs.trails, self._state.ants.shares[LEVEL]
        return (
            matrix_picture(trails, order) if Wanted.PHEROMONE in wanted else None,
            matrix_trails(trails, directed=False, level=level * INITIAL_LEVEL)
            if Wanted.TRAILS in wanted
            else None,
        )

    def _checked(self, solution: NDArray[np.integer], cost: int) -> NDArray[np.int32]:
        return checked_coloring(self._graph, solution, cost)

    def _picture_order(self, solution: NDArray[np.integer]) -> NDArray[np.integer]:
        return class_order(solution)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails of vertex ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        return np.array(self._state.pairs.trails[city])
