"""The colonies on the CPU in use: batches, interruptions, threads, snapshots, memory."""

import itertools
import threading
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.acs.cpu import colony as acs
from gpu.acs.cpu import iteration
from gpu.acs.cpu.colony import AcsCpuColony
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.errors import DeviceError, DeviceMemoryError, WrongSolutionError
from gpu.core.snapshot import Snapshot, Wanted
from gpu.cpu import main_memory as memory
from gpu.cpu.worker_count import WorkerCount
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu import makers
from tests.gpu.cpu.agreement import close, interrupt

Way = dict[str, Any]

pytestmark = pytest.mark.usefixtures("threads_even_for_few_ants")


def best_tour(colony: AcsCpuColony) -> NDArray[np.int32]:
    tour = colony.snapshot(Wanted.SOLUTION).best_solution
    assert tour is not None
    return tour


def arrays(snapshot: Snapshot) -> list[NDArray[Any]]:
    """Every array of a snapshot that wanted everything."""
    assert snapshot.trails is not None
    found = [snapshot.best_solution, snapshot.iteration_solution, snapshot.pheromone]
    found += [snapshot.trails.edges, snapshot.trails.strength]
    assert all(array is not None for array in found)
    return [array for array in found if array is not None]


def test_same_seed_same_run_whatever_the_number_of_threads() -> None:
    instance = makers.uniform(120, seed=6)
    for parameters in (AcsParameters(), SpmParameters()):
        seen = []
        for threads in (1, 2, 5):
            colony = AcsCpuColony(instance, parameters, 11, threads=threads, stepwise=True)
            colony.iterate(20)
            seen.append((best_tour(colony).tobytes(), colony))
            colony.close()
        assert len({tour for tour, _ in seen}) == 1
        for other in seen[1:]:
            np.testing.assert_array_equal(
                other[1]._edges.trails.listed, seen[0][1]._edges.trails.listed
            )
    again = AcsCpuColony(instance, AcsParameters(), 12, threads=1, stepwise=True)
    again.iterate(20)
    assert best_tour(again).tobytes() != seen[0][0]
    again.close()


def test_iterations_in_batches_are_the_same_iterations(way: Way) -> None:
    instance = makers.uniform(40)
    lengths = []
    for batches in ([9], [1] * 9, [4, 0, 5]):
        colony = AcsCpuColony(instance, SpmParameters(), 5, **way)
        for count in batches:
            colony.iterate(count)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        lengths.append((snapshot.iteration, snapshot.iteration_mean, snapshot.best_cost))
        colony.close()
    assert lengths[0] == lengths[1] == lengths[2]


def test_a_long_iteration_can_be_stopped_in_its_midst_and_gone_on_with(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.cpu.stages.SLICE", 0.0)  # a step a slice
    instance = makers.uniform(50)
    at_once = AcsCpuColony(instance, SpmParameters(), 5, **way)
    at_once.iterate(3)
    expected = at_once.snapshot(Wanted.EVERYTHING)
    at_once.close()
    colony = AcsCpuColony(instance, SpmParameters(), 5, **way)
    colony.iterate(1)
    first = colony.snapshot(Wanted.EVERYTHING)
    asked = iter(range(10**6))
    colony.iterate(5, stop=lambda: next(asked) >= 2)
    assert next(asked) == 3
    stopped = colony.snapshot(Wanted.EVERYTHING)
    assert stopped.iteration == 1
    assert first.branching is not None
    assert stopped.branching is None  # trails are not those of any iteration
    assert stopped.iteration_solution is not None
    assert first.iteration_solution is not None
    np.testing.assert_array_equal(stopped.iteration_solution, first.iteration_solution)
    colony.iterate(1, stop=lambda: True)
    colony.iterate(2)
    snapshot = colony.snapshot(Wanted.EVERYTHING)
    assert snapshot.iteration == 3
    assert snapshot.best_cost == expected.best_cost
    assert snapshot.iteration_mean == expected.iteration_mean
    assert snapshot.updates == expected.updates
    assert snapshot.pheromone is not None
    assert expected.pheromone is not None
    np.testing.assert_array_equal(snapshot.pheromone, expected.pheromone)
    colony.close()


def test_a_short_iteration_is_not_left_in_its_midst(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A selective memory would be seen without the best tour's trails, now and then."""
    monkeypatch.setattr("gpu.cpu.stages.GROWTH", 1)  # a unit of work a slice
    monkeypatch.setattr(WorkerCount, "note", lambda *_: None)  # all threads work
    with closing(AcsCpuColony(makers.uniform(50), SpmParameters(), 5, **way)) as colony:
        colony.iterate(2)
        slices: list[None] = []
        work = colony._work

        def note(*arguments: Any) -> None:
            slices.append(None)
            work(*arguments)

        monkeypatch.setattr(colony, "_work", note)
        colony.timed_iteration()
        # A clock by which an iteration takes three quarters of what a slice may.
        monkeypatch.setattr("gpu.cpu.stages.SLICE", len(slices) / 0.75)
        monkeypatch.setattr("gpu.cpu.stages.time.perf_counter", itertools.count().__next__)
        colony.iterate(1, stop=lambda: True)
        assert not colony.midway
        assert colony.snapshot(Wanted.NUMBERS).iteration == 4
        monkeypatch.setattr("gpu.cpu.stages.SLICE", len(slices) / 8)  # and a longer one
        colony.iterate(1, stop=lambda: True)
        assert colony.midway


def test_short_iterations_do_not_ask(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.cpu.stages.SLICE", 60.0)
    colony = AcsCpuColony(makers.uniform(20), AcsParameters(), 5, **way)
    colony.iterate(4, stop=lambda: True)
    assert colony.snapshot(Wanted.NUMBERS).iteration == 4
    colony.iterate(0)
    assert colony.snapshot(Wanted.NUMBERS).iteration == 4
    colony.close()


@pytest.mark.parametrize("instance", [makers.ring(24), makers.grid(6, 4)], ids=["ring", "grid"])
@pytest.mark.parametrize("parameters", [AcsParameters(q0=0.9), SpmParameters(q0=0.9)], ids=str)
def test_provable_optimum_is_found(
    instance: TspInstance, parameters: AcsParameters, way: Way
) -> None:
    """By one of three seeds: with a selective memory, 38 of 40 find it on the grid, not the first.

    Where many distances are equal, all ants may agree on a tour that is not the best.
    """
    assert min(best_of(instance, parameters, seed, way) for seed in (1, 2, 3)) == instance.optimum


def best_of(instance: TspInstance, parameters: AcsParameters, seed: int, way: Way) -> int:
    """Return the length of the best tour after 400 iterations."""
    with closing(AcsCpuColony(instance, parameters, seed, **way)) as colony:
        colony.iterate(400)
        return colony.snapshot(Wanted.SOLUTION).cost


def test_before_the_first_iteration_nothing_is_claimed() -> None:
    for parameters in (AcsParameters(), SpmParameters()):
        colony = AcsCpuColony(makers.uniform(12), parameters, 0, threads=1, stepwise=False)
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        assert snapshot.iteration == snapshot.solutions_built == 0
        assert snapshot.best_cost is snapshot.iteration_best is None
        assert snapshot.best_solution is None
        assert snapshot.iteration_solution is None
        np.testing.assert_array_equal(snapshot.pheromone, np.ones((12, 12)))
        assert snapshot.trails is not None
        assert snapshot.trails.edges.shape == (0, 2)
        assert snapshot.branching == 11
        colony.close()


def test_a_snapshot_has_what_is_wanted_and_no_more() -> None:
    colony = AcsCpuColony(makers.uniform(12), SpmParameters(), 0, threads=1, stepwise=False)
    colony.iterate(2)
    fields = {
        Wanted.SOLUTION: "best_solution",
        Wanted.ITERATION_SOLUTION: "iteration_solution",
        Wanted.PHEROMONE: "pheromone",
        Wanted.TRAILS: "trails",
        Wanted.BRANCHING: "branching",
    }
    for wanted in (Wanted.NUMBERS, *fields):
        snapshot = colony.snapshot(wanted)
        assert {flag for flag, name in fields.items() if getattr(snapshot, name) is not None} == (
            {wanted} if wanted else set()
        )
        assert set(snapshot.phases) == {"construction", "update"}
        assert all(time > 0 for time in snapshot.phases.values())
    colony.close()


def test_a_snapshot_is_a_copy_that_cannot_be_written() -> None:
    colony = AcsCpuColony(makers.uniform(30), AcsParameters(), 0, threads=1, stepwise=False)
    colony.iterate(1)
    snapshot = colony.snapshot(Wanted.EVERYTHING)
    before = [array.copy() for array in arrays(snapshot)]
    colony.iterate(50)
    for array, kept in zip(arrays(snapshot), before, strict=True):
        np.testing.assert_array_equal(array, kept)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    colony.close()


def test_a_wrong_length_is_never_shown() -> None:
    colony = AcsCpuColony(makers.uniform(12), AcsParameters(), 0, threads=1, stepwise=False)
    colony.iterate(1)
    colony._record.numbers[1] += 1
    with pytest.raises(WrongSolutionError, match="reported a tour of length"):
        colony.snapshot(Wanted.SOLUTION)
    colony.close()


def test_closing_ends_the_threads_and_the_colony() -> None:
    close(AcsCpuColony(makers.uniform(60), AcsParameters(), 0, threads=4, stepwise=True))


def test_an_interrupt_between_two_slices_leaves_no_thread_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    colony = AcsCpuColony(makers.uniform(60), AcsParameters(), 0, threads=3, stepwise=True)
    interrupt(monkeypatch, colony)
    with pytest.raises(DeviceError, match="closed"):
        colony.iterate(1)


def test_the_first_colony_compiles_for_all() -> None:
    AcsCpuColony(makers.uniform(3), AcsParameters(), 0, threads=1, stepwise=False).close()
    run: Any = iteration.run
    compiled = set(run.signatures)
    for parameters, instance in (
        (AcsParameters(), makers.directed(9)),
        (SpmParameters(candidates=1), makers.uniform(40)),
    ):
        colony = AcsCpuColony(instance, parameters, 1, threads=2, stepwise=True)
        colony.iterate(1)
        colony.close()
    assert set(run.signatures) == compiled


def test_two_colonies_at_once() -> None:
    """Colonies of two Python threads, each with threads of its own, do not disturb each other."""
    instance = makers.uniform(80)
    alone = AcsCpuColony(instance, AcsParameters(), 0, threads=2, stepwise=True)
    alone.iterate(30)
    expected = best_tour(alone)
    alone.close()
    found: list[NDArray[np.int32]] = []

    def solve() -> None:
        colony = AcsCpuColony(instance, AcsParameters(), 0, threads=2, stepwise=True)
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
        AcsCpuColony(big, AcsParameters(ants=10), 0, threads=1, stepwise=False)
    with pytest.raises(DeviceMemoryError, match=r"tours of the ants.*at most .* ants"):
        AcsCpuColony(big, SpmParameters(), 0, threads=1, stepwise=False)
