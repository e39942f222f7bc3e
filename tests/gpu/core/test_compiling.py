"""How far a compilation has come, and how one that nobody waits for gives way."""

from __future__ import annotations

import threading

import pytest

from gpu.core.machine.compiling import LARGE, LAST, Compiling


def test_the_share_grows_with_the_parts() -> None:
    compiling = Compiling()
    compiling.begin(LARGE)
    assert compiling.share == 0
    for _ in range(LARGE // 2):
        compiling.note_part()
    assert compiling.share == pytest.approx((1 - LAST) / 2)
    for _ in range(LARGE):  # for several types each
        compiling.note_part()
    assert compiling.share == pytest.approx(1 - LAST)
    compiling.end()
    assert compiling.share is None


def test_of_few_parts_none_is_told() -> None:
    compiling = Compiling()
    compiling.begin(LARGE - 1)
    compiling.note_part()
    assert compiling.share == 0


def test_only_who_compiles_ahead_gives_way() -> None:
    compiling = Compiling()
    came: list[str] = []

    def compile_for_a_run() -> None:
        compiling.check()
        came.append("run")

    with compiling.ahead():
        compiling.begin(LARGE)
        compiling.check()
        came.append("before")
        compiling.give_way()
        other = threading.Thread(target=compile_for_a_run)
        other.start()
        other.join()
        compiling.check()
        came.append("after")
    assert came == ["before", "run"]
    assert compiling.share is None
    compile_for_a_run()
    assert came[2:] == ["run"]


def test_each_thread_stops_when_it_should() -> None:
    compiling = Compiling()
    parts: list[int] = []
    with compiling.until(lambda: len(parts) == 3):
        other = threading.Thread(target=compiling.give_way)  # it means what is compiled ahead
        other.start()
        other.join()
        for part in range(9):
            compiling.check()
            parts.append(part)
    assert parts == [0, 1, 2]
    compiling.check()


def test_after_a_run_has_begun_nothing_is_compiled_ahead() -> None:
    compiling = Compiling()
    compiling.give_way()
    with compiling.ahead():
        compiling.check()
        pytest.fail("it goes on")
