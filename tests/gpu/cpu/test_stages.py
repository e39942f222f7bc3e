"""What is known of an iteration under way, and the threads that work on it."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu import catalog
from gpu.core.errors import DeviceError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.cpu import stages
from gpu.cpu.stage_loop import StageLoop, new_barrier, wait
from gpu.cpu.stages import LONGEST_REST, Stage, StagedWork, ThreadPool, WorkerCount, each
from tests.clock import Clock
from tests.gpu.cpu.makers import caller, uniform
from tests.gpu.rlf.literal import random_graph
from tests.waiting import PATIENCE

UNITS = 1_000_000
WAIT = 0.005  # seconds until the threads have begun a slice


class Modelled(StageLoop):
    """A microsecond a unit, and a wait for each slice; the first unit may wait for its memory."""

    def __init__(self, first: float) -> None:
        self._first = first

    def addresses(self, *arguments: Any) -> NDArray[np.int64]:
        return np.zeros(1, np.int64)

    def __call__(self, state: Any, workspace: Any, barrier: Any, task: Any, addresses: Any) -> None:
        state.work(self._first if task.begin == 0 and task.end == 1 else 0.0)
        state.work(WAIT + 1e-6 * (task.end - task.begin))


class Work(StagedWork):
    _run = Modelled(0.0)


class SlowAtFirst(StagedWork):
    _run = Modelled(0.25)


@pytest.mark.parametrize("kind", [Work, SlowAtFirst])
def test_an_iteration_is_not_foreseen_from_waits(
    monkeypatch: pytest.MonkeyPatch, kind: type[StagedWork]
) -> None:
    clock = Clock(monkeypatch, stages)
    work = kind([Stage(0, "construction", each(UNITS))], clock, [None])
    expected = []
    while not work._advance():
        expected.append(work.expected_seconds())
    work.close()
    took = work._duration
    assert took > 1e-6 * UNITS
    assert max(expected) < 1.3 * took  # not the first slice's wait for each of its units
    assert any(one > 0.9 * took for one in expected[: len(expected) // 2])


def busy(threads: int) -> tuple[float, float]:
    """Seconds of an iteration, and the part of them for which a thread has a core."""
    return 0.01 if threads == 1 else 0.5, 0.5


def idle(threads: int) -> tuple[float, float]:
    return 0.01 / threads, 1.0


def work(
    workers: WorkerCount, machine: Callable[[int], tuple[float, float]], seconds: float
) -> int:
    """Let a modelled machine work; the iterations that it makes."""
    made = 0
    while seconds > 0:
        pace, share = machine(workers.now)
        workers.note(1, pace, share * pace)
        seconds -= pace
        made += 1
    return made


def test_an_idle_machine_uses_all_cores_always() -> None:
    workers = WorkerCount(8)
    assert work(workers, idle, 10) == pytest.approx(10 * 8 / 0.01, rel=1e-3)
    assert workers.now == 8


@pytest.mark.parametrize("size", [2, 3, 8])
def test_a_busy_machine_is_left_to_others_but_for_one_core(size: int) -> None:
    workers = WorkerCount(size)
    work(workers, busy, 60)
    assert work(workers, busy, 2 * LONGEST_REST) > 0.95 * 2 * LONGEST_REST / 0.01


def test_cores_that_come_free_are_used_again() -> None:
    workers = WorkerCount(8)
    work(workers, busy, 20)
    work(workers, idle, 2 * LONGEST_REST)
    assert workers.now == 8


def test_one_core_has_no_choice() -> None:
    workers = WorkerCount(1)
    work(workers, busy, 1)
    assert workers.now == 1


@pytest.mark.parametrize(
    ("name", "values", "instance"),
    [
        ("acs-gpu", {"ants": 48}, uniform(40, 1)),
        ("acs-gpu", {"local_search": "2opt"}, uniform(40, 1)),
        ("as-cores", {"local_search": "2opt+oropt"}, uniform(40, 1)),
        ("mmas-cores", {"local_search": "2opt"}, uniform(40, 1)),
        ("aco-rlf-tabu", {"moves": 20}, random_graph(40, 0.5)),
    ],
)
def test_solutions_do_not_depend_on_how_many_work(
    name: str, values: dict[str, object], instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other_count(workers: WorkerCount, iterations: float, wall: float, busy: float) -> None:
        workers.now = workers.now % 3 + 1

    monkeypatch.setattr(stages, "DEALT_FROM", 0.0)  # where ants can be dealt out, they are
    place = devices.find("cpu")
    system = catalog.find(name, place)
    parameters = system.parameters.from_mapping({"ants": 7, **values})
    shots = []
    for cores in (1, 3):
        machine = dataclasses.replace(place, cores=cores)
        colony = catalog.build(system, instance, parameters, machine, 5)
        if cores > 1:
            monkeypatch.setattr(WorkerCount, "note", other_count)
        for _ in range(7):
            colony.iterate(1)
        shots.append(colony.snapshot(Wanted.EVERYTHING))
        colony.close()
    one, other = shots
    assert (one.best_cost, one.iteration_mean) == (other.best_cost, other.iteration_mean)
    assert one.moves == other.moves
    for part in ("best_solution", "iteration_solution", "built_solution", "pheromone"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)


class FirstWaits(StageLoop):
    """Whoever has the first portion does not come back before all others are done."""

    def __init__(self) -> None:
        self.others = threading.Event()
        self.done: list[int] = []

    def addresses(self, *arguments: Any) -> NDArray[np.int64]:
        return np.zeros(1, np.int64)

    def __call__(self, state: Any, workspace: Any, barrier: Any, task: Any, addresses: Any) -> None:
        if not task.iterations:  # it is only compiled
            return
        assert workspace == task.thread
        if task.thread == 0:
            assert self.others.wait(PATIENCE)
        self.done.append(task.thread)
        if len(self.done) == task.threads - 1:
            self.others.set()


class Dealt(StagedWork):
    _run = FirstWaits()


def test_a_slow_thread_leaves_portions_to_the_others() -> None:
    work = Dealt([Stage(0, "construction", each(1))], None, list(range(8)), threads=2)
    work.iterate(1)
    work.close()
    assert Dealt._run.done == [1, 2, 3, 4, 5, 6, 7, 0]


@caller
def take_turns(
    barrier: NDArray[np.int64], board: NDArray[np.int64], thread: int, threads: int, rounds: int
) -> int:
    """Each round, write one's own cell; then, when all have, check everybody's. Count mistakes."""
    wrong = 0
    for turn in range(1, rounds + 1):
        board[thread] = turn
        wait(barrier, threads)
        for other in range(threads):
            if board[other] != turn:
                wrong += 1
        wait(barrier, threads)
    return wrong


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_nobody_passes_before_all_have_arrived(threads: int) -> None:
    take_turns(new_barrier(), np.zeros(1, np.int64), 0, 1, 0)  # compile
    pool, barrier, board = ThreadPool(threads), new_barrier(), np.zeros(threads, np.int64)
    mistakes: list[int] = []
    try:
        pool.run(
            lambda thread: mistakes.append(take_turns(barrier, board, thread, threads, 2000)),
            threads,
        )
    finally:
        pool.close()
    assert mistakes == [0] * threads


def test_an_error_of_any_thread_reaches_the_caller() -> None:
    pool = ThreadPool(3)

    def work(thread: int) -> None:
        if thread == 2:
            raise ArithmeticError("thread 2")

    with pytest.raises(ArithmeticError, match="thread 2"):
        pool.run(work, 3)
    pool.run(lambda thread: None, 3)
    pool.close()


def test_a_system_without_threads_is_told_and_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    start, allowed = threading.Thread.start, [2]

    def scarce(thread: threading.Thread) -> None:
        if not allowed[0]:
            raise RuntimeError("can't start new thread")
        allowed[0] -= 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    with pytest.raises(DeviceError, match="grants no 5 threads"):
        ThreadPool(5)
