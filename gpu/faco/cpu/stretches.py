"""How a thread's tour is changed, and made like the source again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.faco.cpu.state import CHANGED_CITIES, MOST_STRETCHES, STRETCHES, FacoSource, FacoWorkspace


@inlined
def note_stretch(
    stretches: NDArray[np.int32], numbers: NDArray[np.int64], first: Whole, length: Whole
) -> None:
    """Note that a stretch is not as in the source any more."""
    entry = numbers[STRETCHES]
    if entry < MOST_STRETCHES:
        stretches[entry, 0], stretches[entry, 1] = first, length
    numbers[STRETCHES] += 1
    numbers[CHANGED_CITIES] += length


@compiled
def follow(source: FacoSource, work: FacoWorkspace) -> None:
    """Make the whole tour that of the source."""
    for at in range(source.tour.size):
        work.tour[at] = source.tour[at]
        work.place[at] = source.place[at]
    work.numbers[STRETCHES] = work.numbers[CHANGED_CITIES] = 0


@compiled
def restore(source: FacoSource, work: FacoWorkspace) -> None:
    """Make the tour that of the source again where it was changed."""
    numbers, n = work.numbers, source.tour.size
    if numbers[STRETCHES] > MOST_STRETCHES or numbers[CHANGED_CITIES] >= n:
        follow(source, work)
        return
    for entry in range(numbers[STRETCHES]):
        at = work.stretches[entry, 0]
        for _ in range(work.stretches[entry, 1]):
            city = source.tour[at]
            work.tour[at], work.place[city] = city, at
            at = at + 1 if at + 1 < n else 0
    numbers[STRETCHES] = numbers[CHANGED_CITIES] = 0
