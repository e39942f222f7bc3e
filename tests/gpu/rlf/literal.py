"""ACO-RLF, equation by equation: slow, plain, and sharing no code with the colonies; small graphs.

Trails and weights are NumPy's float32, sums Python's whole numbers, sets Python's sets. Random
numbers come from ``gpu.core.random``, whose own tests compare it with known answers.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose, key_of, philox4x32
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.rlf.parameters import ColoringCpuParameters

FAINTEST, STRONGEST = np.float32(2.0**-100), np.float32(2.0**100)
MOST_TRIALS = 4096
LARGEST_SUM = 2**32 - 1


@dataclass
class RlfLiteral:
    """The colony, to be compared with another after every iteration."""

    instance: GraphInstance
    given: ColoringCpuParameters
    seed: int
    iteration: int = 0
    best_cost: int = 0
    best_iteration: int = 0
    best_colors: list[int] = field(default_factory=list)
    trials_made: int = 0
    spins: int = 0

    def __post_init__(self) -> None:
        n = self.n = self.instance.n
        self.p = self.given.resolved(n)
        assert self.p.ants is not None
        self.m = self.p.ants
        self.neighbours: list[set[int]] = [set() for _ in range(n)]
        for u, v in self.instance.edges.tolist():
            self.neighbours[u].add(v)
            self.neighbours[v].add(u)
        self.apart = np.array(
            [[u != v and v not in self.neighbours[u] for v in range(n)] for u in range(n)],
            dtype=bool,
        ).reshape(n, n)
        self.trails = self.apart.astype(np.float32)
        self.powers = [min(power(np.float32(d), self.p.alpha), STRONGEST) for d in range(n + 1)]

    def iterate(self) -> None:
        self.build()
        fewest = min(self.costs)
        first = self.costs.index(fewest)
        self.last_colors = self.colorings[first]
        if not self.best_colors or fewest < self.best_cost:
            self.best_cost, self.best_colors = fewest, self.last_colors
            self.best_iteration = self.iteration + 1
        self.update(fewest)
        self.iteration += 1

    def build(self) -> None:
        self.info = self.choice_info()
        self.sums = [np.cumsum(self.quanta(row)).tolist() for row in self.info]
        self.classes = [self.construct(ant) for ant in range(self.m)]
        self.costs = [len(classes) for classes in self.classes]
        self.colorings = [self.colors_of(classes) for classes in self.classes]

    def choice_info(self) -> NDArray[np.float32]:
        info = np.zeros((self.n, self.n), np.float32)
        for u, v in np.argwhere(self.apart):
            weight = power(self.trails[u, v], self.p.beta)
            info[u, v] = min(max(weight, FAINTEST), STRONGEST)
        return info

    def colors_of(self, classes: list[list[int]]) -> list[int]:
        colors = [-1] * self.n
        for color, members in enumerate(classes):
            for vertex in members:
                assert colors[vertex] == -1
                colors[vertex] = color
        return colors

    def construct(self, ant: int) -> list[list[int]]:
        """The ant's classes, each in the order of its visits (Algorithms 1 and 3)."""
        uncolored = set(range(self.n))
        classes: list[list[int]] = []
        t = 0
        while uncolored:
            vertex = nth(uncolored, self.word(ant, t, Purpose.START))
            members: list[int] = []
            candidates, excluded = set(uncolored), set[int]()
            while True:
                members.append(vertex)
                uncolored.remove(vertex)
                candidates.remove(vertex)
                excluded |= candidates & self.neighbours[vertex]
                candidates -= self.neighbours[vertex]
                t += 1
                if not candidates:
                    break
                vertex = self.select(ant, t, vertex, candidates, excluded)
            classes.append(members)
        return classes

    def select(self, ant: int, t: int, i: int, candidates: set[int], excluded: set[int]) -> int:
        """The vertex after ``i`` in its class (eq. 2)."""
        degree = {j: len(self.neighbours[j] & excluded) for j in candidates}
        largest = max(degree.values())
        if largest == 0:
            return nth(candidates, self.word(ant, t, Purpose.ROULETTE))
        trials = {"wheel": 0, "trial": MOST_TRIALS, "hybrid": self.p.trials}[self.p.selection]
        for trial in range(trials):
            self.trials_made += 1
            words = self.words(t, ant, Purpose.TRIAL | (trial >> 1) << 8)
            first, second = words[2 * (trial & 1) : 2 * (trial & 1) + 2]
            stop = first * self.sums[i][-1] >> 32
            drawn = next(j for j, total in enumerate(self.sums[i]) if total > stop)
            share = np.float32(second >> 8) * np.float32(2.0**-24) * self.powers[largest]
            if drawn in candidates and share < self.powers[degree[drawn]]:
                return drawn
        return self.spin(ant, t, i, degree)

    def spin(self, ant: int, t: int, i: int, degree: dict[int, int]) -> int:
        self.spins += 1
        weights = np.zeros(self.n, np.float32)
        for j, d in degree.items():
            with np.errstate(over="ignore"):
                weight = self.powers[d] * self.info[i, j]
            if weight > 0:
                weights[j] = min(max(weight, FAINTEST), STRONGEST)
        quanta = self.quanta(weights)
        stop = self.word(ant, t, Purpose.ROULETTE) * sum(quanta) >> 32
        total = 0
        for j, quantum in enumerate(quanta):
            total += quantum
            if total > stop:
                return j
        raise AssertionError("the wheel stopped nowhere")

    def quanta(self, weights: NDArray[np.float32]) -> list[int]:
        """Weights in units of 2^-23 of the largest one, rounded up to a power of two."""
        exponent = math.frexp(float(weights.max()))[1]
        scaled = [math.ldexp(float(weight), 23 - exponent) for weight in weights]
        return [math.ceil(weight) for weight in scaled]

    def update(self, fewest: int) -> None:
        """Equations 3 and 4."""
        most = LARGEST_SUM // self.m
        deposits = np.zeros((self.n, self.n), np.int64)
        base = 0.0
        for cost, classes in zip(self.costs, self.classes, strict=True):
            base += 1.0 / cost
            quantum = math.floor(most * (fewest / cost))
            for members in classes:
                for u, v in self.together(members):
                    deposits[u, v] += quantum
                    deposits[v, u] += quantum
        assert deposits.max() <= LARGEST_SUM
        unit = np.float32(self.p.reward / (fewest * most))
        keep = np.float32(self.p.rho)
        left = self.trails * keep + np.float32(base)
        renewed = left + deposits.astype(np.uint32).astype(np.float32) * unit
        self.trails = np.where(self.apart, renewed, np.float32(0))

    def together(self, members: list[int]) -> list[tuple[int, int]]:
        if self.p.deposit == "tour":
            return list(itertools.pairwise(members))
        return [(u, v) for place, u in enumerate(members) for v in members[place + 1 :]]

    def word(self, ant: int, t: int, purpose: int) -> int:
        return self.words(t >> 2, ant, purpose)[t & 3]

    def words(self, block: int, ant: int, purpose: int) -> list[int]:
        words = philox4x32((block, ant, self.iteration, purpose), key_of(self.seed))
        return [int(word) for word in words]


def nth(vertices: set[int], word: int) -> int:
    """The vertex that ``word`` draws, all being as probable."""
    return sorted(vertices)[word * len(vertices) >> 32]


def power(value: np.float32, exponent: float) -> np.float32:
    if not float(exponent).is_integer():
        return np.float32(float(value) ** exponent)
    product = np.float32(1)
    with np.errstate(over="ignore"):
        for _ in range(int(exponent)):
            product = np.float32(product * value)
    return product


def graph(n: int, edges: list[tuple[int, int]], name: str = "graph") -> GraphInstance:
    return GraphInstance(name, "", n, unique_edges(edges))


def random_graph(n: int, share: float, seed: int = 0) -> GraphInstance:
    """G(n, p)."""
    random = np.random.default_rng(seed)
    pairs = [(u, v) for u in range(n) for v in range(u) if random.random() < share]
    return graph(n, pairs, f"random-{n}")


def complete(n: int) -> GraphInstance:
    return random_graph(n, 1)


def edgeless(n: int) -> GraphInstance:
    return graph(n, [])
