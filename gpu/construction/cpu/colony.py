"""What the Ant System and its descendants on the CPU share: all but the pheromone update."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu import state as states
from gpu.construction.cpu.construction import CONSTRUCT, FINISH, IMPROVE, WEIGH
from gpu.construction.cpu.state import Construction
from gpu.construction.parameters import CpuParameters
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Trails
from gpu.core.trail_table import Single, matrix_read
from gpu.core.trails import matrix_picture, matrix_trails
from gpu.cpu.colony import Painter
from gpu.cpu.geometry import geometry_of
from gpu.cpu.nearest_tour import nearest_neighbour_length
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each, shared
from gpu.local_search.cpu.colony import TourColony
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates

LISTED = 32  # nearest neighbours that the branching factor looks at; more if lists are longer


class MatrixColony(TourColony):
    """Ants that choose by a matrix of weights, on the CPU; see :class:`TourColony`.

    The seed is in [0, 2**64). At most ``threads`` threads work.
    """

    ALL_DEPOSIT = True
    """Whether all ants deposit: then their tours' edges are listed by city."""

    def __init__(
        self, instance: TspInstance, parameters: CpuParameters, seed: int, *, threads: int
    ) -> None:
        n = instance.n
        parameters = parameters.resolved(n)
        assert parameters.ants is not None
        m, cl = parameters.ants, parameters.candidates
        threads = max(1, min(threads, m, n))
        listed = max(cl, min(LISTED, n - 1))
        rules = states.choice_rules_of(seed, parameters, parameters.selection, listed=cl > 0)
        needed = states.bytes_needed(instance, m, cl, listed, linked=self.ALL_DEPOSIT)
        search = self._prepare(instance, m, parameters.local_search, threads, needed)
        candidates = build_candidates(instance, listed)
        self._neighbours = candidates.neighbours
        self._matrices = states.matrices_of(instance, candidates, cl, parameters.beta)
        self._ants = states.tours_of(n, m, instance.directed, linked=self.ALL_DEPOSIT)
        geometry, record = geometry_of(instance, parameters.beta), record_of(n)
        construction = Construction(self._matrices, geometry, self._ants, rules, search, record)
        nearest = max(nearest_neighbour_length(instance), 1)
        state, update = self._update(parameters, construction, nearest)
        stages = (
            Stage(WEIGH, "choice info", shared(n)),
            Stage(CONSTRUCT, "construction", shared(m, n)),
            *self._improvement(IMPROVE, m),
            *update,
            Stage(FINISH, "update", each(1)),
        )
        workspaces = self._with_searches([states.workspace_of(n, cl) for _ in range(threads)])
        super().__init__(m, record, stages, state, workspaces)

    @abstractmethod
    def _update(
        self, parameters: CpuParameters, construction: Construction, nearest: int
    ) -> tuple[Any, Sequence[Stage]]:
        """Prepare the update; return the colony's state, and the stages LINK and RENEW.

        ``nearest`` is L_nn.
        """

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        trails, directed = self._matrices.trails, self._instance.directed
        return partial(matrix_picture, trails), partial(matrix_trails, trails, directed)

    def _kept_trails(self) -> KeptTrails:
        return KeptTrails(self._instance.n, self._matrices.trails.copy())

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        self._matrices.trails[:] = trails.matrix()

    def _single_trails(self) -> Single:
        return self._neighbours, matrix_read(self._matrices.trails)

    def _listed(self) -> NDArray[np.float32]:
        return np.take_along_axis(self._matrices.trails, self._neighbours, axis=1)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        return np.array(self._matrices.trails[city])
