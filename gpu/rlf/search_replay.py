"""The moves of the tabu searches that repair the best ants' colorings, replayed one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions.rule import TrailSource
from gpu.core.decisions.tabu_move import MOST_MOVES, TabuMove, Unanswered
from gpu.problems.coloring.instance import GraphInstance, greedy_colors
from gpu.rlf.cpu.coloring import RlfRules
from gpu.tabu_search import cpu as single_move
from gpu.tabu_search.cpu import (
    CONFLICTS,
    NOW_COLORS,
    NOW_FEWEST,
    NOW_TIME,
    WRONG,
    TabuStanding,
    rules_of,
    workspace_of,
)

_AT_ONCE = 1000  # moves between two looks whether anybody wants the answer any more

_NOT_BEGUN = (
    "The tabu searches begin with the colorings of the first iteration. Make one step (N), then "
    "look at their moves."
)
_ON_GPU = (
    "The moves of tabu searches on a GPU cannot be replayed: run the colony on the CPU to see them."
)


@runtime_checkable
class Searching(Protocol):
    """A colony that tells where its tabu searches stand."""

    def search_of(self, number: int) -> TabuStanding:
        """Return copies of where search ``number``, from 0, stands."""


class SearchReplay:
    """Predicts the moves of searches in the coming iteration, by the search's compiled code."""

    def __init__(
        self,
        graph: GraphInstance,
        rules: RlfRules,
        ants: int,
        moves: int,
        source: TrailSource,
        iteration: int,
    ) -> None:
        self._graph, self._ants, self._iteration = graph, ants, iteration
        self._source = source
        self._rules = rules_of(rules.key, graph, greedy_colors(graph), moves)
        self._workspace = workspace_of(graph.n, self._rules.most)
        self._search, self._made, self._best = -1, 0, 0
        self._expiries = np.zeros((graph.n, self._rules.most), np.uint32)

    def move(
        self, search: int, step: int, caveat: str, cancelled: Callable[[], bool] = never
    ) -> TabuMove | Unanswered | None:
        """Return the ``step``-th move of ``search`` in the iteration; see ``Replay.decision``."""
        about = self._ants + search, self._iteration, step
        if not isinstance(self._source, Searching):
            return Unanswered(*about, _ON_GPU if self._iteration else _NOT_BEGUN)
        if search != self._search or step <= self._made:
            standing = self._source.search_of(search)
            if standing.tries == 0:
                return Unanswered(*about, _NOT_BEGUN)
            self._begin(search, standing)
        numbers = self._workspace.numbers
        while self._made < step - 1 or numbers[CONFLICTS] == 0:
            if cancelled():
                return None
            if numbers[CONFLICTS] == 0:
                if numbers[NOW_COLORS] <= 1:
                    return Unanswered(*about, "One color is enough: the search is at its end.")
                self._squeeze(int(numbers[NOW_COLORS]) - 1)
            self._make(min(step - 1 - self._made, _AT_ONCE))
        return self._described(step, caveat)

    def _begin(self, search: int, standing: TabuStanding) -> None:
        workspace, self._search, self._made = self._workspace, search, 0
        self._best, self._expiries = standing.best, standing.expiries
        workspace.colors[:] = standing.colors
        workspace.numbers[[NOW_COLORS, NOW_TIME]] = standing.tries, standing.time
        self._squeeze(min(standing.best - 1, self._rules.most), standing.fewest)

    def _squeeze(self, target: int, fewest: int = 0) -> None:
        state = self._rules, self._workspace, self._expiries
        single_move.go_on(*state, self._search, np.int64(fewest), target)

    def _make(self, count: int) -> None:
        state = self._rules, self._workspace, self._expiries
        self._made += single_move.make_moves(*state, self._search, count)

    def _described(self, step: int, caveat: str) -> TabuMove:
        """Make the next move, and tell all that led to it."""
        workspace, numbers = self._workspace, self._workspace.numbers
        colors, count = workspace.colors.copy(), int(numbers[NOW_COLORS])
        fewest, wrong = int(numbers[NOW_FEWEST]), workspace.wrong[: numbers[WRONG]].copy()
        gains = np.zeros((len(wrong), count), np.int64)
        waits = np.zeros_like(gains)
        single_move.weigh_moves(workspace, self._expiries, gains, waits)
        self._make(1)
        rows, targets = np.nonzero(waits >= 0)
        vertices, gains, waits = wrong[rows], gains[rows, targets], waits[rows, targets]
        moved = np.flatnonzero(workspace.colors != colors)
        made = np.zeros(len(vertices), np.bool_)
        if len(moved):
            made = (vertices == moved[0]) & (targets == workspace.colors[moved[0]])
        best = np.lexsort((vertices, ~made, waits > 0, gains))
        shown = best[:MOST_MOVES]
        if made.any() and not made[shown].any():
            shown[-1] = np.flatnonzero(made)[0]
        place = np.flatnonzero(made[shown])
        return TabuMove(
            ant=self._ants + self._search,
            search=self._search,
            iteration=self._iteration,
            step=step,
            colors=frozen(colors),
            count=count,
            conflicts=frozen(self._graph.conflicts(colors)),
            fewest=fewest,
            considered=len(vertices),
            vertices=frozen(vertices[shown].astype(np.int32)),
            targets=frozen(targets[shown].astype(np.int32)),
            gains=frozen(gains[shown]),
            waits=frozen(waits[shown]),
            at=int(place[0]) if len(place) else -1,
            caveat=(
                f"{caveat} It is so unless an ant of this iteration needs fewer than {self._best} "
                "colors."
            ).strip(),
        )
