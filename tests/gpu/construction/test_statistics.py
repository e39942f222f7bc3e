"""Which tours ants build, against the exact probability of every tour there is.

Trails are at random; every colony is asked for so many tours that most of all that are possible
are expected several times.
"""

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
from gpu.max_min.cpu import MmasCpuColony
from gpu.max_min.parameters import MmasCpuParameters
from gpu.problems.tsp.neighbours import build_candidates
from tests.gpu.cpu import makers

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
@pytest.mark.parametrize("selection", ["roulette", "stc-roulette", "wrs"])
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
