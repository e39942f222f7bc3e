"""Ants of gpx colonies on the CPU, held against the rule to the letter."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.core.random import Purpose
from gpu.cpu.compilation import cached
from gpu.cpu.philox import key_of
from gpu.gpx.cpu import state as states
from gpu.gpx.cpu.crossover import CrossRoom, color_at_random, cross_colorings
from gpu.gpx.cpu.optimizer import heaviest_of, optimize_once
from gpu.gpx.cpu.partial import (
    LOOSE_COUNT,
    OWN_COLORS,
    OWN_TIME,
    PartialColoring,
    begin_partial_coloring,
    new_partial_colorings,
)
from gpu.gpx.cpu.partial_tabu import TENURE, begin_partial_tabu, move_partial_tabu
from gpu.tabu_search import cpu as tabu
from tests.gpu.gpx import literal
from tests.gpu.rlf.literal import random_graph

SEED = 2**33 + 9


@cached
def cross(
    room: CrossRoom,
    own: np.ndarray,
    other: np.ndarray,
    child: np.ndarray,
    count: int,
    words: tuple[np.uint32, np.uint32, np.uint32, np.uint32],
    trails: np.ndarray,
) -> int:
    return cross_colorings(room, own, other, child, count, words, trails)


@cached
def at_random(colors: np.ndarray, count: int, word: np.uint32) -> None:
    color_at_random(colors, count, word)


@cached
def begin(rules: tabu.TabuRules, own: PartialColoring, by_tabu: bool) -> None:
    if by_tabu:
        begin_partial_tabu(rules, own)
    else:
        begin_partial_coloring(rules, own)


@cached
def optimize(
    rules: tabu.TabuRules,
    own: PartialColoring,
    ant: int,
    noise: int,
    heaviest: np.uint32,
    moves: int,
) -> None:
    for _ in range(moves):
        if own.numbers[LOOSE_COUNT] > 0:
            optimize_once(rules, own, ant, noise, heaviest)


@cached
def search_in_part(rules: tabu.TabuRules, own: PartialColoring, ant: int, moves: int) -> None:
    for _ in range(moves):
        if own.numbers[LOOSE_COUNT] > 0:
            move_partial_tabu(rules, own, ant)


@pytest.mark.parametrize("with_trails", [True, False])
@pytest.mark.parametrize(("n", "most", "count"), [(40, 7, 7), (40, 9, 5), (3, 3, 1), (70, 20, 22)])
def test_a_child_takes_over_classes_by_the_rule(
    n: int, most: int, count: int, with_trails: bool
) -> None:
    rng = np.random.default_rng(n + count)
    trails = rng.integers(0, 3, (n, n)).astype(np.uint16) if with_trails else None
    none = np.zeros((0, n), np.uint16)
    for ant in range(5):
        own, other = (rng.integers(0, most, n).astype(np.int32) for _ in range(2))
        words = literal.words_of(SEED, Purpose.CROSS, 3, ant, 0)
        expected, left = literal.crossed(
            own.tolist(), other.tolist(), count, words, None if trails is None else trails.tolist()
        )
        child = np.zeros(n, np.int32)
        room = states.new_room(n, max(most, count))
        first, second, third, fourth = (np.uint32(word) for word in words)
        packed = first, second, third, fourth
        made = cross(room, own, other, child, count, packed, none if trails is None else trails)
        assert (child.tolist(), made) == (expected, left)
        at_random(child, count, packed[1])
        assert child.tolist() == literal.random_coloring(n, count, words[1])


@pytest.mark.parametrize(("n", "density"), [(30, 0.5), (80, 0.03), (12, 1.0)])
@pytest.mark.parametrize(("noise", "heaviest"), [(15, 0), (0, 4), (90, 6)])
def test_optimizers_move_by_the_rule(n: int, density: float, noise: int, heaviest: int) -> None:
    graph = random_graph(n, density, seed=2)
    assert tabu.is_dense(graph) == (density > 0.1)
    largest = heaviest_of(int(graph.degrees.max())) if heaviest == 0 else np.uint32(heaviest)
    count = 2 if density < 0.1 else 4
    slow = literal.OptimizerLiteral(graph, SEED, 7, [literal.LOOSE] * n, count, noise, int(largest))
    rules = tabu.rules_of(key_of(SEED), graph, count, 0)
    own = one_of(new_partial_colorings(graph, 1, count, tabu=False))
    own.colors[:] = literal.LOOSE
    own.numbers[OWN_COLORS] = count
    begin(rules, own, False)
    for _ in range(60):
        for _ in range(5):
            if slow.loose:
                slow.move()
        optimize(rules, own, 7, noise, largest, 5)
        assert own.colors.tolist() == slow.colors
        assert own.loose[: own.numbers[LOOSE_COUNT]].tolist() == slow.loose
        assert own.weights.tolist() == slow.weights
    assert slow.time > 60


@pytest.mark.parametrize(
    ("n", "density", "count", "moves"),
    [(30, 0.5, 4, 2300), (80, 0.03, 2, 2300), (12, 1.0, 4, 1200), (2, 1.0, 1, 400)],
    ids=["dense", "sparse", "complete", "all are tabu at times"],
)
def test_partial_tabu_search_moves_by_the_rule(
    n: int, density: float, count: int, moves: int
) -> None:
    graph = random_graph(n, density, seed=2)
    slow = literal.PartialTabuLiteral(graph, SEED, 7, [literal.LOOSE] * n, count)
    rules = tabu.rules_of(key_of(SEED), graph, count, 0)
    own = one_of(new_partial_colorings(graph, 1, count, tabu=True))
    own.colors[:] = literal.LOOSE
    own.numbers[OWN_COLORS] = count
    begin(rules, own, True)
    for _ in range(moves // 5):
        for _ in range(5):
            if slow.loose:
                slow.move()
        search_in_part(rules, own, 7, 5)
        assert own.colors.tolist() == slow.colors
        assert own.loose[: own.numbers[LOOSE_COUNT]].tolist() == slow.loose
        assert own.numbers[TENURE] == slow.tenure
    assert slow.time == moves
    assert slow.all_tabu > 0 if n == 2 else slow.tenure != 10


def one_of(colorings: PartialColoring) -> PartialColoring:
    return PartialColoring(*(array[0] for array in colorings))


def test_nothing_is_tabu_when_numbers_of_moves_begin_anew() -> None:
    graph, count = random_graph(30, 0.5, seed=2), 4
    rules = tabu.rules_of(key_of(SEED), graph, count, 0)
    own = one_of(new_partial_colorings(graph, 1, count, tabu=True))
    own.colors[:] = literal.LOOSE
    own.numbers[OWN_COLORS] = count
    begin(rules, own, True)
    own.numbers[OWN_TIME] = 2**32
    own.expiries[:] = 2**32 - 1  # tabu for as long as can be
    search_in_part(rules, own, 7, 1)
    assert (own.expiries < 2**31).all()
