"""The crossing colony on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import Merges, Trails, Wanted
from gpu.core.trail_table import Single, lists_read
from gpu.core.trails import (
    KnownTrails,
    branching_factor,
    owners,
    pheromone_picture,
    strongest_trails,
)
from gpu.cpu import main_memory as memory
from gpu.cpu.colony import CpuColony, Painter
from gpu.cpu.philox import key_of
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each, shared
from gpu.crossing.cpu import state as states
from gpu.crossing.cpu.iteration import COUNTED, CROSSED, GATHER, WINNERS, WORK, run
from gpu.crossing.cpu.state import CrossingRules, CrossingState
from gpu.crossing.parameters import TRAILS, CrossingParameters
from gpu.problems.tsp.checks import checked_tour
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.lists import lists_of
from gpu.tour_changes.cpu.state import deepest_of
from gpu.tour_changes.parameters import STRONGEST
from gpu.tour_changes.suitable import require_symmetric


class CrossingCpuColony(CpuColony):
    """The crossing colony on the CPU: the same tours with any number of threads.

    Raises
    ------
    ParameterError
        If the instance is directed.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    _run = staticmethod(run)
    _checked = staticmethod(checked_tour)
    _instance: TspInstance

    def __init__(
        self,
        instance: TspInstance,
        parameters: CrossingParameters,
        seed: int,
        *,
        threads: int,
        start: NDArray[np.int32] | None = None,  # the first tour of all, else a greedy one
    ) -> None:
        require_symmetric(instance)
        p, n = parameters, instance.n
        assert p.ants is not None
        threads = min(threads, p.ants)
        needed = states.bytes_needed(n, p.candidates, p.ants, threads)
        memory.require(f"this colony on {instance.name} ({n} cities)", needed)
        self._instance, self._parameters = instance, p
        self._lists, first = lists_of(instance, p.candidates, p.nearness)
        most = states.most_tours(n, p.ants)
        rules = CrossingRules(
            key=key_of(seed),
            ants=p.ants,
            most=most,
            children=p.children,
            deepest=deepest_of(n),
            focus=p.weight == TRAILS,
        )
        self._population = states.new_population(n, p.candidates, p.ants, most)
        self._schedule = np.zeros(len(states.SCHEDULE), np.int64)
        self._schedule[[states.MAKING, states.SIZE_OF]] = 1, p.ants
        self._totals = np.zeros(3, np.int64)
        record = record_of(n)
        state = CrossingState(
            self._lists,
            rules,
            states.candidate_edges_of(self._lists),
            first if start is None else start.copy(),
            np.arange(n, dtype=np.int32),
            self._population,
            self._schedule,
            self._totals,
            record,
        )
        stages = (
            Stage(WORK, "construction", shared(p.ants)),
            Stage(GATHER, "update", each(1)),
        )
        workspaces = [states.new_workspace(n, p.candidates) for _ in range(threads)]
        super().__init__(p.ants, record, stages, state, workspaces)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        row = np.ones(self._instance.n, np.float32)
        row[self._lists.neighbours[city]] = self.candidate_trails()[city]
        return row

    @property
    def standing(self) -> CrossingState:
        """The state as it stands, to be read alone: nobody changes it but the iterations."""
        state: CrossingState = self._shared
        return state

    def candidate_trails(self) -> NDArray[np.float32]:
        """Trails of the candidates' edges, (n, k): from 1, of no tour, to 100, of all."""
        share = self._population.counts / max(1, int(self._totals[COUNTED]))
        return np.asarray(1 + (STRONGEST - 1) * share, np.float32)

    def _single_trails(self) -> Single:
        neighbours = self._lists.neighbours
        return neighbours, lists_read(neighbours, self.candidate_trails())

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        n, k = self._lists.neighbours.shape
        lists, trails = self._lists.neighbours.ravel(), self.candidate_trails().ravel()
        known = KnownTrails(owners(n, k), lists, trails)
        select = partial(strongest_trails, known, n, False)
        return partial(pheromone_picture, known), select

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        more["limits"] = (1.0, STRONGEST)
        crossed, won = int(self._totals[CROSSED]), int(self._totals[WINNERS])
        more["merges"] = Merges(crossed, won, won)
        if Wanted.BRANCHING in wanted:
            more["branching"] = branching_factor(self.candidate_trails())
        return more
