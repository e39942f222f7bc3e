"""Candidate lists in the layout that compiled loops want: rows of whole vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

VECTOR = 8  # a row's width is a multiple of this


def width_of(cl: int) -> int:
    """Width of rows that hold ``cl`` candidates."""
    return -(-cl // VECTOR) * VECTOR


def widened(neighbours: NDArray[np.integer], cl: int) -> NDArray[np.uint32]:
    """Return the first ``cl`` candidates of each city in rows of :func:`width_of` lanes.

    The lanes after a list hold the row's own city. An ant in that city has visited it, so it never
    chooses these lanes.
    """
    rows = np.repeat(np.arange(len(neighbours), dtype=np.uint32)[:, None], width_of(cl), axis=1)
    rows[:, :cl] = neighbours[:, :cl]
    return rows
