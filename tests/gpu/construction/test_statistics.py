"""Which tours ants build, against the exact probability of every tour there is.

Trails are at random; every colony is asked for so many tours that most of all that are possible
are expected several times. Of weighted reservoir sampling, logarithm and keys are tested, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import chisquare

from gpu.ant_system.cpu import AsCpuColony
from gpu.ant_system.parameters import AsCpuParameters
from gpu.construction.cpu import MatrixColony
from gpu.core.random import Purpose
from gpu.cpu import random_keys, wheel
from gpu.cpu.philox import key_of_step
from gpu.cpu.random_keys import reservoir_of_all
from gpu.cpu.wheel import WHEEL_BLOCK
from gpu.max_min.cpu import MmasCpuColony
from gpu.max_min.parameters import MmasCpuParameters
from gpu.problems.tsp.neighbours import build_candidates
from tests.draws import minus_log2
from tests.gpu.cpu import makers
from tests.gpu.cpu.makers import caller

CITIES, ANTS = 6, 250_000

LEAST = 1e-4
"""Chance below which frequencies are not those expected."""

Law = Callable[[list[float]], list[float]]


def proportional(weights: list[float]) -> list[float]:
    """The random proportional rule (eq. 1)."""
    return [weight / sum(weights) for weight in weights]


def independent(weights: list[float]) -> list[float]:
    """I-Roulette: city j wins if no r_i·w_i is larger than its own r_j·w_j (Algorithm 3)."""
    chances = []
    for j, own in enumerate(weights):
        others = [weight for i, weight in enumerate(weights) if i != j]
        kinks = sorted({weight / own for weight in others if weight < own})

        def all_smaller(r: float, own: float = own, others: list[float] = others) -> float:
            return float(np.prod([min(1.0, r * own / other) for other in others]))

        chances.append(quad(all_smaller, 0, 1, points=kinks or None)[0])
    return chances


def tours_built(**change: Any) -> tuple[NDArray[np.int64], NDArray[np.float64], list[list[int]]]:
    """How often each tour was built, the weights, and the candidate lists."""
    instance = makers.uniform(CITIES, seed=3)
    parameters = AsCpuParameters(ants=ANTS, beta=1, **change)
    colony = AsCpuColony(instance, parameters.resolved(instance.n), 17, threads=2)
    trails_at_random(colony)
    colony.iterate(1)
    counts = counts_of(colony)
    weights = colony._matrices.weights[:, :CITIES].astype(float)
    colony.close()
    lists = build_candidates(instance, parameters.candidates or 1).neighbours.tolist()
    return counts, weights, lists if parameters.candidates else [[] for _ in range(CITIES)]


def trails_at_random(colony: MatrixColony) -> NDArray[np.float32]:
    """Set the trails, and return a copy of them."""
    trails = colony._matrices.trails
    trails[:] = np.random.default_rng(5).uniform(0.5, 2, trails.shape)
    return trails.copy()


def counts_of(colony: MatrixColony) -> NDArray[np.int64]:
    """How often each tour was built in the last iteration."""
    place = 10 ** np.arange(CITIES)[::-1]
    found = np.bincount(colony._ants.routes.astype(np.int64) @ place, minlength=10**CITIES)
    counts = np.array([found[np.array(tour) @ place] for tour in all_tours()])
    assert counts.sum() == ANTS
    return counts


def all_tours() -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(CITIES)))


def chances(law: Law, weights: NDArray[np.float64], lists: list[list[int]]) -> list[float]:
    """The exact probability of every tour."""
    known: dict[tuple[int, frozenset[int]], dict[int, float]] = {}

    def next_cities(u: int, left: frozenset[int]) -> dict[int, float]:
        near = [v for v in lists[u] if v in left]
        if any(lists) and not near:
            return {max(left, key=lambda v: weights[u, v]): 1.0}
        open_ = near or sorted(left)
        return dict(zip(open_, law([float(weights[u, v]) for v in open_]), strict=True))

    result = []
    for tour in all_tours():
        chance, left = 1 / CITIES, frozenset(range(CITIES)) - {tour[0]}
        for u, v in itertools.pairwise(tour):
            if (u, left) not in known:
                known[u, left] = next_cities(u, left)
            chance *= known[u, left].get(v, 0.0)
            left -= {v}
        result.append(chance)
    assert sum(result) == pytest.approx(1, abs=1e-9)
    return result


def likelihood(counts: NDArray[np.int64], chances: list[float]) -> float:
    """Probability of frequencies at least so far from the expected ones (chi-square)."""
    expected = ANTS * np.array(chances) * (counts.sum() / ANTS / sum(chances))
    assert not counts[expected == 0].any()
    often = expected >= 5  # the others count as one
    assert np.count_nonzero(often) > 50
    cells = [
        (counts[often], expected[often]),
        (counts[~often].sum(keepdims=True), expected[~often].sum(keepdims=True)),
    ]
    observed, foreseen = (np.concatenate(kind) for kind in zip(*cells, strict=True))
    filled = foreseen > 0
    assert foreseen[filled].min() >= 5
    return float(chisquare(observed[filled], foreseen[filled]).pvalue)


@pytest.mark.parametrize("candidates", [0, 3])
@pytest.mark.parametrize("selection", ["roulette", "stc-roulette", "lc-roulette", "wrs"])
def test_tours_are_as_frequent_as_the_proportional_rule_says(
    selection: str, candidates: int
) -> None:
    counts, weights, lists = tours_built(selection=selection, candidates=candidates)
    assert likelihood(counts, chances(proportional, weights, lists)) > LEAST


@pytest.mark.parametrize("selection", ["roulette", "wrs"])
def test_weights_of_half_precision_change_no_frequency_that_can_be_told(selection: str) -> None:
    """Against the probabilities that the trails have, not the weights that ants are shown."""
    parameters = MmasCpuParameters(ants=ANTS, beta=1, selection=selection)
    colony = MmasCpuColony(
        makers.uniform(CITIES, seed=3),
        parameters.resolved(makers.uniform(CITIES, seed=3).n),
        17,
        threads=2,
    )
    exact = trails_at_random(colony).astype(float) * colony._matrices.heuristic.astype(float)
    colony.iterate(1)
    counts, shown = (
        counts_of(colony),
        colony._matrices.weights[:, :CITIES].astype(float),
    )
    colony.close()
    assert 1e-4 < np.abs(shown / exact - 1).max() <= 2**-8
    assert likelihood(counts, chances(proportional, exact, [[] for _ in range(CITIES)])) > LEAST


@pytest.mark.parametrize("candidates", [0, 3])
def test_i_roulette_is_biased_as_its_own_probabilities_say(candidates: int) -> None:
    counts, weights, lists = tours_built(selection="i-roulette", candidates=candidates)
    own, rule = chances(independent, weights, lists), chances(proportional, weights, lists)
    assert likelihood(counts, own) > LEAST
    assert likelihood(counts, rule) < 1e-100
    assert max(own) > 1.2 * max(rule)


def test_probabilities_of_two_cities_are_known() -> None:
    """Of weights 1 and w < 1 the lighter wins with w/2, where w/(1 + w) would be proportional."""
    for light in (1.0, 0.5, 0.1):
        assert independent([1.0, light]) == pytest.approx([1 - light / 2, light / 2])
    assert sum(independent([0.3, 1.0, 2.0, 2.0, 0.7])) == pytest.approx(1)


ALL = np.arange(1, 2**24, 2, dtype=np.uint32)
"""Every number of 24 bits that can be drawn, over 2^24."""


RESERVOIR = np.uint32(Purpose.RESERVOIR)


@caller
def call_logs(u: Any, results: Any) -> None:
    for place in range(u.size):
        results[place] = random_keys.minus_log2(u[place])


@caller
def call_keys(weights: Any, words: Any, keys: Any) -> None:
    for place in range(words.size):
        keys[place] = random_keys.reservoir_key(weights[place], words[place])


@caller
def call_counts(weights: Any, drawn: Any, counts: Any, times: Any, seed: Any) -> None:
    for time in range(times):
        for slot in range(weights.size):
            drawn[slot] = weights[slot]
        key = key_of_step((seed, np.uint32(9)), RESERVOIR, np.uint32(5), time, 3)
        largest = reservoir_of_all(drawn, key)
        counts[wheel.first_of(drawn, largest)] += 1


def test_the_logarithm_is_close_everywhere_and_alike_on_host_and_in_compiled_code() -> None:
    u = ALL.astype(np.float32) * np.float32(2.0**-24)
    exact = -np.log2(ALL / 2.0**24)
    ours = minus_log2(u)
    assert (np.abs(ours - exact) / exact).max() < 4e-7
    assert ours.min() > 0
    compiled = np.zeros_like(u)
    call_logs(u, compiled)
    np.testing.assert_array_equal(compiled, ours)


def test_keys_order_as_their_quotients_do() -> None:
    rng = np.random.default_rng(1)
    weights = np.exp2(rng.uniform(-100, 100, 10_000)).astype(np.float32)
    weights[:2] = 2.0**-100, 2.0**100
    words = rng.integers(0, 2**32, weights.size, dtype=np.uint32)
    words[:2] = 0, 2**32 - 1
    keys = np.zeros(weights.size, np.int32)
    call_keys(weights.view(np.int32), words, keys)
    assert keys.min() > 0
    u = ((words >> 8) | 1) / 2.0**24
    quotients = -np.log2(u) / weights.astype(float)
    ranked = quotients[np.argsort(-keys, kind="stable")]
    assert (ranked[1:] > ranked[:-1] * (1 - 1e-6)).all()
    visited = np.ones(1, np.int32)
    call_keys(np.zeros(1, np.int32), words[:1], visited)
    assert visited[0] == 0


@pytest.mark.parametrize("seed", range(3))
def test_draws_are_in_proportion_to_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = np.zeros(2 * WHEEL_BLOCK, np.float32)
    weights[:90] = rng.random(90) ** 3 + 0.02
    weights[rng.random(weights.size) < 0.3] = 0
    counts = np.zeros(weights.size, np.int64)
    times = 400_000
    call_counts(
        weights.view(np.int32), np.zeros(weights.size, np.int32), counts, times, np.uint32(seed)
    )
    held = weights > 0
    assert not counts[~held].any()
    expected = times * weights[held].astype(float) / weights.sum(dtype=float)
    assert chisquare(counts[held], expected).pvalue > 1e-4
    # The check can fail: one part in two hundred moved from the heaviest is seen.
    moved = expected.copy()
    moved[moved.argmax()] -= times / 200
    moved[moved.argmin()] += times / 200
    assert chisquare(counts[held], moved).pvalue < 1e-4
