"""Tests that use a GPU share it among all processes; one that fills it has it alone."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

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
