"""The ants of a gpx colony, replayed: classes taken over, moves of their searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
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
from gpu.core.formats import number_of, whole
from gpu.core.random import Purpose, philox4x32
from gpu.core.words import counted
from gpu.gpx.cpu.partial import LOOSE_COUNT, OWN_COLORS, OWN_TIME, PartialColoring
from gpu.gpx.cpu.partial_tabu import FEWEST_LOOSE, FEWEST_OF_LATE, MOST_OF_LATE, TENURE
from gpu.gpx.cpu.state import (
    BEGUN,
    BEST_COLORS,
    GAINED_AT,
    GENERATION_MOVES,
    GENERATIONS,
    QUOTA,
    GpxState,
)
from gpu.gpx.parameters import CROSSING, EXPLORING
from gpu.gpx.rule import (
    EXPLORER_SPREADS,
    LONGER_TENURE,
    PARTIAL_TARGETS,
    TENURE_WINDOW,
    TIE_LOTS,
    UNCHANGED,
    WHOLE_FACTOR,
)
from gpu.problems.coloring.instance import GraphInstance
from gpu.tabu_search.cpu import (
    LOOSE,
    NOW_COLORS,
    NOW_FEWEST,
    NOW_TIME,
    SPREAD,
    TabuStanding,
)
from gpu.tabu_search.replay import SearchReplay

_NOT_YET = (
    "In their first iteration ants have no colorings yet that they could cross. Make a step (N), "
    "then look at them."
)
_BEGINS_ANEW = "In this iteration the ant begins anew, with another coloring. Make a step (N)."
_PASSED = "A colony that goes on in the place of another one cannot be replayed: begin a new run."
_LATER = (
    "An iteration has {} of its tabu search at most; later ones are so unless an ant finds fewer "
    "than {} colors."
)
_DONE = "One color is enough: there is nothing to find."
_ALL_AT_ONCE = "In a large graph many vertices get colors at once: there are no steps to show."
_ALL_COLORED = "All vertices have a color: the ant gives up a class, and goes on with the others."


@runtime_checkable
class ReadableGpxColony(Protocol):
    """A gpx colony that lets its state be read."""

    def standing_of(self, ant: int) -> GpxState:
        """Return the state as it stands, as far as it is about an ant, to be read alone."""


class GpxRule:
    """What the ants of a gpx colony do; see :mod:`gpu.gpx.rule`."""

    def __init__(self, graph: GraphInstance) -> None:
        self._graph = graph
        self.caveat = ""

    def replay(self, trails: TrailSource, iteration: int, caveat: str = "") -> GpxReplay:
        """Start to replay an iteration; see :class:`gpu.core.decisions.Rule`."""
        return GpxReplay(self._graph, trails, iteration, caveat)


class _Standing:
    """Where one search stands, for :class:`gpu.tabu_search.replay.SearchReplay`."""

    def __init__(self, standing: TabuStanding) -> None:
        self._standing = standing

    def search_of(self, number: int) -> TabuStanding:
        """Return it, whatever its number."""
        return self._standing

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """Return no trails: a search has none."""
        return np.zeros(0, np.float32)


class GpxReplay:
    """Predicts what ants do in the coming iteration, each by itself, as if it had no end."""

    def __init__(
        self, graph: GraphInstance, source: TrailSource, iteration: int, caveat: str
    ) -> None:
        self._graph, self._iteration, self._caveat = graph, iteration, caveat
        self._source = source if isinstance(source, ReadableGpxColony) else None
        self._ant = -1  # of whom the following is
        self._why = ""  # it cannot be followed
        self._steps: list[Step] = []  # classes that it takes over, and vertices that are left over
        self._moves: SearchReplay | None = None
        self._partial: _PartialReplay | None = None

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> Step | Unanswered | None:
        """Return step ``step`` of ``ant``; see :class:`gpu.core.decisions.Replay`."""
        if step < 1:
            raise ValueError(f"step = {step} must be at least 1")
        if self._source is None:
            return Unanswered(ant, self._iteration, step, _PASSED if self._iteration else _NOT_YET)
        if ant != self._ant:
            self._steps, self._moves, self._partial = [], None, None
            self._why, self._ant = self._begin(self._source.standing_of(ant), ant), ant
        if self._why:
            return Unanswered(ant, self._iteration, step, self._why)
        if self._partial is not None:
            return self._partial.decision(step, self._iteration, self._caveat, cancelled)
        if step <= len(self._steps):
            return self._steps[step - 1]
        assert self._moves is not None
        found = self._moves.decision(ant, step - len(self._steps), self._caveat, cancelled)
        return None if found is None else replace(found, number=step)

    def _begin(self, state: GpxState, ant: int) -> str:
        """Look at where the ant stands; return why it cannot be followed, or nothing."""
        rules, schedule, progress = state.rules, state.schedule, state.population.progress[ant]
        target = int(schedule[BEST_COLORS]) - 1
        if target < 1:
            return _DONE
        if not progress[BEGUN]:
            return _NOT_YET
        if rules.in_rounds:
            return _ALL_AT_ONCE
        crossing, explorers = rules.crossing, rules.ants - rules.explorers
        if crossing <= ant < explorers:
            number = ant - crossing
            if number < rules.optimizers:
                self._partial = _OptimizerReplay(self._graph, state, ant, number)
            else:
                number -= rules.optimizers
                target = max(1, target - number % PARTIAL_TARGETS)
                self._partial = _PartialTabuReplay(self._graph, state, ant, number)
            return "" if self._partial.count <= target else _BEGINS_ANEW
        number = ant if ant < crossing else ant - rules.optimizers - rules.partials
        spread = SPREAD
        numbers = state.searches.numbers[number]
        colors, count = state.searches.colors[number].copy(), int(numbers[NOW_COLORS])
        fewest, expiries = int(numbers[NOW_FEWEST]), state.expiries.moves[number].copy()
        if ant < crossing:
            far = count - target > (0 if rules.anew else max(1, target // rules.behind))
            if far:
                return _BEGINS_ANEW
            if schedule[GENERATION_MOVES] == 0 and schedule[GENERATIONS] > 0:
                island = (rules.islands * (ant + 1) - 1) // crossing
                if state.population.ended[island]:
                    return _BEGINS_ANEW
                colors, count = self._cross(state, ant, island, target), target
                fewest, expiries = len(self._graph.conflicts(colors)), np.zeros_like(expiries)
        else:
            setting = (ant - explorers) % len(EXPLORER_SPREADS)
            spread = EXPLORER_SPREADS[setting]
            if setting == 0:
                if int(numbers[NOW_TIME]) - progress[GAINED_AT] > rules.patience:
                    return _BEGINS_ANEW
                target = min(target, max(1, int(rules.explored * (target + 1) + 0.5)))
            target = min(target, count)
        most = expiries.shape[1]
        standing = TabuStanding(
            colors, count, int(numbers[NOW_TIME]), fewest, expiries, min(target, count) + 1
        )
        key, source = state.graph.key, _Standing(standing)
        kind = CROSSING if ant < crossing else EXPLORING
        moves = number_of(int(schedule[QUOTA + kind]), "move")
        self._moves = SearchReplay(
            self._graph,
            key,
            most,
            0,
            source,
            self._iteration,
            who=f"Ant {ant + 1}",
            unless=_LATER.format(moves, schedule[BEST_COLORS]),
            spread=spread,
        )
        return ""

    def _cross(self, state: GpxState, ant: int, island: int, count: int) -> NDArray[np.int32]:
        """Make the child of a crossing, class by class."""
        rules, parents = state.rules, state.population.parents
        crossing = rules.crossing
        first, end = (crossing * one // rules.islands for one in (island, island + 1))
        key = int(state.graph.key[0]), int(state.graph.key[1])
        words = [int(w) for w in philox4x32((0, ant, self._iteration, Purpose.CROSS), key)]
        others = [one for one in range(first, end) if one != ant] or [ant]
        partner = others[words[2] * len(others) >> 32]
        n = self._graph.n
        child = np.full(n, LOOSE, np.int32)
        for made in range(count):
            parent = parents[ant if made % 2 == 0 else partner]
            free = child == LOOSE
            sizes = np.bincount(parent[free], minlength=1)
            if not sizes.any():
                continue
            order = self._largest_first(sizes, made, words[0])
            taken = np.flatnonzero(free & (parent == order[0])).astype(np.int32)
            child[taken] = made
            whose = "its own" if made % 2 == 0 else f"ant {partner + 1}'s"
            told = self._class_step(ant, made, count, whose, order, sizes, taken, child)
            self._steps.append(told)
        left = np.flatnonzero(child == LOOSE)
        trails = state.trails.matrices[island] if rules.by_trails else np.zeros((0, 0), np.uint16)
        if not trails.size:
            for v in left:
                child[v] = _lot(int(v), 1, words[1]) * count >> 16
        else:
            for place in range(len(left) - 1, 0, -1):
                other = _lot(place, 2, words[1]) * (place + 1) >> 16
                left[[place, other]] = left[[other, place]]
            for v in left:
                has = child != LOOSE
                sums = np.bincount(child[has], trails[v, has].astype(np.float64), count)
                child[v] = min(range(count), key=lambda c: (-sums[c], _lot(int(v), c, words[0])))
        self._steps.append(self._left_step(ant, left.astype(np.int32), child, bool(trails.size)))
        return child

    @staticmethod
    def _largest_first(sizes: NDArray[np.intp], made: int, word: int) -> list[int]:
        """Return the classes that have vertices, the one that is taken over first."""
        classes: list[int] = np.flatnonzero(sizes).tolist()
        return sorted(classes, key=lambda color: (-sizes[color], _lot(made, color, word)))

    def _class_step(
        self,
        ant: int,
        made: int,
        count: int,
        whose: str,
        order: list[int],
        sizes: NDArray[np.intp],
        taken: NDArray[np.int32],
        child: NDArray[np.int32],
    ) -> Step:
        told = [
            Option((f"class {c + 1}", "", "", "", str(sizes[c])), float(sizes[c]), chosen=at == 0)
            for at, c in enumerate(order[:OPTIONS_TOLD])
        ]
        colored = np.flatnonzero(child != LOOSE).astype(np.int32)
        left = self._graph.n - len(colored)
        return Step(
            ant,
            self._iteration,
            made + 1,
            f"Ant {ant + 1} makes class {made + 1} of {count}: of {whose} classes it takes over "
            f"the largest, {counted(len(taken), 'vertex')}. Then {number_of(left, 'vertex')} "
            f"{'is' if left == 1 else 'are'} without color.",
            Options(("of " + whose, "", "", "", "vertices"), tuple(told), len(order)),
            self._picture(child, colored, taken, "taken over"),
            caveat=self._caveat,
        )

    def _left_step(
        self, ant: int, left: NDArray[np.int32], child: NDArray[np.int32], by_trails: bool
    ) -> Step:
        where = "classes where their trails are strongest" if by_trails else "classes at random"
        wrong = len(self._graph.conflicts(child))
        told = [
            Option((self._graph.called(v), "", "", "", str(child[v] + 1)), 0.0, (int(v),))
            for v in left[:OPTIONS_TOLD]
        ]
        return Step(
            ant,
            self._iteration,
            len(self._steps) + 1,
            f"Ant {ant + 1} puts {number_of(len(left), 'vertex')} that are left over into {where}. "
            f"Then {counted(wrong, 'edge')} {'is' if wrong == 1 else 'are'} in conflict, and tabu "
            "search begins.",
            Options(("vertex", "", "", "", "class"), tuple(told), len(left)),
            self._picture(child, np.arange(len(child), dtype=np.int32), left, "left over"),
            caveat=self._caveat,
        )

    def _picture(
        self,
        colors: NDArray[np.int32],
        colored: NDArray[np.int32],
        chosen: NDArray[np.int32],
        name: str,
    ) -> Picture:
        marks = (
            PictureMark(Sign.COLORED, colored, "colored"),
            PictureMark(Sign.CHOSEN, chosen, name),
        )
        plain = np.isin(np.arange(len(colors)), chosen)
        return Picture(marks, chosen[:OPTIONS_TOLD], None, frozen(colors.copy()), frozen(plain))


class _PartialReplay:
    """The moves of an ant with a partial coloring."""

    def __init__(
        self, graph: GraphInstance, state: GpxState, own: PartialColoring, ant: int, number: int
    ) -> None:
        numbers = own.numbers[number]
        self._graph, self._rules, self._ant = graph, state.rules, ant
        self._key = int(state.graph.key[0]), int(state.graph.key[1])
        self._begin = own.colors[number], own.loose[number, : numbers[LOOSE_COUNT]]
        self.count, self._begin_time = int(numbers[OWN_COLORS]), int(numbers[OWN_TIME])
        self.restart()

    def restart(self) -> None:
        """Go back to where the ant stands."""
        colors, loose = self._begin
        self.colors = colors.copy()
        self.loose: list[int] = loose.tolist()
        self._time, self._made = self._begin_time, 0

    def decision(
        self, step: int, iteration: int, caveat: str, cancelled: Callable[[], bool]
    ) -> Step | Unanswered | None:
        """Return move ``step``."""
        ant = self._ant
        if step <= self._made:
            self.restart()
        while self._made < step - 1 and self.loose:
            if cancelled():
                return None
            self.move()
        if not self.loose:
            return Unanswered(ant, iteration, step, _ALL_COLORED)
        move = self.move()
        colored = np.flatnonzero(self.colors != LOOSE).astype(np.int32)
        chosen = np.array([move.vertex], np.int32)
        marks = (
            PictureMark(Sign.COLORED, colored, "colored"),
            PictureMark(Sign.EXCLUDED, move.out, "driven out"),
            PictureMark(Sign.CHOSEN, chosen, "colored now"),
        )
        named = frozen(np.concatenate((chosen, move.out)))
        plain = frozen(self.colors == move.color)
        return Step(
            ant,
            iteration,
            step,
            f"Ant {ant + 1}, move {step}: {move.sentence}",
            move.options,
            Picture(marks, named, None, frozen(self.colors.copy()), plain),
            caveat=caveat,
        )

    def move(self) -> _PartialMove:
        """Make a move."""
        block = (self._time >> 2, self._ant, 0, Purpose.OPTIMIZE)
        word = int(philox4x32(block, self._key)[self._time & 3])
        self._time += 1
        self._made += 1
        return self._move(word)

    def _move(self, word: int) -> _PartialMove:
        raise NotImplementedError

    def _give_color(self, place: int, color: int) -> tuple[int, NDArray[np.int32]]:
        """Color the vertex at a place of the list; return it, and who loses its color for that."""
        v = self.loose[place]
        self.loose[place] = self.loose[-1]
        self.loose.pop()
        near = self._graph.neighbours(v)
        out = near[self.colors[near] == color]
        self.colors[out] = LOOSE
        self.loose += out.tolist()
        self.colors[v] = color
        return v, out

    def _weights_of(self, v: int, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, of each class, the sum of the weights of a vertex' neighbours there."""
        near = self._graph.neighbours(v)
        inside = near[self.colors[near] != LOOSE]
        sums = np.zeros(self.count, np.int64)
        np.add.at(sums, self.colors[inside], weights[inside])
        return sums


@dataclass(frozen=True)
class _PartialMove:
    """A move on a partial coloring."""

    vertex: int
    color: int
    out: NDArray[np.int32]  # who loses its color
    sentence: str
    options: Options


class _OptimizerReplay(_PartialReplay):
    """The moves of a conflict optimizer."""

    def __init__(self, graph: GraphInstance, state: GpxState, ant: int, number: int) -> None:
        self._begin_weights = state.optimizers.weights[number]
        super().__init__(graph, state, state.optimizers, ant, number)

    def restart(self) -> None:
        super().restart()
        self.weights = self._begin_weights.astype(np.int64)

    def _move(self, word: int) -> _PartialMove:
        waiting = len(self.loose)
        place = word * waiting >> 32
        v = self.loose[place]
        weights = self._weights_of(v, self.weights)
        low = WHOLE_FACTOR * self._rules.noise // 100
        lots = np.array([_lot(v, c, word) for c in range(self.count)], np.int64)
        factors = WHOLE_FACTOR - low + (lots * (2 * low + 1) >> 16)
        keys = weights * factors + lots % TIE_LOTS
        color = int(keys.argmin())
        _, out = self._give_color(place, color)
        self.weights[out] += 1
        if (self.weights[out] >= int(self._rules.heaviest)).any():
            self.weights = (self.weights + 1) >> 1
        order = np.argsort(keys, kind="stable")[:OPTIONS_TOLD]
        told = [
            Option(
                (str(c + 1), "", "", "", whole(int(weights[c]))),
                float(weights[c]),
                chosen=bool(c == color),
            )
            for c in order
        ]
        drives = "no neighbour is in its way"
        if len(out):
            are = "loses its color, and weighs" if len(out) == 1 else "lose their color, and weigh"
            drives = f"{counted(len(out), 'neighbour')} there {are} 1 more from now on"
        return _PartialMove(
            v,
            color,
            out,
            f"of {number_of(waiting, 'vertex')} without color it takes vertex "
            f"{self._graph.called(v)}, and gives it color {color + 1} of {self.count}, where the "
            f"lightest neighbours are: {drives}.",
            Options(("color", "", "", "", "weight"), tuple(told), self.count),
        )


class _PartialTabuReplay(_PartialReplay):
    """The moves of partial tabu search."""

    def __init__(self, graph: GraphInstance, state: GpxState, ant: int, number: int) -> None:
        own = state.partials
        most = own.row.shape[1]
        expiries = own.expiries[number]
        dense = state.graph.near.size > 0
        by_vertex = expiries.reshape(most, -1).T if dense else expiries.reshape(-1, most)
        self._begin_tabu = by_vertex, own.numbers[number]
        super().__init__(graph, state, own, ant, number)

    def restart(self) -> None:
        super().restart()
        expiries, numbers = self._begin_tabu
        self.expiries = expiries.copy()
        self._tenure, self._fewest = int(numbers[TENURE]), int(numbers[FEWEST_LOOSE])
        self._of_late = [int(numbers[MOST_OF_LATE]), int(numbers[FEWEST_OF_LATE])]

    def _move(self, word: int) -> _PartialMove:
        waiting, time = len(self.loose), self._time - 1
        ones = np.ones(self._graph.n, np.int64)
        free = self._fewest - waiting + 1
        moves: list[tuple[int, int, int, int, int]] = []  # number driven out, lot, vertex, ...
        allowed = []
        for place, v in enumerate(self.loose):
            for c, driven in enumerate(self._weights_of(v, ones).tolist()):
                wait = max(0, int(self.expiries[v, c]) - time)
                moves.append((driven, _lot(v, c, word), v, c, wait))
                if wait == 0 or driven < free:
                    allowed.append((driven, _lot(v, c, word), v, c, place))
        if allowed:
            *_, color, place = min(allowed)
        else:
            place = word * waiting >> 32
            color = _lot(self.loose[place], 1, word) * self.count >> 16
        v, out = self._give_color(place, color)
        self.expiries[out, color] = self._time + self._tenure
        self._look_back(len(self.loose))
        order = sorted(moves, key=lambda m: (m[0], m[4] > 0, m[2:4] != (v, color), m[1]))
        shown = order[:OPTIONS_TOLD]
        if all(m[2:4] != (v, color) for m in shown):
            shown[-1] = next(m for m in order if m[2:4] == (v, color))
        told = [
            Option(
                (
                    f"{self._graph.called(m[2])} → {m[3] + 1}",
                    "",
                    str(m[4]) if m[4] else "",
                    "",
                    str(m[0]),
                ),
                float(m[0]),
                (m[2],),
                chosen=m[2:4] == (v, color),
            )
            for m in shown
        ]
        drives = "no neighbour is in its way"
        if len(out):
            loses = "loses its color" if len(out) == 1 else "lose their color"
            tabu = f"; for {counted(self._tenure, 'move')} that class is tabu for "
            drives = f"{counted(len(out), 'neighbour')} there {loses}"
            drives += f"{tabu}{'it' if len(out) == 1 else 'them'}" if self._tenure else ""
        why = "for that, the fewest neighbours lose their color" if allowed else "all are tabu"
        return _PartialMove(
            v,
            color,
            out,
            f"of {number_of(waiting, 'vertex')} without color, vertex {self._graph.called(v)} "
            f"gets color {color + 1} of {self.count}, because {why}: {drives}.",
            Options(
                ("vertex → color", "", "tabu for", "", "lose their color"), tuple(told), len(moves)
            ),
        )

    def _look_back(self, count: int) -> None:
        """Change the tenure by how the search goes."""
        self._fewest = min(self._fewest, count)
        most, fewest = self._of_late
        self._of_late = [max(most, count), min(fewest, count)]
        if self._time % TENURE_WINDOW == 0:
            still = self._of_late[0] - self._of_late[1] <= UNCHANGED
            self._tenure += LONGER_TENURE if still else -(self._tenure > 0)
            self._of_late = [0, self._graph.n]


def _lot(first: int, second: int, word: int) -> int:
    """Return a lot, as :func:`gpu.tabu_search.cpu.lot_of`."""
    mixed = ((first << 16 | second) ^ word) & 0xFFFFFFFF
    mixed = mixed * 0x9E3779B1 & 0xFFFFFFFF
    return ((mixed ^ mixed >> 15) * 0x85EBCA77 & 0xFFFFFFFF) >> 16
