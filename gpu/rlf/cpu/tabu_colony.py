"""ACO-RLF whose best ants' colorings tabu searches repair, on the CPU, on one core or all.

After all ants have colored the graph, each search takes after one of the best of them, the s-th
after the s-th. What it has found takes the place of that ant's coloring, if it has fewer colors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.core.devices import Device
from gpu.core.random import key_of
from gpu.cpu import barrier
from gpu.cpu import main_memory as memory
from gpu.cpu.compiled import entry, part
from gpu.cpu.record import BEST_COST, BEST_ITERATION, Record, shortest
from gpu.cpu.stages import Shift, Stage, each, shared
from gpu.problems.coloring.heuristics import greedy_colors
from gpu.problems.coloring.instance import GraphInstance
from gpu.rlf.cpu import colony as rlf
from gpu.rlf.cpu import iteration as rlf_iteration
from gpu.rlf.cpu.iteration import CONSTRUCT, FINISH, RENEW, SHARE, WEIGH
from gpu.rlf.cpu.tables import Colorings
from gpu.rlf.parameters import ColoringCpuParameters, ColoringTabuParameters
from gpu.tabu_search.cpu import tables as tabu_tables
from gpu.tabu_search.cpu.search import search
from gpu.tabu_search.cpu.tables import KEPT_COLORS, Desk, Searches, TabuRules

RANK, SEARCH, TAKE = 32, 64, 128
"""Stages: whom each search takes after; the searches; what they have found."""

COLORING, SEARCHING, RENEWING = WEIGH | CONSTRUCT, RANK | SEARCH | TAKE, SHARE | RENEW | FINISH
"""All stages, in order, by the compiled function that runs them."""


def build(
    instance: GraphInstance, parameters: ColoringTabuParameters, device: Device, seed: int
) -> RlfTabuCpuColony:
    """Ants and searches shared out among the cores of ``device``."""
    return RlfTabuCpuColony(instance, parameters, seed, threads=device.cores)


class RlfTabuCpuColony(rlf.RlfCpuColony):
    """ACO-RLF with tabu searches; see :class:`gpu.rlf.cpu.colony.RlfCpuColony`.

    Ants turn the wheel, as those of its counterpart on a GPU do.
    """

    def __init__(
        self,
        instance: GraphInstance,
        parameters: ColoringTabuParameters,
        seed: int,
        *,
        threads: int,
    ) -> None:
        self._tabu = parameters.resolved(instance.n)
        self._key = key_of(seed)
        common = {name: getattr(self._tabu, name) for name in SHARED}
        plain = ColoringCpuParameters.from_mapping({**common, "selection": "wheel"})
        super().__init__(instance, plain, seed, threads=threads)

    def _improvement(self, threads: int) -> Sequence[Stage]:
        graph, count = self._graph, self._tabu.searches
        assert count is not None
        n, most = graph.n, greedy_colors(graph)
        memory.require(
            f"the tabu searches on {graph.name} ({n} vertices, {count} searches)",
            tabu_tables.bytes_needed(n, most, count, threads),
        )
        self._search_rules = tabu_tables.rules_of(self._key, graph, most, self._tabu.moves)
        self._searches = tabu_tables.searches_of(n, most, count)
        self._desks = [tabu_tables.desk_of(n, most) for _ in range(threads)]
        self._ant_of = np.zeros(count, np.int64)
        return (
            Stage(RANK, "tabu search", each(1)),
            Stage(SEARCH, "tabu search", shared(count)),
            Stage(TAKE, "tabu search", shared(count)),
        )

    def _work(self, gate: NDArray[np.int64], shift: Shift) -> None:
        met = 0
        for _ in range(shift.iterations):
            for bits in (COLORING, SEARCHING, RENEWING):
                chosen = shift.stages & bits
                if chosen:
                    work = self._search if bits == SEARCHING else self._color
                    work(gate, shift._replace(iterations=1, stages=chosen), met)
                met += shift.threads * chosen.bit_count()
        if shift.iterations == 0:  # all that is asked is that both are compiled
            for work in (self._color, self._search):
                work(gate, shift._replace(stages=0), met)

    def _color(self, gate: NDArray[np.int64], shift: Shift, met: int) -> None:
        rlf_iteration.run(
            self._pairs, self._ants, self._rules, self._record, gate, self._places[shift.thread],
            *shift, met,
        )  # fmt: skip

    def _search(self, gate: NDArray[np.int64], shift: Shift, met: int) -> None:
        run(
            self._ants, self._search_rules, self._searches, self._ant_of, self._record, gate,
            self._desks[shift.thread], shift.thread, shift.threads, shift.stages, shift.begin,
            shift.end, met,
        )  # fmt: skip


SHARED = ("ants", "alpha", "beta", "rho", "reward", "deposit")
"""Parameters of ants alone."""


@entry
def run(
    ants: Colorings,
    rules: TabuRules,
    searches: Searches,
    ant_of: NDArray[np.int64],
    record: Record,
    gate: NDArray[np.int64],
    desk: Desk,
    thread: int,
    threads: int,
    stages: int,
    begin: int,
    end: int,
    met: int,
) -> None:
    """Run these stages of an iteration; see :func:`gpu.rlf.cpu.iteration.run`."""
    first, last = ant_of.size * thread // threads, ant_of.size * (thread + 1) // threads
    if stages & RANK:
        if thread == 0:
            _rank(ants.costs, ant_of)
        met += threads
        barrier.meet(gate, met)
    if stages & SEARCH:
        best = ants.costs[shortest(ants.costs)]
        if record.numbers[BEST_ITERATION] > 0:
            best = min(best, record.numbers[BEST_COST])
        for number in range(first + begin, min(first + end, last)):
            ant = ant_of[number]
            search(rules, searches, desk, number, ants.colors[ant], ants.costs[ant], best)
        met += threads
        barrier.meet(gate, met)
    if stages & TAKE:
        for number in range(first + begin, min(first + end, last)):
            _take(ants, searches, number, ant_of[number])
        met += threads
        barrier.meet(gate, met)


@part
def _rank(costs: NDArray[np.int64], ant_of: NDArray[np.int64]) -> None:
    """Find the ants with the fewest colors, of equals the lowest, in order."""
    for ant in range(costs.size):
        better = 0
        for other in range(costs.size):
            equal_lower = costs[other] == costs[ant] and other < ant
            better += 1 if costs[other] < costs[ant] or equal_lower else 0
        if better < ant_of.size:
            ant_of[better] = ant


@part
def _take(ants: Colorings, searches: Searches, number: int, ant: np.int64) -> None:
    """Put what a search has found in the place of its ant's coloring, if it has fewer colors.

    The order of visits is then that by color, and of the vertices of a color that by number.
    """
    count = searches.states[number, KEPT_COLORS]
    if count == 0 or count >= ants.costs[ant]:
        return
    colors, ends = searches.kept[number], ants.ends[ant]
    ants.costs[ant] = count
    for color in range(count + 1):
        ends[color] = 0
    for v in range(colors.size):
        ends[colors[v] + 1] += np.uint32(1)
    for color in range(count):
        ends[color + 1] += ends[color]
    for v in range(colors.size):  # each end moves to the beginning of the next class
        spot = ends[colors[v]]
        ends[colors[v]] += np.uint32(1)
        ants.colors[ant, v] = np.uint32(colors[v])
        ants.orders[ant, spot] = np.uint32(v)
        ants.places[ant, v] = spot
    for color in range(count, 0, -1):
        ends[color] = ends[color - 1]
    ends[0] = 0
