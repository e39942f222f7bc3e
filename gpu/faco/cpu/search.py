"""The local search of Focused ACO, compiled: 2-opt that begins at the ends of new edges.

Cities wait in a queue. The first one, a, looks at its neighbours b, nearest first, as long as they
are nearer than the city after a: the edges from a and b to the cities after them are given up for
a-b and the edge between those two. Then it looks the same way at the cities before a and b. The
move that gains most is made, the first of equal ones, if any gains; then a, b and the two others
join the end of the queue, unless they wait. The search ends with the queue empty.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import distance
from gpu.faco.cpu.state import QUEUE_HEAD, QUEUE_SIZE, FacoLists, FacoWorkspace
from gpu.faco.cpu.stretches import note_stretch
from gpu.tour_changes.cpu.tour import turn


@inlined
def wrapped(position: Whole, n: Whole) -> np.int64:
    """Return a position that may lie up to a whole tour past the last one, or before the first."""
    if position >= n:
        return np.int64(position - n)
    return np.int64(position + n if position < 0 else position)


@inlined
def away(lists: FacoLists, a: Whole, b: Whole) -> np.int64:
    """Return the distance between two cities."""
    if lists.flat:
        points = lists.geometry.points
        x, y = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1]
        return np.int64(math.sqrt(x * x + y * y) + 0.5)
    return distance(lists.geometry, a, b)


@inlined
def wait(
    queue: NDArray[np.int32], waiting: NDArray[np.bool_], numbers: NDArray[np.int64], city: Whole
) -> None:
    """Put a city at the end of the queue, unless it is there."""
    if not waiting[city]:
        waiting[city] = True
        queue[wrapped(numbers[QUEUE_HEAD] + numbers[QUEUE_SIZE], queue.size)] = city
        numbers[QUEUE_SIZE] += 1


@compiled
def improve(lists: FacoLists, work: FacoWorkspace) -> tuple[np.int64, np.int64]:
    """Make moves until nobody waits; return what they gain, and how many there were."""
    tour, place, queue, numbers = work.tour, work.place, work.queue, work.numbers
    n = tour.size
    gained = moves = np.int64(0)
    while numbers[QUEUE_SIZE] > 0:
        a = np.int64(queue[numbers[QUEUE_HEAD]])
        numbers[QUEUE_HEAD] = wrapped(numbers[QUEUE_HEAD] + 1, n)
        numbers[QUEUE_SIZE] -= 1
        work.waiting[a] = False
        best, b, forward = np.int64(0), np.int64(-1), 1
        for side in range(2):
            step = 1 - 2 * side
            beyond_a = np.int64(tour[wrapped(place[a] + step, n)])
            given_up = away(lists, a, beyond_a)
            for lane in range(lists.lengths.shape[1]):
                gain = given_up - lists.lengths[a, lane]
                if gain <= 0:
                    break
                other = np.int64(lists.near[a, lane])
                beyond = np.int64(tour[wrapped(place[other] + step, n)])
                gain += away(lists, other, beyond) - away(lists, beyond_a, beyond)
                if gain > best:
                    best, b, forward = gain, other, step
        if best > 0:
            gained += best
            moves += 1
            beyond_a = np.int64(tour[wrapped(place[a] + forward, n)])
            beyond_b = np.int64(tour[wrapped(place[b] + forward, n)])
            begin, end = (beyond_a, b) if forward == 1 else (a, beyond_b)
            length = wrapped(np.int64(place[end]) - place[begin], n) + 1
            first = np.int64(place[begin])
            if 2 * length > n:
                first, length = wrapped(np.int64(place[end]) + 1, n), n - length
            note_stretch(work.stretches, numbers, first, length)
            turn(tour, place, n, first, length)
            for city in (a, b, beyond_a, beyond_b):
                wait(queue, work.waiting, numbers, city)
    return gained, moves
