"""The heuristic η^β of all edges on a GPU, for ants that choose among all cities."""

from __future__ import annotations

from gpu.construction.cuda.kernels import CHOICE_INFO
from gpu.cuda.cities import DeviceCities
from gpu.cuda.machine import Arrays, Launch, Machine

THREADS = 256
"""Threads a block of kernels that go through whole matrices."""


def blocks_for(machine: Machine, threads: int) -> int:
    """Blocks for so many threads; at most 16 a multiprocessor, then each takes several turns."""
    return max(1, min(16 * machine.multiprocessors, -(-threads // THREADS)))


def prepare_heuristic(cities: DeviceCities, columns: int, grid: int, arrays: Arrays) -> Launch:
    """The launch that computes ``heuristic``, η^β of every edge, with rows of ``columns``."""
    geometry = cities.geometry(arrays)
    return CHOICE_INFO.launch(
        "prepare_heuristic", grid, THREADS, arrays, geometry=geometry, columns=columns
    )
