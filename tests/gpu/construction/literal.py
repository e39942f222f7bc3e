"""The Ant System, equation by equation: slow, plain, and sharing no code with the colonies.

Weights, trails and deposits are NumPy's float32 and Python's whole numbers. Random numbers come
from ``gpu.core.random``, whose own tests compare it with known answers.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gpu.ant_system.parameters import AsCpuParameters
from gpu.core.random import Purpose, key_of, philox4x32, start_cities
from gpu.max_min.parameters import MmasCpuParameters
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates, weights
from tests.gpu.cpu.makers import LiteralTours
from tests.gpu.local_search.literal import improved

TERMS = [
    np.float32(term)
    for term in (
        1.4426950, -0.72135282, 0.48092324, -0.36023960, 0.28709921, -0.24887812, 0.23403856,
        -0.14580277,
    )
]  # fmt: skip
"""Of log2(1 + f)/f."""

LARGEST_SUM = 2**32 - 1


@dataclass
class AsLiteral(LiteralTours):
    """The Ant System, to be compared with a colony after every iteration."""

    instance: TspInstance
    given: AsCpuParameters | MmasCpuParameters
    seed: int
    iteration: int = 0
    best_length: int = 0
    best_tour: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = self.n = self.instance.n
        self.p = self.given.resolved(n)
        assert self.p.ants is not None
        self.m = self.p.ants
        everyone = np.arange(n)
        self.d = self.instance.distances(everyone[:, None], everyone)
        apart = self.d + 0
        np.fill_diagonal(apart, np.iinfo(np.int64).max)
        nearest = apart.min(axis=1)[:, None]
        self.eta = weights(np.where(np.eye(n, dtype=bool), nearest, self.d), nearest, self.p.beta)
        self.lists: list[list[int]] = [[] for _ in range(n)]
        if self.p.candidates:
            self.lists = build_candidates(self.instance, self.p.candidates).neighbours.tolist()
        self.trails = np.ones((n, n), np.float32)
        self.nearest_length = max(self.length(self.nearest_neighbour_tour()), 1)

    def iterate(self) -> None:
        self.build()
        shortest = min(self.lengths)
        if not self.best_tour or shortest < self.best_length:
            self.best_length = shortest
            self.best_tour = self.routes[self.lengths.index(shortest)]
        self.update(shortest)
        self.iteration += 1

    def build(self) -> None:
        self.weights = self.choice_info()
        self.built = [self.construct(ant) for ant in range(self.m)]
        self.routes, self.moves = improved(
            self.instance, self.p.local_search, self.built, self.best_tour, self.iteration
        )
        self.lengths = [self.length(route) for route in self.routes]

    def choice_info(self) -> NDArray[np.float32]:
        """τ^α·η^β (the numerator of eq. 1)."""
        alpha = self.p.alpha
        if alpha.is_integer():
            power = np.ones_like(self.trails)
            for _ in range(int(alpha)):
                power = power * self.trails
        else:
            power = np.array(
                [[math.pow(trail, alpha) for trail in row] for row in self.trails.tolist()],
                np.float32,
            )
        least, most = np.float32(2.0**-100), np.float32(2.0**100)
        weighed: NDArray[np.float32] = np.minimum(np.maximum(power * self.eta, least), most)
        return weighed

    def construct(self, ant: int) -> list[int]:
        n, key = self.n, key_of(self.seed)
        blocks = np.arange(n // 4 + 1)
        spins = philox4x32((blocks, ant, self.iteration, Purpose.ROULETTE), key).ravel().tolist()
        start = int(start_cities(self.seed, self.iteration, ant, n))
        tour_list = list(range(n))  # what is visited, then what is not (2017, Definition 1)
        tour_list[0], tour_list[start] = tour_list[start], tour_list[0]
        unvisited = list(range(n))  # the last one takes the place of one that is visited (2020, LC)
        remove(unvisited, start)
        for step in range(1, n):
            u, rest = tour_list[step - 1], tour_list[step:]
            if self.p.selection == "lc-roulette":
                rest = list(unvisited)
            elif self.p.selection != "stc-roulette":
                rest.sort()
            if self.p.candidates:
                rest = [v for v in self.lists[u] if v in rest]
            if not rest:
                left = tour_list[step:]
                v = max(left, key=lambda v: (self.weights[u, v], -v))
            elif self.p.selection == "i-roulette":
                v = self.independent(ant, step, u, rest)
            elif self.p.selection == "wrs":
                v = self.reservoir(ant, step, u, rest)
            else:
                v = rest[turn([float(self.weights[u, v]) for v in rest], spins[step])]
            place = tour_list.index(v)
            tour_list[step], tour_list[place] = tour_list[place], tour_list[step]
            remove(unvisited, v)
        return tour_list

    def independent(self, ant: int, step: int, u: int, rest: list[int]) -> int:
        """Algorithm 3 of the 2013 paper."""
        r = self.own_numbers(ant, step, 3)
        return max(rest, key=lambda v: (np.float32(r[v] * self.weights[u, v]), -v))

    def reservoir(self, ant: int, step: int, u: int, rest: list[int]) -> int:
        """A-Res (Fig. 4 of the 2020 paper) with -log2(u)/w for keys."""
        r = self.own_numbers(ant, step, 4)
        inverse = np.float32(1) / self.weights[u]
        return min(rest, key=lambda v: (minus_log2(np.float32(r[v])) * inverse[v], v))

    def own_numbers(self, ant: int, step: int, purpose: int) -> NDArray[np.float32]:
        key = philox4x32((step, ant, self.iteration, purpose), key_of(self.seed)).tolist()
        words = []
        for city in range(self.n):
            product = ((key[0] | 1) * city + key[1]) % 2**32 * 0xD2511F53
            halves = product // 2**32 ^ product % 2**32
            words.append(((halves ^ key[2]) * 0xCD9E8D57 + key[3]) % 2**32)
        odd = ((np.array(words) >> 8) | 1).astype(np.float32)
        return odd * np.float32(2.0**-24)

    def update(self, shortest: int) -> None:
        """Equations 2, 3 and 4, deposits in whole units."""
        n, m = self.n, self.m
        most = LARGEST_SUM // m
        shortest = max(shortest, 1)
        deposits = [[0] * n for _ in range(n)]
        for route, length in zip(self.routes, self.lengths, strict=True):
            quanta = math.floor(most * (shortest / max(length, 1)))
            for u, v in zip(route, route[1:] + route[:1], strict=True):
                deposits[u][v] += quanta
                if not self.instance.directed:
                    deposits[v][u] += quanta
        assert max(map(max, deposits)) <= LARGEST_SUM
        unit = np.float32(self.nearest_length / (m * shortest * most))
        left = np.maximum(self.trails * np.float32(1 - self.p.rho), np.float32(2.0**-60))
        self.trails = left + np.array(deposits, np.float64).astype(np.float32) * unit


def remove(cities: list[int], city: int) -> None:
    """Remove a city; the last one takes its place."""
    last = cities.pop()
    if last != city:
        cities[cities.index(city)] = last


def minus_log2(u: np.float32) -> np.float32:
    """A float32 polynomial in f, where u = 2^e (1 + f) and √½ <= 1 + f < √2."""
    fraction, exponent = math.frexp(u)
    if np.float32(fraction) < np.float32(math.sqrt(0.5)):
        fraction, exponent = 2 * fraction, exponent - 1
    f = np.float32(fraction) - np.float32(1)
    total = np.float32(0)
    for term in reversed(TERMS):
        total = total * f + term
    return np.float32(-exponent) - f * total


def turn(weighed: list[float], word: int) -> int:
    """Where a wheel stops whose parts are whole numbers up to 2^23."""
    _, exponent = math.frexp(max(weighed))
    parts = [math.ceil(weight * 2.0 ** (23 - exponent)) for weight in weighed]
    stop = word * sum(parts) // 2**32
    for place, part in enumerate(parts):
        stop -= part
        if stop < 0:
            return place
    raise AssertionError("a wheel stops somewhere")
