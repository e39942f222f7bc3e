"""What tests need of other systems than this one: stand-ins, and a skip where there is none."""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

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
