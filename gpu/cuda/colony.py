"""What all colonies share whose ants build tours on a GPU: what runs, and what comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gpu.colony import never
from gpu.cuda.iterations import Iterations
from gpu.cuda.local_search import LocalSearch
from gpu.cuda.machine import Array, Buffer, Launch, Machine
from gpu.cuda.pictures import Pictures, TrailSource
from gpu.cuda.problem import Problem
from gpu.cuda.state import WORDS, State
from gpu.devices import Device
from gpu.errors import DeviceError
from gpu.instances.instance import TspInstance
from gpu.snapshot import Snapshot, Updates, Wanted
from gpu.summaries import checked_permutation, checked_tour


class Trails(TrailSource, Protocol):
    """A pheromone memory on the device, of which pictures can be made."""

    def buffers(self) -> list[Buffer]:
        """Return its buffers."""

    def row(self, machine: Machine, arrays: Mapping[str, Array], city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,), in units of the initial trail."""


class TourColony(ABC):
    """A colony whose state lives on a GPU; see :class:`gpu.colony.Colony`.

    A kind of colony gives its buffers here, then its launches to :meth:`_begin`.
    """

    def __init__(
        self,
        machine: Machine,
        instance: TspInstance,
        ants: int,
        problem: Problem,
        trails: Trails,
        buffers: Sequence[Buffer],
        search: LocalSearch | None = None,
    ) -> None:
        self._machine, self._instance, self._ants, self._trails = machine, instance, ants, trails
        self._search = search
        self._pictures = Pictures(problem, trails)
        self._arrays = machine.allocate(
            [
                *problem.buffers(),
                *trails.buffers(),
                *buffers,
                *(search.buffers() if search else ()),
                *self._pictures.buffers(),
                Buffer("best_tour", (instance.n,), np.int32),
                Buffer("state", (WORDS,), np.uint64),
            ]
        )
        for name, values in problem.values.items():
            machine.upload(self._arrays[name], values)
        if search:
            search.upload(machine, self._arrays)
        self._phases: Mapping[str, Sequence[Launch]] = {}
        self._iterations: Iterations | None = None
        self._best: tuple[int, NDArray[np.int32]] | None = None

    def _begin(
        self,
        start: Sequence[Launch],
        phases: Mapping[str, Sequence[Launch]],
        *,
        divisible: bool = True,
    ) -> None:
        """Run ``start`` once; ``phases`` make an iteration, see :class:`Iterations`."""
        self._machine.run(start)
        self._phases = phases
        self._iterations = Iterations(self._machine, phases, divisible=divisible)

    @property
    def phases(self) -> Mapping[str, Sequence[Launch]]:
        """The launches of one iteration by phase, in order."""
        return self._phases

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.colony.Colony.iterate`."""
        self._open().run(count, stop)

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration, outside the graph; see :meth:`gpu.colony.Colony.timed_iteration`."""
        return self._open().timed()

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.colony.Colony.snapshot`."""
        iterations = self._open()
        state = State(self._machine.download(self._arrays["state"]))
        iterations.settle()
        begun = state.iteration > 0
        best = self._best_tour(state) if begun and Wanted.SOLUTION in wanted else None
        last = built = moves = None
        if begun and Wanted.ITERATION_SOLUTION in wanted:
            tour = self._machine.download(self._iteration_tour(state))
            last = checked_tour(self._instance, tour, state.iteration_best)
        if self._search:
            moves = self._search.made(self._machine, self._arrays, state.iteration)
            if begun and Wanted.BUILT_SOLUTION in wanted:
                tour = self._search.built(self._machine, self._arrays, state.iteration)
                built = checked_permutation(self._instance, tour)
        show = self._pictures.reader(self._machine, self._arrays)
        return Snapshot(
            iteration=state.iteration,
            solutions_built=state.iteration * self._ants,
            best_cost=state.best_length,
            best_iteration=state.best_iteration,
            iteration_best=state.iteration_best,
            iteration_mean=state.iteration_sum / self._ants,
            best_solution=best,
            iteration_solution=last,
            built_solution=built,
            improvements=moves,
            pheromone=show.pheromone() if begun and Wanted.PHEROMONE in wanted else None,
            trails=show.trails() if Wanted.TRAILS in wanted else None,
            updates=self._updates(state),
            branching=show.branching() if Wanted.BRANCHING in wanted else None,
            phases=iterations.times,
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.colony.Colony.trails_from`."""
        self._open()
        return self._trails.row(self._machine, self._arrays, city)

    def close(self) -> None:
        """Free the device's memory; more calls do nothing."""
        # Launches and graphs hold arrays too: only when all are forgotten is their memory free.
        self._iterations, self._phases, self._arrays = None, {}, {}
        self._machine.close()

    def _open(self) -> Iterations:
        if self._iterations is None:
            raise DeviceError("the colony is closed; start a new run")
        return self._iterations

    @abstractmethod
    def _iteration_tour(self, state: State) -> Array:
        """Return the array where the best tour of the last iteration stands."""

    def _improvement(self) -> Mapping[str, Sequence[Launch]]:
        """The phase of an iteration in which tours are improved, if there is one."""
        return {"local search": self._search.launches(self._arrays)} if self._search else {}

    def _updates(self, state: State) -> Updates | None:
        """Hits of a selective memory; other memories have none."""
        return None

    def _best_tour(self, state: State) -> NDArray[np.int32]:
        if self._best is None or self._best[0] != state.best_iteration:
            tour = self._machine.download(self._arrays["best_tour"])
            self._best = state.best_iteration, checked_tour(self._instance, tour, state.best_length)
        return self._best[1]


def machine_of(device: Device) -> Machine:
    """The GPU that ``device`` names, ready for one colony."""
    from gpu.cuda.cupy_machine import CupyMachine

    return CupyMachine(device)
