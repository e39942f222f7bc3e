"""The heuristic of all edges on a GPU, for colonies whose ants choose among all cities."""

from __future__ import annotations

from collections.abc import Mapping

from gpu.construction.cuda.kernels import CHOICE_INFO, PrepareHeuristic
from gpu.cuda.cities import DeviceCities
from gpu.cuda.machine import Array, Launch, Machine

THREADS = 256
"""Threads a block of kernels that go through whole matrices."""


def blocks_for(machine: Machine, threads: int) -> int:
    """Blocks for so many threads, which take more in turn than the GPU holds twice over."""
    return max(1, min(16 * machine.multiprocessors, -(-threads // THREADS)))


def prepare_heuristic(
    cities: DeviceCities, columns: int, grid: int, arrays: Mapping[str, Array]
) -> Launch:
    """Work out η^β of every edge, once a run, into ``heuristic`` with rows of ``columns``."""
    args = PrepareHeuristic(
        geometry=cities.geometry(arrays), columns=columns, heuristic=arrays["heuristic"]
    )
    return Launch(CHOICE_INFO, "prepare_heuristic", grid, THREADS, args)
