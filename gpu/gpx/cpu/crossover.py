"""Greedy partition crossover, and random colorings, compiled; see :mod:`gpu.gpx.rule`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import Words
from gpu.tabu_search.cpu import LOOSE, lot_of

CROSS = np.uint32(Purpose.CROSS)


class CrossRoom(NamedTuple):
    """What a thread crosses two colorings in; of each parent, its own and the other."""

    members: NDArray[np.int32]  # (2, n): vertices, class by class
    ends: NDArray[np.int32]  # (2, most + 2): where each class begins there
    sizes: NDArray[np.int32]  # (2, most + 1): vertices of each class that the child has not yet
    left: NDArray[np.int32]  # (n,): vertices that are left over
    sums: NDArray[np.int64]  # (most + 1,): of a vertex' trails to each class


@compiled
def color_at_random(colors: NDArray[np.int32], count: Whole, word: np.uint32) -> None:
    """Make a random coloring with so many colors."""
    for v in range(colors.size):
        colors[v] = _random_color(v, count, word)


@inlined
def _random_color(v: Whole, count: Whole, word: np.uint32) -> np.int64:
    return np.int64(lot_of(v, 1, word) * count >> 16)


@compiled
def cross_colorings(
    room: CrossRoom,
    own: NDArray[np.int32],
    other: NDArray[np.int32],
    child: NDArray[np.int32],
    count: Whole,
    words: Words,
    trails: NDArray[np.uint16],
) -> int:
    """Make a child with ``count`` colors; return how many vertices were left over.

    These follow the ``trails``, shape (n, n); if there are none, they get random colors.
    """
    n = child.size
    _list_members(room, 0, own)
    _list_members(room, 1, other)
    classes = room.sizes.shape[1]
    child[:] = LOOSE
    left = n
    for made in range(count):
        side = made & 1
        sizes = room.sizes[side]
        largest, best = 0, np.int64(-1)
        for color in range(classes):
            if sizes[color] > largest:
                largest, best = sizes[color], np.int64(color)
            elif 0 < sizes[color] == largest and (
                lot_of(made, color, words[0]) < lot_of(made, best, words[0])
            ):
                best = np.int64(color)
        if best < 0:
            continue
        others = other if side == 0 else own
        for place in range(room.ends[side, best], room.ends[side, best + 1]):
            v = room.members[side, place]
            if child[v] == LOOSE:
                child[v] = made
                room.sizes[1 - side, others[v]] -= 1
                left -= 1
        sizes[best] = 0
    if trails.size > 0:
        _follow_trails(room, child, count, words, trails)
    else:
        for v in range(n):
            if child[v] == LOOSE:
                child[v] = _random_color(v, count, words[1])
    return left


@inlined
def _follow_trails(
    room: CrossRoom,
    child: NDArray[np.int32],
    count: Whole,
    words: Words,
    trails: NDArray[np.uint16],
) -> None:
    """Color the vertices that are left over where their trails are strongest."""
    left, sums = room.left, room.sums
    length = 0
    for v in range(child.size):
        if child[v] == LOOSE:
            left[length] = v
            length += 1
    for place in range(length - 1, 0, -1):
        chosen = lot_of(place, 2, words[1]) * (place + 1) >> 16
        left[place], left[chosen] = left[chosen], left[place]
    for place in range(length):
        vertex = np.int64(left[place])
        row = trails[vertex]
        sums[:count] = 0
        for u in range(child.size):
            if child[u] != LOOSE:
                sums[child[u]] += np.int64(row[u])
        best = np.int64(0)
        for color in range(1, count):
            if sums[color] > sums[best] or (
                sums[color] == sums[best]
                and lot_of(vertex, color, words[0]) < lot_of(vertex, best, words[0])
            ):
                best = np.int64(color)
        child[vertex] = best


@inlined
def _list_members(room: CrossRoom, side: Whole, colors: NDArray[np.int32]) -> None:
    """List the vertices of a parent class by class, in ascending order."""
    ends, sizes = room.ends[side], room.sizes[side]
    ends[:] = 0
    sizes[:] = 0
    for color in colors:
        sizes[color] += 1
        ends[color + 2] += 1
    for color in range(2, ends.size):
        ends[color] += ends[color - 1]
    for v in range(colors.size):
        color = colors[v]
        room.members[side, ends[color + 1]] = v
        ends[color + 1] += 1
