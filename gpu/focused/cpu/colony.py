"""The focused colony on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import Trails, Wanted
from gpu.core.trails import KnownTrails, branching_factor, pheromone_picture, strongest_trails
from gpu.cpu import main_memory as memory
from gpu.cpu.alpha import alpha_neighbours
from gpu.cpu.colony import CpuColony, Painter
from gpu.cpu.geometry import geometry_of
from gpu.cpu.greedy import greedy_tour
from gpu.cpu.philox import key_of
from gpu.cpu.record import record_of
from gpu.cpu.stages import Stage, each, shared
from gpu.focused.cpu import state as states
from gpu.focused.cpu.iteration import MERGE, SEARCH, run
from gpu.focused.cpu.state import FocusedState, Lists, Rules
from gpu.focused.cpu.state import Trails as FocusedTrails
from gpu.focused.parameters import ALPHA, FocusedParameters
from gpu.focused.symmetric import require_symmetric
from gpu.problems.tsp.checks import checked_tour
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.quadrants import quadrant_neighbours

CYCLE = 2  # ants for each city in the first cycle of cooling
FULL = 64  # in the first one that begins with the full temperature


def _lists_of(
    instance: TspInstance, k: int, nearness: str
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the candidates of each city by (distance, index), and their distances."""
    if nearness == ALPHA:
        neighbours = alpha_neighbours(instance, k).neighbours
    else:
        neighbours = quadrant_neighbours(instance, k)
    lengths = instance.distances(np.arange(instance.n)[:, None], neighbours)
    order = np.argsort(lengths * instance.n + neighbours, axis=1)
    sorted_lengths = np.take_along_axis(lengths, order, 1).astype(np.int32)
    return np.take_along_axis(neighbours, order, 1), sorted_lengths


class FocusedCpuColony(CpuColony):
    """The focused colony on the CPU: the same tours with any number of threads.

    Raises
    ------
    ParameterError
        If the instance is directed.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    _run = staticmethod(run)
    _checked = staticmethod(checked_tour)
    _instance: TspInstance

    def __init__(
        self, instance: TspInstance, parameters: FocusedParameters, seed: int, *, threads: int
    ) -> None:
        require_symmetric(instance)
        n = instance.n
        parameters = parameters.resolved(n)
        assert parameters.ants is not None
        threads = min(threads, states.cells_of(n))
        what = f"this colony on {instance.name} ({n} cities)"
        memory.require(
            what, states.bytes_needed(n, parameters.candidates, parameters.ants, threads)
        )
        self._instance = instance
        neighbours, lengths = _lists_of(instance, parameters.candidates, parameters.nearness)
        geometry = geometry_of(instance, 1.0)
        self._lists = Lists(geometry, states.is_flat(geometry), neighbours, lengths)
        cycle, full = (
            max(1, round(ants_a_city * n / parameters.ants))
            for ants_a_city in (parameters.cooling or CYCLE, parameters.cooling or FULL)
        )
        rules = Rules(
            key=key_of(seed),
            ants=parameters.ants,
            kick=parameters.kick,
            heat=parameters.heat,
            cycle=cycle,
            doubling=parameters.cooling is None,
            full=full,
            keep=np.float32(1.0 - parameters.rho),
            focus=np.float32(parameters.focus),
        )
        start = greedy_tour(instance, neighbours)
        tour, place, champion = start.copy(), np.empty(n, np.int32), start.copy()
        place[tour] = np.arange(n)
        values = np.ones((n, parameters.candidates), np.float32)
        self._trails = FocusedTrails(values, np.ones(n, np.float32))
        schedule = np.array((0.0, instance.tour_length(start), rules.cycle, 0.0, 0.0))
        record = record_of(n)
        cells, exchange = states.new_cells(n), states.new_exchange(n)
        log = states.new_log(n, parameters.ants)
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
        workspaces = [states.new_patch(n, parameters.candidates, size) for size in sizes]
        super().__init__(parameters.ants, record, stages, state, workspaces)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        row = np.ones(self._instance.n, np.float32)
        row[self._lists.neighbours[city]] = self._trails.values[city]
        return row

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        n, k = self._trails.values.shape
        cities = np.repeat(np.arange(n, dtype=np.int32), k)
        known = KnownTrails(cities, self._lists.neighbours.ravel(), self._trails.values.ravel())
        return partial(pheromone_picture, known), partial(strongest_trails, known, n, False)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        more["limits"] = (1.0, float(states.STRONGEST))
        if Wanted.BRANCHING in wanted:
            more["branching"] = branching_factor(self._trails.values)
        return more
