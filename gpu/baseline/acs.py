"""The Ant Colony System on the CPU: one core or all, matrix or selective memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gpu.baseline import barrier, memory, tables
from gpu.baseline.geometry import geometry_of
from gpu.baseline.iteration import CONSTRUCT, FINISH, run
from gpu.baseline.regions import regions_of
from gpu.baseline.tables import NO_CITY, Rules
from gpu.baseline.team import Team
from gpu.candidates import BACKUP, build_candidates
from gpu.colony import never
from gpu.devices import Device
from gpu.errors import DeviceError, ParameterError
from gpu.heuristics import nearest_neighbour_length
from gpu.instances.instance import Metric, TspInstance
from gpu.parameters import AcsParameters, SpmParameters
from gpu.random import greedy_threshold, key_of
from gpu.snapshot import Snapshot, Updates, Wanted
from gpu.summaries import (
    KnownTrails,
    branching_factor,
    checked_tour,
    pheromone_picture,
    strongest_trails,
)

SLICE = 150_000
"""Steps of ants that one thread makes before it may be stopped: some 20 ms."""

ANTS_PER_THREAD = 16
"""Fewer than these take less time than it takes threads to meet."""


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


class CpuColony:
    """A colony on the CPU; see :class:`gpu.colony.Colony`.

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
        If the seed is out of range.
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
        try:
            key = key_of(seed)
        except ValueError as error:
            raise ParameterError(str(error)) from None
        n = instance.n
        self._instance = instance
        self._parameters = parameters = parameters.resolved(n)
        assert parameters.ants is not None
        assert parameters.q0 is not None
        m, self._cl = parameters.ants, parameters.candidates
        slots = parameters.memory if isinstance(parameters, SpmParameters) else 0
        threads = max(1, min(threads, m // ANTS_PER_THREAD))
        needed = tables.bytes_needed(n, m, self._cl, min(BACKUP, n - 1 - self._cl), slots)
        memory.require(f"this colony on {instance.name} ({n} cities, {m} ants)", needed)

        candidates = build_candidates(instance, self._cl)
        self._tables = tables.tables_of(candidates, parameters.beta)
        self._geometry = geometry_of(instance, parameters.beta)
        self._regions = regions_of(self._geometry)
        self._trails = tables.pheromone_of(n, self._cl, slots)
        self._ants = tables.ants_of(n, m, threads)
        self._record = tables.record_of(n)
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
        self._phases: Mapping[str, float] = MappingProxyType({})
        self._slice = max(1, SLICE * threads // m)
        self._step, self._construction = 1, 0.0
        self._team: Team | None = Team(threads)
        self._run(CONSTRUCT, count=0)  # compile now, or load what was compiled

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations, the last one timed by phase; see :class:`gpu.colony.Colony`."""
        short = self._slice >= self._instance.n
        if short and count > 1:
            self._run(CONSTRUCT | FINISH, count=count - 1)
            count = 1
        for _ in range(count):
            if not self._iterate_once(never if short else stop):
                return

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.colony.Colony.timed_iteration`."""
        self._iterate_once(never)
        return self._phases

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state after the last iteration, with the parts named in ``wanted``."""
        numbers = [int(number) for number in self._record.numbers]
        iteration = numbers[tables.ITERATION]
        m = self._ants.lengths.size
        best_tour = iteration_tour = picture = trails = None
        if iteration and Wanted.TOUR in wanted:
            best_tour = checked_tour(
                self._instance, self._record.best_tour, numbers[tables.BEST_LENGTH]
            )
        if iteration and Wanted.ITERATION_TOUR in wanted:
            iteration_tour = checked_tour(
                self._instance, self._record.last_tour, numbers[tables.LAST_BEST]
            )
        if wanted & (Wanted.PHEROMONE | Wanted.TRAILS):
            known = self._known_trails()
            if Wanted.PHEROMONE in wanted:
                order = self._record.best_tour if iteration else np.arange(self._instance.n)
                picture = pheromone_picture(known, order)
            if Wanted.TRAILS in wanted:
                trails = strongest_trails(known, self._instance.n, self._instance.directed)
        hits = self._ants.hits.sum(axis=0)
        return Snapshot(
            iteration=iteration,
            tours_built=iteration * m,
            best_length=numbers[tables.BEST_LENGTH],
            best_iteration=numbers[tables.BEST_ITERATION],
            iteration_best=numbers[tables.LAST_BEST],
            iteration_mean=numbers[tables.LAST_TOTAL] / m,
            best_tour=best_tour,
            iteration_tour=iteration_tour,
            pheromone=picture,
            trails=trails,
            updates=Updates(
                int(hits[0]),
                int(hits[1]),
                numbers[tables.GLOBAL_HITS],
                numbers[tables.GLOBAL_TOTAL],
            )
            if self._rules.selective
            else None,
            branching=(
                branching_factor(self._trails.listed[:, : self._cl])
                if Wanted.BRANCHING in wanted
                else None
            ),
            phases=self._phases,
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.colony.Colony.trails_from`."""
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

    def close(self) -> None:
        """End the threads; more calls do nothing."""
        if self._team:
            self._team.close()
        self._team = None

    def _iterate_once(self, stop: Callable[[], bool]) -> bool:
        """Begin an iteration, or go on with the one begun; return whether it is whole now."""
        while self._step <= self._instance.n:
            if stop():
                return False
            self._construct()
        before = time.perf_counter()
        self._run(FINISH)
        update = 1e3 * (time.perf_counter() - before)
        self._phases = MappingProxyType({"construction": self._construction, "update": update})
        self._step, self._construction = 1, 0.0
        return True

    def _construct(self) -> None:
        """Extend all tours by a slice of steps."""
        begin, self._step = self._step, min(self._step + self._slice, self._instance.n + 1)
        before = time.perf_counter()
        self._run(CONSTRUCT, steps=(begin, self._step))
        self._construction += 1e3 * (time.perf_counter() - before)

    def _run(self, parts: int, count: int = 1, steps: tuple[int, int] | None = None) -> None:
        if self._team is None:
            raise DeviceError("the colony is closed; start a new run")
        begin, end = steps or (1, self._instance.n + 1)
        threads = self._team.size
        gate = barrier.new_gate()

        def work(member: int) -> None:
            run(
                self._tables, self._geometry, self._regions, self._trails, self._ants, self._rules,
                self._record, gate, self._scratch[member], member, threads,
                count, parts, begin, end,
            )  # fmt: skip

        try:
            self._team.run(work)
        except BaseException:  # an interrupt, say, before this thread's own part began
            barrier.throw_open(gate)
            self.close()
            raise

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
