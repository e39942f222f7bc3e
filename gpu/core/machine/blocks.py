"""Work on very many cities, shared out among the cores in blocks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gpu.core.machine.processors import usable_cores

Made = TypeVar("Made")
Kind = TypeVar("Kind", bound=np.generic)

BLOCK = 1 << 15  # cities of a block: what compiled code has of them fits a core's cache


def in_blocks(
    work: Callable[[int, int], Made], n: int, size: int = BLOCK, threads: int | None = None
) -> list[Made]:
    """Return ``work(first, end)`` of all blocks of up to ``size`` of ``n`` things, in order.

    So many ``threads`` share them out, or one for each core: ``work`` should be compiled, or be
    NumPy's. Where one is enough, it is the calling one: dozens of tours that are made side by side
    would start, and wait for, hundreds.
    """
    firsts = range(0, n, size)
    ends = [min(first + size, n) for first in firsts]
    threads = min(threads or usable_cores(), len(firsts))
    if threads <= 1:
        return list(map(work, firsts, ends))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, firsts, ends))


def taken(
    array: NDArray[Kind], order: NDArray[np.integer], threads: int | None = None
) -> NDArray[Kind]:
    """Return ``array[order]``, its rows in this order; of many rows, all cores fetch them.

    Or so many ``threads`` do.
    """
    result: NDArray[Kind]
    if len(order) <= BLOCK:
        result = array[order]
        return result
    result = np.empty((len(order), *array.shape[1:]), array.dtype)

    def take(first: int, end: int) -> None:
        np.take(array, order[first:end], axis=0, out=result[first:end], mode="clip")

    in_blocks(take, len(order), threads=threads)
    return result
