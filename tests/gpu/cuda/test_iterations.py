"""Iterations of a colony: left in their midst, timed, from a graph or launch by launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager

import numpy as np
import pytest

from gpu import catalog
from gpu.ant_system.cuda import colony as as_updates
from gpu.ant_system.parameters import AsCudaParameters, AsGroupParameters
from gpu.core.colony import Foreseeing
from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from gpu.core.system import System
from gpu.cuda import iterations
from gpu.cuda.colony import DeviceColony
from gpu.cuda.machine import Launch
from tests import digests
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import scattered
from tests.gpu.ant_system.colonies import assert_same, emulated

pytestmark = [needs_emulation, pytest.mark.timeout(300)]


def every(period: int) -> Callable[[], bool]:
    """Says True every so many times that it is asked."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked % period == 0

    return stop


@pytest.mark.parametrize("update", ["atomic", "gather"])
@pytest.mark.parametrize("stop", [lambda: True, every(3)], ids=["always", "now and then"])
def test_an_iteration_left_in_its_midst_is_gone_on_with(
    update: str, stop: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(as_updates, "LOOKS_A_LAUNCH", 2_000)
    instance, parameters = scattered(24), AsCudaParameters(update=update, ants=12)
    with (
        emulated(instance, parameters, milliseconds=60.0) as left,
        emulated(instance, parameters) as whole,
    ):
        calls = 0
        for iteration in range(2):
            before = whole.snapshot(Wanted.EVERYTHING)
            while (shown := left.snapshot(Wanted.EVERYTHING)).iteration == iteration:
                assert_same(shown, before)
                left.iterate(1, stop)
                calls += 1
            whole.iterate(1)
            assert_same(shown, whole.snapshot(Wanted.EVERYTHING))
        assert calls > 3


def test_an_iteration_is_foreseen_from_the_launches_that_were_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(as_updates, "LOOKS_A_LAUNCH", 2_000)
    parameters = AsCudaParameters(update="gather", ants=12)
    with emulated(scattered(30), parameters, milliseconds=60.0) as colony:
        assert isinstance(colony, Foreseeing)
        expected = []
        while colony.snapshot(Wanted.NUMBERS).iteration == 0:
            expected.append(colony.expected_seconds())
            colony.iterate(1, lambda: True)
        assert colony.expected_seconds() == 0  # nothing of the next one is measured
        launches = [len(each) for each in colony.phases.values()]
    assert launches[-1] > 1
    assert expected[0] == 0
    assert expected == sorted(expected)
    assert expected[-1] == pytest.approx(0.06 * sum(launches))
    assert len(expected) == sum(launches)  # it was known before the last of them ran


@pytest.mark.parametrize("by_iterating", [False, True])
def test_the_time_between_two_calls_is_no_time_of_a_phase(by_iterating: bool) -> None:
    with emulated(scattered(20), milliseconds=60.0) as colony:
        colony.iterate(2, every(4))
        assert colony.snapshot(Wanted.EVERYTHING).iteration == 1  # whose pictures take time
        if by_iterating:
            colony.iterate(1)
        times = colony.snapshot(Wanted.NUMBERS).phases if by_iterating else colony.timed_iteration()
        assert colony.snapshot(Wanted.NUMBERS).iteration == 2
        assert times == {"choice info": 60.0, "construction": 60.0, "update": 120.0}
        assert colony.snapshot(Wanted.NUMBERS).phases == times


@pytest.mark.parametrize(("milliseconds", "long"), [(1.0, False), (15.0, True)])
def test_short_iterations_run_from_the_graph_and_long_ones_by_launches(
    milliseconds: float, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with emulated(scattered(10), milliseconds=milliseconds) as colony:
        colony.iterate(1)
        asked: list[int] = []
        monkeypatch.setattr(colony._iterations, "_graph", asked.append)
        colony.iterate(3)
        assert asked == ([] if long else [3])
        assert colony.snapshot(Wanted.NUMBERS).iteration == (4 if long else 1)


def test_a_short_iteration_is_not_left_in_its_midst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterations, "PHASE_PERIOD", 0.0)  # each one is timed phase by phase
    with emulated(scattered(10), milliseconds=1.0) as colony:
        colony.iterate(1)
        colony.iterate(1, lambda: True)
        assert colony.snapshot(Wanted.NUMBERS).iteration == 2


def test_an_iteration_of_very_many_launches_has_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterations, "GRAPH_LAUNCHES", 3)
    with emulated(scattered(10)) as many, emulated(scattered(10), AsCudaParameters()) as usual:
        assert many._iterations._graph is None
        many.iterate(3)
        usual.iterate(3)
        one, other = many.snapshot(Wanted.SOLUTION), usual.snapshot(Wanted.SOLUTION)
        np.testing.assert_array_equal(one.best_solution, other.best_solution)


def test_launches_that_are_made_on_demand_are_not_made_in_advance() -> None:
    made = []

    def make(number: int) -> Launch:
        made.append(number)
        return launch

    with emulated(scattered(10)) as colony:
        launch = colony.phases["update"][0]
        pieces = iterations.Pieces(as_updates.LaunchesOnDemand(10**6, make))
        assert len(pieces) == 10**6
        assert not made
        assert pieces.between(10**6 - 2, 10**6) == [launch, launch]
        assert made == [10**6 - 2, 10**6 - 1]


def test_launches_of_a_long_phase_go_in_growing_batches() -> None:
    next_size = iterations._next_size
    with emulated(scattered(10), AsGroupParameters()) as colony:
        assert [next_size(size, size, 1.0) for size in (1, 2, 3000)] == [2, 4, 4096]
        assert [next_size(size, size, 101.0) for size in (1, 2, 7)] == [1, 1, 3]
        assert next_size(5, 5, 70.0) == 5
        assert next_size(5, 2, 1.0) == 5  # the last ones of a phase are fewer
        assert next_size(4, 8, 101.0) == 4  # it was in flight when the size was halved
        assert len(colony.phases["update"]) == 2


def test_one_batch_is_in_flight_where_a_piece_takes_long() -> None:
    for milliseconds, most in ((60.0, 2), (120.0, 1)):
        with emulated(scattered(10), AsGroupParameters(), milliseconds=milliseconds) as colony:
            colony.iterate(1)
            colony.iterate(1)
            assert len(colony._iterations._flying) == most


CASES = [  # all kernels in which ants build solutions or improve them
    *(("acs-gpu-alt", search) for search in ("none", "2opt+oropt")),
    *(("acs-gpu-spm", search) for search in ("none", "2opt")),
    ("acs-gpu", "none"),
    ("as-task", "none"),
    ("as-data", "none"),
    ("as-st-dynamic", "none"),
    ("mmas-rwm-bt", "none"),
    ("mmas-wrs-lc", "none"),
    *(("mmas-rwm-bt-cl", search) for search in ("none", "oropt")),
    ("aco-rlf-prefix", ""),
]
INSTANCES: Mapping[Problem, Instance] = {
    Problem.TSP: scattered(34),
    Problem.COLORING: digests.graph(34, 0.5, 1),
}
SMALL = {"multiprocessors": 1, "resident": 1, "shared_limit": 16 << 10}
"""A GPU that holds one block."""


@contextmanager
def colony_of(system: System, milliseconds: float, **values: object) -> Iterator[DeviceColony]:
    parameters = system.parameters.from_mapping({"ants": 40, **values})
    with digests.emulated(**SMALL, milliseconds=milliseconds) as device:
        colony = catalog.build(system, INSTANCES[system.problem], parameters, device, 5)
    assert isinstance(colony, DeviceColony)
    with closing(colony):
        yield colony


@pytest.mark.parametrize(("name", "search"), CASES)
def test_an_iteration_in_parts_is_the_same_iteration(name: str, search: str) -> None:
    system = next(one for one in catalog.CATALOG if one.name == name)
    values = {"local_search": search} if search else {}
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return True

    with colony_of(system, 0.0, **values) as whole, colony_of(system, 60.0, **values) as parts:
        launches = sum(not one.followed for each in parts.phases.values() for one in each)
        for iteration in (1, 2):
            whole.iterate(1)
            while (shown := parts.snapshot(Wanted.EVERYTHING)).iteration < iteration:
                parts.iterate(1, stop)
            if system.deterministic:
                assert_same(shown, whole.snapshot(Wanted.EVERYTHING))
        parts.iterate(1)
        assert parts.snapshot(Wanted.NUMBERS).iteration == 3  # nothing of the second was left over
    assert asked // 2 + 1 > launches  # it is asked between two pieces of an iteration
