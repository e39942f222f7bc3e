"""How a thread lays out the patch of a cell: its cities, their candidates and its tour."""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, compiled
from gpu.cpu.geometry import DOUBLED
from gpu.focused.cpu.state import (
    FAR,
    HEAD,
    LINKED,
    NOBODY,
    SIZE,
    TURNS,
    WAITING,
    WHOLE,
    FocusedState,
    Patch,
)


@compiled
def lay_out(state: FocusedState, patch: Patch, cell: Whole) -> None:
    """Number the cities in the order of the source, and begin with the source's tour of them."""
    cells, source, lists = state.cells, state.source, state.lists
    n, k = lists.neighbours.shape
    begin, end = cells.bounds[cell], cells.bounds[cell + 1]
    whole = n <= WHOLE
    size = n if whole else end - begin
    for city in range(size):
        place = city if whole else cells.members[begin + city]
        there = source[place]
        patch.cities[city] = there
        patch.number[there] = city
        patch.points[city, 0] = lists.geometry.points[there, 0]
        patch.points[city, 1] = lists.geometry.points[there, 1]
        patch.tour[city] = patch.place[city] = city
        patch.links[city, 0] = patch.links[city, 1] = NOBODY
        patch.waiting[city] = False
    patch.numbers[SIZE], patch.numbers[TURNS] = size, 0
    patch.numbers[HEAD], patch.numbers[WAITING], patch.numbers[LINKED] = 0, 0, 0
    if not whole:
        _link(state, patch, begin, size)
    elif state.lists.geometry.rule == DOUBLED:
        for city in range(size):  # source and patch have both halves of a city next to each other
            patch.links[city, 0] = patch.links[city, 1] = city ^ 1
        patch.numbers[LINKED] = 1
    for city in range(size):
        there, width = patch.cities[city], 0
        for lane in range(k):
            other = patch.number[lists.neighbours[there, lane]]
            if other != NOBODY:
                patch.near[city, width] = other
                patch.spans[city, width] = lists.lengths[there, lane]
                width += 1
        for lane in range(width, k):
            patch.near[city, lane] = city
            patch.spans[city, lane] = FAR


@compiled
def _link(state: FocusedState, patch: Patch, begin: Whole, size: Whole) -> None:
    """Link cities that follow each other in the patch, and not in the source."""
    members, n = state.cells.members, state.source.size
    for city in range(size):
        following = city + 1 if city + 1 < size else 0
        step = np.int64(members[begin + following]) - np.int64(members[begin + city])
        if step != 1 and step != 1 - n:
            patch.links[city, 0] = following
            patch.links[following, 1] = city
            patch.numbers[LINKED] = 1


@compiled
def leave(state: FocusedState, patch: Patch, cell: Whole) -> None:
    """Keep the patch's tour as the cell's result, and forget the numbers of its cities."""
    for place in range(patch.numbers[SIZE]):
        state.cells.results[cell, place] = patch.tour[place]
        patch.number[patch.cities[place]] = NOBODY
