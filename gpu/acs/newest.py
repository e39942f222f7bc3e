"""Which of many trails a selective memory keeps: of each city the newest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.trails import KnownTrails


class Newest(NamedTuple):
    """Entries that fit into a memory; of each city the oldest has place 0."""

    order: NDArray[np.intp]  # (k,): the entries
    rows: NDArray[np.int32]  # (k,): their cities
    places: NDArray[np.intp]  # (k,): in the memory of the city
    counts: NDArray[np.intp]  # (n,): entries of each city


def newest_of(known: KnownTrails, n: int, slots: int) -> Newest:
    """Choose at most ``slots`` entries for each of ``n`` cities."""
    order = np.argsort(known.rows, kind="stable")
    rows = known.rows[order]
    counts = np.bincount(rows, minlength=n)
    newness = np.cumsum(counts)[rows] - np.arange(len(rows))  # 1 for the newest of a city
    held = newness <= slots
    rows, counts = rows[held], np.minimum(counts, slots)
    return Newest(order[held], rows, counts[rows] - newness[held], counts)
