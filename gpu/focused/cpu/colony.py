"""The focused colony on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
from gpu.cpu.record import ITERATION, record_of
from gpu.cpu.stages import Stage, each, shared
from gpu.focused.cpu import state as states
from gpu.focused.cpu.doubled import PREPARING, doubled, halved
from gpu.focused.cpu.iteration import MERGE, SEARCH, run
from gpu.focused.cpu.state import FocusedRules, FocusedState, FocusedTrails
from gpu.focused.parameters import FIRST_CYCLE, FULL_CYCLE, FocusedParameters
from gpu.focused.suitable import require_few_directed
from gpu.problems.tsp.checks import checked_tour
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cpu.lists import lists_of
from gpu.tour_changes.cpu.state import deepest_of, new_exchange, new_patch
from gpu.tour_changes.parameters import STRONGEST


class FocusedCpuColony(CpuColony):
    """The focused colony on the CPU: the same tours with any number of threads.

    Raises
    ------
    ParameterError
        If the instance is directed and too large.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    NUMBERS = frozenset({"kick", "heat", "rho", "focus"})

    _run = staticmethod(run)
    _checked = staticmethod(checked_tour)
    _instance: TspInstance

    def __init__(
        self,
        instance: TspInstance,
        parameters: FocusedParameters,
        seed: int,
        *,
        threads: int,
        start: NDArray[np.int32] | None = None,  # the first source, else a greedy tour
    ) -> None:
        require_few_directed(instance)
        assert parameters.ants is not None
        halves = 2 if instance.directed else 1
        n = halves * instance.n
        threads = min(threads, states.cells_of(n))
        needed = states.bytes_needed(n, parameters.candidates, parameters.ants, threads)
        if instance.directed:
            needed["tables of distances"] = instance.n**2 * PREPARING
        memory.require(f"this colony on {instance.name} ({instance.n} cities)", needed)
        self._instance = instance
        if instance.directed:
            self._lists, first = doubled(instance, parameters.candidates)
            start = first if start is None else halved(start)
        else:
            self._lists, first = lists_of(instance, parameters.candidates, parameters.nearness)
            start = first if start is None else start
        length = instance.tour_length(start[::halves] // halves)
        cycle, full = (
            max(1, round(ants_a_city * instance.n / parameters.ants))
            for ants_a_city in (parameters.cooling or FIRST_CYCLE, parameters.cooling or FULL_CYCLE)
        )
        self._parameters, self._key, self._cycles = parameters, key_of(seed), (cycle, full)
        (rules,) = self._rules_for(parameters)
        tour, place, champion = start.copy(), np.empty(n, np.int32), start.copy()
        place[tour] = np.arange(n)
        values = np.ones((n, parameters.candidates), np.float32)
        self._trails = FocusedTrails(values, np.ones(n, np.float32))
        schedule = np.array((0.0, length, rules.cycle, 0.0, 0.0))
        record = record_of(instance.n)
        cells, exchange = states.new_cells(n), new_exchange(n)
        edges = states.logged_edges(n, parameters.ants)
        self._log = log = states.new_log(states.cells_of(n), edges)
        state = FocusedState(
            self._lists,
            rules,
            start.copy(),
            tour,
            place,
            cells,
            exchange,
            log,
            self._trails,
            champion,
            schedule,
            record,
        )
        count = states.cells_of(n)
        stages = (
            Stage(SEARCH, "construction", shared(count)),
            Stage(MERGE, "update", each(1)),
        )
        # The first thread settles the whole tour.
        sizes = [n, *[states.patch_size(n)] * (threads - 1)]
        workspaces = [new_patch(n, parameters.candidates, size) for size in sizes]
        super().__init__(parameters.ants, record, stages, state, workspaces)

    def _rules_for(self, parameters: FocusedParameters) -> Iterable[FocusedRules]:
        assert parameters.ants is not None
        directed, (cycle, full) = self._instance.directed, self._cycles
        rules = FocusedRules(
            key=self._key,
            ants=parameters.ants,
            kick=max(1, parameters.kick // 10) if directed else parameters.kick,
            heat=parameters.heat,
            cycle=cycle,
            doubling=parameters.cooling is None,
            full=full,
            keep=np.float32(1.0 - parameters.rho),
            focus=np.float32(parameters.focus),
            deepest=deepest_of((2 if directed else 1) * self._instance.n),
        )
        return (rules,)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        row = np.ones(self._instance.n, np.float32)
        neighbours, values = self._listed()
        row[neighbours[city]] = values[city]
        return row

    @property
    def standing(self) -> FocusedState:
        """The state as it stands, to be read alone: nobody changes it but the iterations."""
        state: FocusedState = self._shared
        return state

    def _listed(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Cities on each city's list, and the trails to them: where directed, to leave by."""
        neighbours, values = self._lists.neighbours, self._trails.values
        if self._instance.directed:
            return neighbours[1::2] // 2, values[1::2]
        return neighbours, values

    def _single_trails(self) -> Single:
        neighbours, values = self._listed()
        return neighbours, lists_read(neighbours, values)

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        neighbours, values = self._listed()
        n, k = values.shape
        known = KnownTrails(owners(n, k), neighbours.ravel(), values.ravel())
        select = partial(strongest_trails, known, n, self._instance.directed)
        return partial(pheromone_picture, known), select

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        more["limits"] = (1.0, STRONGEST)
        searching = max(0, int(self._record.numbers[ITERATION]) - 1)  # not in the first iteration
        more["merges"] = Merges(searching * self._m, *map(int, self._log.wins))
        if Wanted.BRANCHING in wanted:
            more["branching"] = branching_factor(self._listed()[1])
        return more
