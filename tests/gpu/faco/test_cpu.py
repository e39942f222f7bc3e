"""Focused ACO on the CPU against a literal transcription of its rules."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import pytest

from gpu.core.errors import ParameterError
from gpu.core.snapshot import MovesMade, Wanted
from gpu.faco.cpu.colony import FacoCpuColony
from gpu.faco.parameters import FacoParameters, spread_of
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu import makers
from tests.gpu.faco.literal import FacoLiteral, from_zero
from tests.gpu.tour_changes.cases import (
    FULL,
    HOSTILE,
    check_lengths,
    lasts_of,
    run,
)


def colony_of(
    instance: TspInstance, seed: int = 1, threads: int = 1, **values: Any
) -> FacoCpuColony:
    return FacoCpuColony(
        instance, FacoParameters(**values).resolved(instance.n), seed, threads=threads
    )


def compare(
    instance: TspInstance, seed: int = 7, threads: int = 1, iterations: int = 5, **values: Any
) -> None:
    literal = FacoLiteral(instance, FacoParameters(**values), seed)
    colony = colony_of(instance, seed, threads, **values)
    with closing(colony):
        for _ in range(iterations):
            assert from_zero(colony._shared.source.tour.tolist()) == from_zero(literal.source)
            literal.iterate()
            colony.iterate(1)
            same_state(literal, colony)


def same_state(literal: FacoLiteral, colony: FacoCpuColony) -> None:
    assert colony._ants.lengths.tolist() == literal.lengths
    snapshot = colony.snapshot(FULL | Wanted.BUILT_SOLUTION)
    assert from_zero(snapshot.built_solution.tolist()) == from_zero(literal.built)
    assert from_zero(snapshot.best_solution.tolist()) == from_zero(literal.best)
    assert from_zero(snapshot.iteration_solution.tolist()) == from_zero(literal.winner)
    assert snapshot.best_iteration == literal.best_iteration
    assert snapshot.iteration_mean == pytest.approx(np.mean(literal.lengths), rel=1e-12)
    assert snapshot.moves == MovesMade(literal.moves, 0)
    assert [float(share) for share in literal.shares] == colony.followed().shares.tolist()
    assert snapshot.limits == (float(literal.limits[0]), float(literal.limits[1]))
    trails = np.array([colony.trails_from(city) for city in range(literal.n)])
    np.testing.assert_array_equal(trails, literal.trails)


@pytest.mark.parametrize("name", HOSTILE)
def test_the_colony_is_the_transcription(name: str) -> None:
    compare(HOSTILE[name], ants=8)


@pytest.mark.parametrize("change", [
    {"ants": 1}, {"new_edges": 1}, {"new_edges": 1000}, {"candidates": 2}, {"candidates": 64},
    {"adaptation": "exp3"}, {"adaptation": "exp3", "new_edges": 3},
    {"adaptation": "exp3", "new_edges": 20},
    {"backup": 0}, {"backup": 3, "candidates": 3}, {"neighbours": 2}, {"neighbours": 64},
    {"beta": 0}, {"beta": 1.5}, {"beta": 20}, {"rho": 0}, {"rho": 0.99}, {"p_best": 1},
    {"p_best": 1e-300}, {"best_source": 1}, {"best_source": 0.5},
], ids=str)  # fmt: skip
def test_every_parameter(change: dict[str, Any]) -> None:
    values = {"ants": 6, **change}
    compare(makers.uniform(90, seed=5), 2**64 - 1, threads=2, iterations=6, **values)


def test_the_colony_stays_the_transcription_for_long() -> None:
    """Trails have settled, and more than one tour has been the best."""
    compare(makers.uniform(60, seed=2), iterations=60, ants=3, best_source=0.1)


@pytest.mark.parametrize("name", HOSTILE)
def test_every_iteration_has_a_tour_of_the_length_it_says(name: str) -> None:
    snapshots = run(colony_of(HOSTILE[name], threads=2), 30)
    check_lengths(snapshots, 64)


def test_the_tour_with_which_it_begins_counts() -> None:
    """One ant finds nothing better at first, and then the best tour is that of the start."""
    colony = colony_of(makers.uniform(500), ants=1)
    begun = colony._shared.source.length[0]
    first = run(colony, 1)[0]
    assert lasts_of([first])[0] > begun
    assert (first.best_cost, first.best_iteration) == (begun, 0)


def test_what_a_snapshot_shows_of_the_trails() -> None:
    instance = makers.uniform(300)
    with closing(colony_of(instance)) as colony:
        colony.iterate(40)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        assert snapshot.limits is not None
        assert snapshot.best_solution is not None
        assert snapshot.branching is not None
        least, most = snapshot.limits
        assert least == pytest.approx(most * spread_of(16, 0.1))
        assert 1 <= snapshot.branching <= 16
        trails = np.array([colony.trails_from(city) for city in range(instance.n)])
        order = snapshot.best_solution
        np.testing.assert_allclose(snapshot.pheromone, trails[np.ix_(order, order)], rtol=1e-6)
        assert snapshot.pheromone.min() == pytest.approx(least)
        assert snapshot.pheromone.max() <= most
        u, v = snapshot.trails.edges[0]
        assert trails[u, v] == trails.max()
        assert 0 < snapshot.trails.strength.min() < snapshot.trails.strength.max() == 1


@pytest.mark.parametrize(("cities", "ants"), [(3, 64), (100, 64), (2392, 192), (15112, 512)])
def test_as_many_ants_as_the_paper_has(cities: int, ants: int) -> None:
    assert FacoParameters().resolved(cities).ants == ants


def test_directed_instances_are_refused_with_a_colony_that_can() -> None:
    with pytest.raises(ParameterError, match="is directed: choose the colony focused"):
        colony_of(makers.directed(20))
