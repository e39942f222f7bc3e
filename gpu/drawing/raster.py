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

_GOLDEN, _WORD = 2_654_435_769, 0xFFFF_FFFF


@cached
def points_within(
    places: Floats, frame: Floats, width: float, height: float, found: NDArray[np.int32]
) -> int:
    """List the places in a picture of this size in ``found``; return how many there are.

    If there are more than it has room for, the answer is one more than that.
    """
    count = 0
    for place in range(places.shape[0]):
        x, y = _across(places, frame, place), _down(places, frame, place)
        if x >= 0 and x <= width and y >= 0 and y <= height:
            if count == found.size:
                return count + 1
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
    """List the lines of a closed path that may be in a picture in ``found``; return how many.

    If there are more than it has room for, the answer is one more than that. A line is known by
    where it begins in ``path``.
    """
    count = 0
    last = path[path.size - 1]
    x, y = _across(places, frame, last), _down(places, frame, last)
    for at in range(path.size):
        to_x, to_y = _across(places, frame, path[at]), _down(places, frame, path[at])
        across = max(x, to_x) >= 0 and min(x, to_x) <= width
        if across and max(y, to_y) >= 0 and min(y, to_y) <= height:
            if count == found.size:
                return count + 1
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


@cached
def paint_points(
    places: Floats,
    looks: NDArray[np.int32],
    colours: NDArray[np.uint32],
    frame: Floats,
    stamp: NDArray[np.bool_],
    only: int,
    picture: NDArray[np.uint32],
) -> None:
    """Paint a ``stamp`` (k, k) at each place, in the colour of its look; later ones are in front.

    Those of the look ``only`` come last.
    """
    height, width = picture.shape
    side = stamp.shape[0]
    for turn in range(2):
        for place in range(places.shape[0]):
            if (looks[place] == only) != (turn == 1):
                continue
            x = math.floor(_across(places, frame, place) - 0.5 * (side - 1))
            y = math.floor(_down(places, frame, place) - 0.5 * (side - 1))
            if x <= -side or x >= width or y <= -side or y >= height:
                continue
            colour = colours[looks[place]]
            for row in range(max(0, -y), min(side, height - y)):
                for column in range(max(0, -x), min(side, width - x)):
                    if stamp[row, column]:
                        picture[y + row, x + column] = colour


@cached
def edges_within(
    places: Floats,
    edges: NDArray[np.int32],
    frame: Floats,
    width: float,
    height: float,
    found: NDArray[np.int32],
    parts: NDArray[np.int64],
) -> int:
    """Count the edges that are in a picture of this size; list the first ones in ``found``.

    Those of each part of all edges are counted in ``parts``, too; see :func:`_part_of`.
    """
    count = 0
    for edge in range(edges.shape[0]):
        one, other = edges[edge, 0], edges[edge, 1]
        x, to_x = _across(places, frame, one), _across(places, frame, other)
        if max(x, to_x) < 0 or min(x, to_x) > width:
            continue
        y, to_y = _down(places, frame, one), _down(places, frame, other)
        if max(y, to_y) < 0 or min(y, to_y) > height:
            continue
        begin, end = _cut(x, y, to_x - x, to_y - y, width, height)
        if begin > end:
            continue
        if count < found.size:
            found[count] = edge
        parts[_part_of(edge, parts.size)] += 1
        count += 1
    return count


@cached
def count_edges(
    places: Floats,
    edges: NDArray[np.int32],
    frame: Floats,
    parts: int,
    shown: int,
    counts: NDArray[np.uint32],
) -> None:
    """Add 1 to one pixel of every column that an edge passes, or row if it is steep.

    Of ``parts`` parts of the edges only the first ``shown`` are.
    """
    height, width = counts.shape
    for edge in range(edges.shape[0]):
        if _part_of(edge, parts) >= shown:
            continue
        one, other = edges[edge, 0], edges[edge, 1]
        x, y = _across(places, frame, one), _down(places, frame, one)
        right, down = _across(places, frame, other) - x, _down(places, frame, other) - y
        begin, end = _cut(x, y, right, down, width, height)
        if begin > end:
            continue
        steps = np.int64((end - begin) * max(abs(right), abs(down))) + 1
        x, y = x + begin * right, y + begin * down
        right, down = right * (end - begin) / steps, down * (end - begin) / steps
        for _ in range(steps + 1):
            column, row = math.floor(x), math.floor(y)
            if column >= 0 and column < width and row >= 0 and row < height:
                counts[row, column] += 1
            x += right
            y += down


@inlined
def _part_of(edge: Whole, parts: Whole) -> np.int64:
    """Return to which of so many parts an edge belongs: each has edges of all regions.

    Multiplied by the golden ratio, neighbouring numbers lie far apart (Knuth, section 6.4).
    """
    return np.int64((edge * _GOLDEN & _WORD) * parts >> 32)


@inlined
def _mark_line(
    mask: Mask, x: np.float64, y: np.float64, right: np.float64, down: np.float64
) -> None:
    """Mark the part of a line that is in the picture."""
    height, width = mask.shape
    begin, end = _cut(x, y, right, down, width, height)
    if begin > end:
        return
    count = np.int64((end - begin) * max(abs(right), abs(down))) + 1
    for mark in range(count + 1):
        share = begin + (end - begin) * mark / count
        column, row = math.floor(x + share * right), math.floor(y + share * down)
        if column >= 0 and column < width and row >= 0 and row < height:
            mask[row, column] = MARK


@inlined
def _cut(
    x: np.float64, y: np.float64, right: np.float64, down: np.float64, width: float, height: float
) -> tuple[float, float]:
    """Return from which to which share of its length a line is in the picture.

    The first is larger if it is not (Liang and Barsky 1984).
    """
    begin, end = 0.0, 1.0
    for axis in range(2):
        start, step, most = (x, right, width) if axis == 0 else (y, down, height)
        if step != 0.0:
            one, other = -start / step, (most - start) / step
            begin, end = max(begin, min(one, other)), min(end, max(one, other))
    return begin, end


@inlined
def _across(places: Floats, frame: Floats, place: Whole) -> np.float64:
    return np.float64(frame[0] * places[place, 0] + frame[2] * places[place, 1] + frame[4])


@inlined
def _down(places: Floats, frame: Floats, place: Whole) -> np.float64:
    return np.float64(frame[1] * places[place, 0] + frame[3] * places[place, 1] + frame[5])
