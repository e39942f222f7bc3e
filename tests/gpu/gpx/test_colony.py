"""Gpx and HEAD colonies on the CPU: what they find, and with whom."""

from __future__ import annotations

from contextlib import closing
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.gpx.cpu.colony import GpxCpuColony
from gpu.gpx.cpu.state import ENDS, FOUND_BY, GENERATIONS, HALVED, LEFT_OVER
from gpu.gpx.parameters import GpxParameters, moves_of
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.run.solving import solve
from tests.gpu.gpx.literal import squeezed
from tests.gpu.rlf.literal import graph, random_graph


def partite(n: int, classes: int, density: float, seed: int = 2) -> GraphInstance:
    """A graph with a hidden coloring."""
    side = np.random.default_rng(seed).integers(0, classes, n)
    apart = np.not_equal.outer(side, side)
    chosen = np.triu(np.random.default_rng(seed + 1).random((n, n)) < density, 1) & apart
    return GraphInstance("partite", "", n, unique_edges(np.argwhere(chosen)))


def colony_of(name: str, instance: GraphInstance, seed: int = 1, **values: Any) -> GpxCpuColony:
    """Build a colony on all of ``instance``, whatever its kernel."""
    parameters = catalog.named(name).parameters.from_mapping(values)
    return GpxCpuColony(instance, parameters.resolved(instance.n), seed, threads=1)


KINDS_ALONE = {
    "ants that cross colorings": {"ants": 8, "optimizers": 0, "explorers": 0},
    "a conflict optimizer": {"ants": 1, "optimizers": 1, "explorers": 0},
    "partial tabu search": {"ants": 1, "optimizers": 0, "partials": 1, "explorers": 0},
    "an explorer": {"ants": 1, "optimizers": 0, "explorers": 1},
}


@pytest.mark.parametrize("kind", KINDS_ALONE)
def test_each_kind_of_ant_finds_a_hidden_coloring_and_is_named(kind: str) -> None:
    instance = partite(150, 15, 0.6)
    assert int(dsatur_coloring(instance).max()) + 1 > 20
    with closing(colony_of("gpx-seq", instance, **KINDS_ALONE[kind])) as colony:
        for _ in range(300):
            colony.iterate(1)
            shot = colony.snapshot(Wanted.SOLUTION)
            if shot.best_cost == 15:
                break
        assert (shot.best_cost, shot.found_by) == (15, kind)
        assert instance.cost_of(shot.best_solution) == 15


@pytest.mark.parametrize("name", ["gpx-seq", "head-seq"])
def test_a_run_finds_the_fewest_colors_and_says_who_did(name: str) -> None:
    instance = partite(90, 5, 0.6)
    result = solve(instance, colony=name, device="cpu:1", seed=1, target=5, iterations=3000)
    assert result.cost == 5
    told = result.to_dict()["found_by"]
    assert told in KINDS_ALONE if result.best_iteration else told is None


@pytest.mark.parametrize(
    "instance",
    [
        graph(1, []),
        graph(5, []),
        graph(2, [(0, 1)]),
        graph(6, [(u, v) for u in range(6) for v in range(u + 1, 6)]),
        graph(7, [(0, v) for v in range(1, 7)]),
    ],
    ids=["one", "edgeless", "edge", "complete", "star"],
)
@pytest.mark.parametrize("name", ["gpx-seq", "head-seq"])
def test_graphs_without_anything_to_find_are_left_as_they_are(
    name: str, instance: GraphInstance
) -> None:
    greedy = int(dsatur_coloring(instance).max()) + 1
    with closing(colony_of(name, instance)) as colony:
        colony.iterate(5)
        shot = colony.snapshot(Wanted.EVERYTHING)
    assert (shot.best_cost, shot.found_by, shot.iteration) == (greedy, "", 5)


def test_a_colony_begins_with_a_given_coloring() -> None:
    instance = random_graph(60, 0.5, seed=3)
    system, device = catalog.named("gpx-seq"), devices.find("cpu:1")
    many = np.arange(60, dtype=np.int32)
    with closing(catalog.build(system, instance, system.parameters(), device, 1, many)) as colony:
        colony.iterate(1)
        assert colony.snapshot(Wanted.NUMBERS).cost < 60


def test_islands_renew_their_trails_and_begin_anew_when_all_are_alike() -> None:
    instance = partite(60, 4, 0.6)
    with closing(
        colony_of("gpx-seq", instance, ants=6, island=3, optimizers=0, explorers=0, moves=50)
    ) as colony:
        ended = 0
        for _ in range(40):
            before = colony._matrices.copy()
            colony.iterate(1)
            if not colony._schedule[ENDS]:
                np.testing.assert_array_equal(colony._matrices, before)
                continue
            population, keep = colony._population, round(0.85 * 65536)
            deposit = (65536 - keep) * 65535 // 65536 // 3
            for island, matrix in enumerate(colony._matrices):
                own = slice(3 * island, 3 * island + 3)
                alike = (population.progress[own, LEFT_OVER] * 100 <= 60).all()
                assert population.ended[island] == alike
                expected = before[island].astype(np.int64) * keep >> 16
                for colors in population.results[own]:
                    expected += deposit * np.equal.outer(colors, colors)
                np.testing.assert_array_equal(matrix, 0 if alike else expected)
                ended += bool(alike)
        assert colony._schedule[GENERATIONS] > 10


def test_head_has_elites_and_no_trails_to_follow() -> None:
    instance = random_graph(60, 0.5, seed=5)
    with closing(colony_of("head-seq", instance, cycle=2, moves=20)) as colony:
        colony.iterate(200)
        assert (colony._population.elite_keys < 2**62).any()
        assert not colony.standing.rules.by_trails


def test_work_goes_to_the_kind_that_finds_something() -> None:
    instance = partite(200, 15, 0.5)
    with closing(colony_of("gpx-seq", instance)) as colony:
        for _ in range(50):
            colony.iterate(1)
            if colony._schedule[FOUND_BY] >= 0:
                break
        halved = colony._schedule[HALVED : HALVED + 3].tolist()
        kind = int(colony._schedule[FOUND_BY])
        assert halved[kind] == 0
        assert all(times > 0 for other, times in enumerate(halved) if other != kind)


@pytest.mark.parametrize("name", ["gpx-seq", "head-seq"])
def test_what_can_be_changed_while_it_runs_is_taken_over_by_the_colony_as_it_stands(
    name: str,
) -> None:
    instance, kind = random_graph(40, 0.5, seed=3), catalog.named(name).parameters
    other: dict[str, Any] = {"moves": 9, "cycle": 3, "noise": 1, "left": "random", "explored": 0.5}
    other |= {"patience": 3, "rho": 0.5}
    live = {field.name for field in fields(kind) if field.metadata["explanation"].live}
    assert live
    with closing(colony_of(name, instance)) as colony:
        colony.iterate(3)
        generations = int(colony._schedule[GENERATIONS])
        for one in live:
            values = {**colony._parameters.to_dict(), one: other[one]}
            assert colony.adjust(kind.from_mapping(values).resolved(instance.n))
            colony.iterate(1)
        assert colony._schedule[GENERATIONS] >= generations
        assert colony.standing.rules.moves == 9
        assert not colony.standing.rules.by_trails


def test_squeezing_gives_up_the_smallest_classes() -> None:
    assert squeezed([0, 1, 1, 2, 2, 2], 3, 2) == [-1, 0, 0, 1, 1, 1]


def test_large_graphs_have_optimizers_alone() -> None:
    ends = np.random.default_rng(1).integers(0, 25_000, (75_000, 2))
    edges = unique_edges(ends[ends[:, 0] != ends[:, 1]])
    instance = GraphInstance("large", "", 25_000, edges)
    with closing(colony_of("gpx-seq", instance)) as colony:
        assert colony.standing.rules.ants == colony.standing.rules.optimizers == 1
        colony.iterate(3)
        shot = colony.snapshot(Wanted.EVERYTHING)
    assert instance.cost_of(shot.best_solution) == shot.best_cost
    assert shot.pheromone is None


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("gpx-seq", {}, ""),
        ("gpx-seq", {"left": "random"}, "With left = random, ants do not read them"),
        ("gpx-seq", {"ants": 1}, "Trails are laid by ants that cross colorings"),
        ("gpx-seq", {"ants": 4, "partials": 3}, "Trails are laid by ants that cross colorings"),
        ("head-seq", {}, "HEAD has no trails: its ants do not read these"),
    ],
)
def test_what_is_to_be_known_of_trails_is_said(name: str, values: Any, said: str) -> None:
    with closing(colony_of(name, random_graph(20, 0.5), **values)) as colony:
        note = colony.snapshot(Wanted.NUMBERS).trails_note
    assert note.startswith(said)
    assert bool(note) == bool(said)


def test_generations_are_longer_in_sparse_graphs() -> None:
    for density, moves in ((1.0, 16 * 60), (0.5, 16 * 60), (0.2, 40 * 60), (0.01, 100 * 60)):
        parameters = GpxParameters().resolved(60)
        found = moves_of(parameters, random_graph(60, density, seed=1))
        assert abs(found - moves) <= 0.15 * moves
    assert moves_of(GpxParameters(moves=7).resolved(60), random_graph(60, 0.5)) == 7


def test_only_on_a_gpu_is_a_coloring_other_work() -> None:
    """There an iteration has other numbers of moves; speedups of single colorings say nothing."""
    rows = [row for row in catalog.CATALOG if row.alias in ("gpx", "head")]
    assert {row.name for row in rows if row.own_work} == {"gpx-gpu", "head-gpu"}


def test_an_ant_alone_on_its_island_goes_on_with_its_coloring() -> None:
    values = {"ants": 2, "explorers": 0, "partials": 0, "moves": 400}
    with closing(colony_of("gpx-seq", random_graph(100, 0.5, seed=2), **values)) as colony:
        for _ in range(6):
            colony.iterate(1)
            assert not colony.standing.population.ended.any()
