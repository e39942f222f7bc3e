"""The colonies on the CPU in use: batches, interruptions, threads, snapshots, memory."""

import itertools
import threading
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.acs.cpu import colony as acs
from gpu.acs.cpu import colony as iteration
from gpu.acs.cpu.colony import AcsCpuColony
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.errors import DeviceMemoryError, WrongSolutionError
from gpu.core.snapshot import Wanted
from gpu.cpu import main_memory as memory
from gpu.cpu.stages import WorkerCount
from tests.gpu.cpu import makers

Way = dict[str, Any]

pytestmark = pytest.mark.usefixtures("threads_even_for_few_ants")


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


def test_short_iterations_do_not_ask(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.cpu.stages.SLICE_SECONDS", 60.0)
    colony = AcsCpuColony(makers.uniform(20), AcsParameters().resolved(20), 5, **way)
    colony.iterate(4, stop=lambda: True)
    assert colony.snapshot(Wanted.NUMBERS).iteration == 4
    colony.iterate(0)
    assert colony.snapshot(Wanted.NUMBERS).iteration == 4
    colony.close()


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
    run: Any = iteration.run
    compiled = set(run.signatures)
    for parameters, instance in (
        (AcsParameters(), makers.directed(9)),
        (SpmParameters(candidates=1), makers.uniform(40)),
    ):
        colony = AcsCpuColony(
            instance, parameters.resolved(instance.n), 1, threads=2, stepwise=True
        )
        colony.iterate(1)
        colony.close()
    assert set(run.signatures) == compiled


def test_two_colonies_at_once() -> None:
    """Colonies of two Python threads, each with threads of its own, do not disturb each other."""
    instance = makers.uniform(80)
    alone = AcsCpuColony(
        instance, AcsParameters().resolved(instance.n), 0, threads=2, stepwise=True
    )
    alone.iterate(30)
    expected = best_tour(alone)
    alone.close()
    found: list[NDArray[np.int32]] = []

    def solve() -> None:
        colony = AcsCpuColony(
            instance, AcsParameters().resolved(instance.n), 0, threads=2, stepwise=True
        )
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
