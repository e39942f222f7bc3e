"""Pixels of very many points and lines, compiled: no thread waits meanwhile.

``frame`` has the six numbers that map places to pixels: x' = xx x + yx y + dx and
y' = xy x + yy y + dy, in the order xx, xy, yx, yy, dx, dy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached, inlined

MARK = 255

Floats = NDArray[np.float64]
Mask = NDArray[np.uint8]  # (height, width) in pixels


@cached
def points_within(
    places: Floats, frame: Floats, width: float, height: float, found: NDArray[np.int32]
) -> int:
    """Count the places in a picture of this size; list the first ones in ``found``."""
    count = 0
    for place in range(places.shape[0]):
        x, y = _across(places, frame, place), _down(places, frame, place)
        if x >= 0 and x <= width and y >= 0 and y <= height:
            if count < found.size:
                found[count] = place
            count += 1
    return count


@cached
def mark_points(places: Floats, frame: Floats, mask: Mask) -> None:
    """Mark the pixel of each place."""
    height, width = mask.shape
    for place in range(places.shape[0]):
        x, y = _across(places, frame, place), _down(places, frame, place)
        if x >= 0 and x < width and y >= 0 and y < height:
            mask[np.int64(y), np.int64(x)] = MARK


@cached
def lines_within(
    places: Floats,
    path: NDArray[np.int32],
    frame: Floats,
    width: float,
    height: float,
    found: NDArray[np.int32],
) -> int:
    """Count the lines of a closed path that may be in a picture; list the first in ``found``.

    A line is known by where it begins in ``path``.
    """
    count = 0
    last = path[path.size - 1]
    x, y = _across(places, frame, last), _down(places, frame, last)
    for at in range(path.size):
        to_x, to_y = _across(places, frame, path[at]), _down(places, frame, path[at])
        across = max(x, to_x) >= 0 and min(x, to_x) <= width
        if across and max(y, to_y) >= 0 and min(y, to_y) <= height:
            if count < found.size:
                found[count] = at - 1 if at > 0 else path.size - 1
            count += 1
        x, y = to_x, to_y
    return count


@cached
def mark_lines(places: Floats, path: NDArray[np.int32], frame: Floats, mask: Mask) -> None:
    """Mark the pixels of the lines of a closed path."""
    height, width = mask.shape
    last = path[path.size - 1]
    x, y = _across(places, frame, last), _down(places, frame, last)
    for at in range(path.size):
        to_x, to_y = _across(places, frame, path[at]), _down(places, frame, path[at])
        across = max(x, to_x) >= 0 and min(x, to_x) < width
        if across and max(y, to_y) >= 0 and min(y, to_y) < height:
            _mark_line(mask, x, y, to_x - x, to_y - y)
        x, y = to_x, to_y


@inlined
def _mark_line(
    mask: Mask, x: np.float64, y: np.float64, right: np.float64, down: np.float64
) -> None:
    """Mark the part of a line that is in the picture (cut as by Liang and Barsky 1984)."""
    height, width = mask.shape
    begin, end = 0.0, 1.0
    for axis in range(2):
        start, step, most = (x, right, width) if axis == 0 else (y, down, height)
        if step != 0.0:
            one, other = -start / step, (most - start) / step
            begin, end = max(begin, min(one, other)), min(end, max(one, other))
    if begin > end:
        return
    count = np.int64((end - begin) * max(abs(right), abs(down))) + 1
    for mark in range(count + 1):
        share = begin + (end - begin) * mark / count
        column, row = math.floor(x + share * right), math.floor(y + share * down)
        if column >= 0 and column < width and row >= 0 and row < height:
            mask[row, column] = MARK


@inlined
def _across(places: Floats, frame: Floats, place: Whole) -> np.float64:
    return np.float64(frame[0] * places[place, 0] + frame[2] * places[place, 1] + frame[4])


@inlined
def _down(places: Floats, frame: Floats, place: Whole) -> np.float64:
    return np.float64(frame[1] * places[place, 0] + frame[3] * places[place, 1] + frame[5])
