"""How colonies on the CPU are held against literal transcriptions of their papers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any, Protocol, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.colony import Colony
from gpu.core.errors import DeviceError
from gpu.core.snapshot import MovesMade, Snapshot, Wanted
from gpu.cpu.colony import CpuColony
from gpu.local_search.cpu import CpuTourColony
from tests.colonies import assert_same_history
from tests.gpu.local_search.literal import assert_moves


class LiteralColony(Protocol):
    """A transcription, with what its last iteration made."""

    iteration: int
    m: int
    lengths: list[int]
    routes: list[list[int]]
    best_length: int
    best_tour: list[int]
    moves: MovesMade | None
    built: list[list[int]]

    def iterate(self) -> None:
        """Make one iteration."""


L = TypeVar("L", bound=LiteralColony)
C = TypeVar("C", bound=CpuTourColony)


def run_together(
    literal: L, colony: C, same_state: Callable[[L, C], None], iterations: int
) -> None:
    """Compare both after every iteration, then close the colony."""
    with closing(colony):
        for _ in range(iterations):
            literal.iterate()
            colony.iterate(1)
            same_state(literal, colony)


def trails_of(colony: Colony, n: int) -> NDArray[np.float32]:
    """All trails of a colony, a row a city."""
    return np.array([colony.trails_from(city) for city in range(n)])


def assert_same_tours(snapshot: Snapshot, literal: LiteralColony) -> None:
    """Tours and their lengths are those of ``literal``, and so is what improved them."""
    assert snapshot.best_cost == literal.best_length
    assert snapshot.best_solution.tolist() == literal.best_tour
    assert snapshot.iteration_best == min(literal.lengths)
    assert snapshot.iteration_solution.tolist() == literal.routes[np.argmin(literal.lengths)]
    assert snapshot.iteration_mean == pytest.approx(np.mean(literal.lengths), rel=1e-12)
    assert_same_history(snapshot, snapshot)
    assert snapshot.solutions_built == literal.iteration * literal.m
    assert_moves(snapshot, literal.moves, literal.built, literal.lengths)


def interrupt(monkeypatch: pytest.MonkeyPatch, colony: CpuColony) -> None:
    """Press Ctrl-C while ``colony`` works: none of its threads stays behind."""
    colony.iterate(2)
    real = colony._run

    def interrupted(*arguments: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        real(*arguments)

    monkeypatch.setattr(colony, "_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        colony.iterate(1)
    assert _threads() == 0


def close(colony: CpuColony) -> None:
    """Close a colony of several threads: they end, and it iterates no more."""
    colony.iterate(3)
    assert _threads() > 0
    colony.close()
    colony.close()
    assert _threads() == 0
    assert colony.snapshot(Wanted.SOLUTION).iteration == 3
    with pytest.raises(DeviceError, match="closed"):
        colony.iterate(1)


def _threads() -> int:
    """Count the threads of all colonies, but for those in which they were made."""
    return sum(thread.name.startswith("colony") for thread in threading.enumerate())
