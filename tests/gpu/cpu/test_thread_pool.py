"""Threads that meet in compiled code."""

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceError
from gpu.cpu import barrier
from gpu.cpu.thread_pool import Team
from tests.gpu.cpu.compiling import caller


@caller
def take_turns(
    gate: NDArray[np.int64], board: NDArray[np.int64], member: int, members: int, rounds: int
) -> int:
    """Each round, write one's own cell; then, when all have, check everybody's. Count mistakes."""
    met, wrong = 0, 0
    for turn in range(1, rounds + 1):
        board[member] = turn
        met += members
        barrier.meet(gate, met)
        for other in range(members):
            if board[other] != turn:
                wrong += 1
        met += members
        barrier.meet(gate, met)
    return wrong


@pytest.mark.parametrize("members", [1, 2, 3, 8])
def test_nobody_passes_before_all_have_arrived(members: int) -> None:
    take_turns(barrier.new_gate(), np.zeros(1, np.int64), 0, 1, 0)  # compile
    team, gate, board = Team(members), barrier.new_gate(), np.zeros(members, np.int64)
    mistakes: list[int] = []
    try:
        team.run(lambda member: mistakes.append(take_turns(gate, board, member, members, 2000)))
    finally:
        team.close()
    assert mistakes == [0] * members


def test_an_error_of_any_member_reaches_the_caller() -> None:
    team = Team(3)

    def work(member: int) -> None:
        if member == 2:
            raise ArithmeticError("member 2")

    with pytest.raises(ArithmeticError, match="member 2"):
        team.run(work)
    team.run(lambda member: None)
    team.close()


def test_a_system_without_threads_is_told_and_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    start, allowed = threading.Thread.start, [2]

    def scarce(thread: threading.Thread) -> None:
        if not allowed[0]:
            raise RuntimeError("can't start new thread")
        allowed[0] -= 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    with pytest.raises(DeviceError, match="grants no 5 threads"):
        Team(5)
