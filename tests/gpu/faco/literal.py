"""Focused ACO, sentence by sentence: slow, plain, and sharing no code with the colony."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from gpu.core.random import Purpose, key_of, philox4x32, start_cities
from gpu.faco.parameters import FacoParameters
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import weights
from tests.gpu.construction.literal import turn
from tests.gpu.cpu.makers import LiteralTours
from tests.gpu.local_search.literal import LiteralSearch


def from_zero(tour: list[int]) -> list[int]:
    """The same cycle in the same direction, from city 0 on."""
    at = tour.index(0)
    return tour[at:] + tour[:at]


@dataclass
class FacoLiteral(LiteralTours):
    """Focused ACO, to be compared with a colony after every iteration."""

    instance: TspInstance
    given: FacoParameters
    seed: int
    iteration: int = 0

    def __post_init__(self) -> None:
        n = self.n = self.instance.n
        p = self.p = self.given.resolved(n)
        assert p.ants is not None
        self.m = p.ants
        everyone = np.arange(n)
        self.d = self.instance.distances(everyone[:, None], everyone)
        self.near = [
            sorted((v for v in range(n) if v != u), key=lambda v: (self.d[u, v], v))
            for u in range(n)
        ]
        lists = np.array([row[: p.candidates] for row in self.near])
        away = self.d[everyone[:, None], lists]
        self.eta = np.zeros((n, n), np.float32)
        self.eta[everyone[:, None], lists] = weights(away, away[:, :1], p.beta)
        self.trails = np.ones((n, n), np.float32)
        search = LiteralSearch(self.instance, "2opt+oropt", p.neighbours)
        self.source = search.improve(self.nearest_neighbour_tour())
        self.best, self.best_iteration = self.source, 0
        self.start = max(self.length(self.source), 1)
        self.limits = self.limits_of(self.start)
        fewest = max(1, p.new_edges - 4) if p.adaptation == "exp3" else p.new_edges
        self.arms = range(fewest, p.new_edges + 1)
        self.scores = [0.0 for _ in self.arms]  # logarithms of weights
        self.shares = [np.float32(1 / len(self.arms)) for _ in self.arms]

    def limits_of(self, length: int) -> tuple[np.float32, np.float32]:
        choices = self.p.candidates
        most = self.start / max(length, 1)
        steady = self.p.p_best ** (1 / choices)
        least = most * min(1.0, (1 - steady) / ((choices - 1) * steady))
        return max(np.float32(least), np.float32(2.0**-60)), np.float32(most)

    def iterate(self) -> None:
        self.moves = 0
        built = [self.tour_of(self.walk(ant)) for ant in range(self.m)]
        routes = [self.improved(*tour_and_ends) for tour_and_ends in built]
        self.lengths = [self.length(route) for route in routes]
        self.learn()
        shortest = min(self.lengths)
        winner = routes[self.lengths.index(shortest)]
        self.built, _ = built[self.lengths.index(shortest)]
        draw = philox4x32((0, 0, self.iteration, Purpose.SOURCE), key_of(self.seed))[0]
        self.iteration += 1
        if shortest < self.length(self.best):
            self.best, self.best_iteration = winner, self.iteration
            self.limits = self.limits_of(shortest)
        self.winner = winner
        is_best = (int(draw) >> 8) / 2**24 < np.float32(self.p.best_source)
        self.source = self.best if is_best else winner
        self.renew()

    def arm(self, ant: int) -> int:
        """Place among the arms of the one that the ant draws."""
        counter = (0, ant, self.iteration, Purpose.EDGES)
        left = np.float32(int(philox4x32(counter, key_of(self.seed))[0]) >> 8) * np.float32(2**-24)
        for place, share in enumerate(self.shares[:-1]):
            if left < share:
                return place
            left = left - share
        return len(self.arms) - 1

    def learn(self) -> None:
        """Exp3 with γ = 0.1: rewards for all ants, then new probabilities."""
        k, before = len(self.arms), self.length(self.source)
        if k == 1:
            return
        for ant, length in enumerate(self.lengths):
            if length < before:
                reward = min(1.0, (before - length) / before * (self.n * 0.1))
                arm = self.arm(ant)
                self.scores[arm] += 0.1 * reward / (float(self.shares[arm]) * k)
        self.scores = [score - max(self.scores) for score in self.scores]
        total = sum(math.exp(score) for score in self.scores)
        self.shares = [np.float32(0.9 * math.exp(score) / total + 0.1 / k) for score in self.scores]

    def edges(self, tour: list[int]) -> set[frozenset[int]]:
        return {frozenset(pair) for pair in zip(tour, tour[1:] + tour[:1], strict=True)}

    def walk(self, ant: int) -> list[int]:
        """The cities that the ant visits, in order."""
        blocks = np.arange(self.n // 4 + 1)
        purpose = Purpose.ROULETTE
        words = philox4x32((blocks, ant, self.iteration, purpose), key_of(self.seed)).ravel()
        least, most = np.float32(2.0**-100), np.float32(2.0**100)
        weighed = np.minimum(np.maximum(self.trails * self.eta, least), most)
        visited = [int(start_cities(self.seed, self.iteration, ant, self.n))]
        old, new = self.edges(self.source), 0
        listed = self.p.candidates + self.p.backup
        while new < self.arms[self.arm(ant)] and len(visited) < self.n:
            u = visited[-1]
            free = [v for v in self.near[u][: self.p.candidates] if v not in visited]
            if free:
                wheel = [float(weighed[u, v]) for v in free]
                v = free[turn(wheel, int(words[len(visited)]))]
            else:
                backup = [v for v in self.near[u][:listed] if v not in visited]
                v = backup[0] if backup else next(v for v in self.near[u] if v not in visited)
            new += frozenset((u, v)) not in old
            visited.append(v)
        return visited

    def tour_of(self, walk: list[int]) -> tuple[list[int], list[int]]:
        """The tour of a walk, and the ends of its new edges in the order of the walk."""
        at = self.source.index(walk[0])
        ahead = self.source[at:] + self.source[:at]
        backward = len(walk) > 1 and walk[1] == ahead[-1]
        if backward and self.n > 2:
            ahead = ahead[:1] + ahead[:0:-1]
        tour = walk + [city for city in ahead if city not in walk]
        if backward:  # tours are written in the direction of the source
            tour = tour[::-1]
        kept = self.edges(self.source) & self.edges(tour)
        ends: list[int] = []
        for city in walk:
            place = self.source.index(city)
            beside = self.source[place - 1], self.source[(place + 1) % self.n]
            lost = [other for other in beside if frozenset((city, other)) not in kept]
            ends += [city] if lost else []
            ends += [other for other in lost if other not in walk]
        return tour, list(dict.fromkeys(ends))

    def improved(self, tour: list[int], ends: list[int]) -> list[int]:
        """2-opt from those cities on."""
        n, queue = self.n, deque(ends)
        while queue:
            a = queue.popleft()
            found = []
            for step in (1, -1):
                p = tour[(tour.index(a) + step) % n]
                for rank, b in enumerate(self.near[a][: self.p.neighbours]):
                    if self.d[a, b] >= self.d[a, p]:
                        break
                    q = tour[(tour.index(b) + step) % n]
                    gain = self.d[a, p] + self.d[b, q] - self.d[a, b] - self.d[p, q]
                    found.append((-int(gain), -step, rank, b, p, q))
            if not found or min(found)[0] >= 0:
                continue
            _, side, _, b, p, q = min(found)
            first, last = (p, b) if side == -1 else (a, q)
            at = tour.index(first)
            ahead = tour[at:] + tour[:at]
            count = ahead.index(last) + 1
            if 2 * count <= n:
                tour = ahead[:count][::-1] + ahead[count:]
            else:
                tour = ahead[:count] + ahead[count:][::-1]
            self.moves += 1
            queue.extend(city for city in (a, b, p, q) if city not in queue)
        return tour

    def renew(self) -> None:
        least, most = self.limits
        left = self.trails * np.float32(self.p.rho)
        self.trails = np.minimum(np.maximum(left, least), most)
        gain = (1 - self.p.rho) * self.start
        amount = np.float32(gain / max(self.length(self.source), 1))
        for edge in self.edges(self.source):
            u, v = edge
            for a, b in ((u, v), (v, u)):
                self.trails[a, b] = min(self.trails[a, b] + amount, most)
        for u in range(self.n):  # edges that are on no list have no trail of their own
            self.trails[u, [u, *self.near[u][self.p.candidates :]]] = least
