"""The gpx colonies on the emulation: their tabu searches are those of the rule to the letter."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.random import Purpose, key_of, philox4x32
from gpu.core.snapshot import Wanted
from gpu.cuda.iterations import Iterations
from gpu.gpx.cuda import colony as launching
from gpu.gpx.cuda.colony import GpxCudaColony
from gpu.gpx.cuda.kernels import OPTIMIZER_COST, AntRecord
from gpu.gpx.parameters import GpxGpuParameters, HeadGpuParameters
from gpu.problems.coloring.instance import GraphInstance
from tests.emulation import needs_emulation
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.gpx.literal import LOOSE, OptimizerLiteral, squeezed
from tests.gpu.rlf.literal import random_graph
from tests.gpu.tabu_search.literal import TabuLiteral

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

SEED = 2**40 + 5


def records(colony: GpxCudaColony) -> NDArray[np.void]:
    return np.array(colony._arrays["records"]).view(AntRecord.dtype)[:, 0]


def random_start(graph: GraphInstance, ant: int, count: int) -> TabuLiteral:
    """The search of an ant that begins with a random coloring in the first generation."""
    search = TabuLiteral(graph, SEED, ant, [0] * graph.n, count)
    words = philox4x32((0, ant, 0, Purpose.CROSS), key_of(SEED))
    search.colors = [search.lot(v, 1, int(words[1])) * count >> 16 for v in range(graph.n)]
    search.fewest = search.conflicts()
    return search


def searched(search: TabuLiteral, moves: int) -> tuple[int, list[int]]:
    """Search, and squeeze what is proper; return the first coloring with the fewest conflicts."""
    fewest, best = search.conflicts(), list(search.colors)
    while True:
        while search.conflicts() and search.time < moves:
            search.move()
            if search.conflicts() < fewest:
                fewest, best = search.conflicts(), list(search.colors)
        if search.conflicts():
            return fewest, best
        search.squeeze(search.count - 1)
        fewest, best = search.conflicts(), list(search.colors)


@pytest.mark.parametrize(
    ("graph", "moves", "shared", "wide"),
    [
        (random_graph(40, 0.5), 150, 64 << 10, False),
        (random_graph(40, 0.5), 150, 64 << 10, True),
        (random_graph(41, 0.8, 3), 120, 2000, False),
        (random_graph(150, 0.2), 60, 64 << 10, True),
        (random_graph(9, 0.4), 80, 64 << 10, False),
    ],
    ids=["bytes", "words of 16 bits", "counts in global memory", "several warps", "small"],
)
def test_a_search_is_that_of_the_rule_to_the_letter(
    graph: GraphInstance, moves: int, shared: int, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wide:
        monkeypatch.setattr(launching, "MOST_COUNT", 0)
        monkeypatch.setattr(launching, "FEW_NEIGHBOURS", 0)
    parameters = GpxGpuParameters.from_mapping(
        {"ants": 4, "island": 2, "explorers": 0, "optimizers": 0, "moves": moves}
    )
    machine = EmulatedMachine(shared_limit=shared)
    colony = GpxCudaColony(graph, parameters.resolved(graph.n), machine, SEED)
    assert (colony._shape.fields == 2) == wide
    assert (colony._rows_near < colony._most) == (shared < 4096)
    before = colony._most
    colony.iterate(1)
    children = colony._arrays["colorings"][1]
    for ant in (1, 3):  # those with an odd number begin at random
        search = random_start(graph, ant, before - 1)
        fewest, coloring = searched(search, moves)
        record = records(colony)[ant]
        assert (record["colors"], record["conflicts"]) == (search.count, fewest)
        assert record["time"] == search.time
        np.testing.assert_array_equal(children[ant, : graph.n], coloring)
    colony.close()


@pytest.mark.parametrize(("n", "density", "heaviest"), [(40, 0.5, 0), (70, 0.2, 0), (40, 0.9, 3)])
def test_an_optimizer_is_that_of_the_rule_to_the_letter(
    n: int, density: float, heaviest: int
) -> None:
    graph, moves = random_graph(n, density, 4), 90
    values = {"ants": 3, "explorers": 0, "optimizers": 1, "moves": moves}
    parameters = GpxGpuParameters.from_mapping(values).resolved(n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    if heaviest:
        colony._heaviest = heaviest
        colony._iterations = Iterations(colony._machine, colony._phases_for(parameters))
    first: list[int] = np.array(colony._arrays["best_coloring"]).tolist()
    count = colony._most
    for generation in (1, 2):
        colony.iterate(1)
        if generation == 1:
            start = squeezed(first, count, count - 1)
            own = OptimizerLiteral(graph, SEED, 2, start, count - 1, 15, colony._heaviest)
        while True:
            while own.loose and own.time < moves // OPTIMIZER_COST * generation:
                own.move()
            if own.loose:
                break
            own.begin(squeezed(own.colors, own.count, own.count - 1), own.count - 1)
        record = records(colony)[2]
        assert (record["colors"], record["conflicts"]) == (own.count, len(own.loose))
        np.testing.assert_array_equal(colony._arrays["weights"][0], own.weights)
        assert colony._arrays["loose"][0, : len(own.loose)].tolist() == own.loose
        partial = colony._arrays["scratch"][2, :n].astype(np.int32)
        np.testing.assert_array_equal(np.where(partial == 0x7FFF, LOOSE, partial), own.colors)
        best = colony.snapshot(Wanted.SOLUTION).best_cost
        assert best is not None
        if best <= own.count:  # another ant was better: it begins with that coloring
            break
    colony.close()


@pytest.mark.parametrize(
    "parameters",
    [
        GpxGpuParameters.from_mapping(
            {"ants": 6, "island": 2, "explorers": 1, "optimizers": 1, "moves": 60}
        ),
        GpxGpuParameters.from_mapping({"ants": 4, "island": 4, "moves": 60, "left": "random"}),
        HeadGpuParameters.from_mapping({"ants": 4, "moves": 50, "cycle": 2}),
    ],
    ids=["trails", "none", "HEAD"],
)
def test_colorings_are_proper_and_get_fewer_colors(
    parameters: GpxGpuParameters | HeadGpuParameters,
) -> None:
    graph = random_graph(60, 0.5)
    colony = GpxCudaColony(graph, parameters.resolved(graph.n), EmulatedMachine(), SEED)
    costs = [colony._most]
    for _ in range(5):
        colony.iterate(1)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        assert snapshot.best_solution is not None
        assert snapshot.best_cost is not None
        graph.checked(snapshot.best_solution, snapshot.best_cost)
        costs.append(snapshot.best_cost)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
    trails = np.array(colony._arrays["trails"])[:, : graph.n]
    assert trails.max() > 0
    assert (trails[graph.edges[:, 0], graph.edges[:, 1]] < 1).all()
    colony.close()


def test_the_same_seed_gives_the_same_run_in_parts_or_whole() -> None:
    graph = random_graph(50, 0.5)
    values = {"ants": 6, "island": 3, "explorers": 1, "optimizers": 2, "moves": 40}
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    found = []
    for resident in (8, 1):
        machine = EmulatedMachine(resident=resident, seed=resident, milliseconds=30.0)
        colony = GpxCudaColony(graph, parameters, machine, SEED)
        for _ in range(4):
            colony.iterate(1)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        found.append((snapshot.best_cost, snapshot.best_solution, records(colony).tolist()))
        colony.close()
    assert found[0][0] == found[1][0]
    assert found[0][2] == found[1][2]
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_a_given_coloring_is_the_first_best_one() -> None:
    graph = random_graph(30, 0.5)
    start = np.arange(30, dtype=np.int32)
    parameters = GpxGpuParameters.from_mapping({"ants": 2, "explorers": 0, "moves": 1})
    colony = GpxCudaColony(graph, parameters.resolved(30), EmulatedMachine(), SEED, start)
    colony.iterate(1)
    cost = colony.snapshot(Wanted.SOLUTION).best_cost
    assert cost is not None
    assert cost <= 30
    colony.close()


def test_what_another_colony_left_is_gone_on_from_unless_it_is_worse_than_the_beginning() -> None:
    graph = random_graph(30, 0.5)
    values = {"ants": 4, "explorers": 0, "optimizers": 0, "moves": 20}
    parameters = GpxGpuParameters.from_mapping(values).resolved(30)
    many = np.arange(30, dtype=np.int32)
    former = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED, many)
    former.iterate(1)
    legacy = former.legacy()
    for cost in (legacy.state.cost, 30):
        state = dataclasses.replace(
            legacy.state,
            best_cost=cost,
            best_solution=legacy.state.best_solution if cost < 30 else many,
        )
        heir = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
        heir.inherit(dataclasses.replace(legacy, state=state))
        begun = heir.snapshot(Wanted.SOLUTION)
        assert begun.best_cost == min(cost, heir._most)
        heir.iterate(2)
        ended = heir.snapshot(Wanted.SOLUTION)
        assert ended.iteration == 3
        assert ended.best_cost is not None
        assert begun.best_cost is not None
        assert ended.best_cost <= begun.best_cost
        heir.close()
    former.close()
