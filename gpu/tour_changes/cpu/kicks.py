"""The double bridge (Martin, Otto and Felten 1991), with which an ant begins, and its repair."""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, inlined
from gpu.tour_changes.cpu.patch import NEVER, away, given_up, turn_noted
from gpu.tour_changes.cpu.search import changes, forget_queue, improve
from gpu.tour_changes.cpu.state import GIVEN_UP, PATCH_CITIES, CityLists, Patch

BRIDGE_CITIES = 4  # of a tour that has a double bridge

NOT_BRIDGED = -(np.int64(2) ** 62)


@inlined
def bridge(lists: CityLists, patch: Patch, p0: Whole, p1: Whole, p2: Whole, p3: Whole) -> np.int64:
    """Give up the edges behind four places for those of a double bridge; return the gain."""
    tour, size = patch.tour, patch.numbers[PATCH_CITIES]
    a0, b0 = np.int32(tour[p0]), np.int32(tour[p0 + 1])
    b1, c0 = np.int32(tour[p1]), np.int32(tour[p1 + 1])
    c1, d0 = np.int32(tour[p2]), np.int32(tour[p2 + 1])
    d1, e0 = np.int32(tour[p3]), np.int32(tour[p3 + 1 if p3 + 1 < size else 0])
    gain = given_up(lists, patch, a0, b0) + given_up(lists, patch, b1, c0)
    gain += given_up(lists, patch, c1, d0) + given_up(lists, patch, d1, e0)
    if gain < -(NEVER // 2):
        return NOT_BRIDGED  # a link is among them
    patch.numbers[GIVEN_UP] = gain
    gain -= away(lists, patch, a0, d0) + away(lists, patch, d1, c0)
    gain -= away(lists, patch, c1, b0) + away(lists, patch, b1, e0)
    turn_noted(patch, p0 + 1, p3 - p0)
    turn_noted(patch, p0 + 1, p3 - p2)
    turn_noted(patch, p0 + 1 + p3 - p2, p2 - p1)
    turn_noted(patch, p0 + 1 + p3 - p1, p1 - p0)
    ends = patch.touched
    ends[0], ends[1], ends[2], ends[3] = a0, b0, b1, c0
    ends[4], ends[5], ends[6], ends[7] = c1, d0, d1, e0
    for end in range(8):
        changes(patch, ends[end])
    return gain


@inlined
def repair(lists: CityLists, patch: Patch) -> np.int64:
    """Let the local search mend what a double bridge made worse; return the gain."""
    gain = improve(lists, patch, 0)
    forget_queue(patch)
    return np.int64(gain)
