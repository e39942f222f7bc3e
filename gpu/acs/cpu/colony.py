"""The Ant Colony System on the CPU: one core or all, matrix or selective memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu import state as states
from gpu.acs.cpu.box_tree import box_tree_of
from gpu.acs.cpu.iteration import CONSTRUCT, FINISH, IMPROVE, AcsState, run
from gpu.acs.cpu.state import NO_CITY
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.random import key_of
from gpu.core.snapshot import Trails, Updates, Wanted
from gpu.core.trails import KnownTrails, pheromone_picture, strongest_trails
from gpu.cpu import main_memory as memory
from gpu.cpu import record as records
from gpu.cpu.geometry import geometry_of
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each
from gpu.local_search.cpu import state as searches
from gpu.local_search.cpu.colony import TourColony
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.candidates import BACKUP, build_candidates
from gpu.problems.tsp.heuristics import nearest_neighbour_length
from gpu.problems.tsp.instance import TspInstance

ANTS_PER_THREAD = 16
"""A thread has at least so many; with fewer, waiting at each step takes longer than the work."""


class AcsCpuColony(TourColony):
    """The Ant Colony System on the CPU; see :class:`gpu.core.colony.Colony`.

    The same seed gives the same tours on every machine and with any number of threads.

    Parameters
    ----------
    instance : TspInstance
    parameters : AcsParameters or SpmParameters
        The latter choose the selective memory.
    seed : int
        In [0, 2**64).
    threads : int
        At most so many; the sequential colony takes 1.
    stepwise : bool
        Whether all ants choose before any of them updates (ACS-GPU), or take turns (Fig. 2).

    Raises
    ------
    ParameterError
        If the local search is not for this instance.
    DeviceMemoryError
        If the colony would not fit into free memory.
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
        key = key_of(seed)
        n = instance.n
        parameters = parameters.resolved(n)
        assert parameters.ants is not None
        m, self._cl = parameters.ants, parameters.candidates
        slots = parameters.memory if isinstance(parameters, SpmParameters) else 0
        improves = parameters.local_search != NO_LOCAL_SEARCH
        builders = max(1, min(threads, m // ANTS_PER_THREAD))
        threads = max(1, min(threads, m)) if improves else builders
        needed = states.bytes_needed(n, m, self._cl, min(BACKUP, n - 1 - self._cl), slots)
        if improves:
            needed["local search"] = searches.bytes_needed(instance, threads)
        memory.require(f"this colony on {instance.name} ({n} cities, {m} ants)", needed)

        search = searches.local_search_of(instance, parameters.local_search, threads)
        candidates = build_candidates(instance, self._cl)
        geometry = geometry_of(instance, parameters.beta)
        self._state = AcsState(
            lists=states.lists_of(candidates, parameters.beta),
            geometry=geometry,
            boxes=box_tree_of(geometry),
            trails=states.pheromone_of(n, self._cl, slots),
            ants=states.ants_of(n, m, threads),
            rules=states.rules_of(
                parameters,
                key,
                scale=n * nearest_neighbour_length(instance, candidates),
                immediate=not stepwise,
                directed=instance.directed,
                builders=builders,
            ),
            search=search,
            record=record_of(n),
        )
        stages = (
            Stage(CONSTRUCT, "construction", each(n), together=stepwise),
            *self.improvement(IMPROVE, search, m),
            Stage(FINISH, "update", each(1)),
        )
        workspaces = [states.new_workspace() for _ in range(threads)]
        record = self._state.record
        super().__init__(instance, search, m, record, stages, self._state, workspaces)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        trails = self._state.trails
        if self._state.rules.selective:
            row = np.ones(self._instance.n, np.float32)
            held = trails.cities[city] != NO_CITY
            row[trails.cities[city][held]] = trails.values[city][held]
            return row
        row = np.array(trails.others[city])
        row[self._state.lists.neighbours[city, : self._cl]] = trails.listed[city, : self._cl]
        return row

    def remembered(self, city: int) -> NDArray[np.int32]:
        """The selective memory of ``city``; see :class:`gpu.decisions.rule.ForgetfulSource`."""
        return np.roll(self._state.trails.cities[city], -1 - int(self._state.trails.tails[city]))

    def _draw(
        self, wanted: Wanted, order: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32] | None, Trails | None]:
        known, n = self._known_trails(), self._instance.n
        return (
            pheromone_picture(known, order) if Wanted.PHEROMONE in wanted else None,
            strongest_trails(known, n, self._instance.directed)
            if Wanted.TRAILS in wanted
            else None,
        )

    def _listed(self) -> NDArray[np.float32]:
        return self._state.trails.listed[:, : self._cl]

    def _updates(self) -> Updates | None:
        if not self._state.rules.selective:
            return None
        hits, numbers = self._state.ants.hits.sum(axis=0), self._record.numbers
        return Updates(
            int(hits[0]),
            int(hits[1]),
            int(numbers[records.GLOBAL_HITS]),
            int(numbers[records.GLOBAL_TOTAL]),
        )

    def _known_trails(self) -> KnownTrails:
        """Collect every trail that may differ from 1."""
        trails, n = self._state.trails, self._instance.n
        if self._state.rules.selective:
            cities, slots = np.nonzero(trails.cities != NO_CITY)
            remembered = trails.cities[cities, slots]
            return KnownTrails(cities.astype(np.int32), remembered, trails.values[cities, slots])
        changed = np.flatnonzero(np.any(trails.bounds != 1, axis=1))  # few, as a rule
        places, columns = np.nonzero(trails.others[changed] != 1)
        rows = changed[places]
        everyone = np.repeat(np.arange(n, dtype=np.int32), self._cl)
        listed = self._state.lists.neighbours[:, : self._cl].astype(np.int32).ravel()
        return KnownTrails(
            np.concatenate((everyone, rows.astype(np.int32))),
            np.concatenate((listed, columns.astype(np.int32))),
            np.concatenate((trails.listed[:, : self._cl].ravel(), trails.others[rows, columns])),
        )
