"""Colonies on places: what is shown of them is of all cities."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.core.trails import matrix_picture
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.heaps import places_of
from gpu.problems.tsp.instance import TspInstance
from gpu.run import solve
from gpu.tour_changes.places import NOT_REPLAYED, PlacesColony
from tests.gpu.cpu import makers


def heaps(places: int, n: int, seed: int = 1) -> TspInstance:
    """Make an instance of so many places, with ``n`` cities at each, in any order."""
    one = makers.uniform(places, size=10_000)
    assert one.coordinates is not None
    at = np.random.default_rng(seed).permutation(np.repeat(one.coordinates, n, axis=0))
    return TspInstance("heaps", "", Metric.EUC_2D, at, None, at)


INSTANCE = heaps(40, 25)


def colony_of(system: str, instance: TspInstance = INSTANCE, start: Any = None) -> Colony:
    device = devices.find("cpu:1")
    row = catalog.find(system, device)
    return catalog.build(row, instance, row.parameters(), device, 7, start)


@pytest.mark.parametrize("system", ["crossing-seq", "focused-seq"])
def test_what_is_shown_is_of_all_cities(system: str) -> None:
    with closing(colony_of(system)) as colony:
        assert isinstance(colony, PlacesColony)
        colony.iterate(4)
        shown = colony.snapshot(Wanted.EVERYTHING)
        assert shown.kernel == 40
        assert shown.best_solution is not None
        assert shown.iteration_solution is not None
        assert INSTANCE.cost_of(shown.best_solution) == shown.best_cost
        assert INSTANCE.cost_of(shown.iteration_solution) == shown.iteration_best
        assert shown.trails is not None
        trails = np.stack([colony.trails_from(city) for city in range(INSTANCE.n)])
        edges, strength = shown.trails.edges, shown.trails.strength
        np.testing.assert_allclose(strength, trails[tuple(edges.T)] / trails.max(), rtol=1e-6)
        assert shown.pheromone is not None
        assert shown.pheromone.shape == matrix_picture(trails, shown.best_solution).shape
        for table in (shown.strip, shown.band):
            assert table is not None
            assert np.array_equal(table.cities, shown.best_solution)
            for city, others, values in zip(table.cities, table.others, table.values, strict=True):
                there = values > 0
                np.testing.assert_allclose(trails[city, others[there]], values[there], rtol=1e-6)


@pytest.mark.parametrize("system", ["crossing", "focused"])
def test_heaps_of_cities_are_visited_as_well_as_their_places(system: str) -> None:
    found = places_of(INSTANCE)
    assert found is not None
    values: dict[str, Any] = {"colony": system, "device": "cpu:1", "seed": 1, "iterations": 60}
    whole, alone = (solve(instance, **values) for instance in (INSTANCE, found.instance))
    assert whole.cost == alone.cost
    assert whole.kernel == 40


def test_a_tour_to_begin_with_comes_to_each_place_where_it_came_first() -> None:
    found = places_of(INSTANCE)
    assert found is not None
    start = np.random.default_rng(3).permutation(INSTANCE.n).astype(np.int32)
    places = found.restricted(start)
    assert np.array_equal(np.sort(places), np.arange(40))
    whole = found.extended(places)
    assert np.array_equal(np.sort(whole), np.arange(INSTANCE.n))
    assert INSTANCE.tour_length(whole) == found.instance.tour_length(places)
    best = found.extended(np.arange(40, dtype=np.int32))
    with closing(colony_of("focused-seq", start=best)) as colony:
        colony.iterate(1)
        shown = colony.snapshot(Wanted.SOLUTION)
        assert shown.best_cost is not None
        assert shown.best_cost <= INSTANCE.tour_length(best)


def test_all_cities_are_visited_where_few_share_a_place() -> None:
    assert places_of(heaps(100, 3)) is None
    assert places_of(heaps(19, 100)) is None
    assert places_of(makers.uniform(300)) is None
    assert places_of(replace(INSTANCE, metric=Metric.GEO)) is None


@pytest.mark.parametrize("system", ["crossing-seq", "focused-seq"])
def test_its_ants_are_not_replayed(system: str) -> None:
    row = catalog.named(system)
    with closing(colony_of(system)) as colony:
        colony.iterate(3)
        replay = catalog.rule_of(row, INSTANCE, row.parameters(), 7).replay(colony, 3)
        told = replay.decision(0, 1)
    assert NOT_REPLAYED in str(told)
