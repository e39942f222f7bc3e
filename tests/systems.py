"""What tests need of other systems: stand-ins, a skip where there is none, and turns on a GPU."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil
import pytest

from gpu.core import files


@pytest.fixture
def windows_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be renamed, replaced or removed that this process has open, as on Windows."""
    replace, unlink = Path.replace, Path.unlink

    def check(path: Path) -> None:
        if any(Path(one.path) == path.absolute() for one in psutil.Process().open_files()):
            raise PermissionError(errno.EACCES, "another process uses the file", str(path))

    def replaced(path: Path, target: Path) -> Path:
        check(path)
        check(Path(target))
        return replace(path, target)

    def removed(path: Path, missing_ok: bool = False) -> None:
        check(path)
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "replace", replaced)
    monkeypatch.setattr(Path, "unlink", removed)
    monkeypatch.setattr(files, "TRIES", 50)


def make_pipe(path: Path) -> None:
    """Make a named pipe at ``path``."""
    if sys.platform == "win32":
        pytest.skip("needs named pipes")
    else:
        os.mkfifo(path)


def niceness(which: int) -> int:
    """Return the niceness of the process or, on Linux, the thread ``which``."""
    if sys.platform == "win32":
        pytest.skip("needs niceness")
    else:
        return os.getpriority(os.PRIO_PROCESS, which)


def take_time_zone() -> None:
    """Take the time zone of this process from the environment."""
    if sys.platform == "win32":
        pytest.skip("needs another time zone")
    else:
        time.tzset()


if sys.platform == "win32":
    import msvcrt

    FOLDER = Path(tempfile.gettempdir(), "formicarium-tests-gpu")  # in the user's own folder

    def _lock(file: IO[str], *, alone: bool) -> None:
        """Wait for the lock, which nobody can share there."""
        while True:
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            except OSError:  # somebody has had it for ten seconds
                continue
            return

    def _unlock(file: IO[str]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    FOLDER = Path(tempfile.gettempdir(), f"formicarium-tests-gpu-{os.getuid()}")

    def _lock(file: IO[str], *, alone: bool) -> None:
        """Wait for the lock."""
        fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)

    def _unlock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def turn(folder: Path, *, alone: bool) -> Iterator[None]:
    """Wait until no other has the GPU alone, or with ``alone`` until no other has it at all.

    Who waits to be alone is not overtaken: all later ones wait at the gate.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "gate").open("a") as gate, (folder / "gpu").open("a") as gpu:
        _lock(gate, alone=True)
        _lock(gpu, alone=alone)
        _unlock(gate)
        yield  # both locks end with their files


@pytest.fixture(autouse=True)
def gpu_in_turns(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test marked ``cuda`` shares the GPU; one marked ``cuda(alone=True)`` has it alone."""
    marks = list(request.node.iter_markers("cuda"))
    if not marks:
        yield
        return
    with turn(FOLDER, alone=any(mark.kwargs.get("alone") for mark in marks)):
        yield
