"""Dashes along lines, of which only those in sight are made: zoomed in, a line is very long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from views.widgets.canvas.layers import Points, Segments, parts_in_sight

ON, OFF = 5.0, 4.0  # pixels of a dash, and of the gap after it


def dashed(points: Points, size: QRectF, on: float = ON, off: float = OFF) -> Segments:
    """Return the dashes of an open path in ``size``, which go around its corners.

    Parameters
    ----------
    points : numpy.ndarray
        Corners of the path in pixels, shape (k, 2), k ≥ 1.
    size : QRectF
        What can be seen, in pixels.
    on, off : float
        Length of a dash and of the gap after it, in pixels.
    """
    lines = np.hstack([points[:-1], points[1:]])
    before = np.concatenate([[0.0], np.cumsum(_lengths(lines))])[:-1]
    every = np.full(len(lines), on + off)
    return _dashes(lines, size, on * np.ones(len(lines)), every, before)


def dashed_lines(lines: Segments, size: QRectF, on: float = ON, off: float = OFF) -> Segments:
    """Return the dashes of separate lines in ``size``, with one at both ends of each line.

    They are about as long as in :func:`dashed`.
    """
    lengths = _lengths(lines)
    counts = np.maximum(1.0, np.round((lengths + off) / (on + off)))
    every = lengths / (counts - off / (on + off))  # there is no gap after the last dash
    return _dashes(lines, size, every * on / (on + off), every, np.zeros(len(lines)))


def _lengths(lines: Segments) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    return lengths


def _dashes(
    lines: Segments,
    size: QRectF,
    on: NDArray[np.float64],
    every: NDArray[np.float64],
    before: NDArray[np.float64],
) -> Segments:
    """Return the dashes in sight: of each line ``on`` pixels, ``every`` so many.

    The pattern begins ``before`` pixels before the line does.
    """
    seen, begin, end = parts_in_sight(lines, size)
    lines, on, every, before = lines[seen], on[seen], every[seen], before[seen]
    lengths = np.maximum(_lengths(lines), 1e-9)
    begin, end, every = before + begin * lengths, before + end * lengths, np.maximum(every, 1e-9)
    first = np.floor(begin / every)
    counts = (np.floor(end / every) - first + 1).astype(int)
    which = np.repeat(np.arange(len(lines)), counts)
    number = first[which] + np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    start = np.maximum(number * every[which], begin[which])
    stop = np.minimum(number * every[which] + on[which], end[which])
    drawn = start < stop
    which, start, stop = which[drawn], start[drawn], stop[drawn]
    origin, way = lines[which, :2], lines[which, 2:] - lines[which, :2]
    one, other = (
        origin + way * ((place - before[which]) / lengths[which])[:, None]
        for place in (start, stop)
    )
    return np.hstack([one, other])
