"""``gpu.local_search.rule``, sentence for sentence: slow, plain, with code of its own."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.core.snapshot import MovesMade, Snapshot
from gpu.cpu.geometry import geometry_of
from gpu.cpu.record import BEST_ITERATION, ITERATION, record_of
from gpu.cpu.stage_loop import StageTask
from gpu.cpu.stages import EVERYTHING
from gpu.local_search.cpu import EXCHANGES, SEGMENTS, improve_now, local_search_of, workspace_of
from gpu.local_search.kinds import SAMPLE
from gpu.local_search.rule import NEIGHBOURS, WINDOW
from gpu.problems.tsp.instance import TspInstance


class Move(NamedTuple):
    """A move found; moves compare as the rule prefers them, the best one smallest."""

    loss: int
    rank: int
    side: int  # 0: p follows a
    kind: int  # 0: 2-opt, 1: Or-opt with d = c-, 2: with d = c+
    length: int
    ends: tuple[int, ...]  # a, p, c, d, and e, q


@dataclass
class LiteralSearch:
    """Local search of one instance; ``kind`` as in ``gpu.local_search.kinds.LOCAL_SEARCHES``."""

    instance: TspInstance
    kind: str
    neighbours: int = 32
    exchanges: int = 0
    segments: int = 0
    tour: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = self.n = self.instance.n
        everyone = np.arange(n)
        self.d: list[list[int]] = self.instance.distances(everyone[:, None], everyone).tolist()
        self.directed = self.instance.directed
        self.lists = [[self.nearest(side, city) for city in range(n)] for side in (0, 1)]

    def nearest(self, side: int, city: int) -> list[int]:
        others = [(self.away(side, city, other), other) for other in range(self.n)]
        del others[city]
        return [other for _, other in sorted(others)[: self.neighbours]]

    def away(self, side: int, a: int, b: int) -> int:
        """From a to b where b follows, from b to a where b comes before."""
        return self.d[a][b] if side == 0 else self.d[b][a]

    def length(self) -> int:
        return sum(self.d[a][b] for a, b in zip(self.tour, self.next(self.tour), strict=True))

    @staticmethod
    def next(tour: list[int]) -> list[int]:
        return tour[1:] + tour[:1]

    def beside(self, city: int, side: int, steps: int = 1) -> int:
        return self.tour[(self.place[city] + (steps if side == 0 else -steps)) % self.n]

    def improve(self, tour: ArrayLike, best: list[int] | None = None, turn: int = 0) -> list[int]:
        """Improve a tour; ``best`` is the best so far, ``turn`` is ant + iteration."""
        self.tour = [int(city) for city in np.asarray(tour)]
        if self.n < 4:
            return self.tour
        self.place = {city: position for position, city in enumerate(self.tour)}
        stretch = -(-self.n // WINDOW)
        kept = self.neighbourhoods(self.tour) & self.neighbourhoods(best or [])
        sample = 1 if self.kind in ("2opt-all", "2opt-largest") else SAMPLE
        settled = {city for city, _ in kept if (city + turn) % sample != 0}
        queue = deque(
            city
            for offset in range(stretch)
            for city in self.tour[offset::stretch]
            if city not in settled
        )
        while queue:
            lookers = [queue.popleft() for _ in range(min(WINDOW, len(queue)))]
            found = [(a, min(self.moves(a), default=None)) for a in lookers]
            if self.kind == "2opt-largest":
                found = self.largest(found, queue)
            for a, move in found:
                if move is None or move.loss >= 0:
                    continue
                awake: tuple[int, ...] = (a,)
                if self.make(move):
                    awake = move.ends
                for city in awake:
                    if city not in queue:
                        queue.append(city)
        return self.tour

    @staticmethod
    def largest(found: list[tuple[int, Move | None]], queue: deque[int]) -> list[tuple[int, Move]]:
        """Return the move of the largest gain, and let the others that found one wait in front."""
        movers = [(a, move) for a, move in found if move is not None and move.loss < 0]
        first = min(movers, key=lambda mover: mover[1].loss, default=None)
        queue.extendleft(a for a, _ in reversed(movers) if first is None or a != first[0])
        return [] if first is None else [first]

    def neighbourhoods(self, tour: list[int]) -> set[tuple[int, tuple[int, ...]]]:
        """Each city with those before and after it, in this order only if that matters."""
        beside = zip(tour[-1:] + tour[:-1], self.next(tour), strict=True)
        ordered = (pair if self.directed else tuple(sorted(pair)) for pair in beside)
        return set(zip(tour, ordered, strict=True))

    def moves(self, a: int) -> list[Move]:
        """All moves that the city looks at."""
        found = []
        for side in (0, 1):
            p = self.beside(a, side)
            for rank, c in enumerate(self.lists[side][a]):
                if self.away(side, a, c) >= self.away(side, a, p):
                    break
                plus, minus = self.beside(c, side), self.beside(c, 1 - side)
                if "2opt" in self.kind:
                    loss = self.d[a][c] + self.d[p][plus] - self.d[a][p] - self.d[c][plus]
                    found.append(Move(loss, rank, side, 0, 0, (a, p, c, plus)))
                if "oropt" not in self.kind:
                    continue
                for length in range(1, min(3, self.n - 3) + 1):
                    segment = [self.beside(a, 1 - side, i) for i in range(length)]
                    e, q = segment[-1], self.beside(a, 1 - side, length)
                    for kind, d in ((1, minus), (2, plus)):
                        if c in segment or d in segment or (kind == 2 and self.directed):
                            continue
                        loss = (
                            self.away(side, q, p) + self.away(side, a, c) + self.away(side, d, e)
                            - self.away(side, a, p) - self.away(side, q, e)
                            - self.away(side, d, c)
                        )  # fmt: skip
                        found.append(Move(loss, rank, side, kind, length, (a, p, c, d, e, q)))
        return found

    def make(self, move: Move) -> bool:
        """Make the move if it can still be made as found."""
        a, p, c, d = move.ends[:4]
        sides = [side for side in (0, 1) if self.beside(a, side) == p]
        if not sides:
            return False
        side = sides[0]
        n = self.n
        if move.kind == 0:
            if self.beside(c, side) != d:
                return False
            first, last, other = (p, c, d) if side == 0 else (a, d, c)
            part = self.part(first, last)
            rest = self.part(other, a if side == 0 else p)
            if len(rest) < len(part):
                part = rest
            self.write(part, [self.tour[position] for position in reversed(part)])
            self.exchanges += 1
            return True
        e, q = move.ends[4:]
        steps = move.length
        if self.beside(a, 1 - side, steps - 1) != e or self.beside(a, 1 - side, steps) != q:
            return False
        if d not in (self.beside(c, 0), self.beside(c, 1)):
            return False
        if self.directed and (side != move.side or self.beside(c, 1 - side) != d):
            return False
        before, after = (c, d) if self.beside(c, 0) == d else (d, c)
        old = self.part(e, a) if side == 0 else self.part(a, e)
        new = [self.beside(a, 1 - side, i) for i in range(steps)]  # from a to e
        if before == d:
            new.reverse()
        behind = self.part(self.tour[(old[-1] + 1) % n], before)
        ahead = self.part(after, self.tour[old[0] - 1])
        if len(behind) <= len(ahead):
            self.write(old + behind, [self.tour[position] for position in behind] + new)
        else:
            self.write(ahead + old, new + [self.tour[position] for position in ahead])
        self.segments += 1
        return True

    def part(self, first: int, last: int) -> list[int]:
        """Positions from one city to another, in the direction of the tour."""
        start, count = self.place[first], (self.place[last] - self.place[first]) % self.n + 1
        return [(start + i) % self.n for i in range(count)]

    def write(self, positions: list[int], cities: list[int]) -> None:
        assert sorted(cities) == sorted(self.tour[position] for position in positions)
        for position, city in zip(positions, cities, strict=True):
            self.tour[position], self.place[city] = city, position


def improved(
    instance: TspInstance, kind: str, routes: list[list[int]], best: list[int], iteration: int
) -> tuple[list[list[int]], MovesMade | None]:
    """The tours of an iteration after local search, and the moves it made; None for ``none``.

    ``best`` is the best tour of all ``iteration`` iterations so far; in the first it is empty.
    """
    if kind == "none":
        return routes, None
    search = LiteralSearch(instance, kind)
    return (
        [search.improve(route, best, ant + iteration) for ant, route in enumerate(routes)],
        MovesMade(search.exchanges, search.segments),
    )


def assert_moves(
    shown: Snapshot,
    moves: MovesMade | None,
    built: list[list[int]],
    lengths: list[int],
) -> None:
    """What a snapshot that wanted everything tells of the local search of the last iteration."""
    assert shown.moves == moves
    if moves is None:
        assert shown.built_solution is None
    else:
        assert shown.built_solution.tolist() == built[lengths.index(min(lengths))]


@dataclass(frozen=True, slots=True, eq=False)
class Improved:
    """What a local search made of some tours.

    Attributes
    ----------
    tours : ndarray of int32, shape (ants, n)
    lengths : ndarray of int64, shape (ants,)
    exchanges, segments : int
        Moves made by 2-opt and by Or-opt.
    """

    tours: NDArray[np.int32]
    lengths: NDArray[np.int64]
    exchanges: int
    segments: int


def improve(
    instance: TspInstance,
    tours: NDArray[np.integer],
    kind: str,
    neighbours: int = NEIGHBOURS,
    best: ArrayLike | None = None,
    iteration: int = 0,
) -> Improved:
    """Improve ``tours``, permutations of shape (ants, n), on one core.

    ``best`` is the best tour so far, after so many iterations.

    Raises
    ------
    ParameterError
        As :func:`gpu.local_search.cpu.local_search_of` says.
    """
    improved = np.array(tours, np.int32, order="C")
    lengths = np.array([instance.tour_length(tour) for tour in improved], np.int64)
    search, record = local_search_of(instance, kind, 1, neighbours), record_of(instance.n)
    record.numbers[ITERATION] = iteration
    if best is not None:
        record.numbers[BEST_ITERATION] = iteration
        record.best_solution[:] = np.asarray(best)
    if search.is_used:
        task = StageTask(0, 1, 1, 0, 0, EVERYTHING)
        own, geometry = workspace_of(search, 0), geometry_of(instance, 1.0)
        improve_now(search.rule, own, geometry, record, task, improved, lengths)
    exchanges, segments = (int(search.numbers[0, which]) for which in (EXCHANGES, SEGMENTS))
    return Improved(improved, lengths, exchanges, segments)
