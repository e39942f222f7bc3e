"""What every colony of the catalog keeps to on the CPU, whatever its family."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.problem import Problem
from gpu.core.snapshot import Snapshot, Wanted
from gpu.cpu.colony import CpuColony
from gpu.cpu.stages import WorkerCount
from tests.gpu.cpu import makers
from tests.gpu.cpu.agreement import close, interrupt
from tests.gpu.rlf.literal import random_graph

NAMES = [
    (system.name, place)
    for system in catalog.CATALOG
    for place in ("cpu:1", "cpu")
    if place in system.builders
]
MERGING = ("focused", "crossing", "faco")
"""Families that need many cities to be at work in several places at once."""

FIELDS = {
    Wanted.SOLUTION: "best_solution",
    Wanted.ITERATION_SOLUTION: "iteration_solution",
    Wanted.PHEROMONE: "pheromone",
    Wanted.TRAILS: "trails",
    Wanted.BRANCHING: "branching",
}


@dataclasses.dataclass(frozen=True)
class Maker:
    """Builds colonies of one system at one place; those of ``cpu:1`` have one thread."""

    name: str
    place: str

    @property
    def instance(self) -> Instance:
        system = catalog.named(self.name)
        if system.problem is Problem.COLORING:
            return random_graph(30, 0.5, seed=4)
        return makers.uniform(1200 if system.alias in MERGING else 40, size=10_000)

    def __call__(
        self, threads: int = 1, seed: int = 5, instance: Instance | None = None
    ) -> CpuColony:
        system = catalog.named(self.name)
        cores = threads if self.place == "cpu" else 1
        device = dataclasses.replace(devices.find(self.place), cores=cores)
        parameters = system.parameters.from_mapping(
            {"ants": 12} if system.problem is Problem.COLORING else {}
        )
        colony = catalog.build(system, instance or self.instance, parameters, device, seed)
        assert isinstance(colony, CpuColony)
        return colony


@pytest.fixture(params=NAMES, ids="-on-".join)
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Maker:
    monkeypatch.setattr("gpu.acs.cpu.colony.ANTS_PER_THREAD", 1)  # threads even for few ants
    return Maker(*request.param)


def told(colony: CpuColony) -> list[Any]:
    """All that a colony tells of its run."""
    shot = colony.snapshot(Wanted.EVERYTHING)
    trails = [colony.trails_from(city).tobytes() for city in (0, 7, 29)]
    numbers = [shot.iteration, shot.best_cost, shot.best_iteration, shot.updates, shot.branching]
    history = [shot.history.best.tobytes(), shot.history.mean.tobytes()]
    return [*numbers, *history, *trails, *(array.tobytes() for array in arrays(shot))]


def arrays(shot: Snapshot) -> list[np.ndarray[Any, Any]]:
    found = [shot.best_solution, shot.iteration_solution, shot.pheromone]
    found += [shot.trails.edges, shot.trails.strength]
    return [array for array in found if array is not None]


def test_the_same_seed_gives_the_same_run_however_it_is_run(make: Maker) -> None:
    seen = []
    for threads, batches in ((1, [6]), (2, [4, 0, 2]), (5, [1] * 6)):
        with closing(make(threads)) as colony:
            for count in batches:
                colony.iterate(count)
            seen.append(told(colony))
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0][5]) == 6 * 8  # of every iteration its best
    with closing(make(seed=2**64 - 1)) as other:
        other.iterate(6)
        assert told(other) != seen[0]


def test_an_iteration_can_be_left_anywhere_and_gone_on_with(
    make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it is whole the colony shows what the one before has found."""
    monkeypatch.setattr("gpu.cpu.stages.SLICE_SECONDS", 0.0)  # a unit of work a slice
    monkeypatch.setattr(WorkerCount, "note", lambda *_: None)  # all threads work
    with closing(make(3)) as whole, closing(make(3)) as left:
        whole.iterate(3)
        left.iterate(1)
        first, stops = left.snapshot(Wanted.ITERATION_SOLUTION), 0
        while (shot := left.snapshot(Wanted.EVERYTHING)).iteration == 1:
            np.testing.assert_array_equal(shot.iteration_solution, first.iteration_solution)
            left.iterate(5, stop=lambda: True)
            stops += 1
        assert stops > 1
        while left.midway or left.snapshot(Wanted.NUMBERS).iteration < 3:
            left.iterate(1)
        assert told(left) == told(whole)


def test_before_the_first_iteration_nothing_is_claimed(make: Maker) -> None:
    with closing(make()) as colony:
        shot = colony.snapshot(Wanted.EVERYTHING)
    assert shot.iteration == shot.solutions_built == shot.best_iteration == 0
    assert shot.best_cost is shot.iteration_best is None
    assert shot.best_solution is shot.iteration_solution is None
    assert shot.phases == {}
    if not make.name.startswith("faco"):  # whose trails are those of its first tour
        assert shot.trails.edges.shape == (0, 2)


def test_a_snapshot_is_a_copy_of_what_is_wanted_and_no_more(make: Maker) -> None:
    with closing(make()) as colony:
        times = colony.timed_iteration()
        assert all(time >= 0 for time in times.values())
        shot = colony.snapshot(Wanted.EVERYTHING)
        assert (shot.iteration, shot.phases) == (1, times)
        has = {flag for flag, name in FIELDS.items() if getattr(shot, name) is not None}
        for wanted in (Wanted.NUMBERS, *FIELDS):
            part = colony.snapshot(wanted)
            shown = {flag for flag, name in FIELDS.items() if getattr(part, name) is not None}
            assert shown == {wanted} & has
        before = [array.copy() for array in arrays(shot)]
        colony.iterate(3)
    for array, kept in zip(arrays(shot), before, strict=True):
        np.testing.assert_array_equal(array, kept)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_closing_ends_the_threads_and_the_colony(make: Maker) -> None:
    if make.place == "cpu":
        close(make(4))


def test_an_interrupt_leaves_no_thread_waiting(
    make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    if make.place == "cpu":
        interrupt(monkeypatch, make(3))


def test_a_provable_optimum_is_found(make: Maker) -> None:
    """By one of three seeds: where many distances are equal, all ants may agree on another tour."""
    ring = makers.ring(24)
    if catalog.named(make.name).problem is not Problem.TSP:
        return
    found = []
    for seed in (1, 2, 3):
        with closing(make(seed=seed, instance=ring)) as colony:
            colony.iterate(200)
            found.append(colony.snapshot(Wanted.SOLUTION).best_cost)
    assert min(found) == ring.optimum
