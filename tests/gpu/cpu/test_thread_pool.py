"""Threads that wait for each other in compiled code."""

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceError
from gpu.cpu.stage_loop import new_barrier, wait
from gpu.cpu.stages import ThreadPool
from tests.gpu.cpu.compiling import caller


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
