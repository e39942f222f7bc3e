"""Local search on the CPU: against a literal one, and against what every local search must do."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.acs.cpu.colony import AcsCpuColony
from gpu.acs.parameters import AcsParameters
from gpu.core.errors import ParameterError
from gpu.core.snapshot import Wanted
from gpu.local_search.cpu import ANT, SEARCH_OPEN
from gpu.local_search.kinds import LOCAL_SEARCHES, Moves, moves_of
from gpu.local_search.rule import MOST_NEIGHBOURS, neighbour_rows
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu import makers
from tests.gpu.cpu.makers import crowded, directed, explicit, grid, points, ring, symmetric, uniform
from tests.gpu.local_search.literal import LiteralSearch, improve

Maker = Callable[[int, int], TspInstance]

SIZES = (3, 4, 5, 6, 7, 8, 11, 31, 32, 33, 64, 65, 100, 150, 200)

KINDS = ("2opt", "oropt", "2opt+oropt", "2opt-largest")


def clustered(n: int, seed: int) -> TspInstance:
    """Dense clusters far from one another."""
    rng = np.random.default_rng(seed)
    centres = rng.integers(0, 10_000, (4, 2))
    return points(centres[rng.integers(0, 4, n)] + rng.integers(0, 30, (n, 2)))


def collinear(n: int, seed: int) -> TspInstance:
    """On a line, some at one place: most moves change nothing."""
    return points(np.random.default_rng(seed).integers(0, n, (n, 1)) * [3, 4])


def lattice(n: int, seed: int) -> TspInstance:
    """A square grid, as far as n goes: few different distances."""
    return points(np.array([divmod(i, 10) for i in range(n)]) * 10)


def huge(n: int, seed: int) -> TspInstance:
    """Distances of which two do not fit 32 bits together."""
    half = np.triu(np.random.default_rng(seed).integers(2**30, 2**31, (n, n)), 1)
    return explicit(half + half.T)


MAKERS: tuple[Maker, ...] = (
    uniform,
    clustered,
    crowded,
    collinear,
    lattice,
    symmetric,
    directed,
    huge,
)


def kinds_of(instance: TspInstance) -> tuple[str, ...]:
    return ("oropt",) if instance.directed else KINDS


def random_tours(n: int, count: int, seed: int) -> NDArray[np.int32]:
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(n) for _ in range(count)], np.int32)


@pytest.mark.parametrize("maker", MAKERS)
def test_as_the_rule_says(maker: Maker) -> None:
    for n in (*SIZES[:-3], 90):
        instance = maker(n, n)
        tours = random_tours(n, 3 if n < 60 else 1, n)  # the literal one is slow
        for number, kind in enumerate(kinds_of(instance)):
            neighbours = (32, 1, 5, 64)[(n + number) % 4]
            literal = LiteralSearch(instance, kind, neighbours)
            done = improve(instance, tours, kind, neighbours)
            assert done.tours.tolist() == [literal.improve(tour) for tour in tours], (n, kind)
            moves = (literal.exchanges, literal.segments)
            assert (done.exchanges, done.segments) == moves, (n, kind)


@pytest.mark.parametrize("maker", MAKERS)
def test_cities_as_on_the_best_tour_are_sampled(maker: Maker) -> None:
    """Tours that differ from it in a few places, run either way, and begin anywhere."""
    n, instance = 60, maker(60, 4)
    for kind in kinds_of(instance):
        best = improve(instance, random_tours(n, 1, 1), kind).tours[0]
        tours = np.array([np.roll(best, ant)[:: (-1) ** ant] for ant in range(6)])
        for ant in range(1, 6):
            tours[ant, [5 * ant, 7 * ant]] = tours[ant, [7 * ant, 5 * ant]]
        for iteration in (3, 6):
            literal = LiteralSearch(instance, kind)
            done = improve(instance, tours, kind, best=best, iteration=iteration)
            expected = [
                literal.improve(tour, best.tolist(), ant + iteration)
                for ant, tour in enumerate(tours)
            ]
            assert done.tours.tolist() == expected
            assert (done.exchanges, done.segments) == (literal.exchanges, literal.segments)


@pytest.mark.parametrize("maker", MAKERS)
def test_never_longer_and_lengths_exact(maker: Maker) -> None:
    """Some 8000 random tours over all cases."""
    for n in SIZES:
        instance = maker(n, n + 1)
        tours = random_tours(n, 25, n)
        before = [instance.tour_length(tour) for tour in tours]
        for kind in kinds_of(instance):
            done = improve(instance, tours, kind)
            assert (np.sort(done.tours, axis=1) == np.arange(n)).all(), (n, kind)
            assert done.lengths.tolist() == [instance.tour_length(tour) for tour in done.tours]
            assert (done.lengths <= before).all(), (n, kind)
            better = (done.lengths < before).any()
            assert better == (done.exchanges + done.segments > 0), (n, kind)
        if n == 3:
            np.testing.assert_array_equal(done.tours, tours)


def settled(instance: TspInstance, kind: str, neighbours: int, seed: int) -> NDArray[np.int32]:
    """A tour that a local search begun anew leaves as it is.

    Don't-look bits may leave a move undone whose city sleeps while a far end of it changes.
    """
    tours = random_tours(instance.n, 1, seed)
    for _ in range(20):
        done = improve(instance, tours, kind, neighbours)
        if not done.exchanges + done.segments:
            np.testing.assert_array_equal(done.tours, tours)
            break
        tours = done.tours
    else:
        pytest.fail("it does not come to rest")
    tour: NDArray[np.int32] = tours[0]
    return tour


@pytest.mark.parametrize("maker", MAKERS)
def test_at_rest_no_city_has_a_move(maker: Maker) -> None:
    for n, neighbours in itertools.product([4, 5, 6, 7, 20, 60], (4, 64)):
        instance = maker(n, 2 * n)
        for kind in kinds_of(instance):
            literal = LiteralSearch(instance, kind, neighbours)
            literal.tour = settled(instance, kind, neighbours, n).tolist()
            literal.place = {city: position for position, city in enumerate(literal.tour)}
            for city in range(n):
                assert all(move.loss >= 0 for move in literal.moves(city))


@pytest.mark.parametrize("maker", MAKERS[:-2])
def test_with_full_lists_no_two_edges_can_be_exchanged(maker: Maker) -> None:
    for n in (4, 5, 6, 20, 60):
        instance = maker(n, 3 * n)
        tour = settled(instance, "2opt", 64, n)
        d = instance.distances(tour[:, None], tour).tolist()
        for i in range(n - 2):
            for j in range(i + 2, n):
                k = (j + 1) % n
                assert d[i][j] + d[i + 1][k] >= d[i][i + 1] + d[j][k], n


@pytest.mark.parametrize("metric", [m for m in Metric if m is not Metric.EXPLICIT])
def test_every_metric(metric: Metric) -> None:
    size = 3 if metric.value.endswith("3D") or metric.value.startswith("XRAY") else 2
    places = np.random.default_rng(3).uniform(-60, 60, (50, size))
    instance = TspInstance("points", "", metric, places, None, places[:, :2])
    tours = random_tours(50, 2, 1)
    literal = LiteralSearch(instance, "2opt+oropt", 8)
    done = improve(instance, tours, "2opt+oropt", 8)
    assert done.tours.tolist() == [literal.improve(tour) for tour in tours]
    assert done.lengths.tolist() == [instance.tour_length(tour) for tour in done.tours]


def test_both_kinds_of_moves_are_needed_and_help() -> None:
    instance, tours = uniform(200, 5), random_tours(200, 30, 5)
    only, both = improve(instance, tours, "2opt"), improve(instance, tours, "2opt+oropt")
    assert only.segments == 0 < only.exchanges
    assert min(both.exchanges, both.segments) > 1000
    assert both.lengths.mean() < only.lengths.mean() < 0.3 * instance.tour_length(tours[0])


@pytest.mark.parametrize("instance", [ring(60), grid(8, 8)])
def test_provable_optima_are_nearly_reached(instance: TspInstance) -> None:
    tours = random_tours(instance.n, 30, 2)
    done = improve(instance, tours, "2opt+oropt")
    assert instance.optimum is not None
    assert instance.optimum <= done.lengths.min() < 1.03 * instance.optimum


def test_none_leaves_tours_alone() -> None:
    instance, tours = uniform(20), random_tours(20, 2, 0)
    done = improve(instance, tours, "none")
    np.testing.assert_array_equal(done.tours, tours)
    assert done.lengths.tolist() == [instance.tour_length(tour) for tour in tours]
    assert done.exchanges == done.segments == 0


def test_a_tour_s_search_can_be_left_and_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = makers.uniform(600)
    parameters = AcsParameters(ants=2, local_search="2opt+oropt")
    at_once = AcsCpuColony(instance, parameters.resolved(instance.n), 5, threads=1, stepwise=True)
    at_once.iterate(2)
    expected = at_once.snapshot(Wanted.EVERYTHING)
    at_once.close()
    monkeypatch.setattr("gpu.cpu.stages.SLICE_SECONDS", 0.0)  # a unit a slice
    colony = AcsCpuColony(instance, parameters.resolved(instance.n), 5, threads=1, stepwise=True)
    within = set()
    for _ in range(100_000):
        colony.iterate(1, lambda: True)
        numbers = colony._search.numbers[0]
        if numbers[SEARCH_OPEN]:
            within.add(int(numbers[ANT]))
            assert colony.expected_seconds() > 0
        if colony.snapshot(Wanted.NUMBERS).iteration == 2:
            break
    found = colony.snapshot(Wanted.EVERYTHING)
    colony.close()
    assert within == {0, 1}
    assert found.iteration == 2
    assert found.moves == expected.moves
    np.testing.assert_array_equal(found.best_solution, expected.best_solution)
    np.testing.assert_array_equal(found.built_solution, expected.built_solution)


@pytest.mark.parametrize(
    ("kind", "moves"),
    [
        ("none", None),
        ("2opt", Moves(exchanges=True, segments=False, turns=True)),
        ("2opt-all", Moves(exchanges=True, segments=False, turns=True, sample=1)),
        ("2opt-largest", Moves(exchanges=True, turns=True, sample=1, largest=True)),
        ("oropt", Moves(exchanges=False, segments=True, turns=True)),
        ("2opt+oropt", Moves(exchanges=True, segments=True, turns=True)),
    ],
)
def test_kinds(kind: str, moves: Moves | None) -> None:
    assert kind in LOCAL_SEARCHES
    assert moves_of(uniform(10), kind) == moves


def test_directed_instances_have_or_opt_alone() -> None:
    instance = directed(10)
    assert moves_of(instance, "none") is None
    assert moves_of(instance, "oropt") == Moves(exchanges=False, segments=True, turns=False)
    for kind in ("2opt", "2opt-all", "2opt-largest", "2opt+oropt"):
        with pytest.raises(ParameterError, match="is directed, and 2-opt would turn parts"):
            moves_of(instance, kind)


@pytest.mark.parametrize("instance", [uniform(40), crowded(40), symmetric(12), directed(12)])
@pytest.mark.parametrize("k", [1, 8, 64])
def test_rows_are_sorted_by_distance_on_either_side(instance: TspInstance, k: int) -> None:
    rows = neighbour_rows(instance, k)
    n = instance.n
    assert rows.shape == (1 + instance.directed, n, min(k, n - 1), 2)
    for side, row in enumerate(rows):
        for a in range(n):
            others = [b for b in range(n) if b != a]
            ways = [(a, b) if side == 0 else (b, a) for b in others]
            away = [int(instance.distances(np.array(u), np.array(v))) for u, v in ways]
            assert row[a].tolist() == [
                [city, distance] for distance, city in sorted(zip(away, others, strict=True))[:k]
            ]


def test_lists_too_long_or_short_are_refused() -> None:
    for k in (0, MOST_NEIGHBOURS + 1):
        with pytest.raises(ParameterError, match=r"neighbours = \d+ must be in \[1, 64\]"):
            neighbour_rows(uniform(5), k)
