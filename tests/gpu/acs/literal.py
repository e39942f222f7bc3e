"""Figs. 2, 3 and 5 of the paper, word for word: slow, plain, and sharing no code with the colonies.

The greedy choice is that of the paper's program where this is asked for. One
full matrix of trails, one Python loop a line of the pseudocode, float32 where the colonies use it.
Random numbers come from ``gpu.core.random``, whose own tests compare it with known answers.
"""

from dataclasses import dataclass, field

import numpy as np

from gpu.acs.parameters import REMEMBERED, AcsParameters, SpmParameters
from gpu.core.random import Purpose, greedy_threshold, key_of, philox4x32, start_cities
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates, weights
from tests.draws import step_draws
from tests.gpu.construction.literal import turn
from tests.gpu.cpu.makers import LiteralTours
from tests.gpu.local_search.literal import improved

ONE = np.float32(1)


class Matrix:
    """The pheromone matrix."""

    def __init__(self, n: int) -> None:
        self.trails = np.ones((n, n), np.float32)

    def read(self, u: int, v: int) -> np.float32:
        return np.float32(self.trails[u, v])

    def update(self, u: int, v: int, keep: np.float32, added: np.float32) -> bool:
        self.trails[u, v] = np.float32(self.trails[u, v] * keep) + added
        return True


class Selective:
    """The selective pheromone memory of Fig. 5."""

    def __init__(self, n: int, s: int) -> None:
        self.s = s
        self.nodes = [[-1] * s for _ in range(n)]
        self.pheromone = [[ONE] * s for _ in range(n)]
        self.tail = [s - 1] * n

    def read(self, u: int, v: int) -> np.float32:
        return self.pheromone[u][self.nodes[u].index(v)] if v in self.nodes[u] else ONE

    def update(self, u: int, v: int, keep: np.float32, added: np.float32) -> bool:
        new = np.float32(self.read(u, v) * keep) + added
        if v in self.nodes[u]:
            self.pheromone[u][self.nodes[u].index(v)] = new
            return True
        self.tail[u] = (self.tail[u] + 1) % self.s
        self.nodes[u][self.tail[u]] = v
        self.pheromone[u][self.tail[u]] = new
        return False


@dataclass
class Literal(LiteralTours):
    """The Ant Colony System, to be compared with a colony after every iteration."""

    instance: TspInstance
    given: AcsParameters
    seed: int
    stepwise: bool
    iteration: int = 0
    best_length: int = 0
    best_tour: list[int] = field(default_factory=list)
    local: list[int] = field(default_factory=lambda: [0, 0])  # hits, all
    globally: list[int] = field(default_factory=lambda: [0, 0])

    def __post_init__(self) -> None:
        n = self.n = self.instance.n
        self.p = self.given.resolved(n)
        assert self.p.ants is not None
        self.m = self.p.ants
        assert self.p.q0 is not None
        self.threshold = greedy_threshold(self.p.q0)
        self.memory: Matrix | Selective = (
            Selective(n, self.p.memory) if isinstance(self.p, SpmParameters) else Matrix(n)
        )
        self.lists: list[list[int]] = build_candidates(
            self.instance, self.p.candidates
        ).neighbours.tolist()
        everyone = np.arange(n)
        self.d = self.instance.distances(everyone[:, None], everyone)
        nearest = np.array([[self.d[u, self.lists[u][0]]] for u in range(n)])
        apart = np.where(np.eye(n, dtype=bool), nearest, self.d)  # no ant stays where it is
        self.eta = weights(apart, nearest, self.p.beta)
        starts = range(3 if self.p.tau0 == "three" else 1)
        lengths = [self.length(self.nearest_neighbour_tour(start)) for start in starts]
        self.nearest_length = sum(lengths) / len(lengths)

    def iterate(self) -> None:
        ants = np.arange(self.m)
        starts = start_cities(self.seed, self.iteration, ants, self.n)
        self.draws = {
            step: step_draws(self.seed, self.iteration, ants, step, Purpose.EXPLOIT)
            for step in range(1, self.n)
        }
        self.routes = [[int(city)] for city in starts]
        for step in range(1, self.n + 1):
            for ant in range(self.m):
                self.extend(ant, step)
                if not self.stepwise:
                    self.update_locally(ant, step)
            if self.stepwise:
                for ant in range(self.m):
                    self.update_locally(ant, step)
        self.built = [route[: self.n] for route in self.routes]
        self.routes, self.moves = improved(
            self.instance, self.p.local_search, self.built, self.best_tour, self.iteration
        )
        self.lengths = [self.length(route) for route in self.routes]
        winner = self.lengths.index(min(self.lengths))
        if not self.best_tour or self.lengths[winner] < self.best_length:
            self.best_length, self.best_tour = self.lengths[winner], self.routes[winner]
        self.update_globally()
        self.iteration += 1

    def extend(self, ant: int, step: int) -> None:
        route = self.routes[ant]
        route.append(self.select_next_node(ant, step) if step < self.n else route[0])

    def weight(self, u: int, v: int) -> np.float32:
        return np.float32(self.memory.read(u, v) * self.eta[u, v])

    def select_next_node(self, ant: int, step: int) -> int:
        route = self.routes[ant]
        u = route[-1]
        candidates = [v for v in self.lists[u] if v not in route]
        if not candidates:
            left = [v for v in range(self.n) if v not in route]
            return max(left, key=lambda v: (self.weight(u, v), -v))
        if self.draws[step][ant] < self.threshold:
            if isinstance(self.p, SpmParameters) and self.p.greedy == REMEMBERED:
                assert isinstance(self.memory, Selective)
                nodes, tail = self.memory.nodes[u], self.memory.tail[u]
                newest_first = (nodes[tail - age] for age in range(self.p.memory))
                remembered = [v for v in newest_first if v >= 0 and v not in route]
                largest = self.eta[u, candidates[0]]
                nearest = [v for v in candidates if self.eta[u, v] == largest]  # all, if β = 0
                # Of equals, max() takes the first.
                return max([*remembered, *sorted(nearest)], key=lambda v: self.weight(u, v))
            return max(candidates, key=lambda v: (self.weight(u, v), -v))
        return self.proportional_selection(u, candidates, ant, step)

    def proportional_selection(self, u: int, candidates: list[int], ant: int, step: int) -> int:
        block = (step >> 2, ant, self.iteration, Purpose.ROULETTE)
        word = int(philox4x32(block, key_of(self.seed))[step & 3])
        return candidates[turn([float(self.weight(u, v)) for v in candidates], word)]

    def update_locally(self, ant: int, step: int) -> None:
        if step % self.p.update_period == 0:
            u, v = self.routes[ant][step - 1 : step + 1]
            keep = np.float32(1 - self.p.rho)
            add = np.float32(1) - keep
            self.update_edge(u, v, keep, add, self.local)

    def update_globally(self) -> None:
        keep = np.float32(1 - self.p.alpha)
        added = np.float32(self.p.alpha * (self.n * self.nearest_length / self.best_length))
        tour = self.best_tour
        for u, v in zip(tour, tour[1:] + tour[:1], strict=True):
            self.update_edge(u, v, keep, added, self.globally)

    def update_edge(
        self, u: int, v: int, keep: np.float32, added: np.float32, counts: list[int]
    ) -> None:
        for a, b in [(u, v)] if self.instance.directed else [(u, v), (v, u)]:
            counts[0] += self.memory.update(a, b, keep, added)
            counts[1] += 1
