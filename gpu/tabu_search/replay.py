"""The moves of tabu searches, replayed one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions import (
    OPTIONS_TOLD,
    Option,
    Options,
    Picture,
    PictureMark,
    Sign,
    Step,
    TrailSource,
    Unanswered,
)
from gpu.core.formats import number_of, signed, whole
from gpu.core.words import counted
from gpu.cpu.philox import Key
from gpu.problems.coloring.instance import GraphInstance
from gpu.tabu_search import cpu as single_move
from gpu.tabu_search.cpu import (
    CONFLICTS,
    NOW_COLORS,
    NOW_FEWEST,
    NOW_TIME,
    SPREAD,
    WRONG,
    TabuStanding,
    rules_of,
    workspace_of,
)

_MOVES_AT_ONCE = 1000  # moves between two looks whether anybody wants the answer any more

_NO_SEARCH_YET = (
    "The tabu searches begin with the colorings of the first iteration. Make one step (N), then "
    "look at their moves."
)
_ON_GPU = (
    "The moves of tabu searches on a GPU cannot be replayed: run the colony on the CPU to see them."
)


@dataclass(frozen=True, slots=True, eq=False)
class TabuMove:
    """One move of one search in the coming iteration, replayed from where the search stands.

    Vertices and colors are counted from 0. The moves that are told are the best ones, those after
    which the fewest edges are in conflict first, and the one that is made.
    """

    graph: GraphInstance
    search: int  # counted from 0
    number: int  # which move of the search in this iteration, counted from 1
    colors: NDArray[np.int32]  # (n,): of all vertices before the move
    count: int  # how many colors the search tries to use
    conflicts: NDArray[np.int32]  # (c, 2): edges with one color at both ends before the move
    fewest: int  # fewest conflicts that the search had with so many colors until now
    considered: int  # how many moves there are in all
    vertices: NDArray[np.int32]  # (k,): the vertex of each move that is told,
    targets: NDArray[np.int32]  # (k,): the color that it gets,
    gains: NDArray[np.int64]  # (k,): by how much the number of conflicts changes,
    waits: NDArray[np.int64]  # (k,): and for how many moves it is still tabu; 0 for none
    at: int  # the place of the move that is made; -1 if all moves are tabu

    @property
    def aspired(self) -> bool:
        """Whether the move is tabu, and made because it leads to the fewest conflicts of all."""
        return self.at >= 0 and bool(self.waits[self.at] > 0)

    def sentence(self, who: str) -> str:
        """Say what the search does, be it that of an ant; vertices and colors begin at 1."""
        wrong, made = len(self.conflicts), self.at
        begin = (
            f"{who}, move {self.number}: with {counted(self.count, 'color')}, "
            f"{counted(wrong, 'edge')} {'is' if wrong == 1 else 'are'} in conflict. "
        )
        if made < 0:
            return f"{begin}All its moves ({whole(self.considered)}) are tabu: it makes none."
        vertex = int(self.vertices[made])
        colors = f"color {self.colors[vertex] + 1} to {self.targets[made] + 1}"
        what = f"vertex {self.graph.called(vertex)} goes from {colors}"
        if self.aspired:
            wait = counted(int(self.waits[made]), "more move")
            return (
                f"{begin}Its best move is tabu for {wait}, and made nevertheless, as it leads to "
                f"fewer conflicts than ever before: {what}."
            )
        moves = number_of(self.considered, "move")
        return f"{begin}Of {moves} it makes the best one that is not tabu: {what}."

    def formula(self) -> str:
        """Return how the move changes the number of conflicts."""
        least = f"fewest so far {self.fewest}"
        if self.at < 0:
            return least
        gain, before = int(self.gains[self.at]), len(self.conflicts)
        sign = "+" if gain > 0 else "−"
        step = f"{before} {sign} {abs(gain)} = {before + gain}" if gain else f"{before}, as before"
        return f"conflicts: {step};   {least}; of equal moves a random lot decides"

    def options(self) -> Options:
        """Return the moves: the shorter the bar, the fewer conflicts are left."""
        told = []
        moves = zip(self.vertices, self.targets, self.gains, self.waits, strict=True)
        for at, (vertex, target, gain, wait) in enumerate(moves):
            after = len(self.conflicts) + int(gain)
            name = f"{self.graph.called(vertex)}: {self.colors[vertex] + 1} → {target + 1}"
            cells = name, signed(int(gain)), str(wait) if wait else "", "", str(after)
            told.append(Option(cells, after, (int(vertex),), chosen=at == self.at))
        heads = "move", "change", "tabu for", "", "conflicts"
        return Options(heads, tuple(told), self.considered)

    def picture(self) -> Picture:
        """Return the coloring after the move, and the conflicts before it."""
        colors, moved = self.colors.copy(), self.vertices[self.at : self.at + 1]
        if self.at < 0:
            moved = moved[:0]
        else:
            colors[moved] = self.targets[self.at]
        everyone = np.arange(len(colors), dtype=np.int32)
        marks = (
            PictureMark(Sign.CONFLICT, self.conflicts, "conflict"),
            PictureMark(Sign.COLORED, everyone, "colored"),
            PictureMark(Sign.CHOSEN, moved, "moved"),
        )
        plain = np.isin(everyone, self.conflicts)
        return Picture(marks, moved, None, frozen(colors), frozen(plain))


@runtime_checkable
class Searching(Protocol):
    """A colony that tells where its tabu searches stand."""

    def search_of(self, number: int) -> TabuStanding:
        """Return copies of where search ``number``, from 0, stands."""


class SearchReplay:
    """Predicts the moves of searches in the coming iteration, by the search's compiled code.

    ``who`` makes them, if that is one ant. ``unless`` says in which case moves are others; {} in it
    are the fewest colors so far.
    """

    def __init__(
        self,
        graph: GraphInstance,
        key: Key,
        most: int,
        ants: int,
        source: TrailSource,
        iteration: int,
        *,
        who: str = "",
        unless: str = "It is so unless an ant of this iteration needs fewer than {} colors.",
        spread: int = SPREAD,
    ) -> None:
        self._who, self._unless, self._spread = who, unless, spread
        self._graph, self._ants, self._iteration = graph, ants, iteration
        self._source = source
        self._rules = rules_of(key, graph, most, 0)
        self._workspace = workspace_of(graph, self._rules.most, spread)
        self._search, self._made, self._best = -1, 0, 0
        self._expiries = np.zeros((graph.n, self._rules.most), np.uint32)

    def decision(
        self, ant: int, step: int, caveat: str, cancelled: Callable[[], bool] = never
    ) -> Step | Unanswered | None:
        """Return the ``step``-th move of a search; see :class:`gpu.core.decisions.Replay`."""
        found = self.told(ant - self._ants, step, cancelled)
        if isinstance(found, str):
            return Unanswered(ant, self._iteration, step, found)
        if found is None:
            return None
        return Step(
            ant,
            self._iteration,
            step,
            found.sentence(self._who or f"Search {found.search + 1}"),
            found.options(),
            found.picture(),
            found.formula(),
            caveat=f"{caveat} {self._unless.format(self._best)}".strip(),
        )

    def told(
        self, search: int, step: int, cancelled: Callable[[], bool] = never
    ) -> TabuMove | str | None:
        """Return the ``step``-th move of ``search`` in the iteration, or why there is none.

        See :meth:`decision`.
        """
        if not isinstance(self._source, Searching):
            return _ON_GPU if self._iteration else _NO_SEARCH_YET
        if search != self._search or step <= self._made:
            standing = self._source.search_of(search)
            if standing.tries == 0 or standing.best == 0:  # the first iteration is not over
                return _NO_SEARCH_YET
            self._begin(search, standing)
        numbers = self._workspace.numbers
        while self._made < step - 1 or numbers[CONFLICTS] == 0:
            if cancelled():
                return None
            if numbers[CONFLICTS] == 0:
                if numbers[NOW_COLORS] <= 1:
                    return "One color is enough: the search is at its end."
                self._squeeze(int(numbers[NOW_COLORS]) - 1)
            self._make(min(step - 1 - self._made, _MOVES_AT_ONCE))
        return self._described(step)

    def _begin(self, search: int, standing: TabuStanding) -> None:
        workspace, self._search, self._made = self._workspace, search, 0
        self._best, self._expiries = standing.best, standing.expiries.copy()
        workspace.colors[:] = standing.colors
        workspace.numbers[[NOW_COLORS, NOW_TIME]] = standing.tries, standing.time
        self._squeeze(min(standing.best - 1, self._rules.most), standing.fewest)

    def _squeeze(self, target: int, fewest: int = 0) -> None:
        state = self._rules, self._workspace, self._expiries
        single_move.go_on(*state, self._search, np.int64(fewest), target)

    def _make(self, count: int) -> None:
        state = self._rules, self._workspace, self._expiries
        self._made += single_move.make_moves(*state, self._search, self._spread, count)

    def _described(self, step: int) -> TabuMove:
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
        shown = best[:OPTIONS_TOLD]
        if made.any() and not made[shown].any():
            shown[-1] = np.flatnonzero(made)[0]
        place = np.flatnonzero(made[shown])
        return TabuMove(
            graph=self._graph,
            search=self._search,
            number=step,
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
        )
