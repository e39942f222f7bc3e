"""What the Ant System and its descendants on the CPU share: all but the pheromone update."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu import state as states
from gpu.construction.cpu.construction import CONSTRUCT, FINISH, IMPROVE, WEIGH
from gpu.construction.cpu.state import Construction
from gpu.construction.parameters import CpuParameters
from gpu.core.random import key_of
from gpu.core.snapshot import Trails, Wanted
from gpu.core.trails import matrix_picture, matrix_trails
from gpu.cpu import main_memory as memory
from gpu.cpu.geometry import geometry_of
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each, shared
from gpu.local_search.cpu import state as searches
from gpu.local_search.cpu.colony import TourColony
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.candidates import build_candidates
from gpu.problems.tsp.heuristics import nearest_neighbour_length
from gpu.problems.tsp.instance import TspInstance

LISTED = 32
"""Nearest neighbours that the branching factor looks at; more if candidate lists are longer."""


class MatrixColony(TourColony):
    """Ants that choose by a matrix of weights, on the CPU; see :class:`gpu.core.colony.Colony`.

    The same seed gives the same tours on every machine and with any number of threads.

    Parameters
    ----------
    instance : TspInstance
    parameters : CpuParameters
    seed : int
        In [0, 2**64).
    threads : int
        At most so many.

    Raises
    ------
    ParameterError
        If the local search is not for this instance.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    ALL_DEPOSIT = True
    """Whether all ants deposit: then their tours' edges are listed by city."""

    def __init__(
        self,
        instance: TspInstance,
        parameters: CpuParameters,
        seed: int,
        *,
        threads: int,
    ) -> None:
        key = key_of(seed)
        n = instance.n
        parameters = parameters.resolved(n)
        assert parameters.ants is not None
        m, cl = parameters.ants, parameters.candidates
        threads = max(1, min(threads, m, n))
        listed = max(cl, min(LISTED, n - 1))
        needed = states.bytes_needed(instance, m, cl, listed, linked=self.ALL_DEPOSIT)
        if parameters.local_search != NO_LOCAL_SEARCH:
            needed["local search"] = searches.bytes_needed(instance, threads)
        memory.require(f"this colony on {instance.name} ({n} cities, {m} ants)", needed)

        search = searches.local_search_of(instance, parameters.local_search, threads)
        candidates = build_candidates(instance, listed)
        self._neighbours = candidates.neighbours
        self._matrices = states.matrices_of(instance, candidates, cl, parameters.beta)
        self._ants = states.tours_of(n, m, instance.directed, linked=self.ALL_DEPOSIT)
        rules = states.choice_rules_of(
            key, parameters.selection, cl > 0, parameters.alpha, halves=parameters.half_weights
        )
        record = record_of(n)
        construction = Construction(
            self._matrices,
            geometry_of(instance, parameters.beta),
            self._ants,
            rules,
            search,
            record,
        )
        nearest = max(nearest_neighbour_length(instance, candidates), 1)
        state, update = self._update(parameters, construction, nearest)
        stages = (
            Stage(WEIGH, "choice info", shared(n)),
            Stage(CONSTRUCT, "construction", shared(m, n)),
            *self.improvement(IMPROVE, search, m),
            *update,
            Stage(FINISH, "update", each(1)),
        )
        workspaces = [states.workspace_of(n, cl) for _ in range(threads)]
        super().__init__(instance, search, m, record, stages, state, workspaces)

    @abstractmethod
    def _update(
        self, parameters: CpuParameters, construction: Construction, nearest: int
    ) -> tuple[Any, Sequence[Stage]]:
        """Prepare the update; return the colony's state, and the stages LINK and RENEW.

        ``nearest`` is L_nn.
        """

    def _draw(
        self, wanted: Wanted, order: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32] | None, Trails | None]:
        trails = self._matrices.trails
        return (
            matrix_picture(trails, order) if Wanted.PHEROMONE in wanted else None,
            matrix_trails(trails, self._instance.directed) if Wanted.TRAILS in wanted else None,
        )

    def _listed(self) -> NDArray[np.float32]:
        listed: NDArray[np.float32]
        listed = np.take_along_axis(self._matrices.trails, self._neighbours, axis=1)
        return listed

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        return np.array(self._matrices.trails[city])
