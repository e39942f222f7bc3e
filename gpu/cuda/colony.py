"""What all colonies on a GPU share: running iterations, and snapshots."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.errors import DeviceError
from gpu.core.history import HISTORY_KEPT, of_ring, put_into_ring
from gpu.core.instance import Instance
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Snapshot, Trails, Updates, Wanted
from gpu.core.trails import TABLES, tables_of
from gpu.cuda.arguments import ColonyState
from gpu.cuda.iterations import Iterations, Phases
from gpu.cuda.kernels.constants import ANT_BITS, LANES
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine
from gpu.cuda.pictures import PicturedInstance, PictureReader, picture_buffers

_STATE = ColonyState.dtype
_NUMBERS = _STATE.itemsize // 8  # 64-bit words of the state
STATE_WORDS = _NUMBERS + 2 * HISTORY_KEPT  # with the costs of the last iterations behind it


def inherited_words(
    words: NDArray[Any], state: Snapshot, ants: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return ``ColonyState`` as that of a colony that goes on from ``state``, and its history.

    ``words`` are those of a colony before its first iteration. The history is a part of the words.
    """
    words = np.array(words).view(np.uint64)
    assert state.iteration_best is not None
    numbers = numbers_of(words)
    numbers["iteration"] = state.iteration
    numbers["best_length"] = state.cost
    numbers["best_iteration"] = state.best_iteration
    numbers["iteration_best"] = state.iteration_best << ANT_BITS
    numbers["iteration_sum"] = round(state.iteration_mean * ants)
    if (counts := state.updates) is not None:
        for name in ("local_hits", "local_total", "global_hits", "global_total"):
            numbers[name] = getattr(counts, name)
    return words, words[_NUMBERS:].reshape(HISTORY_KEPT, 2)


def numbers_of(words: NDArray[Any]) -> NDArray[np.void]:
    """Return the fields of ``ColonyState``, in the memory of the words."""
    return words[:_NUMBERS].view(_STATE)


class State:
    """One reading of ``ColonyState``."""

    def __init__(self, words: NDArray[Any]) -> None:
        words = np.asarray(words).view(np.uint64)
        numbers = numbers_of(words)[0]
        self.iteration = int(numbers["iteration"])
        self.best_length = int(numbers["best_length"])  # of no tour before the first iteration
        self.best_iteration = int(numbers["best_iteration"])
        best = int(numbers["iteration_best"])
        self.iteration_best, self.iteration_ant = best >> ANT_BITS, best & ((1 << ANT_BITS) - 1)
        self.iteration_sum = int(numbers["iteration_sum"])
        self.local_hits, self.local_total = int(numbers["local_hits"]), int(numbers["local_total"])
        self.global_hits = int(numbers["global_hits"])
        self.global_total = int(numbers["global_total"])
        # see :func:`gpu.core.history.of_ring`
        self.history = words[_NUMBERS:].reshape(HISTORY_KEPT, 2)


CONSTRUCTION = "construction"  # the phase in which ants build solutions


class Memory(Protocol):
    """A pheromone memory on the device."""

    def buffers(self) -> list[Buffer]:
        """Return its buffers."""

    def row(self, machine: Machine, arrays: Arrays, city: int) -> NDArray[np.float32]:
        """Copy all trails from ``city``, float32 of shape (n,), in units of the initial trail."""


class Pictures(Protocol):
    """What makes the pictures of a memory that a snapshot asks for."""

    def pheromone(self, order: Array) -> NDArray[np.float32]:
        """All trails in this order of cities, in units of the initial trail."""

    def trails(self) -> Trails:
        """The strongest trails: all that are worth drawing, or most of those that fit."""

    def between(
        self, cities: NDArray[np.integer], others: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """The trails from cities to others; see :data:`gpu.core.trails.Read`."""

    def branching(self) -> float:
        """The mean λ-branching factor, λ = 0.05."""


class Prepared(PicturedInstance, Protocol):
    """An instance as kernels read it."""

    @property
    def values(self) -> Mapping[str, NDArray[Any]]:
        """Host arrays that kernels read, by the name of the buffer that they go into."""

    @property
    def lists(self) -> NDArray[np.int32] | None:
        """The candidates of each city, (n, k), if there are any."""


class DeviceColony(ABC):
    """A colony whose state lives on a GPU; see :class:`gpu.core.colony.Colony`.

    A kind of colony gives its buffers here, then its launches to :meth:`_begin`. ``pictures`` takes
    the problem, the trails, the machine and all arrays.
    """

    BEST = "best_tour"  # the buffer of the best solution so far

    NUMBERS: ClassVar[frozenset[str]] = frozenset()
    """Parameters that kernels get at every launch: see :meth:`adjust`."""

    _parameters: Parameters

    def __init__(
        self,
        machine: Machine,
        instance: Instance,
        ants: int,
        problem: Prepared,
        trails: Memory,
        buffers: Sequence[Buffer],
        pictures: Callable[[Any, Any, Machine, Arrays], Pictures] = PictureReader,
    ) -> None:
        self._machine, self._instance, self._ants, self._trails = machine, instance, ants, trails
        self._shared = problem  # held, so that other colonies find it
        self._arrays = machine.allocate(
            [
                *(Buffer.of(name, values, shared=True) for name, values in problem.values.items()),
                *trails.buffers(),
                *buffers,
                *(picture_buffers(problem.n) if pictures is PictureReader else ()),
                Buffer(self.BEST, (instance.n,), np.int32),
                Buffer("state", (STATE_WORDS,), np.uint64),
            ]
        )
        self._pictures, self._near = pictures(problem, trails, machine, self._arrays), problem.lists
        # Iterations of the colony whose place this one has taken, and the solutions built in them
        self._inherited = self._built_before = 0
        self._iterations: Iterations | None = None
        self._best: tuple[int, NDArray[np.int32]] | None = None  # its cost, and the solution

    def _begin(self, start: Sequence[Launch], phases: Phases, *, divisible: bool = True) -> None:
        """Run ``start`` once; ``phases`` make an iteration, see :class:`Iterations`."""
        self._machine.prepare([*start, *(one for each in phases.values() for one in each)])
        self._machine.run(start)
        self._divisible = divisible
        self._iterations = Iterations(self._machine, phases, divisible=divisible)

    def _phases_for(self, parameters: Any) -> Phases:
        """Return the launches of an iteration with other numbers, those in ``NUMBERS``."""
        return self.phases

    def _adjusted(self) -> None:  # noqa: B027  # most have nothing to do
        """Renew what follows from the parameters beside the launches."""

    def adjust(self, parameters: Parameters) -> bool:
        """Work with other numbers; see :class:`gpu.core.legacy.Adjustable`."""
        if not parameters.differing(self._parameters) <= self.NUMBERS:
            return False
        self._open().settle()
        self._parameters = parameters
        phases = self._phases_for(parameters)
        self._iterations = Iterations(self._machine, phases, divisible=self._divisible)
        self._adjusted()
        return True

    @property
    def phases(self) -> Phases:
        """The launches of an iteration, as they are now; none when the colony is closed."""
        return {} if self._iterations is None else self._iterations.phases

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`."""
        self._open().run(count, stop)

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration, outside the graph; see :class:`gpu.core.colony.Colony`."""
        return self._open().timed()

    def expected_seconds(self) -> float:
        """Return how long an iteration takes; see :class:`gpu.core.colony.Foreseeing`."""
        return self._open().expected_seconds()

    def gauges(self) -> Mapping[str, int]:
        """Return how many warps build tours at once; see :class:`gpu.core.colony.Gauged`."""
        self._open()
        launches = self.phases.get(CONSTRUCTION, ())
        if not launches:
            return {}
        one = launches[0]
        blocks = self._machine.resident(one.source, one.kernel, one.block, one.shared)
        warps = blocks * -(-one.block // LANES)
        return {"construction_warps": warps, "most_warps": self._machine.most_warps}

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.core.colony.Colony.snapshot`."""
        iterations = self._open()
        state = State(self._machine.download(self._arrays["state"]))
        iterations.settle()
        begun = state.iteration > 0
        shown = wanted & (Wanted.SOLUTION | TABLES)
        best = self._best_solution(state) if begun and shown else None
        last = None
        if state.iteration > self._inherited and Wanted.ITERATION_SOLUTION in wanted:
            solution = self._machine.download(self._iteration_solution(state))
            last = self._checked(solution, state.iteration_best)
        show, picture = self._pictures, None
        if begun and Wanted.PHEROMONE in wanted:
            picture = show.pheromone(self._picture_order(state))
        # Where single trails are read, if there are candidates
        single = None if self._near is None else (self._near, show.between)
        strip, band = tables_of(wanted, best, single)
        return Snapshot(
            iteration=state.iteration,
            solutions_built=self._built_before + (state.iteration - self._inherited) * self._ants,
            solutions_each=self._ants,
            best_cost=state.best_length if begun else None,
            best_iteration=state.best_iteration,
            iteration_best=state.iteration_best if begun else None,
            iteration_mean=state.iteration_sum / self._ants if begun else math.nan,
            history=of_ring(state.history, state.iteration, self._ants),
            best_solution=best,
            iteration_solution=last,
            pheromone=picture,
            trails=show.trails() if Wanted.TRAILS in wanted else None,
            updates=self._updates(state),
            branching=self._branching() if Wanted.BRANCHING in wanted else None,
            phases=iterations.times,
            **self._more(wanted),
            strip=strip,
            band=band,
        )

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        """Return what a snapshot has that not all colonies know."""
        return {}

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        self._open()
        return self._trails.row(self._machine, self._arrays, city)

    def close(self) -> None:
        """Free the device's memory; more calls do nothing."""
        # Launches and graphs hold arrays too: only when all are forgotten is their memory free.
        self._iterations = None
        self._arrays.clear()
        self._machine.close()

    def _open(self) -> Iterations:
        if self._iterations is None:
            raise DeviceError("the colony is closed; start a new run")
        return self._iterations

    @abstractmethod
    def _iteration_solution(self, state: State) -> Array:
        """Return the array that holds the best solution of the last iteration."""

    def _checked(self, solution: NDArray[np.integer], cost: int) -> NDArray[np.int32]:
        """Return a read-only copy of ``solution``, proved to be one and to cost so much."""
        return self._instance.checked(solution, cost)

    def _picture_order(self, state: State) -> Array:
        """Return an array: the order of rows and columns in a picture of all trails."""
        return self._arrays[self.BEST]

    def _branching(self) -> float | None:
        """The λ-branching factor, where there are candidate lists."""
        return None if self._near is None else self._pictures.branching()

    def _updates(self, state: State) -> Updates | None:
        """Hits of a selective memory; other memories have none."""
        return None

    def _best_solution(self, state: State) -> NDArray[np.int32]:
        # Only a cheaper one takes its place, and one iteration may have several: after an iteration
        # tours are crossed.
        if self._best is None or self._best[0] != state.best_length:
            solution = self._machine.download(self._arrays[self.BEST])
            self._best = state.best_length, self._checked(solution, state.best_length)
        return self._best[1]


def machine_of(device: Device) -> Machine:
    """The GPU that ``device`` names, ready for one colony."""
    from gpu.cuda.cupy_machine import CupyMachine

    return CupyMachine(device)


class HeirMemory(Memory, Protocol):
    """A pheromone memory whose trails another one can take over."""

    def kept(self, machine: Machine, arrays: Arrays) -> KeptTrails:
        """Copy all trails."""

    def refill(self, machine: Machine, arrays: Arrays, kept: KeptTrails) -> None:
        """Replace all trails, which are at the initial level, by ``kept``."""


class DeviceHeir(DeviceColony):
    """A colony on a GPU whose trails another one can take over; see :mod:`gpu.core.legacy`."""

    _trails: HeirMemory

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        state = self.snapshot(Wanted.SOLUTION)
        return Legacy(state, self._trails.kept(self._machine, self._arrays))

    def inherit(self, legacy: Legacy) -> None:
        """Go on where another colony stopped; see :class:`gpu.core.legacy.Heritable`."""
        state, machine, arrays = legacy.state, self._machine, self._arrays
        assert state.best_solution is not None
        assert legacy.trails is not None
        self._open().settle()
        words, ring = inherited_words(machine.download(arrays["state"]), state, self._ants)
        put_into_ring(ring, state.history, self._ants)
        machine.upload(arrays["state"], words)
        machine.upload(arrays[self.BEST], np.array(state.best_solution, np.int32))
        self._trails.refill(machine, arrays, legacy.trails)
        self._best = state.cost, state.best_solution
        self._inherited, self._built_before = state.iteration, state.solutions_built
        self._take_over(legacy)

    def _take_over(self, legacy: Legacy) -> None:
        """Renew what follows from the trails and the best solution of ``legacy``."""
