"""How far a compilation has come, and the process that compiles."""

from __future__ import annotations

import errno
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu.core.machine.compiling import (
    COMPILING,
    Compiled,
    Compiling,
    CompilingProcess,
    CompilingProcesses,
)
from tests.waiting import until


def test_functions_are_counted_and_those_that_are_needed() -> None:
    compiling = Compiling()
    compiling.begin(["a", "b"])
    assert compiling.count == Compiled(0, 3)
    for part, done in (("a", 1), ("a", 1), ("other", 1), ("b", 2)):  # "a" for several types
        compiling.note_part(part)
        assert compiling.count == Compiled(done, 3)
    compiling.end()
    assert compiling.count is None
    compiling.begin(["c"])
    assert compiling.count == Compiled(0, 2)


def test_the_whole_of_what_is_shared_out_never_changes() -> None:
    compiling = Compiling()
    compiling.share(10, 14.0)
    compiling.share(30)
    counts = [compiling.count]

    def work() -> None:
        with compiling.work(30):
            counts.append(compiling.count)
            compiling.show(Compiled(5, 10))  # fewer are left there: a half of them is done
            counts.append(compiling.count)
            compiling.show(None)

    with compiling.work(10):
        compiling.begin(["a"])
        compiling.note_part("a")
        other = threading.Thread(target=work)
        other.start()
        other.join()
        compiling.end()
        counts.append(compiling.count)
    assert counts == [(0, 40, 14.0), (5, 40, 14.0), (20, 40, 14.0), (30, 40, 14.0)]
    assert compiling.count is None
    compiling.share(2)
    assert compiling.count == Compiled(0, 2)  # nothing of what was before


def test_what_is_given_up_is_no_longer_needed() -> None:
    compiling = Compiling()
    compiling.begin(["a", "b"])
    compiling.note_part("a")
    compiling.end()
    compiling.begin([])
    assert compiling.count == Compiled(0, 1)


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
    assert compiling.count == Compiled(7, 9)
    compiling.begin(["a"])
    assert compiling.count == Compiled(7, 11)

    def give_up() -> None:
        with compiling.ahead():
            compiling.check()
        compiling.show(None)

    compiling.give_way()
    waiting = threading.Thread(target=give_up)
    waiting.start()
    waiting.join()
    assert compiling.count == Compiled(0, 2)


ROOT = Path(__file__).parents[3]

STAGES = """
from gpu.cpu.stage_loop import loop_over

@loop_over((0,), (1,))
def run(state, workspace, barrier, task, stage):
    state[stage] += 1
"""

PROGRAM = """
import sys
import numpy as np
from gpu.core.machine.compiling import COMPILING
from gpu.core.machine.compiling import CompilingProcess
from gpu.cpu.stage_loop import StageTask, new_barrier
from gpu.drawing.spring import _relax
from stages import run

if __name__ == "__main__":
    begun = []
    COMPILING.begin = begun.append  # called where something is compiled in this process
    process = CompilingProcess()
    asked = []
    COMPILING.elsewhere = lambda *work: asked.append(work) or process.do(*work)
    if len(sys.argv) > 1:
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
    places, pairs, ones = np.zeros((2, 2)), np.array([[0, 1]], np.int32), np.ones(1)
    _relax(places, pairs, ones, ones, np.array([0]), 0.5)
    counts = np.zeros(2, np.int64)
    task = StageTask(0, 1, 3, 2, 0, 1)
    addresses = run.addresses((0, 1), counts, ones, new_barrier(), task)
    run(counts, ones, new_barrier(), task, addresses)
    process.end()
    hits = (sum(one.stats.cache_hits.values()) for one in (_relax, run._loop))
    print(counts, len(asked), len(begun), *hits)
"""


def note(path: str, after: str = "/") -> None:
    """Wait until there is something ``after``, and then write into a file which process it was."""
    until(Path(after).exists)
    Path(path).write_text(str(os.getpid()))


def meet(own: str, other: str) -> None:
    """Write which process it is, and wait for another one that does the same."""
    Path(own).write_text(str(os.getpid()))
    until(Path(other).exists)


def no_memory(*_: object) -> None:
    """Refuse to start a process."""
    raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))


def fail() -> None:
    """Fail."""
    raise ValueError


def program_in(folder: Path) -> Path:
    """Write the program and the module that it uses."""
    (folder / "stages.py").write_text(STAGES)
    program = folder / "program.py"
    program.write_text(PROGRAM)
    return program


def printed_by(program: Path, cache: Path, *arguments: int) -> str:
    """Run the program, which says nothing else; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-W", "error", program, *map(str, arguments)],
        env=environment, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def process() -> Iterator[CompilingProcess]:
    """A process that ends with the test."""
    process = CompilingProcess()
    yield process
    process.end()
    until(lambda: not compiling())


def compiling() -> bool:
    return any(one.name == "compiler" for one in multiprocessing.active_children())


def test_one_process_does_one_thing_after_another(
    process: CompilingProcess, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in "ab"]
    assert [process.do(note, str(file)) for file in files] == [True, True]
    first, second = (int(file.read_text()) for file in files)
    assert first == second != os.getpid()
    assert not process.do(fail)
    assert process.do(note, str(files[0]))
    assert int(files[0].read_text()) == first


def test_who_gives_way_finds_it_done_later(process: CompilingProcess, tmp_path: Path) -> None:
    file, after = tmp_path / "a", tmp_path / "after"
    assert process.do(note, str(file))
    file.unlink()
    with COMPILING.until(lambda: True):
        process.do(note, str(file), str(after))
    assert not file.exists()
    after.touch()
    assert process.do(note, str(file), str(after))
    assert file.exists()


def test_what_was_given_up_is_no_longer_counted(process: CompilingProcess, tmp_path: Path) -> None:
    COMPILING.show(Compiled(8, 9), process)  # as the process told before
    with COMPILING.until(lambda: True):
        process.do(note, str(tmp_path / "done"))
    assert COMPILING.count is None


def test_what_was_given_up_makes_room_for_something_else(
    process: CompilingProcess, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in "ab"]
    with COMPILING.until(lambda: True):
        process.do(note, str(files[0]), str(tmp_path / "never"))
    assert process.do(note, str(files[1]))
    assert not files[0].exists()


def test_a_process_that_is_killed_is_told_from_one_that_has_done_it(
    process: CompilingProcess, tmp_path: Path
) -> None:
    file, never, answers = tmp_path / "a", tmp_path / "never", []
    waiting = threading.Thread(
        target=lambda: answers.append(process.do(note, str(file), str(never)))
    )
    waiting.start()
    until(compiling)
    process.end()
    waiting.join(60)
    assert answers == [False]
    assert process.do(note, str(file))


def test_a_process_that_is_just_being_started_can_be_ended(
    process: CompilingProcess, tmp_path: Path
) -> None:
    """As by a window that is closed in that moment."""
    waiting = threading.Thread(target=process.do, args=(note, str(tmp_path / "a"), 1000.0))
    waiting.start()
    while waiting.is_alive():
        process.end()


def test_where_no_process_can_be_started_the_caller_hears_it(
    process: CompilingProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "a")
    with monkeypatch.context() as patch:
        patch.setattr("multiprocessing.util.spawnv_passfds", no_memory)
        assert not process.do(note, file)
    assert process.do(note, file)


def test_functions_are_compiled_in_the_process_and_found_here(tmp_path: Path) -> None:
    """A function of a module, and a loop over stages, which is made of one."""
    assert printed_by(program_in(tmp_path), tmp_path) == "[0 3] 4 0 1 1\n"


def test_several_processes_work_at_once(tmp_path: Path) -> None:
    both = CompilingProcesses(2)
    files = [tmp_path / name for name in "ab"]
    others = [str(files[1]), str(files[0])]  # each waits until the other one has begun
    answers: list[bool] = []
    threads = [
        threading.Thread(
            target=lambda one=one, other=other: answers.append(both.do(meet, one, other))
        )
        for one, other in zip(map(str, files), others, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True, True]
    assert files[0].read_text() != files[1].read_text()
    both.end()
    until(lambda: not compiling())


def test_sections_of_a_loop_are_compiled_beside_this_process(tmp_path: Path) -> None:
    program = program_in(tmp_path)
    program.write_text(PROGRAM.replace("COMPILING.elsewhere = lambda", "COMPILING.beside = lambda"))
    none, three, asked, begun, *_ = printed_by(program, tmp_path)[1:].replace("]", "").split()
    assert (none, three) == ("0", "3")
    assert int(asked) >= 1  # of the loop and its two sections
    assert int(begun) >= 2  # of these and of a function that is no section


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit")
def test_where_nothing_can_be_kept_only_one_function_is_compiled_twice(tmp_path: Path) -> None:
    """As on a full disk."""
    assert printed_by(program_in(tmp_path), tmp_path, 500) == "[0 3] 1 4 0 0\n"
