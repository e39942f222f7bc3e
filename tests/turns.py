"""Tests that use a GPU share it among all processes; one that fills it has it alone."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FOLDER = Path(tempfile.gettempdir(), f"formicarium-tests-gpu-{os.getuid()}")


@contextmanager
def turn(folder: Path, *, alone: bool) -> Iterator[None]:
    """Wait until no other has the GPU alone, or with ``alone`` until no other has it at all.

    Who waits to be alone is not overtaken: all later ones wait at the gate.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "gate").open("a") as gate, (folder / "gpu").open("a") as gpu:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(gpu, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
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
