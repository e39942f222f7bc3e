"""The Ant System on the CPU: against a literal transcription of its equations, and in use."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpu.ant_system.cpu import AsCpuColony
from gpu.ant_system.parameters import AsCpuParameters
from gpu.construction import cpu as as_tables
from gpu.construction import cpu as matrix_colony
from gpu.core.errors import DeviceMemoryError
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.core.trails import KnownTrails, pheromone_picture
from gpu.cpu import main_memory as memory
from gpu.local_search import cpu as searches
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates
from gpu.timing.speedup import contenders, measure
from tests.gpu.construction.literal import LARGEST_SUM, AsLiteral
from tests.gpu.cpu import makers
from tests.gpu.cpu.agreement import assert_same_tours, run_together, trails_of
from tests.gpu.cpu.test_geometry import instance_of

SELECTIONS = ("roulette", "stc-roulette", "lc-roulette", "i-roulette", "wrs")


SMALL = {
    "3 cities": makers.uniform(3),
    "4 cities": makers.uniform(4),
    "31 cities": makers.uniform(31),
    "33 cities": makers.uniform(33),
    "64 cities": makers.uniform(64),
    "ties": makers.grid(6, 4),
    "places shared": makers.crowded(30),
    "one place": makers.points(np.full((20, 2), 7.0)),
    "no geometry": makers.symmetric(25),
    "directed": makers.directed(25),
}


def compare(
    instance: TspInstance,
    parameters: AsCpuParameters,
    seed: int = 7,
    threads: int = 1,
    iterations: int = 3,
) -> None:
    literal = AsLiteral(instance, parameters, seed)
    colony = AsCpuColony(instance, parameters.resolved(instance.n), seed, threads=threads)
    run_together(literal, colony, same_state, iterations)


def same_state(literal: AsLiteral, colony: AsCpuColony) -> None:
    n = literal.n
    np.testing.assert_array_equal(colony._ants.routes, literal.routes)
    np.testing.assert_array_equal(colony._ants.lengths, literal.lengths)
    apart = ~np.eye(n, dtype=bool)
    weights = colony._matrices.weights
    np.testing.assert_array_equal(weights[:, :n][apart], literal.weights[apart])
    np.testing.assert_array_equal(trails_of(colony, n), literal.trails)
    snapshot = colony.snapshot(Wanted.EVERYTHING)
    assert_same_tours(snapshot, literal)
    assert snapshot.updates is None


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("name", SMALL)
def test_the_colony_is_the_equations(name: str, selection: str) -> None:
    for candidates in each_pair(name, selection, [0, 1, 6, 32]):
        parameters = AsCpuParameters(selection=selection, candidates=candidates, ants=7)
        compare(SMALL[name], parameters)


def each_pair(name: str, selection: str, lengths: Sequence[int]) -> list[int]:
    """Half of the ``lengths``: each of them with each name, and with each selection."""
    first = [*SMALL].index(name) + SELECTIONS.index(selection)
    count = len(lengths)
    return [lengths[(first + one) % count] for one in range(0, count, 2)]


@pytest.mark.parametrize("candidates", [0, 20])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_hundred_cities_on_two_threads(selection: str, candidates: int) -> None:
    parameters = AsCpuParameters(selection=selection, candidates=candidates, ants=9)
    compare(makers.uniform(100), parameters, threads=2, iterations=2)


@pytest.mark.parametrize("name", ["3 cities", "33 cities", "places shared"])
@pytest.mark.parametrize("kind", ["2opt", "2opt+oropt"])
def test_tours_are_improved_before_they_deposit(name: str, kind: str) -> None:
    parameters = AsCpuParameters(ants=18, local_search=kind, selection="stc-roulette")
    compare(SMALL[name], parameters, threads=2)


@pytest.mark.parametrize("metric", Metric)
def test_every_metric(metric: Metric) -> None:
    compare(instance_of(metric, 40), AsCpuParameters(ants=10), iterations=2)


@pytest.mark.parametrize("change", [
    {"ants": 1}, {"ants": 7}, {"ants": 100}, {"beta": 0}, {"beta": 1}, {"beta": 0.5},
    {"beta": 20}, {"alpha": 0}, {"alpha": 2}, {"alpha": 1.5}, {"alpha": 20}, {"rho": 1},
    {"rho": 0.01}, {"alpha": 0, "beta": 0},
], ids=str)  # fmt: skip
def test_every_parameter(change: dict[str, Any]) -> None:
    compare(makers.uniform(34, seed=5), AsCpuParameters(**change), 2**64 - 1)
    compare(makers.directed(20), AsCpuParameters(**change, candidates=5), 0)


@pytest.mark.parametrize("name", ["64 cities", "directed"])
def test_pictures_are_those_of_all_trails(name: str) -> None:
    instance = SMALL[name]
    n = instance.n
    colony = AsCpuColony(instance, AsCpuParameters().resolved(instance.n), 1, threads=1)
    before = colony.snapshot(Wanted.EVERYTHING)
    assert before.iteration == before.solutions_built == 0
    assert before.best_cost is before.iteration_best is None
    assert before.best_solution is None
    np.testing.assert_array_equal(before.pheromone, np.ones((n, n)))
    assert before.trails.edges.shape == (0, 2)
    assert before.branching == min(32, n - 1)
    colony.iterate(4)
    snapshot = colony.snapshot(Wanted.EVERYTHING)
    trails = trails_of(colony, n)
    rows, columns = np.nonzero(~np.eye(n, dtype=bool))
    known = KnownTrails(rows.astype(np.int32), columns.astype(np.int32), trails[rows, columns])
    assert snapshot.best_solution is not None
    drawn = pheromone_picture(known, snapshot.best_solution)
    apart = ~np.eye(n, dtype=bool)
    np.testing.assert_array_equal(snapshot.pheromone[apart], drawn[apart])
    edges, strength = snapshot.trails.edges, snapshot.trails.strength
    np.testing.assert_array_equal(trails[edges[:, 0], edges[:, 1]] / trails.max(), strength)
    assert strength[0] == 1
    assert np.all(np.diff(strength) <= 0)
    assert instance.directed or np.all(edges[:, 0] < edges[:, 1])
    assert snapshot.branching is not None
    assert 1 <= snapshot.branching < before.branching
    kept = snapshot.pheromone.copy()
    colony.iterate(1)
    np.testing.assert_array_equal(snapshot.pheromone, kept)
    row = colony.trails_from(3)
    row[0] = 99  # a copy, not the colony's own
    assert colony.trails_from(3)[0] != 99
    colony.close()


@given(
    st.integers(1, 1_000_000),
    st.lists(st.integers(0, 2**40), min_size=1, max_size=60),
)
def test_no_sum_of_deposits_exceeds_its_word(m: int, lengths: list[int]) -> None:
    """Whatever the tours' lengths: as many ants as there are, all over one edge."""
    most = LARGEST_SUM // m
    shortest = max(min(lengths), 1)
    heaviest = max(int(most * (shortest / max(length, 1))) for length in lengths)
    assert heaviest == most  # the best ant's
    assert m * heaviest <= LARGEST_SUM


@pytest.mark.parametrize("ants", [1, 2, 3, 17, 1000])
def test_deposits_add_up(ants: int) -> None:
    """Three cities have one tour: every ant deposits 1/L on each edge, as much as L_nn/L_nn."""
    colony = AsCpuColony(makers.uniform(3), AsCpuParameters(ants=ants).resolved(3), 0, threads=1)
    colony.iterate(1)
    ends, quanta = colony._ants.ends, colony._ants.quanta
    assert quanta.sum(dtype=np.int64) == ants * ((2**32 - 1) // ants)
    deposits = np.zeros((3, 3), np.uint64)
    for ant in range(ants):
        for city in range(3):
            for side in range(2):
                deposits[city, ends[ant // 16, city, side, ant % 16]] += quanta[ant]
    apart = ~np.eye(3, dtype=bool)
    assert set(deposits[apart].tolist()) == {ants * ((2**32 - 1) // ants)}
    np.testing.assert_allclose(trails_of(colony, 3)[apart], 1.5, rtol=1e-6)
    colony.close()


def test_trails_evaporate_down_to_a_floor() -> None:
    colony = AsCpuColony(makers.uniform(30), AsCpuParameters(ants=1).resolved(30), 0, threads=1)
    colony.iterate(100)
    trails = trails_of(colony, 30)
    assert trails.min() == np.float32(2.0**-60)
    assert np.isfinite(trails).all()
    compare(makers.uniform(30), AsCpuParameters(ants=1, rho=1), iterations=5)
    colony.close()


def test_a_long_iteration_is_left_promptly(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks often, whatever its stage, and does nothing more when it shall stop."""
    monkeypatch.setattr(
        "gpu.cpu.stages.SLICE_SECONDS", 0.002
    )  # more of them even on a fast machine
    instance, parameters = makers.uniform(900), AsCpuParameters(selection="i-roulette")
    colony = AsCpuColony(instance, parameters.resolved(instance.n), 1, threads=1)
    places: list[tuple[int, int]] = []  # the stage and the unit that are next

    def stop() -> bool:
        places.append((colony._stage, colony._unit))
        return len(places) == 12

    colony.iterate(1, stop)
    assert colony.snapshot(Wanted.NUMBERS).iteration == 0
    assert len(set(places)) == 12
    assert (colony._stage, colony._unit) == places[-1]
    colony.close()


def test_a_closed_colony_s_memory_is_free_at_once() -> None:
    colony = AsCpuColony(makers.uniform(60), AsCpuParameters().resolved(60), 0, threads=2)
    colony.iterate(2)
    trails = weakref.ref(colony._matrices.trails)
    colony.close()
    del colony
    assert trails() is None


def test_too_large_is_said_with_numbers_before_anything_is_allocated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 2**30)
    monkeypatch.setattr(matrix_colony, "build_candidates", None)  # reaching it would be an error
    big = makers.uniform(40_000, size=10**6)
    with pytest.raises(DeviceMemoryError, match=r"matrices.*only 0\.8 GiB.*acs-spm"):
        AsCpuColony(big, AsCpuParameters(ants=10).resolved(big.n), 0, threads=1)
    with pytest.raises(DeviceMemoryError, match=r"tours of the ants.*at most .* ants"):
        AsCpuColony(
            makers.uniform(2000), AsCpuParameters(ants=100_000).resolved(2000), 0, threads=1
        )


def test_what_is_foreseen_is_what_is_allocated() -> None:
    for instance in (makers.uniform(300), makers.directed(200)):
        candidates = build_candidates(instance, 32)
        matrices = as_tables.matrices_of(instance, candidates, 20, 2.0)
        tours = as_tables.tours_of(instance.n, 70, instance.directed)
        needed = as_tables.bytes_needed(instance, 70, 20, 32)
        few = as_tables.tours_of(instance.n, 70, instance.directed, linked=False)
        less = as_tables.bytes_needed(instance, 70, 20, 32, linked=False)
        search = searches.local_search_of(instance, "oropt", 3)
        workspaces = [searches.workspace_of(search, thread) for thread in range(3)]

        def size(arrays: tuple[NDArray[Any], ...]) -> int:
            return sum(array.nbytes for array in arrays)

        assert size(matrices) == needed["matrices of trails and weights"]
        assert size(tours) == needed["tours of the ants"]
        assert size(few) == less["tours of the ants"]
        own = sum(size(workspace[:-2]) for workspace in workspaces)
        found = search.rule.rows.nbytes + size(search[1:]) + own
        assert found == searches.bytes_needed(instance, 3)


def test_one_core_and_all_cores_are_compared_by_the_same_search() -> None:
    """Parameters that only one of them has are left out for the other."""
    among = contenders(("as",), devices.Survey(devices.survey().devices[-2:], "none wanted"))
    assert [one.system.name for one in among] == ["as-cores", "as-seq"]
    given = {"ants": 5, "selection": "stc-roulette", "candidates": 0}
    report = measure(makers.uniform(30), among, given, repeats=1, iterations=10, budget=0)
    cores, one = report.measurements
    assert cores.best_costs == one.best_costs
    assert cores.parameters == one.parameters
    assert one.parameters["selection"] == "stc-roulette"
    assert {cores.search, one.search} == {"as"}
