"""The trails after one launch of ACS-GPU-Alt's construction, beside what its tours ask for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cuda.colony import AcsColony, WholeTours
from gpu.acs.cuda.trails import MatrixTrails
from gpu.cuda.machine import Launch

START = 2.0  # the level of every trail before


class Trails(NamedTuple):
    """Matrices (n, n) of the trails found, and of those after every update of every tour."""

    found: NDArray[np.float32]
    expected: NDArray[np.float32]


def after_one_launch(colony: AcsColony, ants: int, period: int, launch: Launch) -> Trails:
    """Set all trails to one level, launch the construction, and count the updates it owed."""
    machine, arrays, memory = colony._machine, colony._arrays, colony._memory
    construction = colony._construction
    assert isinstance(memory, MatrixTrails)
    assert isinstance(construction, WholeTours)
    assert construction.warps == ants  # else a warp keeps one tour of several
    n = construction.n
    for name in ("listed", "outside"):
        machine.upload(arrays[name], np.full(arrays[name].shape, START, np.float32))
    machine.run([launch])
    count = np.zeros((n, n), np.int64)
    tours, holders = machine.download(arrays["tours"]), machine.download(arrays["holders"])
    for ant in range(ants):
        tour = tours[2 * ant + holders[ant]]
        due = np.arange(1, n + 1) % period == 0
        there, back = tour[due], np.roll(tour, -1)[due]
        np.add.at(count, (there, back), 1)
        if not memory.problem.directed:
            np.add.at(count, (back, there), 1)
    found = np.array([memory.row(machine, arrays, city) for city in range(n)])
    return Trails(found, levels(int(count.max()), memory)[count])


def levels(most: int, memory: MatrixTrails) -> NDArray[np.float32]:
    """What a trail is after 0, 1, ..., ``most`` updates."""
    change = memory.local_update
    keep, add = np.float32(change.keep), np.float32(change.add)
    trails = [np.float32(START)]
    for _ in range(most):
        trails.append(trails[-1] * keep + add)
    return np.array(trails, np.float32)
