"""The colonies on the CPU: against a literal transcription of the paper's figures, and in use."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gpu.acs.cpu.colony
import gpu.problems.tsp.neighbours
from gpu.acs.cpu import colony as acs
from gpu.acs.cpu import colony as iteration
from gpu.acs.cpu.colony import AcsCpuColony
from gpu.acs.parameters import THREE_TOURS, AcsParameters, SpmParameters
from gpu.core.errors import DeviceMemoryError, WrongSolutionError
from gpu.core.snapshot import Snapshot, Wanted
from gpu.cpu import main_memory as memory
from gpu.cpu.stages import WorkerCount
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.acs.literal import Literal, Selective
from tests.gpu.cpu import makers
from tests.gpu.cpu.agreement import assert_same_tours, run_together


@pytest.fixture
def threads_even_for_few_ants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu.acs.cpu.colony, "ANTS_PER_THREAD", 1)


Way = dict[str, Any]
"""Threads, and whether ants step together."""

SEQUENTIAL: Way = {"threads": 1, "stepwise": False}
STEPWISE: Way = {"threads": 1, "stepwise": True}
SHARED: Way = {"threads": 3, "stepwise": True}


@pytest.fixture(params=[SEQUENTIAL, STEPWISE, SHARED], ids=["sequential", "stepwise", "shared"])
def way(request: pytest.FixtureRequest) -> Way:
    """Return each way in turn."""
    return dict(request.param)


pytestmark = pytest.mark.usefixtures("threads_even_for_few_ants")

SMALL = {
    "3 cities": makers.uniform(3),
    "4 cities": makers.uniform(4),
    "5 cities": makers.uniform(5),
    "21 cities": makers.uniform(21),
    "40 cities": makers.uniform(40),  # more than are on a list
    "ties": makers.grid(6, 4),
    "places shared": makers.crowded(30),
    "no geometry": makers.symmetric(25),
    "directed": makers.directed(25),
}


def compare(
    instance: TspInstance, parameters: AcsParameters, seed: int, way: Way, iterations: int = 3
) -> None:
    literal = Literal(instance, parameters, seed, way["stepwise"])
    colony = AcsCpuColony(instance, parameters.resolved(instance.n), seed, **way)
    run_together(literal, colony, same_state, iterations)


def same_state(literal: Literal, colony: AcsCpuColony) -> None:
    snapshot = colony.snapshot(Wanted.EVERYTHING)
    np.testing.assert_array_equal(colony._ants.routes.T, literal.routes)
    np.testing.assert_array_equal(colony._ants.lengths, literal.lengths)
    assert_same_tours(snapshot, literal)
    same_pictures(literal, snapshot)
    trails = colony._edges.trails
    if isinstance(literal.memory, Selective):
        assert trails.cities.tolist() == literal.memory.nodes
        np.testing.assert_array_equal(trails.values, np.array(literal.memory.pheromone))
        assert trails.tails.tolist() == literal.memory.tail
        updates = snapshot.updates
        assert [updates.local_hits, updates.local_total] == literal.local
        assert [updates.global_hits, updates.global_total] == literal.globally
        lists = np.array(literal.lists)
        read = [[literal.memory.read(u, v) for v in row] for u, row in enumerate(lists)]
        np.testing.assert_array_equal(trails.listed[:, : lists.shape[1]], np.array(read))
    else:
        assert snapshot.updates is None
        full = trails.others.copy()
        np.put_along_axis(full, np.array(literal.lists), trails.listed[:, : colony._cl], axis=1)
        np.testing.assert_array_equal(full, literal.memory.trails)


def same_pictures(literal: Literal, snapshot: Snapshot) -> None:
    """Compare what is drawn of the trails, up to rounding of those at the initial level."""
    full = np.array(
        [[literal.memory.read(u, v) for v in range(literal.n)] for u in range(literal.n)]
    )
    order = literal.best_tour
    assert snapshot.pheromone is not None
    np.testing.assert_allclose(snapshot.pheromone, full[np.ix_(order, order)], rtol=1e-5)
    either = full if literal.instance.directed else np.triu(np.maximum(full, full.T))
    strong = {(int(u), int(v)): either[u, v] for u, v in np.argwhere(either > 1.00001)}
    assert {tuple(edge) for edge in snapshot.trails.edges.tolist()} == set(strong)
    for edge, strength in zip(snapshot.trails.edges, snapshot.trails.strength, strict=True):
        assert strength == strong[tuple(edge)] / max(strong.values())
    assert snapshot.branching is not None
    assert 1 <= snapshot.branching <= literal.p.candidates


@pytest.mark.parametrize("name", SMALL)
def test_matrix_colony_is_the_paper_s(name: str, way: Way) -> None:
    compare(SMALL[name], AcsParameters(), 7, way)


@pytest.mark.parametrize("name", SMALL)
def test_selective_colony_is_the_paper_s(name: str, way: Way) -> None:
    compare(SMALL[name], SpmParameters(greedy="listed"), 7, way)


@pytest.mark.parametrize("name", SMALL)
def test_remembered_cities_off_the_list_are_chosen_greedily(name: str, way: Way) -> None:
    """As in the published program, and otherwise than Fig. 3 has it."""
    few = SpmParameters(candidates=2, q0=0.8)
    compare(SMALL[name], few, 7, way, iterations=4)
    compare(SMALL[name], SpmParameters(update_period=4), 7, way, iterations=2)
    if name == "40 cities":  # some are too small to differ
        ways = [dataclasses.replace(few, greedy=greedy) for greedy in ("remembered", "listed")]
        first, second = (Literal(SMALL[name], one, 7, way["stepwise"]) for one in ways)
        for _ in range(4):
            first.iterate()
            second.iterate()
        assert first.routes != second.routes


@pytest.mark.parametrize(
    ("name", "kind"),
    [("3 cities", "2opt"), ("40 cities", "2opt+oropt"), ("ties", "2opt"), ("directed", "oropt")],
)
def test_tours_are_improved_before_the_best_is_told(name: str, kind: str, way: Way) -> None:
    compare(SMALL[name], AcsParameters(ants=7, local_search=kind), 7, way)


def test_more_threads_improve_tours_than_build_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu.acs.cpu.colony, "ANTS_PER_THREAD", 4)
    parameters = AcsParameters(ants=9, local_search="2opt+oropt", update_period=3)
    compare(SMALL["40 cities"], parameters, 7, SHARED)


def test_local_search_with_selective_memory(way: Way) -> None:
    compare(SMALL["places shared"], SpmParameters(ants=7, local_search="2opt+oropt"), 7, way)


@pytest.mark.parametrize("slots", [1, 2, 5, 32])
def test_memory_of_any_size(slots: int) -> None:
    for way in (SEQUENTIAL, SHARED):
        compare(makers.uniform(30, seed=3), SpmParameters(memory=slots), 1, way)


@pytest.mark.parametrize("period", [1, 2, 4, 7, 1000])
def test_update_at_every_kth_step(period: int) -> None:
    parameters = AcsParameters(update_period=period)
    for way in (SEQUENTIAL, SHARED):
        compare(makers.uniform(24, seed=4), parameters, 2, way)
        compare(makers.uniform(24, seed=4), SpmParameters(update_period=period), 2, way)


@pytest.mark.parametrize("change", [
    {"ants": 1}, {"ants": 7}, {"beta": 0}, {"beta": 1}, {"beta": 20},
    {"alpha": 1}, {"alpha": 0.001}, {"rho": 1}, {"rho": 0.3}, {"q0": 0}, {"q0": 1},
    {"candidates": 1}, {"candidates": 2}, {"candidates": 9}, {"candidates": 31},
    {"tau0": THREE_TOURS},
], ids=str)  # fmt: skip
def test_every_parameter(change: dict[str, Any]) -> None:
    values = {"ants": 9, **change}
    for way in (SEQUENTIAL, SHARED):
        instance, seed = makers.uniform(34, seed=5), 2**64 - 1
        compare(instance, AcsParameters(**values), seed, way, iterations=2)
        compare(instance, SpmParameters(**values), seed, way, iterations=2)


@pytest.mark.parametrize("parameters", [AcsParameters(), SpmParameters(memory=3)], ids=str)
def test_lists_and_backup_exhausted(
    parameters: AcsParameters, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short lists in clusters: ants must often look beyond both."""
    monkeypatch.setattr(gpu.problems.tsp.neighbours, "BACKUP", 5)
    rng = np.random.default_rng(8)
    corners = rng.integers(0, 10_000, (10, 2))
    clusters = corners.repeat(10, 0) + rng.integers(0, 100, (100, 2))
    few = dataclasses.replace(parameters, candidates=4, ants=6, alpha=1.0)
    compare(makers.points(clusters), few, 3, way, iterations=6)


def best_tour(colony: AcsCpuColony) -> NDArray[np.int32]:
    tour = colony.snapshot(Wanted.SOLUTION).best_solution
    assert tour is not None
    return tour


def test_a_short_iteration_is_not_left_in_its_midst(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A selective memory would be seen without the best tour's trails, now and then."""
    monkeypatch.setattr("gpu.cpu.stages.SLICE_GROWTH", 1)  # a unit of work a slice
    monkeypatch.setattr(WorkerCount, "note", lambda *_: None)  # all threads work
    with closing(
        AcsCpuColony(makers.uniform(50), SpmParameters().resolved(50), 5, **way)
    ) as colony:
        colony.iterate(2)
        slices: list[None] = []
        work = colony._work

        def note(*arguments: Any) -> None:
            slices.append(None)
            work(*arguments)

        monkeypatch.setattr(colony, "_work", note)
        colony.timed_iteration()
        # A clock by which an iteration takes three quarters of what a slice may.
        monkeypatch.setattr("gpu.cpu.stages.SLICE_SECONDS", len(slices) / 0.75)
        monkeypatch.setattr("gpu.cpu.stages.time.perf_counter", itertools.count().__next__)
        colony.iterate(1, stop=lambda: True)
        assert not colony.midway
        assert colony.snapshot(Wanted.NUMBERS).iteration == 4
        monkeypatch.setattr("gpu.cpu.stages.SLICE_SECONDS", len(slices) / 8)  # and a longer one
        colony.iterate(1, stop=lambda: True)
        assert colony.midway


def test_a_wrong_length_is_never_shown() -> None:
    colony = AcsCpuColony(
        makers.uniform(12), AcsParameters().resolved(12), 0, threads=1, stepwise=False
    )
    colony.iterate(1)
    colony._record.numbers[1] += 1
    with pytest.raises(WrongSolutionError, match="of a tour that costs"):
        colony.snapshot(Wanted.SOLUTION)
    colony.close()


def test_the_first_colony_compiles_for_all() -> None:
    AcsCpuColony(
        makers.uniform(3), AcsParameters().resolved(3), 0, threads=1, stepwise=False
    ).close()
    compiled = iteration.run.signatures
    assert compiled
    for parameters, instance in (
        (AcsParameters(), makers.directed(9)),
        (SpmParameters(candidates=1), makers.uniform(40)),
    ):
        colony = AcsCpuColony(
            instance, parameters.resolved(instance.n), 1, threads=2, stepwise=True
        )
        colony.iterate(1)
        colony.close()
    assert iteration.run.signatures == compiled


def test_two_colonies_at_once() -> None:
    """Colonies of two Python threads, each with threads of its own, do not disturb each other."""
    instance = makers.uniform(80)
    alone = AcsCpuColony(instance, AcsParameters().resolved(80), 0, threads=2, stepwise=True)
    alone.iterate(30)
    expected = best_tour(alone)
    alone.close()
    found: list[NDArray[np.int32]] = []

    def solve() -> None:
        colony = AcsCpuColony(instance, AcsParameters().resolved(80), 0, threads=2, stepwise=True)
        colony.iterate(30)
        found.append(best_tour(colony))
        colony.close()

    threads = [threading.Thread(target=solve) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    for tour in found:
        np.testing.assert_array_equal(tour, expected)


def test_too_large_is_said_with_numbers_before_anything_is_allocated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 2**30)
    big = makers.uniform(40_000, size=10**6)
    monkeypatch.setattr(acs, "build_candidates", None)  # reaching it would be an error
    with pytest.raises(DeviceMemoryError, match=r"pheromone matrix.*only 0\.8 GiB.*selective"):
        AcsCpuColony(big, AcsParameters(ants=10).resolved(big.n), 0, threads=1, stepwise=False)
    with pytest.raises(DeviceMemoryError, match=r"tours of the ants.*at most .* ants"):
        AcsCpuColony(big, SpmParameters().resolved(big.n), 0, threads=1, stepwise=False)
