"""Settles whole tours: all cities look for moves, until none finds one."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from gpu.core.processors import usable_cores
from gpu.cpu.compilation import cached
from gpu.cpu.geometry import geometry_of
from gpu.focused.cpu.ants import settle
from gpu.focused.cpu.patch import forget, lay_out
from gpu.focused.cpu.state import DEEPEST, SETTLED, Lists, Patch, is_flat, new_patch
from gpu.problems.tsp.instance import TspInstance

Tour = NDArray[np.int32]


class Settling:
    """Settles tours of a symmetric instance, on as many cores as there are tours.

    A city tries up to ``DEEPEST`` exchanges in a row, so tours lose edges between parts far apart,
    which the short moves of ants cannot get rid of.

    Parameters
    ----------
    instance
        The instance.
    neighbours
        Candidates of each city by distance, (n, k).
    """

    def __init__(self, instance: TspInstance, neighbours: Tour) -> None:
        lengths = instance.distances(np.arange(instance.n)[:, None], neighbours)
        geometry = geometry_of(instance, 1.0)
        self._lists = Lists(geometry, is_flat(geometry), neighbours, lengths.astype(np.int32))
        self._everyone = np.arange(instance.n, dtype=np.int32)
        self._patches: SimpleQueue[Patch] = SimpleQueue()

    @staticmethod
    def is_for(n: int) -> bool:
        """Whether tours of ``n`` cities are few enough: to take moves back takes O(n)."""
        return n <= SETTLED

    def settle(self, tours: Tour) -> list[int]:
        """Make each of ``tours``, (count, n), as short as it gets; return what each has gained."""
        with ThreadPoolExecutor(min(len(tours), usable_cores())) as pool:
            return list(pool.map(self._settle, tours))

    def _settle(self, tour: Tour) -> int:
        with self._patch() as patch:
            return int(_settle(self._lists, patch, self._everyone, tour))

    @contextmanager
    def _patch(self) -> Iterator[Patch]:
        """Lend room to one thread at a time; there is as much as threads were at work."""
        try:
            patch = self._patches.get_nowait()
        except Empty:
            n, k = self._lists.neighbours.shape
            patch = new_patch(n, k, n)
        yield patch
        self._patches.put(patch)


@cached
def _settle(lists: Lists, patch: Patch, everyone: Tour, tour: Tour) -> int:
    """Settle ``tour``; return how much shorter it is."""
    n = np.int64(tour.size)
    lay_out(lists, patch, tour, everyone, np.int64(0), n)
    gain = settle(lists, patch, DEEPEST)
    for place in range(n):
        tour[place] = patch.cities[patch.tour[place]]
    forget(patch)
    return int(gain)
