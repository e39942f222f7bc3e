"""The Ant Colony System on the CPU: one core or all, matrix or selective memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu import tables
from gpu.acs.cpu.iteration import CONSTRUCT, FINISH, IMPROVE, run
from gpu.acs.cpu.regions import regions_of
from gpu.acs.cpu.tables import NO_CITY, Rules
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.devices import Device
from gpu.core.random import greedy_threshold, key_of
from gpu.core.snapshot import Trails, Updates, Wanted
from gpu.core.trails import KnownTrails, pheromone_picture, strongest_trails
from gpu.cpu import main_memory as memory
from gpu.cpu import record
from gpu.cpu.geometry import geometry_of
from gpu.cpu.stages import Shift, Stage, each
from gpu.local_search.cpu import tables as searches
from gpu.local_search.cpu.colony import TourColony, improvement
from gpu.local_search.kinds import NO_LOCAL_SEARCH
from gpu.problems.tsp.candidates import BACKUP, build_candidates
from gpu.problems.tsp.heuristics import nearest_neighbour_length
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric

ANTS_PER_THREAD = 16
"""Fewer than these build tours in less time than it takes threads to meet at each step."""


def prepare() -> None:
    """Compile the colonies, once for all on this machine: some ten seconds, or nothing.

    Whoever does not call this waits as long when the first colony is built.
    """
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    triangle = TspInstance("triangle", "", Metric.EUC_2D, corners, None, corners)
    CpuColony(triangle, AcsParameters(), 0, threads=1, stepwise=False).close()


def build_sequential(
    instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> CpuColony:
    """ACS as in the paper's Figs. 2 and 3, on one core: ants take turns, step by step."""
    return CpuColony(instance, parameters, seed, threads=1, stepwise=False)


def build_sequential_spm(
    instance: TspInstance, parameters: SpmParameters, device: Device, seed: int
) -> CpuColony:
    """As :func:`build_sequential`, with the selective pheromone memory (Fig. 5)."""
    return CpuColony(instance, parameters, seed, threads=1, stepwise=False)


def build_stepwise(
    instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> CpuColony:
    """ACS-GPU on all cores of ``device``: in each step all ants choose, then all update."""
    return CpuColony(instance, parameters, seed, threads=device.cores, stepwise=True)


def build_stepwise_spm(
    instance: TspInstance, parameters: SpmParameters, device: Device, seed: int
) -> CpuColony:
    """As :func:`build_stepwise`, with the selective memory, updated in the ants' order."""
    return CpuColony(instance, parameters, seed, threads=device.cores, stepwise=True)


class CpuColony(TourColony):
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
        assert parameters.q0 is not None
        m, self._cl = parameters.ants, parameters.candidates
        slots = parameters.memory if isinstance(parameters, SpmParameters) else 0
        improves = parameters.local_search != NO_LOCAL_SEARCH
        self._builders = max(1, min(threads, m // ANTS_PER_THREAD))
        threads = max(1, min(threads, m)) if improves else self._builders
        needed = tables.bytes_needed(n, m, self._cl, min(BACKUP, n - 1 - self._cl), slots)
        if improves:
            needed["local search"] = searches.bytes_needed(instance, threads)
        memory.require(f"this colony on {instance.name} ({n} cities, {m} ants)", needed)

        moves = searches.rule_of(instance, parameters.local_search)
        candidates = build_candidates(instance, self._cl)
        self._tables = tables.tables_of(candidates, parameters.beta)
        self._geometry = geometry_of(instance, parameters.beta)
        self._regions = regions_of(self._geometry)
        self._trails = tables.pheromone_of(n, self._cl, slots)
        self._ants = tables.ants_of(n, m, threads)
        self._rules = Rules(
            key0=np.uint32(key[0]),
            key1=np.uint32(key[1]),
            greedy=np.uint32(greedy_threshold(parameters.q0)),
            period=parameters.update_period,
            keep=np.float32(1.0 - parameters.rho),
            # Not ρ: the initial trail, 1, must stay exactly 1 however often it is updated.
            drop=np.float32(1) - np.float32(1.0 - parameters.rho),
            global_keep=np.float32(1.0 - parameters.alpha),
            alpha=parameters.alpha,
            scale=n * nearest_neighbour_length(instance, candidates),
            immediate=not stepwise,
            selective=slots > 0,
            directed=instance.directed,
        )
        self._scratch = [tables.scratch_of() for _ in range(threads)]
        stages = (
            Stage(CONSTRUCT, "construction", each(n), together=stepwise),
            *improvement(moves, IMPROVE, m),
            Stage(FINISH, "update", each(1)),
        )
        super().__init__(instance, m, threads, stages, moves)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        trails = self._trails
        if self._rules.selective:
            row = np.ones(self._instance.n, np.float32)
            held = trails.cities[city] != NO_CITY
            row[trails.cities[city][held]] = trails.values[city][held]
            return row
        row = np.array(trails.others[city])
        row[self._tables.neighbours[city, : self._cl]] = trails.listed[city, : self._cl]
        return row

    def remembered(self, city: int) -> NDArray[np.int32]:
        """The selective memory of ``city``; see :class:`gpu.decisions.rule.ForgetfulSource`."""
        return np.roll(self._trails.cities[city], -1 - int(self._trails.tails[city]))

    def _work(self, gate: NDArray[np.int64], shift: Shift) -> None:
        run(
            self._tables, self._geometry, self._regions, self._trails, self._ants, self._rules,
            self._moves, self._searches, self._record, gate, self._scratch[shift.thread],
            min(shift.threads, self._builders), *shift,
        )  # fmt: skip

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
        return self._trails.listed[:, : self._cl]

    def _updates(self) -> Updates | None:
        if not self._rules.selective:
            return None
        hits, numbers = self._ants.hits.sum(axis=0), self._record.numbers
        return Updates(
            int(hits[0]),
            int(hits[1]),
            int(numbers[record.GLOBAL_HITS]),
            int(numbers[record.GLOBAL_TOTAL]),
        )

    def _known_trails(self) -> KnownTrails:
        """Collect every trail that may differ from 1."""
        trails, n = self._trails, self._instance.n
        if self._rules.selective:
            cities, slots = np.nonzero(trails.cities != NO_CITY)
            remembered = trails.cities[cities, slots]
            return KnownTrails(cities.astype(np.int32), remembered, trails.values[cities, slots])
        changed = np.flatnonzero(np.any(trails.bounds != 1, axis=1))  # few, as a rule
        places, columns = np.nonzero(trails.others[changed] != 1)
        rows = changed[places]
        everyone = np.repeat(np.arange(n, dtype=np.int32), self._cl)
        listed = self._tables.neighbours[:, : self._cl].astype(np.int32).ravel()
        return KnownTrails(
            np.concatenate((everyone, rows.astype(np.int32))),
            np.concatenate((listed, columns.astype(np.int32))),
            np.concatenate((trails.listed[:, : self._cl].ravel(), trails.others[rows, columns])),
        )
