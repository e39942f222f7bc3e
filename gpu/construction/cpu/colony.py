"""What the Ant System and its descendants on the CPU do alike: all but the pheromone update."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu import tables as as_tables
from gpu.construction.cpu.construction import CONSTRUCT, FINISH, IMPROVE, WEIGH
from gpu.construction.cpu.tables import ChoiceRules
from gpu.construction.parameters import CpuParameters
from gpu.core.random import key_of
from gpu.core.snapshot import Trails, Wanted
from gpu.core.trails import matrix_picture, matrix_trails
from gpu.cpu import main_memory as memory
from gpu.cpu.geometry import geometry_of
from gpu.cpu.stages import Stage, each, shared
from gpu.local_search.cpu import tables as searches
from gpu.local_search.cpu.colony import TourColony, improvement
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.candidates import build_candidates
from gpu.problems.tsp.heuristics import nearest_neighbour_length
from gpu.problems.tsp.instance import TspInstance

LISTED = 32
"""Nearest neighbours that the branching factor looks at, or more where lists are longer."""


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
    """Whether all ants' tours are to be followed from every city."""

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
        needed = as_tables.bytes_needed(instance, m, cl, listed, linked=self.ALL_DEPOSIT)
        if parameters.local_search != NO_LOCAL_SEARCH:
            needed["local search"] = searches.bytes_needed(instance, threads)
        memory.require(f"this colony on {instance.name} ({n} cities, {m} ants)", needed)

        moves = searches.rule_of(instance, parameters.local_search)
        candidates = build_candidates(instance, listed)
        self._neighbours = candidates.neighbours
        self._matrices = as_tables.matrices_of(instance, candidates, cl, parameters.beta)
        self._geometry = geometry_of(instance, parameters.beta)
        self._ants = as_tables.tours_of(n, m, instance.directed, linked=self.ALL_DEPOSIT)
        self._places = [as_tables.workplace_of(n, cl) for _ in range(threads)]
        choice = as_tables.choice_rules_of(
            key, parameters.selection, cl > 0, parameters.alpha,
            halves=parameters.half_weights,
        )  # fmt: skip
        nearest = max(nearest_neighbour_length(instance, candidates), 1)
        super().__init__(
            instance,
            m,
            threads,
            (
                Stage(WEIGH, "choice info", shared(n)),
                Stage(CONSTRUCT, "construction", shared(m, n)),
                *improvement(moves, IMPROVE, m),
                *self._update_stages(parameters, choice, nearest),
                Stage(FINISH, "update", each(1)),
            ),
            moves,
        )

    @abstractmethod
    def _update_stages(
        self,
        parameters: CpuParameters,
        choice: ChoiceRules,
        nearest: int,
    ) -> Sequence[Stage]:
        """Prepare the update, ``nearest`` being L_nn; return the stages that it has."""

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
