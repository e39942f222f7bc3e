"""The Ant Colony System on the CPU: one core or all, matrix or selective memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu import state as states
from gpu.acs.cpu.box_tree import box_tree_of
from gpu.acs.cpu.iteration import CONSTRUCT, FINISH, IMPROVE, run
from gpu.acs.cpu.state import NO_CITY, AcsState, Ants, Edges
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Trails, Updates, Wanted
from gpu.core.trail_table import Single, lists_read, matrix_read
from gpu.core.trails import KnownTrails, pheromone_picture, strongest_trails
from gpu.cpu import record as records
from gpu.cpu.colony import Painter
from gpu.cpu.geometry import geometry_of
from gpu.cpu.nearest_tour import nearest_neighbour_length
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each
from gpu.cpu.structures import allocated
from gpu.local_search.cpu.colony import TourColony
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import BACKUP, build_candidates

ANTS_PER_THREAD = 16
"""A thread has at least so many; with fewer, waiting at each step takes longer than the work."""


class AcsCpuColony(TourColony):
    """The Ant Colony System on the CPU; see :class:`TourColony`.

    ``SpmParameters`` choose the selective memory. The seed is in [0, 2**64). At most ``threads``
    threads work; the sequential colony takes 1. If ``stepwise``, all ants choose before any of them
    updates (ACS-GPU), else they take turns (Fig. 2).
    """

    _run = staticmethod(run)

    def __init__(
        self,
        instance: TspInstance,
        parameters: AcsParameters,
        seed: int,
        *,
        threads: int,
        stepwise: bool,
    ) -> None:
        n = instance.n
        parameters = parameters.resolved(n)
        assert parameters.ants is not None
        m, self._cl = parameters.ants, parameters.candidates
        slots = parameters.memory if isinstance(parameters, SpmParameters) else 0
        builders = max(1, min(threads, m // ANTS_PER_THREAD))
        improves = parameters.local_search != NO_LOCAL_SEARCH
        threads = max(1, min(threads, m)) if improves else builders
        needed = states.bytes_needed(n, m, self._cl, min(BACKUP, n - 1 - self._cl), slots)
        search = self._prepare(instance, m, parameters.local_search, threads, needed)
        candidates = build_candidates(instance, self._cl)
        geometry = geometry_of(instance, parameters.beta)
        rules = states.rules_of(parameters, seed)._replace(
            scale=n * nearest_neighbour_length(instance),
            immediate=not stepwise,
            directed=instance.directed,
            builders=builders,
        )
        lists, boxes = states.lists_of(candidates, parameters.beta), box_tree_of(geometry)
        trails = states.pheromone_of(n, self._cl, slots)
        self._edges = Edges(lists, geometry, trails, rules)
        bits, hits = (m, -(-n // 32)), (threads, 8)
        self._ants = allocated(Ants, m, routes=(n, m), unvisited=bits, draws=(4, m), hits=hits)
        record = record_of(n)
        state = AcsState(self._edges, boxes, self._ants, search, record)
        stages = (
            Stage(CONSTRUCT, "construction", each(n), together=stepwise and not improves),
            *self._improvement(IMPROVE, m),
            Stage(FINISH, "update", each(1)),
        )
        workspaces = self._with_searches([states.new_workspace() for _ in range(threads)])
        super().__init__(m, record, stages, state, workspaces)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        trails = self._edges.trails
        if self._edges.rules.selective:
            row = np.ones(self._instance.n, np.float32)
            held = trails.cities[city] != NO_CITY
            row[trails.cities[city][held]] = trails.values[city][held]
        else:
            row = np.array(trails.others[city])
            row[self._edges.lists.neighbours[city, : self._cl]] = trails.listed[city, : self._cl]
        return row

    def remembered(self, city: int) -> NDArray[np.int32]:
        """The selective memory of ``city``; see :class:`gpu.decisions.rule.ForgetfulSource`."""
        return np.roll(self._edges.trails.cities[city], -1 - int(self._edges.trails.tails[city]))

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        known, n, directed = self._known_trails(), self._instance.n, self._instance.directed
        return partial(pheromone_picture, known), partial(strongest_trails, known, n, directed)

    def _single_trails(self) -> Single:
        trails, lists = self._edges.trails, self._edges.lists.neighbours[:, : self._cl]
        if self._edges.rules.selective:
            # Empty records name no city that there is.
            return lists, lists_read(trails.cities, trails.values)
        return lists, lists_read(lists, self._listed(), matrix_read(trails.others))

    def _listed(self) -> NDArray[np.float32]:
        return self._edges.trails.listed[:, : self._cl]

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        if self._edges.rules.selective:
            globally = self._record.numbers[[records.GLOBAL_HITS, records.GLOBAL_TOTAL]]
            locally = self._ants.hits.sum(axis=0)[:2]
            more["updates"] = Updates(*locally.tolist(), *globally.tolist())
        return more

    def _kept_trails(self) -> KeptTrails:
        trails, n = self._edges.trails, self._instance.n
        if not self._edges.rules.selective:
            return KeptTrails(n, self._known_trails())
        return KeptTrails(n, states.by_age(trails))

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        states.refill(self._edges, self._cl, trails)
        if (updates := legacy.state.updates) is not None:
            numbers = updates.global_hits, updates.global_total
            self._record.numbers[[records.GLOBAL_HITS, records.GLOBAL_TOTAL]] = numbers
            self._ants.hits[0, :2] = updates.local_hits, updates.local_total

    def _known_trails(self) -> KnownTrails:
        """Collect every trail that may differ from 1."""
        trails, n = self._edges.trails, self._instance.n
        if self._edges.rules.selective:
            cities, slots = np.nonzero(trails.cities != NO_CITY)
            remembered = trails.cities[cities, slots]
            return KnownTrails(cities.astype(np.int32), remembered, trails.values[cities, slots])
        changed = np.flatnonzero(np.any(trails.bounds != 1, axis=1))  # few, as a rule
        places, columns = np.nonzero(trails.others[changed] != 1)
        rows = changed[places]
        everyone = np.repeat(np.arange(n, dtype=np.int32), self._cl)
        listed = self._edges.lists.neighbours[:, : self._cl].astype(np.int32).ravel()
        starts = np.concatenate((everyone, rows.astype(np.int32)))
        ends = np.concatenate((listed, columns.astype(np.int32)))
        values = np.concatenate((self._listed().ravel(), trails.others[rows, columns]))
        return KnownTrails(starts, ends, values)
