"""ACO-RLF whose best ants' colorings are improved by tabu searches, on the CPU, on one core or all.

After all ants have colored the graph, the s-th tabu search belongs to the s-th best ant. What the
search has found replaces that ant's coloring, if it has fewer colors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu import main_memory as memory
from gpu.cpu.compilation import compiled
from gpu.cpu.record import BEST_COST, BEST_ITERATION
from gpu.cpu.stage_loop import Task, loop_over, units_of
from gpu.cpu.stages import Stage, each, shared
from gpu.cpu.structures import allocated
from gpu.problems.coloring.instance import greedy_colors
from gpu.rlf.cpu import state as rlf
from gpu.rlf.cpu.colony import RlfCpuColony
from gpu.rlf.cpu.iteration import RANK, SEARCH, TAKE, do_coloring_stage
from gpu.rlf.cpu.state import Colorings, RlfState
from gpu.rlf.parameters import ColoringTabuParameters
from gpu.tabu_search.cpu import state as tabu
from gpu.tabu_search.cpu.search import COLORS, FEWEST, KEPT_COLORS, TIME, search
from gpu.tabu_search.cpu.state import Searches, Standing, TabuRules


class RlfTabuState(NamedTuple):
    """What a colony works on."""

    coloring: RlfState  # what its ants work on
    rules: TabuRules
    searches: Searches
    ant_of: NDArray[np.int64]  # (searches,): the ant whose coloring each search improves


class Workspace(NamedTuple):
    """What one thread works with."""

    ants: rlf.Workspace
    search: tabu.Workspace


@loop_over
def run(
    state: RlfTabuState, workspace: Workspace, barrier: NDArray[np.int64], task: Task, stage: int
) -> None:
    """Do a thread's share of a stage."""
    ants, ant_of, record = state.coloring.ants, state.ant_of, state.coloring.record
    if stage == RANK:
        if task.thread == 0:
            _rank(ants.costs, ant_of)
    elif stage == SEARCH:
        best = ants.costs[ants.costs.argmin()]
        if record.numbers[BEST_ITERATION] > 0:
            best = min(best, record.numbers[BEST_COST])
        rules, searches, own = state.rules, state.searches, workspace.search
        for number in units_of(ant_of.size, task):
            ant = ant_of[number]
            search(rules, searches, own, number, ants.colors[ant], ants.costs[ant], best)
    elif stage == TAKE:
        for number in units_of(ant_of.size, task):
            _take(ants, state.searches, number, ant_of[number])
    else:
        do_coloring_stage(state.coloring, workspace.ants, task, stage)


@compiled
def _rank(costs: NDArray[np.int64], ant_of: NDArray[np.int64]) -> None:
    """Find the best ants, in the order of their numbers of colors; of equals the lowest first."""
    for ant in range(costs.size):
        better = 0
        for other in range(costs.size):
            equal_lower = costs[other] == costs[ant] and other < ant
            better += 1 if costs[other] < costs[ant] or equal_lower else 0
        if better < ant_of.size:
            ant_of[better] = ant


@compiled
def _take(ants: Colorings, searches: Searches, number: int, ant: np.int64) -> None:
    """Replace an ant's coloring by what its search has found, if that has fewer colors.

    The order of the ant's visits is then by color, and among vertices of one color by number.
    """
    count = searches.states[number, KEPT_COLORS]
    if count == 0 or count >= ants.costs[ant]:
        return
    colors, ends = searches.kept[number], ants.ends[ant]
    ants.costs[ant] = count
    ends[: count + 1] = 0
    for v in range(colors.size):
        ends[colors[v] + 1] += np.uint32(1)
    for color in range(count):
        ends[color + 1] += ends[color]
    for v in range(colors.size):  # moves each end to the beginning of the next class
        spot = ends[colors[v]]
        ends[colors[v]] += np.uint32(1)
        ants.colors[ant, v] = np.uint32(colors[v])
        ants.orders[ant, spot] = np.uint32(v)
        ants.places[ant, v] = spot
    for color in range(count, 0, -1):
        ends[color] = ends[color - 1]
    ends[0] = 0


class RlfTabuCpuColony(RlfCpuColony):
    """ACO-RLF with tabu searches; see :class:`gpu.rlf.cpu.colony.RlfCpuColony`.

    Ants turn the wheel, as those of its counterpart on a GPU do.
    """

    NUMBERS = RlfCpuColony.NUMBERS | {"moves"}

    _run = staticmethod(run)

    def search_of(self, number: int) -> Standing:
        """Return copies of where search ``number``, from 0, stands."""
        searches, numbers = self._searching.searches, self._record.numbers
        state = searches.states[number]
        return Standing(
            colors=searches.colors[number].copy(),
            tries=int(state[COLORS]),
            time=int(state[TIME]),
            fewest=int(state[FEWEST]),
            expiries=searches.expiries[number].copy(),
            best=int(numbers[BEST_COST]),
        )

    def _rules_for(self, parameters: ColoringTabuParameters) -> Sequence[Any]:
        rules = self._tabu_rules._replace(moves=parameters.moves)
        return (*super()._rules_for(parameters), rules)

    def _improvement(
        self, parameters: ColoringTabuParameters, state: RlfState, workspaces: list[Any]
    ) -> tuple[RlfTabuState, list[Workspace], Sequence[Stage]]:
        graph, count = self._instance, parameters.searches
        assert count is not None
        n, most = graph.n, greedy_colors(graph)
        memory.require(
            f"this colony on {graph.name} ({n} vertices, {count} searches)",
            tabu.bytes_needed(n, most, count, len(workspaces)),
            count,
        )
        rules = tabu.rules_of(state.rules.key, graph, most, parameters.moves)
        self._tabu_rules = rules
        expiries, states = (count, n, most), (count, 4)
        searches = allocated(Searches, (count, n), states=states, expiries=expiries)
        self._searching = RlfTabuState(state, rules, searches, np.zeros(count, np.int64))
        both = [Workspace(ants, tabu.workspace_of(n, most)) for ants in workspaces]
        units = ((RANK, each(1)), (SEARCH, shared(count)), (TAKE, shared(count)))
        stages = [Stage(number, "tabu search", of_thread) for number, of_thread in units]
        return self._searching, both, stages
