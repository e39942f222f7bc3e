"""What ants of a gpx colony do: slow, plain, and sharing no code with the colonies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpu.core.random import Purpose, key_of, philox4x32
from gpu.problems.coloring.instance import GraphInstance

WORD = 2**32
LOOSE = -1


def lot(first: int, second: int, word: int) -> int:
    mixed = ((first << 16 | second) ^ word) % WORD * 0x9E3779B1 % WORD
    return (mixed ^ mixed >> 15) * 0x85EBCA77 % WORD >> 16


def words_of(seed: int, purpose: Purpose, iteration: int, ant: int, block: int) -> list[int]:
    words: list[int] = philox4x32((block, ant, iteration, purpose), key_of(seed)).tolist()
    return words


def random_coloring(n: int, count: int, word: int) -> list[int]:
    return [lot(v, 1, word) * count >> 16 for v in range(n)]


def squeezed(colors: Sequence[int], count: int, target: int) -> list[int]:
    """Take away the smallest classes; their vertices have no color then."""
    by_size = sorted(range(count), key=lambda color: (list(colors).count(color), color))
    kept = sorted(by_size[count - target :])
    return [kept.index(color) if color in kept else LOOSE for color in colors]


def crossed(
    own: Sequence[int],
    other: Sequence[int],
    count: int,
    words: Sequence[int],
    trails: Sequence[Sequence[int]] | None,
) -> tuple[list[int], int]:
    """Return the child of two colorings, and how many vertices were left over."""
    n, parents = len(own), (own, other)
    child = [LOOSE] * n
    for made in range(count):
        parent = parents[made % 2]
        classes: dict[int, list[int]] = {}
        for v in range(n):
            if child[v] == LOOSE:
                classes.setdefault(parent[v], []).append(v)
        if not classes:
            continue
        chosen = min(classes, key=lambda color: (-len(classes[color]), lot(made, color, words[0])))
        for v in classes[chosen]:
            child[v] = made
    left = [v for v in range(n) if child[v] == LOOSE]
    if trails is None:
        for v in left:
            child[v] = lot(v, 1, words[1]) * count >> 16
        return child, len(left)
    for place in range(len(left) - 1, 0, -1):
        with_ = lot(place, 2, words[1]) * (place + 1) >> 16
        left[place], left[with_] = left[with_], left[place]
    for v in left:
        sums = [sum(trails[v][u] for u in range(n) if child[u] == c) for c in range(count)]
        child[v] = min(range(count), key=lambda c: (-sums[c], lot(v, c, words[0])))
    return child, len(left)


@dataclass
class PartialTabuLiteral:
    """Partial tabu search."""

    graph: GraphInstance
    seed: int
    ant: int
    colors: list[int]
    count: int
    time: int = 0
    loose: list[int] = field(default_factory=list)
    tabu: dict[tuple[int, int], int] = field(default_factory=dict)
    tenure: int = 10
    fewest: int = 0
    of_late: list[int] = field(default_factory=list)
    all_tabu: int = 0

    def __post_init__(self) -> None:
        self.begin(self.colors, self.count)

    def begin(self, colors: list[int], count: int) -> None:
        self.colors, self.count = colors, count
        self.loose = [v for v, color in enumerate(colors) if color == LOOSE]
        self.tabu, self.tenure, self.fewest, self.of_late = {}, 10, len(self.loose), []

    def move(self) -> None:
        words = words_of(self.seed, Purpose.OPTIMIZE, 0, self.ant, self.time >> 2)
        word = words[self.time & 3]
        options = []
        for v in self.loose:
            for color in range(self.count):
                out = [u for u in self.graph.neighbours(v).tolist() if self.colors[u] == color]
                fewer = len(self.loose) - 1 + len(out) < self.fewest
                if self.tabu.get((v, color), 0) <= self.time or fewer:
                    options.append((len(out), lot(v, color, word), v, color))
        if options:
            *_, v, color = min(options)
        else:
            self.all_tabu += 1
            v = self.loose[word * len(self.loose) // WORD]
            color = lot(v, 1, word) * self.count >> 16
        place = self.loose.index(v)
        self.loose[place] = self.loose[-1]
        self.loose.pop()
        for u in sorted(self.graph.neighbours(v).tolist()):
            if self.colors[u] == color:
                self.colors[u] = LOOSE
                self.loose.append(u)
                self.tabu[u, color] = self.time + 1 + self.tenure
        self.colors[v] = color
        self.time += 1
        self.fewest = min(self.fewest, len(self.loose))
        self.of_late.append(len(self.loose))
        if self.time % 1000 == 0:
            if max(self.of_late) - min(self.of_late) <= 1:
                self.tenure += 15
            else:
                self.tenure = max(0, self.tenure - 1)
            self.of_late = []


@dataclass
class OptimizerLiteral:
    """A conflict optimizer."""

    graph: GraphInstance
    seed: int
    ant: int
    colors: list[int]
    count: int
    noise: int
    heaviest: int
    time: int = 0
    weights: list[int] = field(default_factory=list)
    loose: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.weights = [1] * self.graph.n
        self.begin(self.colors, self.count)

    def begin(self, colors: list[int], count: int) -> None:
        self.colors, self.count = colors, count
        self.loose = [v for v, color in enumerate(colors) if color == LOOSE]

    def move(self) -> None:
        words = words_of(self.seed, Purpose.OPTIMIZE, 0, self.ant, self.time >> 2)
        word = words[self.time & 3]
        self.time += 1
        place = word * len(self.loose) // WORD
        v = self.loose[place]
        self.loose[place] = self.loose[-1]
        self.loose.pop()
        near: list[int] = sorted(self.graph.neighbours(v).tolist())
        low = 1024 * self.noise // 100
        keys = []
        for color in range(self.count):
            weight = sum(self.weights[u] for u in near if self.colors[u] == color)
            own = lot(v, color, word)
            keys.append(weight * (1024 - low + (own * (2 * low + 1) >> 16)) + own % 1024)
        color = keys.index(min(keys))
        heavy = False
        for u in near:
            if self.colors[u] == color:
                self.colors[u] = LOOSE
                self.loose.append(u)
                self.weights[u] += 1
                heavy |= self.weights[u] >= self.heaviest
        self.colors[v] = color
        if heavy:
            self.weights = [(weight + 1) >> 1 for weight in self.weights]


@dataclass
class RoundsLiteral(OptimizerLiteral):
    """A conflict optimizer that is the only ant of a large graph."""

    best: int = 0  # colors of the best coloring

    def iterate(self, iteration: int, quota: int) -> None:
        """Do what an iteration does after the first one."""
        words = words_of(self.seed, Purpose.OPTIMIZE, iteration, self.ant, 0)
        if len(self.loose) >= 512:
            self.play_round(words)
        if 0 < len(self.loose) < 512:
            self.loose.sort()
            for _ in range(quota):
                if self.loose:
                    self.move()
        self.loose.sort()
        if not self.loose:
            names = sorted(set(self.colors))
            self.best = len(names)
            found = [names.index(color) for color in self.colors]
            self.begin(squeezed(found, self.best, self.best - 1), self.best - 1)

    def play_round(self, words: Sequence[int]) -> None:
        graph, before, low = self.graph, list(self.colors), 1024 * self.noise // 100
        limit = 65536 // max(8, len(self.loose) // 32768)
        moving = [v for v in self.loose if lot(v % 65536, v // 65536, words[0]) < limit]
        chosen = {}
        for v in moving:
            keys = []
            for color in range(self.count):
                near = [u for u in graph.neighbours(v).tolist() if before[u] == color]
                own = lot(v, color, words[1])
                factor = 1024 - low + (own * (2 * low + 1) >> 16)
                keys.append(sum(self.weights[u] for u in near) * factor + own % 1024)
            chosen[v] = keys.index(min(keys))
        driven = set()
        for v, color in chosen.items():
            near = graph.neighbours(v).tolist()
            if any(u < v and chosen.get(u) == color for u in near):
                continue
            self.colors[v] = color
            driven |= {u for u in near if before[u] == color}
        for u in driven:
            self.colors[u] = LOOSE
            self.weights[u] += 1
        if any(self.weights[u] >= self.heaviest for u in driven):
            self.weights = [(weight + 1) >> 1 for weight in self.weights]
        self.loose = [v for v, color in enumerate(self.colors) if color == LOOSE]
