"""The crossing colony on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.cpu.geometry import geometry_of, is_flat
from gpu.cpu.parted_greedy import MOST_IN_ONE, parted_greedy_tours
from gpu.crossing.cpu.first import drawn_tours
from gpu.crossing.cuda.kernels import (
    AB_CYCLES,
    CHILD_WARPS,
    CROSS_TOURS,
    LEAST_AB_CYCLE,
    LONG_AB_CYCLE,
    LONG_NUMBERS,
    LONG_RESULT_BYTES,
    LONG_ROOM_BYTES,
    LONG_TRACED_BYTES,
    MARKERS,
    MOST_TRACERS,
    RESULT_BYTES,
    SHORT_NUMBERS,
    SHORT_TRACED_BYTES,
    TRACERS,
    TRACING_STATIC,
    Round,
)
from gpu.crossing.parameters import (
    BY_TRAILS,
    MANY_CITIES,
    MANY_WINNERS,
    PATIENT_ROUNDS,
    CrossingCudaParameters,
    require_for_crossing_cuda,
)
from gpu.cuda.colony import State
from gpu.cuda.iterations import Iterations, Phases
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Buffer, Launch, Machine
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import PLANE
from gpu.tour_changes.cpu.state import CityLists
from gpu.tour_changes.cuda.cities import OrderedCities
from gpu.tour_changes.cuda.colony import TOURS_BLOCK, SearchRules, ToursColony
from gpu.tour_changes.cuda.kernels import LONG_PIECES, MOST_PIECES, change_bytes, metric_of
from gpu.tour_changes.parameters import STRONGEST

ROUNDS_A_LOOK = 16  # rounds after which the host looks whether crossing has ended
LONG_ROUNDS = 4  # rounds of long AB-cycles between these
LONG_COST = 3  # of the others take as long as one of these, or more
LONGEST_PAUSE = 15  # looks without rounds of long AB-cycles, while they would change tours
FIRST_PAUSE = 3  # the same, at first, of so many cities that such rounds take near a second
OFFSPRING = 32  # of an ant, where a tour takes changes of many ants
LONG_OFFSPRING = 8  # of a tour, where they are children of long AB-cycles

SETTLING_RHO, SETTLING_FOCUS = 0.02, 1.0  # of the ants that improve tours before they are crossed

MOST_SHORT_NUMBERED = (1 << SHORT_NUMBERS) - 1  # cities whose numbers are short
JOINED = 8  # AB-cycles that a child exchanges in the last stage, at most
FEW_CHANGES = 0.1  # of a tour in a round with one winner: with fewer, the last stage begins

CELL_CITIES = 2048  # of a cell in which AB-cycles are found, if their edges differ


@dataclass(frozen=True)
class CrossingStage:
    """How crossing goes on for some rounds."""

    groups: int  # of offspring of a tour; it takes changes of the best child of each
    offspring: int  # of each group
    joined: int = 1  # AB-cycles that a child exchanges, at most
    changes: float = 0.0  # of a tour in a round: with fewer, the next stage begins
    pieces: int = MOST_PIECES  # into which a tour is cut to make a child, at most
    shortest: int = LEAST_AB_CYCLE  # edges of an AB-cycle of which a child is made, at least
    gaining: bool = False  # whether of AB-cycles first that give up longer edges than they take


LONG_STAGE = CrossingStage(1, LONG_OFFSPRING, pieces=LONG_PIECES, shortest=LONG_AB_CYCLE)


def stages_of(winners: str, ants: int) -> list[CrossingStage]:
    """Return the stages of a population whose tours have so many ants each."""
    many = CrossingStage(ants, OFFSPRING, changes=1.0)
    one = CrossingStage(1, ants, changes=FEW_CHANGES, gaining=True)
    return [many if winners == MANY_WINNERS else one, CrossingStage(1, ants, joined=JOINED)]


@dataclass(frozen=True, eq=False)
class EndedPopulation:
    """What is kept of a population whose tours no longer get shorter."""

    level: int  # how often populations were joined until there was this one
    lengths: NDArray[np.int64]  # (t,): of its tours, from the shortest on
    tours: NDArray[np.int32]  # (t, n)


class CrossingCudaColony(ToursColony):
    """The crossing colony on a GPU; see :class:`gpu.core.colony.Colony`.

    Ants that search around a place each improve all tours of a population for a while, each by
    itself. Then each round crosses every tour with another one, until no tour gets shorter. Then
    another population begins anew, and two that have ended are joined: see
    :meth:`_end_population`.

    Raises
    ------
    ParameterError
        If the instance is directed, or has too long distances.
    DeviceMemoryError
        If the tours do not fit the device: some 140 bytes a city and tour (156 of more
        than 65,535 cities), 0.6 MB a tour, 1.6 KB an ant, and 25 KB more where each
        makes 32 children.
    """

    def __init__(
        self,
        instance: TspInstance,
        parameters: CrossingCudaParameters,
        machine: Machine,
        seed: int,
        start: NDArray[np.int32] | None = None,
    ) -> None:
        require_for_crossing_cuda(instance)
        p = parameters
        assert p.ants is not None
        assert p.tours is not None
        self._parameters, self._seed, self._populations = p, seed, 0
        self._stages = stages_of(p.winners, p.ants // p.tours)
        problem = OrderedCities.of(instance, p.candidates, p.nearness, start)
        rules = SearchRules(p.ants, p.tours, p.kick, SETTLING_RHO, SETTLING_FOCUS)
        offspring = max(stage.groups * stage.offspring for stage in self._stages)
        further = _buffers(problem.n, problem.width, p.tours, offspring)
        super().__init__(instance, machine, problem, rules, seed, MOST_PIECES, LONG_PIECES, further)
        stages = (*self._stages, LONG_STAGE)
        rounds = [self._round(stage, p.weight == BY_TRAILS) for stage in stages]
        crossing = [Iterations(machine, one, divisible=False) for one in rounds]
        self._kinds = [self._open(), *crossing]  # of iterations: settling, and each stage
        self._stage: int | None = None  # of crossing; None: the tours are still to settle
        self._long = False  # whether AB-cycles are long ones in these rounds
        self._long_pay, self._caught = True, False  # whether such gave something, others nothing
        self._cycle = max(1, round(p.settling * problem.n / self._each))  # iterations of settling
        self._gains = 0  # that _made has told
        self._length = self._gain = 0  # of all tours; what a round without long AB-cycles gave
        self._pause = self._left_out = 0  # looks without long ones in between: wanted; so far
        self._level = 0  # how often populations were joined to make the present one
        self._ended: list[EndedPopulation] = []  # of falling levels
        self._closed, self._drawing = Event(), ThreadPoolExecutor(1, thread_name_prefix="drawing")
        self._next: Future[NDArray[np.int32]] | None = None  # tours of the next population
        self._settle(self._drawn(0), 0)

    def close(self) -> None:
        """Free the device's memory; more calls do nothing.

        Tours that are being drawn for another population are finished, and no more are begun.
        """
        self._closed.set()
        self._drawing.shutdown(wait=False, cancel_futures=True)
        self._kinds.clear()
        super().close()

    def _drawn(self, population: int) -> NDArray[np.int32]:
        """The tours that a population begins with."""
        seed = self._seed + population
        return first_tours(self._problem, self._tours, seed, self._closed.is_set)

    def _round(self, stage: CrossingStage, focus: bool) -> Phases:
        """Return the phases of a round, in which a gain may be weighed against trails."""
        problem, machine, tours = self._problem, self._machine, self._tours
        groups, offspring, pieces = stage.groups, stage.offspring, stage.pieces
        long = pieces == LONG_PIECES
        bits, each = _numbering(problem.n)
        self._room = min(problem.n, (machine.shared_limit - TRACING_STATIC) // each)
        numbers = {
            "room": self._room,
            "cell_cities": problem.n if long else CELL_CITIES,  # one cell, or several
            "shortest": stage.shortest,
            "enough": stage.offspring if stage.gaining else 0,
            "per_map": np.float32(problem.per_map),
            "groups": groups,
            "offspring": offspring,
            "joined": stage.joined,
            "focus": focus,
            "sharing": groups * offspring == self._each,
            "strongest": np.float32(STRONGEST),
        }
        arrays = {**self._arrays, **numbers}
        if long:
            arrays |= {"changes": arrays["long_changes"], "results": arrays["long_results"]}

        def of_warps(name: str, warps: int) -> Launch:
            return CROSS_TOURS.launch(name, -(-warps // CHILD_WARPS), CHILD_WARPS * LANES, arrays)

        words = -(-problem.n // LANES)
        mark = AB_CYCLES.launch(
            "mark_differing", min(65535, -(-tours * words * LANES // MARKERS)), MARKERS, arrays
        )
        tracers = TRACERS if bits == SHORT_NUMBERS else MOST_TRACERS
        find = AB_CYCLES.launch(
            f"find_ab_cycles<{bits}>", tours, tracers, arrays, self._room * each
        )
        metric = metric_of(problem.instance)
        make = of_warps(f"make_children<{metric}, {pieces}>", tours * groups * offspring)
        choose = of_warps(f"choose_children<{pieces}>", tours * groups)
        count = of_warps(f"count_changes<{pieces}>", tours * groups)
        entries = min(1024, -(-problem.n * problem.width // TOURS_BLOCK))
        note = CROSS_TOURS.launch("note_trails", entries, TOURS_BLOCK, arrays)
        merge = self._merge(groups, pieces, "long_changes" if long else "changes")
        return {
            "construction": (mark, find, make),
            "update": (choose, merge, count, self._elect(), self._rewrite(), note),
        }

    def _turn(self, state: State) -> None:
        """Cross tours that have settled; begin another population where crossing has ended.

        Rounds of long AB-cycles come between the others as long as they change tours, and when the
        others change none any more. A round takes at least three times as long as one of the
        others; where it does not shorten tours by as much more, the next ones wait twice as long.
        """
        gained = self._shortened()
        if self._stage is None:
            self._begin_crossing()
        elif self._long:
            self._long_pay = self._made() > 0
            paid = gained * ROUNDS_A_LOOK >= LONG_COST * self._gain * LONG_ROUNDS
            self._pause = 0 if paid else min(2 * self._pause + 1, LONGEST_PAUSE)
            self._left_out = 0
            if self._caught and not self._long_pay:
                self._end_population(state)
                return
            self._cross(self._stage)
        else:
            rounds = int(self._machine.download(self._arrays["rounds"])[Round.IDLE])
            last = self._stage + 1 == len(self._stages)
            self._caught = last and rounds >= PATIENT_ROUNDS
            if self._made() < ROUNDS_A_LOOK * self._tours * self._stages[self._stage].changes:
                self._cross(self._stage + 1)
            self._gain = gained
            waited = self._left_out >= self._pause
            self._left_out += 1
            if self._caught or (self._long_pay and waited):
                self._cross_long()
        self._go_on(state.iteration, LONG_ROUNDS if self._long else ROUNDS_A_LOOK)

    def _made(self) -> int:
        """How many changes made a tour shorter since this was asked before."""
        made = int(self._machine.download(self._arrays["rounds"])[Round.GAINS])
        before, self._gains = self._gains, made
        return made - before

    def _shortened(self) -> int:
        """By how much all tours together got shorter since this was asked before."""
        before = self._length
        self._length = int(self._machine.download(self._arrays["lengths"]).sum())
        return before - self._length

    def _begin_crossing(self) -> None:
        arrays, machine = self._arrays, self._machine
        machine.upload(arrays["counts"], np.zeros(arrays["counts"].shape, np.int32))
        machine.upload(arrays["rounds"], np.zeros(len(Round), np.int32))
        machine.run([self._everywhere(CROSS_TOURS, "count_edges")])  # from what was counted on
        self._gains = 0
        self._shortened()
        self._long_pay, self._left_out = True, 0
        self._pause = FIRST_PAUSE if self._problem.n > MANY_CITIES else 0
        self._cross(0)

    def _cross(self, stage: int) -> None:
        """Go on with this stage; in the last one, the host draws what the GPU will need next."""
        self._stage, self._iterations, self._long = stage, self._kinds[stage + 1], False
        if self._next is None and stage + 1 == len(self._stages):
            self._next = self._drawing.submit(self._drawn, self._populations + 1)

    def _cross_long(self) -> None:
        self._iterations, self._long = self._kinds[-1], True

    def _end_population(self, state: State) -> None:
        """Join populations that have ended, as merge sort joins runs; or begin one anew.

        Populations that know nothing of each other seldom lack the same edges of the optimum. So
        the shorter halves of two of the same level are crossed, as a population of the next level.
        """
        lengths = self._machine.download(self._arrays["lengths"])
        shorter = np.argsort(lengths, kind="stable")[: -(-self._tours // 2)]
        present = self._present(state)
        self._ended.append(EndedPopulation(self._level, lengths[shorter], present[shorter]))
        if len(self._ended) > 1 and self._ended[-2].level == self._level:
            self._level += 1
            self._join(self._ended.pop(), self._ended.pop(), state.iteration)
            return
        self._level = 0
        self._populations += 1
        assert self._next is not None  # a population ends in the last stage alone
        tours, self._next = self._next.result(), None
        self._settle(tours, state.iteration)

    def _join(self, one: EndedPopulation, other: EndedPopulation, iteration: int) -> None:
        """Cross the tours of two populations; they have settled before."""
        tours = np.concatenate((one.tours, other.tours))[: self._tours]
        lengths = np.concatenate((one.lengths, other.lengths))[: self._tours]
        self._take_over(tours, lengths.tolist(), iteration, 1, 0.0)
        self._begin_crossing()
        self._go_on(iteration, ROUNDS_A_LOOK)

    def _settle(self, tours: NDArray[np.int32], iteration: int) -> None:
        """Begin with these tours, which ants improve first."""
        self._stage, self._iterations = None, self._kinds[0]
        self._take_over(tours, self._lengths(tours), iteration, self._cycle, 0.0)


def first_tours(
    problem: OrderedCities, count: int, seed: int, stop: Callable[[], bool] = never
) -> NDArray[np.int32]:
    """Return the tours that a population begins with, (count, n): the first one, and greedy ones.

    Once ``stop`` says so, no further tour is begun, and what is returned is of no use.
    """
    instance, near = problem.instance, problem.neighbours
    geometry = geometry_of(instance, 1.0)
    first = np.arange(problem.n, dtype=np.int32)
    if problem.n > MOST_IN_ONE and instance.metric in PLANE:
        tours = parted_greedy_tours(geometry, near, count, seed, stop)
    else:
        lengths = instance.distances(first[:, None], near).astype(np.int32)
        lists = CityLists(geometry, is_flat(geometry), near, lengths)
        tours = drawn_tours(lists, first, seed, count, stop)
    tours[0] = first
    return tours


def _numbering(n: int) -> tuple[int, int]:
    """Of the numbers of cities whose edges differ: their bits, and bytes of memory for each."""
    if n <= MOST_SHORT_NUMBERED:
        return SHORT_NUMBERS, SHORT_TRACED_BYTES
    return LONG_NUMBERS, LONG_TRACED_BYTES


def _buffers(n: int, width: int, tours: int, offspring: int) -> list[Buffer]:
    """What crossing needs, of so many offspring of a tour."""
    return [
        Buffer("differing", (tours, -(-n // LANES)), np.uint32),
        Buffer("numbers", (tours, n), np.int32),
        Buffer("traced", (tours, (n * _numbering(n)[1] + 7) // 8 + 2), np.uint64),
        Buffer("ab_cycles", (tours, 2 * n), np.int32),
        Buffer("ab_cycle_spans", (tours, n // 2 + 1, 2), np.int32),
        Buffer("ab_cycle_slots", (tours, n // 2 + 1, 2), np.int32),
        Buffer("ab_cycle_counts", (tours,), np.int32),
        Buffer("counts", (n, width), np.int32),
        Buffer("results", (tours * offspring, RESULT_BYTES // 8), np.uint64),
        Buffer("rooms", (tours * LONG_OFFSPRING, LONG_ROOM_BYTES // 8), np.uint64),
        Buffer("long_results", (tours * LONG_OFFSPRING, LONG_RESULT_BYTES // 8), np.uint64),
        Buffer("long_changes", (tours, change_bytes(LONG_PIECES) // 8), np.uint64),
        Buffer("rounds", (len(Round),), np.int32),
    ]
