"""Open routes, fixed and forbidden edges as closed tours: held against all routes of few cities."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.ant_system.parameters import AsCpuParameters
from gpu.construction.rule import AsRule
from gpu.core.errors import InstanceError
from gpu.decisions import InitialTrails
from gpu.problems.loading import load_instance
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.routes.closed_tours import hamiltonian, restricted, with_route, without

INFINITE = 10**9


def matrix_instance(matrix: NDArray[np.int64], *, directed: bool) -> TspInstance:
    """Return cities on a line with these distances."""
    n = len(matrix)
    display = np.column_stack((np.arange(float(n)), np.zeros(n)))
    whole = matrix.astype(np.int32)
    return TspInstance("few", "", Metric.EXPLICIT, None, whole, display, directed=directed)


@functools.cache
def permutations(n: int) -> NDArray[np.int64]:
    """Return all orders of n cities."""
    return np.array(list(itertools.permutations(range(n))))


@dataclass
class Case:
    """A wish, and how long the best route is that has it."""

    base: TspInstance
    start: int | None = None
    end: int | None = None
    closed: bool = True
    fixed: list[tuple[int, int]] = field(default_factory=list)
    forbidden: NDArray[np.bool_] | None = None

    def best(self) -> int:
        """Return the least length, by all permutations; INFINITE if there is no route."""
        n, orders = self.base.n, permutations(self.base.n)
        if self.start is not None:
            orders = orders[orders[:, 0] == self.start]
        if self.end is not None:
            orders = orders[orders[:, -1] == self.end]
        path = np.column_stack((orders, orders[:, 0])) if self.closed else orders
        tails, heads = path[:, :-1], path[:, 1:]
        lengths = self.base.all_distances()[tails, heads].sum(axis=1)
        if self.forbidden is not None:
            lengths[self.forbidden[tails, heads].any(axis=1)] = INFINITE
        legs = tails * n + heads
        for a, b in self.fixed:
            there = (legs == a * n + b).any(axis=1)
            if not self.base.directed:
                there |= (legs == b * n + a).any(axis=1)
            lengths[~there] = INFINITE
        return int(lengths.min())

    def instance_or_none(self) -> TspInstance | None:
        """Return the instance that colonies get; None if it is said to have no tour."""
        try:
            return self.instance()
        except InstanceError as refused:
            if "it has no tour" not in str(refused):
                raise
            return None

    def instance(self) -> TspInstance:
        """Return the instance that colonies get."""
        return restricted(
            self.base,
            start=self.start,
            end=self.end,
            closed=self.closed,
            fixed=self.fixed,
            forbidden=self.forbidden,
        )


def drawn(
    random: np.random.Generator,
    most: int,
    *,
    fewest: int = 2,
    equal: bool = False,
    together: bool = False,
) -> Case:
    """Return a case of few cities, drawn at random.

    Either all distances may be ``equal``, and fixed and forbidden edges be ``together`` with an
    open route.
    """
    n, directed = int(random.integers(fewest, most + 1)), bool(random.integers(2))
    matrix = random.integers(0, 30, (n, n))
    if equal:
        matrix[:] = random.choice([0, 1, 7])
    if not directed:
        matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    case = Case(matrix_instance(matrix, directed=directed))
    case.closed = not together and bool(random.integers(3) == 0)
    if random.integers(2):
        case.start = int(random.integers(n))
    if not case.closed and random.integers(2):
        case.end = int(random.integers(n))
        if case.end == case.start:
            case.end = None
    if (random.integers(3) == 0 or together) and n > 2:
        for _ in range(int(random.integers(1, 4))):
            a, b = random.permutation(n)[:2].tolist()
            case.fixed.append((a, b))
    if random.integers(3) == 0 or together:
        case.forbidden = random.random((n, n)) < random.choice([0.1, 0.3, 0.5])
        if not directed:
            case.forbidden |= case.forbidden.T
        np.fill_diagonal(case.forbidden, False)
    return case


def shortest(instance: TspInstance) -> tuple[int, NDArray[np.int64]]:
    """Return the shortest closed tour by all subsets of cities (Held and Karp 1962)."""
    apart, n = instance.all_distances().astype(np.int64), instance.n
    costs = {(1, 0): (0, 0)}
    for subset in range(1, 1 << n, 2):
        for last in range(n):
            if not (known := costs.get((subset, last))):
                continue
            for city in range(1, n):
                if not subset >> city & 1:
                    key, length = (subset | 1 << city, city), known[0] + int(apart[last, city])
                    if key not in costs or length < costs[key][0]:
                        costs[key] = length, last
    everything = (1 << n) - 1
    last = min(range(1, n), key=lambda city: costs[everything, city][0] + apart[city, 0])
    least, tour = costs[everything, last][0] + int(apart[last, 0]), []
    while subset:
        tour.append(last)
        subset, last = subset & ~(1 << last), costs[subset, last][1]
    return least, np.array(tour[::-1])


def drawn_of_all_kinds(random: np.random.Generator, most: int) -> Iterator[Case]:
    """Yield cases without end: of each kind in turn, those of two and three cities among them."""
    while True:
        yield drawn(random, most)
        yield drawn(random, most, fewest=4, together=True)
        yield drawn(random, 3)
        yield drawn(random, most, equal=True, together=bool(random.integers(2)))


@pytest.mark.parametrize("seed", range(40))
def test_a_shortest_tour_is_a_shortest_route_and_as_long(seed: int) -> None:
    random = np.random.default_rng(seed)
    most, count = (8, 40) if seed % 10 == 0 else (6, 100)
    for case in itertools.islice(drawn_of_all_kinds(random, most), count):
        best = case.best()
        if (instance := case.instance_or_none()) is None:
            assert best == INFINITE
            continue
        least, tour = shortest(instance)
        assert instance.is_solution_at(least) == (best < INFINITE)
        if best == INFINITE:
            continue
        assert least == best == instance.cost_of(tour)
        check_route(case, instance, tour)


def check_route(case: Case, instance: TspInstance, tour: NDArray[np.int64]) -> None:
    """Check what a user gets of the shortest tour."""
    route = instance.route_of(tour)
    path = route.path
    assert instance.real_n == case.base.n
    assert sorted(route.cities.tolist()) == list(range(case.base.n))
    assert route.closed == case.closed
    assert case.start in (None, route.cities[0])
    assert case.end in (None, route.cities[-1])
    assert int(case.base.distances(path[:-1], path[1:]).sum()) == instance.cost_of(tour)
    written = instance.written(tour)
    assert written == (route.cities + 1).tolist()
    again = instance.read(written)
    assert instance.cost_of(again) == instance.cost_of(tour)
    assert instance.written(again) == written


def test_a_graph_without_a_tour_is_refused_where_that_shows() -> None:
    def refused(n: int, edges: list[tuple[int, int]], *, closed: bool = True) -> str:
        with pytest.raises(InstanceError) as error:
            hamiltonian("g", n, np.array(edges), closed=closed)
        return str(error.value)

    ring = [(at, (at + 1) % 8) for at in range(8)]
    assert hamiltonian("g", 8, np.array([*ring, (0, 4), (1, 5)])).optimum == 8
    assert "only one way leads to city 1" in refused(8, ring[:7])
    assert "no way leads to city 9" in refused(9, ring)
    two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    assert "no ways lead from city 1 to city 4" in refused(6, two)
    assert "without city 3 its cities fall into parts" in refused(6, [*two, (2, 3), (2, 4)])
    bipartite = [(a, b) for a in range(3) for b in range(3, 7)]
    assert "so few neighbours" in refused(7, bipartite)
    petersen = [(at, (at + 1) % 5) for at in range(5)] + [(at, at + 5) for at in range(5)]
    petersen += [(at + 5, (at + 2) % 5 + 5) for at in range(5)]
    assert "every one needs a forbidden edge" in refused(10, petersen)
    path = hamiltonian("g", 10, np.array(petersen), closed=False)
    assert path.optimum == 9
    assert shortest(path)[0] == 9
    star = [(0, at) for at in range(1, 5)]
    assert "it has no tour" in refused(5, star, closed=False)


def test_an_open_route_has_two_ends() -> None:
    square = load_instance("t.csv", b"x,y\n0,0\n1,0\n1,1\n0,1\n")
    assert isinstance(square, TspInstance)
    with pytest.raises(InstanceError, match="an open route cannot begin and end at the same city"):
        with_route(square, 1, 1, closed=False)


def test_an_open_route_says_what_its_auxiliary_cities_are() -> None:
    lengths = np.array([[0, 2, 3, 9], [2, 0, 5, 4], [3, 5, 0, 7], [9, 4, 7, 0]])
    opened = with_route(matrix_instance(lengths, directed=False), start=1, closed=False)
    words = opened.city_words
    assert [words.called(city) for city in range(opened.n)] == [
        *("city 1", "city 2", "city 3", "city 4"),
        *("the end of the route", "the way back"),
    ]
    assert [words.short(city) for city in (0, 5)] == ["1", "the way back"]
    rule = AsRule(opened, AsCpuParameters().resolved(opened.n), 1)
    step = rule.replay(InitialTrails(opened.n), 0).decision(0, 1)
    assert step is not None
    told = {row.cells[0] for row in step.options.told}
    assert {"the end of the route", "the way back"} & told
    assert told <= {"1", "2", "3", "4", "the end of the route", "the way back"}
    edges = np.array([[0, 1], [1, 0], [0, 4], [4, 5]])
    assert opened.on_route(edges).tolist() == [True, True, False, False]


def test_the_way_back_of_a_directed_open_route_is_none_of_its_edges() -> None:
    base = matrix_instance(np.array([[0, 2, 3], [4, 0, 5], [6, 7, 0]]), directed=True)
    edges = np.array([[0, 1], [1, 0], [2, 0], [1, 2]])
    opened = with_route(base, start=0, closed=False)
    assert opened.on_route(edges).tolist() == [True, False, False, True]
    ended = with_route(base, end=2)
    assert ended.on_route(edges).tolist() == [True, True, False, True]
    barred = without(3, np.array([[0, 1], [1, 2], [2, 0], [1, 0]]), directed=True)
    found = restricted(base, forbidden=barred).on_route(np.array([[0, 1], [0, 2]]))
    assert found.tolist() == [True, False]
