"""The gpx colonies on the emulation: their tabu searches are those of the rule to the letter."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.decisions import Step, Unanswered
from gpu.core.machine import devices
from gpu.core.random import Purpose, key_of, philox4x32
from gpu.core.snapshot import Wanted
from gpu.cuda.iterations import Iterations
from gpu.gpx import parameters as gpx_parameters
from gpu.gpx.cuda import colony as launching
from gpu.gpx.cuda.colony import GpxCudaColony
from gpu.gpx.cuda.kernels import OPTIMIZER_EFFORT, SEARCH_STATIC, AntRecord, GenerationPlan
from gpu.gpx.parameters import (
    CROSSING,
    EXPLORING,
    KIND_NAMES,
    OPTIMIZING,
    PARTIAL,
    RECOVERY,
    GpxGpuParameters,
    HeadGpuParameters,
)
from gpu.gpx.replay import GpxRule
from gpu.gpx.rule import EXPLORER_SPREADS
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.run.solving import solve
from tests.emulation import needs_emulation
from tests.gpu.cuda.emulated import EMULATED_GPU, EmulatedMachine, emulate_gpu
from tests.gpu.gpx.literal import (
    LOOSE,
    OptimizerLiteral,
    PartialTabuLiteral,
    crossed,
    squeezed,
    words_of,
)
from tests.gpu.rlf.literal import random_graph
from tests.gpu.tabu_search.literal import TabuLiteral

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

SEED = 2**40 + 5


def records(colony: GpxCudaColony) -> NDArray[np.void]:
    return np.array(colony._arrays["records"]).view(AntRecord.dtype)[:, 0]


def plan_of(colony: GpxCudaColony) -> NDArray[np.void]:
    plan: NDArray[np.void] = np.array(colony._arrays["plan"]).view(GenerationPlan.dtype)[0, 0]
    return plan


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


@pytest.mark.parametrize("by_tabu", [False, True], ids=["optimizer", "partial tabu search"])
@pytest.mark.parametrize(("n", "density", "heaviest"), [(40, 0.5, 0), (70, 0.2, 0), (40, 0.9, 3)])
def test_a_partial_coloring_is_changed_by_the_rule_to_the_letter(
    n: int, density: float, heaviest: int, by_tabu: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "MOST_EFFORT", 1_200 * OPTIMIZER_EFFORT)
    graph, moves = random_graph(n, density, 4), 90
    values = {"ants": 4, "explorers": 0, "moves": moves}
    values |= {"optimizers": 2 * (not by_tabu), "partials": 2 * by_tabu}
    parameters = GpxGpuParameters.from_mapping(values).resolved(n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    if heaviest:
        colony._heaviest = heaviest
        colony._iterations = Iterations(colony._machine, colony._phases_for(parameters))
    first: list[int] = np.array(colony._arrays["best_coloring"]).tolist()
    count = colony._most
    own: OptimizerLiteral | PartialTabuLiteral
    if by_tabu:  # the second such ant tries a color fewer
        start = squeezed(first, count, count - 2)
        own = PartialTabuLiteral(graph, SEED, 3, start, count - 2)
    else:
        start = squeezed(first, count, count - 1)
        own = OptimizerLiteral(graph, SEED, 3, start, count - 1, 15, colony._heaviest)
    for _ in range(4):
        colony.iterate(1)
        record = records(colony)[3]
        while True:
            while own.loose and own.time < record["time"]:
                own.move()
            if own.loose:
                break
            target = max(1, own.count - 1 - by_tabu)
            own.begin(squeezed(own.colors, own.count, target), target)
        assert (record["colors"], record["conflicts"]) == (own.count, len(own.loose))
        if isinstance(own, OptimizerLiteral):
            np.testing.assert_array_equal(colony._arrays["weights"][1], own.weights)
        else:
            assert (record["tenure"], record["fewest"]) == (own.tenure, own.fewest)
        assert colony._arrays["loose"][1, : len(own.loose)].tolist() == own.loose
        partial = colony._arrays["scratch"][3, :n].astype(np.int32)
        np.testing.assert_array_equal(np.where(partial == 0x7FFF, LOOSE, partial), own.colors)
        best = colony.snapshot(Wanted.SOLUTION).best_cost
        assert best is not None
        if best <= own.count + by_tabu:  # another ant was better: it begins with that coloring
            break
    colony.close()


def test_an_ant_of_head_that_is_alone_takes_no_elite_with_more_colors() -> None:
    graph = random_graph(60, 0.5, seed=9)
    values = {"ants": 1, "moves": 60, "cycle": 1}
    parameters = HeadGpuParameters.from_mapping(values).resolved(graph.n)
    start = np.arange(60, dtype=np.int32)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), 0, start)
    for _ in range(12):
        colony.iterate(1)
        generation = int(plan_of(colony)["generations"]) & 1
        parents = colony._arrays["colorings"][generation][0, : graph.n]
        assert parents.max() < records(colony)[0]["colors"]
    colony.close()


def test_explorers_have_as_many_colors_as_counts_need() -> None:
    rng = np.random.default_rng(1)
    chosen = [
        (u, v) for u in range(400) for v in range(u) if rng.random() < (0.9 if v < 5 else 0.3)
    ]
    graph = GraphInstance("hubs", "", 400, unique_edges(chosen))
    values = {"explored": 0.1, "ants": 3, "explorers": 1, "optimizers": 0, "partials": 0}
    parameters = GpxGpuParameters.from_mapping({**values, "moves": 8}).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    assert colony._shape.fields == 4
    colony.iterate(1)
    record = records(colony)[2]
    assert record["colors"] >= graph.degrees.max() / launching.FEW_NEIGHBOURS
    coloring = colony._arrays["colorings"][1, 2, : graph.n].astype(np.int32)
    assert record["conflicts"] == len(graph.conflicts(coloring))
    assert np.unique(coloring).size <= record["colors"]
    colony.close()


def test_explorers_search_with_tenures_of_their_own() -> None:
    graph, moves = random_graph(40, 0.5), 150
    values = {"ants": 6, "explorers": 4, "optimizers": 0, "partials": 0, "moves": moves}
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    first: list[int] = np.array(colony._arrays["best_coloring"]).tolist()
    count = colony._most
    colony.iterate(1)
    for ant, spread in zip(range(3, 6), EXPLORER_SPREADS[1:], strict=True):
        search = TabuLiteral(graph, SEED, ant, list(first), count, spread)
        search.squeeze(count - 1)
        record = records(colony)[ant]
        fewest, _ = searched(search, int(record["time"]))
        assert (record["colors"], record["conflicts"]) == (search.count, fewest)
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


@pytest.mark.parametrize("kind", [CROSSING, OPTIMIZING, PARTIAL, EXPLORING])
def test_the_kind_that_found_a_coloring_is_named_and_all_others_work_half_as_long(
    kind: int,
) -> None:
    graph = random_graph(40, 0.5, 7)
    values = {
        "ants": 2 if kind == CROSSING else 4,
        "explorers": 2 * (kind == EXPLORING),
        "optimizers": 2 * (kind == OPTIMIZING),
        "partials": 2 * (kind == PARTIAL),
        "moves": 100 if kind == CROSSING else 1,
        "explored": 1.0,
    }
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    start = np.arange(40, dtype=np.int32) if kind == CROSSING else None
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED, start)
    assert colony.snapshot(Wanted.NUMBERS).found_by == ""
    times = [0, 0, 0, 0]
    finders = set()
    for _ in range(8):
        before = colony._arrays["best_coloring"].max()
        if kind != CROSSING:  # those that cross colorings make one move, and find nothing
            colony._arrays["plan"].view(GenerationPlan.dtype)["work"] = 1_000_000
        colony.iterate(1)
        if colony._arrays["best_coloring"].max() == before:
            break
        shown = colony.snapshot(Wanted.NUMBERS).found_by
        finder = KIND_NAMES.index(shown)
        finders.add(finder)
        for one, most in ((CROSSING, 4), (OPTIMIZING, 4), (PARTIAL, 4), (EXPLORING, 1)):
            times[one] = 0 if one == finder else min(times[one] + 1, most)
        assert colony._arrays["halved"].tolist() == times
    assert kind in finders
    colony.close()


@pytest.mark.parametrize("name", ["gpx-gpu", "head-gpu"])
def test_a_run_says_which_ants_found_its_coloring(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    emulate_gpu(monkeypatch)
    monkeypatch.setattr(devices, "find", lambda name: EMULATED_GPU)
    graph = random_graph(50, 0.5, 2)
    chosen = {"ants": 6, "moves": 100}
    result = solve(graph, colony=name, device="cuda:0", parameters=chosen, seed=2, iterations=4)
    assert result.best_iteration
    assert result.to_dict()["found_by"] in KIND_NAMES


def test_work_that_was_halved_comes_back_where_nobody_finds_anything() -> None:
    graph = random_graph(16, 1.0)  # no coloring has fewer colors
    values = {"ants": 4, "explorers": 1, "optimizers": 1, "moves": 2, "island": 2}
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    colony._machine.upload(colony._arrays["halved"], np.array([0, 2, 3, 1], np.uint32))
    colony.iterate(RECOVERY - 1)
    assert colony._arrays["halved"].tolist() == [0, 2, 3, 1]
    colony.iterate(1)
    assert colony._arrays["halved"].tolist() == [0, 1, 2, 0]
    colony.close()


@pytest.mark.parametrize("head", [False, True])
def test_an_iteration_has_so_much_work_and_the_search_goes_on_in_the_next_one(
    head: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generation in one iteration, or in many, with another number of rows in shared memory."""
    graph, moves = random_graph(60, 0.7, 2), 600
    kind = HeadGpuParameters if head else GpxGpuParameters
    own = {} if head else {"explorers": 0, "optimizers": 0, "island": 2}
    parameters = kind.from_mapping({"ants": 4, "moves": moves, **own}).resolved(graph.n)
    # A coloring that is hard to better, so that all search with as many colors all the time.
    first = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    first.iterate(4)
    start = first.snapshot(Wanted.SOLUTION).best_solution
    first.close()
    found = []
    for effort, shared in ((1 << 40, 64 << 10), (10_000, 64 << 10), (10_000, 2000)):
        monkeypatch.setattr(launching, "MOST_EFFORT", effort)
        machine = EmulatedMachine(shared_limit=shared)
        colony = GpxCudaColony(graph, parameters, machine, SEED, start)
        iterations = 0
        while not plan_of(colony)["generations"]:
            before = records(colony)["time"]
            colony.iterate(1)
            iterations += 1
            made = records(colony)["time"] - before
            assert made.max() * 64 <= effort
        assert (iterations > 3) == (effort < 1 << 40)
        assert (records(colony)["time"] == moves).all()
        children = np.array(colony._arrays["colorings"][1])
        found.append((children.tolist(), records(colony).tolist()))
        assert (colony._rows_near < colony._most) == (shared < 4096)
        colony.close()
    assert found[0] == found[1] == found[2]


def test_moves_in_any_number_are_cut_into_iterations() -> None:
    graph = random_graph(30, 0.5)
    values = {"ants": 3, "explorers": 1, "optimizers": 0, "moves": 100_000_000}
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    plan = plan_of(colony)
    assert 0 < int(plan["quota"]) <= launching.MOST_EFFORT // 64
    assert 0 < int(plan["work"]) <= launching.MOST_EFFORT
    colony.close()


def test_a_run_of_long_generations_is_stopped_in_the_midst_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(launching, "MOST_EFFORT", 2000)
    graph = random_graph(40, 0.5)
    values = {"ants": 4, "explorers": 0, "optimizers": 1, "moves": 100_000_000}
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(milliseconds=200.0), SEED)
    colony.iterate(1000, lambda: True)
    made = colony.snapshot(Wanted.NUMBERS).iteration
    assert made <= 1
    colony.iterate(3)  # and goes on with it
    assert made < colony.snapshot(Wanted.NUMBERS).iteration <= made + 3
    assert not plan_of(colony)["generations"]
    assert 0 < records(colony)["time"].max() < 200
    colony.close()


def test_the_first_iteration_is_short_because_all_vertices_may_be_in_conflict() -> None:
    graph = random_graph(60, 0.9)
    values = {"ants": 3, "explorers": 0, "optimizers": 0, "moves": 100_000_000}
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    a_move = 64 + graph.n // 2
    assert int(plan_of(colony)["quota"]) * a_move <= launching.MOST_EFFORT
    colony.close()


@pytest.mark.parametrize("left", ["trails", "random"])
def test_a_child_takes_over_classes_and_the_rest_by_the_rule(left: str) -> None:
    graph, crossed_ants = random_graph(50, 0.5, 6), 0
    values = {"ants": 6, "island": 3, "explorers": 0, "optimizers": 0, "moves": 1, "left": left}
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    for iteration in range(12):
        half = int(plan_of(colony)["generations"]) % 2
        parents = np.array(colony._arrays["colorings"][half])[:, : graph.n].tolist()
        trails = np.array(colony._arrays["island_trails"])[:, :, : graph.n].tolist()
        before = records(colony)
        count = int(colony._arrays["best_coloring"].max())
        colony.iterate(1)
        for ant in range(6):
            if not before[ant]["colors"] or before[ant]["anew"]:
                continue
            words = words_of(SEED, Purpose.CROSS, iteration, ant, 0)
            others = [one for one in range(ant // 3 * 3, ant // 3 * 3 + 3) if one != ant]
            partner = others[words[2] * 2 >> 32]
            own = trails[ant // 3] if left == "trails" else None
            child, over = crossed(parents[ant], parents[partner], count, words, own)
            after = records(colony)[ant]
            assert after["left"] == over
            if after["conflicts"] and after["colors"] == count:
                search = TabuLiteral(graph, SEED, ant, child, count)
                search.time, search.fewest = int(before[ant]["time"]), 0
                search.fewest = search.conflicts()
                search.move()
                now = np.array(colony._arrays["scratch"])[ant, : graph.n]
                np.testing.assert_array_equal(now, search.colors)
                crossed_ants += 1
    assert crossed_ants > 20
    colony.close()


@pytest.mark.parametrize("kind", [GpxGpuParameters, HeadGpuParameters])
def test_what_can_be_changed_while_it_runs_is_taken_over_by_the_colony_as_it_stands(
    kind: type[GpxGpuParameters] | type[HeadGpuParameters],
) -> None:
    graph = random_graph(30, 0.5)
    parameters = kind.from_mapping({"ants": 6, "moves": 30}).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    colony.iterate(2)
    other: dict[str, Any] = {
        "moves": 20,
        "cycle": 3,
        "noise": 1,
        "left": "random",
        "explored": 0.5,
        "patience": 3,
    }
    other |= {"rho": 0.5}
    live = {field.name for field in dataclasses.fields(kind) if field.metadata["explanation"].live}
    assert live
    for name in sorted(live):
        before = records(colony)["time"].tolist()
        values = {**parameters.to_dict(), name: other[name]}
        parameters = kind.from_mapping(values).resolved(graph.n)
        assert colony.adjust(parameters)
        assert records(colony)["time"].tolist() == before
        colony.iterate(1)
    if "left" in live:
        assert colony.phases["search"][0].args.island_trails is None  # type: ignore[attr-defined]
    colony.close()


def test_an_explorer_begins_anew_again_and_again() -> None:
    values = {"ants": 6, "moves": 10, "explorers": 1, "optimizers": 0, "partials": 0, "patience": 1}
    graph = random_graph(30, 0.5)
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    with closing(GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)) as colony:
        colony.iterate(8)
        assert records(colony)["time"][-1] > 0


@pytest.mark.parametrize("left", ["trails", "random", "head"])
def test_what_decision_tells_of_an_ant_is_what_it_does_then(
    left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "MOST_EFFORT", 1)  # so that an iteration has a move
    graph, told = random_graph(40, 0.5, 3), {"takes over": 0, "gives it color": 0}
    told |= {"go on": 0, "explore": 0}
    parameters: GpxGpuParameters | HeadGpuParameters
    if left == "head":
        parameters = HeadGpuParameters.from_mapping({"ants": 4, "moves": 5}).resolved(graph.n)
    else:
        values: dict[str, Any] = {"ants": 8, "island": 3, "explorers": 1, "optimizers": 1}
        values |= {"left": left, "patience": 4, "moves": 5}
        parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    ants = parameters.ants
    assert ants is not None
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    rule = GpxRule(graph)
    assert isinstance(rule.replay(colony, 0).decision(0, 1), Unanswered)
    colony.iterate(20)
    for iteration in range(20, 50):
        replay, expected = rule.replay(colony, iteration), {}
        before, best = records(colony), colony._arrays["best_coloring"].max()
        for ant in range(ants):
            step = replay.decision(ant, 1)
            if isinstance(step, Unanswered):
                continue  # it begins anew
            assert step is not None
            number, kinds = 1, [name for name in told if name in step.sentence]
            while ", move " not in step.sentence:
                number += 1
                step = replay.decision(ant, number)
                assert isinstance(step, Step)
            explores = left != "head" and ant == ants - 1
            kind = kinds[0] if kinds else "explore" if explores else "go on"
            expected[ant] = kind, step.picture.colors
        colony.iterate(1)
        after = records(colony)
        for ant, (kind, colors) in expected.items():
            explores = kind == "explore"
            if not explores and after[ant]["colors"] != best:
                continue  # it has found something
            if after[ant]["time"] != before[ant]["time"] + 1:
                continue  # it has made more moves
            now = colony._arrays["scratch"][ant, : graph.n].astype(np.int32)
            np.testing.assert_array_equal(np.where(now == 0x7FFF, LOOSE, now), colors)
            told[kind] += 1
    assert told["takes over"] > 3
    assert told["go on"] > 20
    if left != "head":
        assert min(told.values()) > 3
    colony.close()


def test_trails_are_renewed_by_the_rule() -> None:
    graph = random_graph(40, 0.5, 6)
    values = {"ants": 7, "island": 3, "explorers": 0, "optimizers": 0, "moves": 20}
    parameters = GpxGpuParameters.from_mapping(values).resolved(graph.n)
    colony = GpxCudaColony(graph, parameters, EmulatedMachine(), SEED)
    keep = round(0.85 * 65536)
    for _ in range(6):
        half = int(plan_of(colony)["generations"]) % 2
        before = np.array(colony._arrays["island_trails"])[:, :, :40].astype(np.int64)
        colony.iterate(1)
        children = np.array(colony._arrays["colorings"][1 - half])[:, :40]
        after = np.array(colony._arrays["island_trails"])[:, :, :40]
        assert len(after) == 2
        for island, (first, end) in enumerate(((0, 3), (3, 7))):
            expected = before[island] * keep >> 16
            deposit = (65536 - keep) * 65535 // 65536 // (end - first)
            for colors in children[first:end]:
                expected += deposit * np.equal.outer(colors, colors)
            anew = records(colony)[first]["anew"]
            np.testing.assert_array_equal(after[island], 0 if anew else expected)
    colony.close()


def test_a_graph_without_trails_has_no_picture_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (launching, gpx_parameters):
        monkeypatch.setattr(module, "MOST_WITH_TRAILS", 29)
    for n in (29, 30):
        parameters = HeadGpuParameters.from_mapping({"ants": 2, "moves": 5}).resolved(n)
        colony = GpxCudaColony(random_graph(n, 0.5), parameters, EmulatedMachine(), SEED)
        colony.iterate(1)
        shot = colony.snapshot(Wanted.EVERYTHING)
        colony.close()
        assert (shot.pheromone is None, shot.trails is None) == (n == 30, n == 30)
        said = "On graphs of more than 29 vertices" if n == 30 else "HEAD has no trails"
        assert shot.trails_note.startswith(said)


@pytest.mark.parametrize(("ants", "shares"), [(4, True), (2, False)])
def test_two_ants_share_a_multiprocessor_where_not_all_counts_fit(ants: int, shares: bool) -> None:
    graph = random_graph(400, 0.97)
    parameters = GpxGpuParameters.from_mapping(
        {"ants": ants, "explorers": 0, "optimizers": 0, "moves": 1}
    ).resolved(graph.n)

    def planned(limit: int) -> GpxCudaColony:
        colony = GpxCudaColony(graph, parameters, EmulatedMachine(shared_limit=limit), SEED)
        colony.close()
        return colony

    whole = planned(200 << 10)
    assert whole._rows_near == whole._most
    limit = whole._shared_bytes + SEARCH_STATIC - 1
    colony = planned(limit)
    assert 0 < colony._rows_near < colony._most
    of_two = 2 * (colony._shared_bytes + SEARCH_STATIC + launching.BLOCK_SHARED)
    assert (of_two <= limit + launching.BLOCK_SHARED) == shares


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
