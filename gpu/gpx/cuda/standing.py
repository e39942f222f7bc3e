"""Where an ant of a gpx colony on a GPU stands, in the arrays of a colony on the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.philox import key_of
from gpu.cpu.record import record_of
from gpu.cpu.structures import allocated
from gpu.cuda.machine import Arrays, Machine
from gpu.gpx.cpu import state as states
from gpu.gpx.cpu.partial import (
    LOOSE_COUNT,
    OWN_COLORS,
    OWN_TIME,
    PartialColoring,
    new_partial_colorings,
)
from gpu.gpx.cpu.partial_tabu import FEWEST_LOOSE, FEWEST_OF_LATE, MOST_OF_LATE, TENURE
from gpu.gpx.cpu.rounds import new_rounds
from gpu.gpx.cpu.state import (
    BEGUN,
    BEST_COLORS,
    GAINED_AT,
    GENERATION_MOVES,
    GENERATIONS,
    QUOTA,
    SCHEDULE_SIZE,
    GpxRules,
    GpxState,
    IslandTrails,
    Population,
)
from gpu.gpx.cuda.kernels import (
    DEAD,
    LOOSE,
    NO_ENTRY,
    TABU_EFFORT,
    AntRecord,
    GenerationPlan,
)
from gpu.gpx.parameters import (
    CROSSING,
    EXPLORING,
    GpxGpuParameters,
    HeadGpuParameters,
)
from gpu.problems.coloring.instance import GraphInstance
from gpu.tabu_search import cpu as tabu
from gpu.tabu_search.cpu import NOW_COLORS, NOW_FEWEST, NOW_TIME, TabuWorkspace

Alike = TypeVar("Alike", bound=tuple[Any, ...])


def _alike(one: Alike, count: int) -> Alike:
    """Return the arrays of so many ants that are all like this one, which lies there once."""
    return type(one)(*(np.broadcast_to(array, (count, *array.shape)) for array in one))


@dataclass(frozen=True)
class DeviceStanding:
    """Reads from the device what is known of an ant between two iterations."""

    instance: GraphInstance
    parameters: GpxGpuParameters | HeadGpuParameters
    seed: int
    machine: Machine
    arrays: Arrays
    most: int  # colors that tables have room for
    ring: int  # moves that tabu can last

    def of(self, ant: int) -> GpxState:
        """Return the state as far as it is about this ant; all others of its kind look alike."""
        rules = states.rules_of(self.parameters, self.instance)._replace(behind=1, anew=False)
        crossing, n = rules.crossing, self.instance.n
        plan = self._read("plan").view(GenerationPlan.dtype)[0, 0]
        record = self._read("records").view(AntRecord.dtype)[ant, 0]
        schedule = self._schedule(plan)
        search = allocated(TabuWorkspace, 0, colors=self._coloring(ant), numbers=8)
        search.numbers[NOW_COLORS], search.numbers[NOW_TIME] = record["colors"], record["time"]
        search.numbers[NOW_FEWEST] = record["conflicts"]
        population = allocated(Population, 0, progress=(rules.ants, 8), parents=(crossing, n))
        population.progress[:, BEGUN] = record["colors"] > 0
        expiries = np.zeros((n, self.most), np.uint32)
        trails = IslandTrails(np.zeros((0, n), np.uint16))
        own = new_partial_colorings(self.instance, 0, self.most, tabu=False)
        explorers = rules.ants - rules.explorers
        if ant < crossing and schedule[GENERATION_MOVES] == 0:
            island = (rules.islands * (ant + 1) - 1) // crossing
            first, end = (crossing * one // rules.islands for one in (island, island + 1))
            half = int(plan["generations"]) & 1
            population.parents[:] = self._read("colorings", half)[:crossing, :n]
            population = population._replace(ended=np.full(rules.islands, record["anew"]))
            search.colors[:] = population.parents[ant]
            if end - first == 1:  # it has nobody to cross colorings with, and goes on
                schedule[GENERATION_MOVES] = 1
            if rules.by_trails and "island_trails" in self.arrays:
                trails = IslandTrails(self._read("island_trails", island)[:, :n])
        elif crossing <= ant < explorers:
            partial = self._partial_coloring(ant - crossing, search.colors, record, rules)
            own = _alike(partial, max(rules.optimizers, rules.partials))
        else:
            expiries = self._expiries(ant, int(record["time"]))
        stalled = ant >= explorers and record["stalled"] >= self._patience
        population.progress[:, GAINED_AT] = int(record["time"]) - stalled * (rules.patience + 1)
        return GpxState(
            graph=self._graph,
            rules=rules,
            searches=_alike(search, crossing + rules.explorers),
            expiries=_alike(states.Expiries(expiries), crossing + rules.explorers),
            optimizers=own,
            partials=own,
            rounds=new_rounds(0, 0, 0, 0),
            population=population,
            schedule=schedule,
            trails=_alike(trails, rules.islands),
            record=record_of(n),
        )

    @cached_property
    def _graph(self) -> tabu.TabuRules:
        return tabu.rules_of(key_of(self.seed), self.instance, self.most, 0)

    @property
    def _patience(self) -> int:
        return self.parameters.patience if isinstance(self.parameters, GpxGpuParameters) else 1

    def _read(self, name: str, place: int | None = None) -> NDArray[Any]:
        array = self.arrays[name] if place is None else self.arrays[name][place]
        return np.array(self.machine.download(array))

    def _coloring(self, ant: int) -> NDArray[np.int32]:
        colors = self._read("scratch", ant)[: self.instance.n].astype(np.int32)
        colors[colors == LOOSE] = tabu.LOOSE
        return colors

    def _schedule(self, plan: np.void) -> NDArray[np.int64]:
        schedule, halved = np.zeros(SCHEDULE_SIZE, np.int64), self._read("halved").tolist()
        schedule[BEST_COLORS] = self._read("best_coloring").max(initial=0) + 1
        schedule[GENERATION_MOVES], schedule[GENERATIONS] = plan["made"], plan["generations"]
        schedule[QUOTA + CROSSING], work = plan["quota"], int(plan["work"])
        schedule[QUOTA + EXPLORING] = max(1, (work >> halved[EXPLORING]) // TABU_EFFORT)
        return schedule

    def _partial_coloring(
        self, number: int, colors: NDArray[np.int32], record: np.void, rules: GpxRules
    ) -> PartialColoring:
        """Read a partial coloring; ``number`` is its place among those of both kinds."""
        by_tabu = number >= rules.optimizers
        expiries = np.zeros(0, np.uint32)
        if by_tabu:
            expiries = self._read("expiries", number - rules.optimizers)
            if self._graph.near.size == 0:  # as the CPU has it: vertex by vertex
                expiries = expiries.reshape(self.most, -1).T.ravel()
        own = allocated(
            PartialColoring,
            0,
            colors=colors,
            loose=self._read("loose", number).astype(np.int32),
            weights=self._read("weights", number),
            expiries=expiries,
            row=self.most,
            numbers=10,
        )
        numbers = own.numbers
        numbers[OWN_COLORS], numbers[OWN_TIME] = record["colors"], record["time"]
        numbers[LOOSE_COUNT] = record["conflicts"]
        numbers[TENURE], numbers[FEWEST_LOOSE] = record["tenure"], record["fewest"]
        numbers[MOST_OF_LATE] = record["most_of_late"]
        numbers[FEWEST_OF_LATE] = record["fewest_of_late"]
        return own

    def _expiries(self, ant: int, time: int) -> NDArray[np.uint32]:
        """Return the move before which a color is tabu for a vertex, from the ring of a search."""
        expiries = np.zeros((self.instance.n, self.most), np.uint32)
        words, size = self._read("kept", ant)[-2 * self.ring :], self.ring
        entries, lists = words[:size].tolist(), words[size:].view(np.uint16).tolist()
        heads, links = lists[:size], lists[size:]
        for place, at in enumerate(heads):
            while at != NO_ENTRY:
                code = entries[at]
                if code != DEAD:
                    expiries[code & 0xFFFF, code >> 16] = time + (place - time) % size
                at = links[at]
        return expiries
