"""The ACO-RLF colonies on the CPU, on one core or all: the same colorings either way.

With tabu searches, the s-th search belongs to the s-th best ant, after all ants have colored the
graph. What the search has found replaces that ant's coloring, if it has fewer colors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.snapshot import Trails, Wanted
from gpu.core.trails import INITIAL_LEVEL, matrix_picture, matrix_trails
from gpu.cpu import main_memory as memory
from gpu.cpu.colony import CpuHeir, Painter
from gpu.cpu.compilation import compiled
from gpu.cpu.record import BEST_COST, BEST_ITERATION, ITERATION, record_of
from gpu.cpu.stage_loop import StageTask, loop_over, units_of
from gpu.cpu.stages import Stage, each, portions_for, shared
from gpu.cpu.structures import allocated
from gpu.problems.coloring.instance import GraphInstance, class_order, greedy_colors
from gpu.problems.coloring.walks import walks_of
from gpu.rlf.cpu import coloring as states
from gpu.rlf.cpu.coloring import (
    CONSTRUCT,
    FINISH,
    LEVEL_SHARE,
    RANK,
    RENEW,
    SEARCH,
    SHARE_OUT,
    TAKE,
    WEIGH,
    Colorings,
    RlfRules,
    RlfState,
    do_coloring_stage,
    run,
)
from gpu.rlf.parameters import ColoringParameters, ColoringTabuParameters
from gpu.tabu_search import cpu as tabu
from gpu.tabu_search.cpu import (
    FEWEST_CONFLICTS,
    KEPT_COLORS,
    MOVES_MADE,
    TRIED_COLORS,
    Searches,
    TabuRules,
    TabuStanding,
    search,
)


class RlfCpuColony(CpuHeir):
    """ACO-RLF on the CPU: all ants deposit; see :class:`CpuHeir`.

    The seed is in [0, 2**64). At most ``threads`` threads work.

    Raises
    ------
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    NUMBERS = frozenset({"alpha", "beta", "rho", "reward"})

    _run = run
    _ants_visits = True  # whether the colorings are in the order in which ants made them

    def __init__(
        self, instance: GraphInstance, parameters: ColoringParameters, seed: int, *, threads: int
    ) -> None:
        n = instance.n
        assert parameters.ants is not None
        m = parameters.ants
        threads = max(1, min(threads, m, n))
        self._instance = instance
        self._parameters, self._seed = parameters, seed
        rules = self._coloring_rules(parameters)
        tried = rules.trials > 0
        needed = states.bytes_needed(n, m, tried)
        memory.require(f"this colony on {instance.name} ({n} vertices, {m} ants)", needed, m)
        level = np.array([0, 0, 1], np.float32)
        ants = allocated(Colorings, (m, n), ends=(m, n + 1), costs=m, quanta=m, shares=level)
        self._state = RlfState(states.pairs_of(instance, tried), ants, rules, record_of(n))
        workspaces = [states.workspace_of(n) for _ in range(portions_for(threads, m))]
        state, workspaces, improvement = self._improvement(parameters, self._state, workspaces)
        stages = (
            Stage(WEIGH, "choice info", shared(n)),
            Stage(CONSTRUCT, "construction", shared(m, n)),
            *improvement,
            Stage(SHARE_OUT, "update", each(1)),
            Stage(RENEW, "update", shared(n)),
            Stage(FINISH, "update", each(1)),
        )
        super().__init__(m, self._state.record, stages, state, workspaces, threads)

    def _coloring_rules(self, parameters: ColoringParameters) -> RlfRules:
        assert parameters.ants is not None
        return states.rules_of(self._seed, parameters, self._instance.n, parameters.ants)

    def _rules_for(self, parameters: Any) -> Sequence[Any]:
        return (self._coloring_rules(parameters),)

    def _improvement(
        self, parameters: Any, state: RlfState, workspaces: list[Any]
    ) -> tuple[Any, list[Any], Sequence[Stage]]:
        """Prepare how colorings are improved before they deposit.

        Return what is then the colony's state and its workspaces, and the stages of that.
        """
        return state, workspaces, ()

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        trails, level = (
            self._state.pairs.trails,
            self._state.ants.shares[LEVEL_SHARE] * INITIAL_LEVEL,
        )
        select = partial(matrix_trails, trails, directed=False, level=level)
        return lambda coloring: matrix_picture(trails, class_order(coloring)), select

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        more = super()._more(wanted)
        made = self._record.numbers[ITERATION] > self._inherited and not self.midway
        if Wanted.WALKS in wanted and made and self._ants_visits:
            ants = self._state.ants
            more["walks"] = walks_of(self._instance, ants.orders, ants.colors, self._m)
        return more

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        return replace(super().legacy(), level=float(self._state.ants.shares[LEVEL_SHARE]))

    def _kept_trails(self) -> KeptTrails:
        return KeptTrails(self._instance.n, self._state.pairs.trails.copy())

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        self._state.pairs.trails[:] = trails.matrix()
        self._state.ants.shares[LEVEL_SHARE] = legacy.level

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails of vertex ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        return np.array(self._state.pairs.trails[city])


class RlfTabuState(NamedTuple):
    """What a colony works on."""

    coloring: RlfState  # what its ants work on
    rules: TabuRules
    searches: Searches
    ant_of: NDArray[np.int64]  # (searches,): the ant whose coloring each search improves


class RlfTabuWorkspace(NamedTuple):
    """What one thread works with."""

    ants: states.RlfWorkspace
    search: tabu.TabuWorkspace


@loop_over((SEARCH,), (WEIGH, RANK, TAKE, SHARE_OUT, RENEW, FINISH), (CONSTRUCT,))
def run_tabu(
    state: RlfTabuState,
    workspace: RlfTabuWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
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

    _run = run_tabu
    _ants_visits = False  # searches replace some

    def search_of(self, number: int) -> TabuStanding:
        """Return copies of where search ``number``, from 0, stands."""
        searches, numbers = self._searching.searches, self._record.numbers
        state = searches.states[number]
        return TabuStanding(
            colors=searches.colors[number].copy(),
            tries=int(state[TRIED_COLORS]),
            time=int(state[MOVES_MADE]),
            fewest=int(state[FEWEST_CONFLICTS]),
            expiries=searches.expiries[number].copy(),
            best=int(numbers[BEST_COST]),
        )

    def _rules_for(self, parameters: ColoringTabuParameters) -> Sequence[Any]:
        rules = self._tabu_rules._replace(moves=parameters.moves)
        return (*super()._rules_for(parameters), rules)

    def _improvement(
        self, parameters: ColoringTabuParameters, state: RlfState, workspaces: list[Any]
    ) -> tuple[RlfTabuState, list[RlfTabuWorkspace], Sequence[Stage]]:
        graph, count = self._instance, parameters.searches
        assert count is not None
        n, most = graph.n, greedy_colors(graph)
        memory.require(
            f"this colony on {graph.name} ({n} vertices, {count} searches)",
            tabu.bytes_needed(graph, most, count, len(workspaces)),
            count,
        )
        rules = tabu.rules_of(state.rules.key, graph, most, parameters.moves)
        self._tabu_rules = rules
        expiries, states = (count, n, most), (count, 4)
        searches = allocated(Searches, (count, n), states=states, expiries=expiries)
        self._searching = RlfTabuState(state, rules, searches, np.zeros(count, np.int64))
        both = [RlfTabuWorkspace(ants, tabu.workspace_of(graph, most)) for ants in workspaces]
        units = ((RANK, each(1)), (SEARCH, shared(count)), (TAKE, shared(count)))
        stages = [Stage(number, "tabu search", of_thread) for number, of_thread in units]
        return self._searching, both, stages
