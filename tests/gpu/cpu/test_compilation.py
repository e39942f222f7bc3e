"""Where compiled functions are kept: beside the source, else the user's, else nowhere."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gpu.core.machine import code_files
from gpu.core.machine.code_files import pack
from gpu.core.machine.compiling import COMPILING, Compiled
from gpu.cpu import compilation
from gpu.cpu.processors import archive_name, level
from tests.processes import environment

Choose = Callable[..., None]

elsewhere: Any = ModuleType("elsewhere")


ROOT = Path(__file__).parents[3]

PROGRAM = """
from gpu.core.machine import code_files
from gpu.cpu import compilation

@compilation.cached
def double(x):
    return 2 * x

print(double(21), sum(double.stats.cache_hits.values()), code_files.code_folder().path)
"""


@compilation.inlined
def _half(x: float) -> float:
    return x / 2


@compilation.pasted
def _same(x: float) -> float:
    return x


@compilation.compiled
def _quarter(x: float) -> float:
    return _half(_half(_same(x)))


elsewhere.fourth_part = _quarter


def _three_quarters(x: float) -> Any:
    return elsewhere.fourth_part(x) + _half(x)


def run(tmp_path: Path, folder: Path, home: Path, *, full: bool = False) -> tuple[int, str]:
    """Run the program with ``folder`` as the only place for __pycache__; files may be ``full``."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(folder),
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
    }
    limited = ["bash", "-c", 'ulimit -f 1; exec "$@"', "bash"] if full else []
    done = subprocess.run(
        [*limited, sys.executable, "-W", "error", program],
        env=environment, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    value, hits, place = done.stdout.split()
    assert value == "42"
    return int(hits), place


def test_the_second_process_finds_what_the_first_compiled(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert run(tmp_path, folder, tmp_path)[0] == 0
    hits, place = run(tmp_path, folder, tmp_path)
    assert hits == 1
    assert Path(place).parent == folder


@pytest.fixture
def bases(monkeypatch: pytest.MonkeyPatch) -> Iterator[Choose]:
    """Let ``code_folder`` look in these places only."""

    def choose(*places: Path) -> None:
        code_files.code_folder.cache_clear()
        monkeypatch.setattr(code_files, "_bases", lambda: iter(places))

    yield choose
    code_files.code_folder.cache_clear()


def test_a_place_that_cannot_be_written_is_passed_over(tmp_path: Path, bases: Choose) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder would have to be")
    bases(blocked, tmp_path / "home")
    folder = code_files.code_folder()
    assert folder is not None
    assert folder.path.parent == tmp_path / "home"
    code_files.code_folder.cache_clear()
    bases(blocked)
    assert code_files.code_folder() is None


def test_without_any_place_functions_still_compile(tmp_path: Path, bases: Choose) -> None:
    bases()

    @compilation.cached
    def triple(x: int) -> int:
        return 3 * x

    assert triple(14) == 42


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_on_a_full_disk_functions_still_compile(tmp_path: Path) -> None:
    hits, place = run(tmp_path, tmp_path / "cache", tmp_path / "home", full=True)
    assert hits == 0
    assert not [path for path in Path(place).rglob("*") if path.is_file()]


def test_folders_of_earlier_sources_are_removed(tmp_path: Path, bases: Choose) -> None:
    for name in ("compiled-0123456789abcdef", "formicarium-0123456789abcdef"):
        (tmp_path / name / "cpu_1a").mkdir(parents=True)
        for kept in ("wheel.of-3.py313.nbi", "wheel.of-3.py313.1.nbc.tmp.0123456789abcdef"):
            (tmp_path / name / "cpu_1a" / kept).touch()
        for kept in ("gpu.cpu.wheel.of-0a1b.code", "gpu.cpu.wheel.of-0a1b.code.tmpx_1y2z"):
            (tmp_path / name / kept).touch()
    bases(tmp_path)
    folder = code_files.code_folder()
    assert folder is not None
    assert list(tmp_path.iterdir()) == [folder.path]


@pytest.mark.parametrize(
    "name",
    [
        "compiled-thesis/chapter.tex",
        "compiled-0123456789abcdef/chapter.tex",
        "compiled-0123456789abcdef/deep/er/chapter.tex",
        "formicarium-0123456789abcdef/chapter.tex",
        "formicarium-0123456789abcdef-mine/old.nbi",
        "compiled-0123456789ABCDEF/old.nbi",
        "compiled-0123456789abcdef",
        "other.pyc",
    ],
)
def test_what_others_have_made_is_kept(tmp_path: Path, bases: Choose, name: str) -> None:
    theirs = tmp_path / name
    theirs.parent.mkdir(parents=True, exist_ok=True)
    theirs.write_text("the work of years")
    (theirs.parent / "old.nbi").touch()
    bases(tmp_path)
    assert code_files.code_folder() is not None
    assert theirs.read_text() == "the work of years"
    assert (theirs.parent / "old.nbi").exists()


def test_what_a_link_leads_to_is_kept(tmp_path: Path, bases: Choose) -> None:
    theirs = tmp_path / "elsewhere"
    theirs.mkdir()
    (theirs / "old.nbi").touch()
    base = tmp_path / "base"
    base.mkdir()
    (base / "compiled-0123456789abcdef").symlink_to(theirs)
    bases(base)
    assert code_files.code_folder() is not None
    assert (theirs / "old.nbi").exists()


def test_two_threads_may_import_colonies_at_once() -> None:
    # A thread that asks for a submodule does not wait for another that imports its package.
    program = """
import importlib, threading

def load(name):
    importlib.import_module(f"gpu.cpu.{name}")

for name in ("compilation", "stage_loop"):
    threading.Thread(target=load, args=(name,)).start()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_code_that_came_with_the_program_is_used_and_not_written_again(
    tmp_path: Path, bases: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    if level() is None:
        pytest.skip("this processor is below the level for which such code is made")
    folder = tmp_path / "kept"
    script = tmp_path / "portable.py"
    script.write_text(PROGRAM)
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder),
        "NUMBA_CPU_NAME": level().name, "NUMBA_CPU_FEATURES": "",
    }  # fmt: skip

    def told() -> list[str]:
        done = subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert told()[:2] == ["42", "0"]
    (made,) = folder.iterdir()
    archives = tmp_path / "archives"
    archives.mkdir()
    assert pack(made, archives / archive_name()) == 1
    for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        del environment[name]
    script.write_text(
        "import pathlib\nfrom gpu.core.machine import code_files\n"
        f"code_files.ARCHIVES = pathlib.Path({str(archives)!r})\n{PROGRAM}"
    )
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "empty")
    assert told()[:2] == ["42", "1"]
    assert not [path for path in (tmp_path / "empty").rglob("*") if path.is_file()]


def test_threads_that_compile_at_once_need_no_lock(tmp_path: Path, bases: Choose) -> None:
    bases(tmp_path)

    def use(number: int) -> float:
        def scaled(x: float) -> float:
            return number * x

        return compilation.cached(scaled)(2.0)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(use, range(4))) == [0, 2, 4, 6]


def test_the_parts_that_are_compiled_are_counted(
    tmp_path: Path, bases: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    bases(tmp_path)
    counts: list[Compiled | None] = []
    note = COMPILING.note_part

    def noted(part: object) -> None:
        note(part)
        counts.append(COMPILING.count)

    monkeypatch.setattr(COMPILING, "note_part", noted)
    three_quarters = compilation.cached(_three_quarters)
    assert COMPILING.count is None
    assert three_quarters(8.0) == 6.0
    assert counts == [
        Compiled(1, 3),
        Compiled(2, 3),
        Compiled(2, 3),
    ]  # the whole is told, too, and is no part
    assert COMPILING.count is None
    assert three_quarters(16.0) == 12.0
    assert len(counts) == 3
    assert compilation._to_compile(_three_quarters) == set()  # two are there, and the third is none


def test_colonies_are_compiled_though_numba_is_told_to_compile_nothing() -> None:
    code = "from gpu.drawing.spring import _relax; print(type(_relax).__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment(), "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("CPUDispatcher\n", "")
