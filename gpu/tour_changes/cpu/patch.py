"""How a thread lays out the patch of a cell: its cities, their candidates and its tour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import DOUBLED
from gpu.tour_changes.cpu.lists import CityLists
from gpu.tour_changes.cpu.state import (
    FAR_AWAY,
    LINKED,
    NOBODY,
    PATCH_CHANGED,
    PATCH_CITIES,
    PATCH_HEAD,
    PATCH_TURNS,
    PATCH_WAITING,
    Patch,
)


@compiled
def lay_out(
    lists: CityLists,
    patch: Patch,
    source: NDArray[np.int32],
    members: NDArray[np.int32],
    begin: Whole,
    end: Whole,
) -> None:
    """Number the cities at places of the source in their order, and begin with its tour of them.

    The places are ``members[begin:end]``, in ascending order.
    """
    n, k = lists.neighbours.shape
    size = end - begin
    for city in range(size):
        place = members[begin + city]
        there = source[place]
        patch.cities[city] = there
        patch.number[there] = city
        patch.points[city, 0] = lists.geometry.points[there, 0]
        patch.points[city, 1] = lists.geometry.points[there, 1]
        patch.tour[city] = patch.place[city] = city
        patch.beside[city, 0] = city - 1 if city > 0 else size - 1
        patch.beside[city, 1] = city + 1 if city + 1 < size else 0
        patch.links[city, 0] = patch.links[city, 1] = NOBODY
        patch.waiting[city] = False
    patch.numbers[PATCH_CITIES], patch.numbers[PATCH_TURNS], patch.numbers[PATCH_CHANGED] = (
        size,
        0,
        0,
    )
    patch.numbers[PATCH_HEAD], patch.numbers[PATCH_WAITING], patch.numbers[LINKED] = 0, 0, 0
    if lists.geometry.rule == DOUBLED:
        for city in range(size):  # source and patch have both halves of a city next to each other
            patch.links[city, 0] = patch.links[city, 1] = city ^ 1
        patch.numbers[LINKED] = 1
    if size < n:
        _link(patch, members, begin, size, n)
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
            patch.spans[city, lane] = FAR_AWAY


@compiled
def _link(patch: Patch, members: NDArray[np.int32], begin: Whole, size: Whole, n: Whole) -> None:
    """Link cities that follow each other in the patch, and not in the source of ``n`` cities."""
    for city in range(size):
        following = city + 1 if city + 1 < size else 0
        step = np.int64(members[begin + following]) - np.int64(members[begin + city])
        if step != 1 and step != 1 - n:
            patch.links[city, 0] = following
            patch.links[following, 1] = city
            patch.numbers[LINKED] = 1


@inlined
def forget(patch: Patch) -> None:
    """Forget the numbers of the patch's cities."""
    for place in range(patch.numbers[PATCH_CITIES]):
        patch.number[patch.cities[place]] = NOBODY
