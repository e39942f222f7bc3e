"""The Ant Colony Systems on a GPU (Skinderowicz 2016): ACS-GPU-Alt, ACS-GPU-SPM and ACS-GPU.

A colony is a problem on the device, a pheromone memory, and the launches of one iteration. The
three systems differ in the memory (a matrix, or a few records a city) and in the construction
(whole tours in one launch, or all ants step by step); all else is shared here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gpu.colony import never
from gpu.cuda.construction import StepByStep, WholeTours
from gpu.cuda.machine import Launch, Machine
from gpu.cuda.pictures import Pictures
from gpu.cuda.problem import Problem
from gpu.cuda.state import WORDS, State
from gpu.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.devices import Device
from gpu.instances.instance import TspInstance
from gpu.parameters import AcsParameters, SpmParameters
from gpu.snapshot import Snapshot, Updates, Wanted
from gpu.summaries import checked_tour

PHASE_PERIOD = 0.5
"""Seconds between two iterations that are timed phase by phase; those run outside the graph."""


class AcsColony:
    """An Ant Colony System whose state lives on a GPU; see :class:`gpu.colony.Colony`."""

    def __init__(
        self,
        instance: TspInstance,
        parameters: AcsParameters,
        machine: Machine,
        seed: int,
        trails_type: type[MatrixTrails] | type[SelectiveTrails],
        construction_type: type[WholeTours] | type[StepByStep],
    ) -> None:
        parameters = parameters.resolved(instance.n)
        self._instance = instance
        self._parameters = parameters
        self._machine = machine
        problem = Problem.of(instance, parameters.candidates, parameters.beta)
        trails = trails_type(problem, parameters)
        construction = construction_type(machine, problem, trails, parameters, seed)
        self._pictures = Pictures(problem, trails)
        self._arrays = machine.allocate(
            [
                *problem.buffers(),
                *trails.buffers(),
                *construction.buffers(),
                *self._pictures.buffers(),
                trails.state_buffer(WORDS),
            ]
        )
        for name, values in problem.values.items():
            machine.upload(self._arrays[name], values)
        machine.run([trails.start(self._arrays)])
        self._construction, self._trails = construction, trails
        self._launches = (
            construction.launch(self._arrays),
            trails.update(self._arrays, construction.tours(self._arrays)),
        )
        self._run: Callable[[int], None] = machine.repeated(self._launches)
        self._previous_batch: Callable[[], None] | None = None
        self._phases: Mapping[str, float] = MappingProxyType({})
        self._phases_at = -math.inf
        self._best: tuple[int, NDArray[np.int32]] | None = None

    @property
    def launches(self) -> tuple[Launch, ...]:
        """The launches of one iteration, in order: construction, update."""
        return self._launches

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.colony.Colony.iterate`.

        A launch cannot be left in its midst, and to ask between two would leave the GPU idle:
        ``stop`` is not asked.
        """
        if count > 0 and time.monotonic() - self._phases_at > PHASE_PERIOD:
            self.timed_iteration()
            count -= 1
        self._run(count)
        batch = self._machine.mark()
        if self._previous_batch is not None:
            self._previous_batch()
        self._previous_batch = batch

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration, outside the graph; see :meth:`gpu.colony.Colony.timed_iteration`."""
        times = self._machine.timed(self._launches)
        phases = dict(zip(("construction", "update"), times, strict=True))
        self._phases, self._phases_at = MappingProxyType(phases), time.monotonic()
        return self._phases

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.colony.Colony.snapshot`."""
        assert self._parameters.ants is not None
        state = State(self._machine.download(self._arrays["state"]))
        self._previous_batch = None
        begun = state.iteration > 0
        best = self._best_tour(state) if begun and Wanted.TOUR in wanted else None
        last = self._iteration_tour(state) if begun and Wanted.ITERATION_TOUR in wanted else None
        show = self._pictures.reader(self._machine, self._arrays)
        updates = None
        if isinstance(self._parameters, SpmParameters):
            updates = Updates(
                state.local_hits, state.local_total, state.global_hits, state.global_total
            )
        return Snapshot(
            iteration=state.iteration,
            tours_built=state.iteration * self._parameters.ants,
            best_length=state.best_length,
            best_iteration=state.best_iteration,
            iteration_best=state.iteration_best,
            iteration_mean=state.iteration_sum / self._parameters.ants,
            best_tour=best,
            iteration_tour=last,
            pheromone=show.pheromone() if begun and Wanted.PHEROMONE in wanted else None,
            trails=show.trails() if Wanted.TRAILS in wanted else None,
            updates=updates,
            branching=show.branching() if Wanted.BRANCHING in wanted else None,
            phases=self._phases,
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.colony.Colony.trails_from`."""
        return self._trails.row(self._machine, self._arrays, city)

    def remembered(self, city: int) -> NDArray[np.int32]:
        """The selective memory of ``city``; see :class:`gpu.decisions.rule.ForgetfulSource`."""
        assert isinstance(self._trails, SelectiveTrails)
        cities, _ = self._trails.records(self._machine, self._arrays, city)
        tail = int(self._machine.download(self._arrays["tails"][city : city + 1])[0])
        return np.roll(cities, -1 - tail)

    def close(self) -> None:
        """Free the device's memory."""
        self._machine.close()

    def _best_tour(self, state: State) -> NDArray[np.int32]:
        if self._best is None or self._best[0] != state.best_iteration:
            tour = self._machine.download(self._arrays["best_tour"])
            self._best = state.best_iteration, checked_tour(self._instance, tour, state.best_length)
        return self._best[1]

    def _iteration_tour(self, state: State) -> NDArray[np.int32]:
        rows = self._machine.download(
            self._construction.tour_of(self._arrays, state.iteration_ant, self._machine.download)
        )
        return checked_tour(self._instance, rows, state.iteration_best)


def _machine(device: Device) -> Machine:
    from gpu.cuda.cupy_machine import CupyMachine

    return CupyMachine(device)


def build_alt(
    instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> AcsColony:
    """ACS-GPU-Alt: whole tours in one launch, pheromone matrix, plain updates."""
    return AcsColony(instance, parameters, _machine(device), seed, MatrixTrails, WholeTours)


def build_spm(
    instance: TspInstance, parameters: SpmParameters, device: Device, seed: int
) -> AcsColony:
    """ACS-GPU-SPM: whole tours in one launch, selective pheromone memory, plain updates."""
    return AcsColony(instance, parameters, _machine(device), seed, SelectiveTrails, WholeTours)


def build_stepwise(
    instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> AcsColony:
    """ACS-GPU: all ants step together, pheromone matrix, atomic updates that all count."""
    return AcsColony(instance, parameters, _machine(device), seed, MatrixTrails, StepByStep)
