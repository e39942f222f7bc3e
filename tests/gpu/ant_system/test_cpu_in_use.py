"""The Ant System on the CPU in use: batches, interruptions, threads, memory."""

import weakref
from typing import Any

import pytest
from numpy.typing import NDArray

from gpu.ant_system import cpu as as_iteration
from gpu.ant_system.cpu import AsCpuColony
from gpu.ant_system.parameters import AsCpuParameters
from gpu.batch.speedup import contenders, measure
from gpu.construction import cpu as as_tables
from gpu.construction import cpu as matrix_colony
from gpu.core.errors import DeviceMemoryError
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.cpu import main_memory as memory
from gpu.local_search import cpu as searches
from gpu.problems.tsp.neighbours import build_candidates
from tests.gpu.cpu import makers


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


def test_the_first_colony_compiles_for_all() -> None:
    AsCpuColony(makers.uniform(3), AsCpuParameters().resolved(3), 0, threads=1).close()
    run: Any = as_iteration.run
    compiled = set(run.signatures)
    for change, instance in (
        ({"selection": "i-roulette"}, makers.directed(9)),
        ({"candidates": 32, "alpha": 1.5}, makers.uniform(40)),
    ):
        colony = AsCpuColony(instance, AsCpuParameters(**change).resolved(instance.n), 1, threads=2)
        colony.iterate(2)
        colony.close()
    assert set(run.signatures) == compiled


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
