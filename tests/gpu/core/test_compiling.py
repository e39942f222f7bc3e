"""How far a compilation has come, and how one that nobody waits for gives way."""

from __future__ import annotations

import threading

import pytest

from gpu.core.machine.compiling import Compiled, Compiling


def test_functions_are_counted_and_those_that_are_needed() -> None:
    compiling = Compiling()
    compiling.begin(["a", "b"])
    assert compiling.count == (0, 3)
    for part, done in (("a", 1), ("a", 1), ("other", 1), ("b", 2)):  # "a" for several types
        compiling.note_part(part)
        assert compiling.count == (done, 3)
    compiling.end(whole=True)
    compiling.begin(["c"])
    assert compiling.count == (3, 5)


def test_what_is_given_up_is_no_longer_needed() -> None:
    compiling = Compiling()
    compiling.begin(["a", "b"])
    compiling.note_part("a")
    compiling.end()
    compiling.begin([])
    assert compiling.count == (1, 2)


def test_only_who_compiles_ahead_gives_way() -> None:
    compiling = Compiling()
    came: list[str] = []

    def compile_for_a_run() -> None:
        compiling.check()
        came.append("run")

    with compiling.ahead():
        compiling.begin(["a"])
        compiling.check()
        came.append("before")
        compiling.give_way()
        other = threading.Thread(target=compile_for_a_run)
        other.start()
        other.join()
        compiling.check()
        came.append("after")
    assert came == ["before", "run"]
    assert compiling.count is None
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


def test_who_waits_for_another_process_hides_nothing_of_this_one() -> None:
    compiling = Compiling()
    compiling.show(Compiled(7, 9))
    assert compiling.count == (7, 9)
    compiling.begin(["a"])
    assert compiling.count == (0, 2)

    def give_up() -> None:
        with compiling.ahead():
            compiling.check()
        compiling.show(None)

    compiling.give_way()
    waiting = threading.Thread(target=give_up)
    waiting.start()
    waiting.join()
    assert compiling.count == (0, 2)
