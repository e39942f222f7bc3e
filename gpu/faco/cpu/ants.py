"""What an ant of Focused ACO does, compiled: it leaves the source, and improves its tour by 2-opt.

The ant walks from a city that is drawn. Each next city is drawn from the free candidates, those
not visited yet, with a probability in proportion to τ·η^β; without any it is the first free city of
the backup list, else the nearest free one. The walk ends when as many of its edges as the ant's arm
says are not in the source. Then the ant goes along the source to all free cities: they keep their
order, and follow the walk where it began. So the walk is a stretch of the tour, and its cities are
missing where they were in the source. The direction is the one in which the ant's first step leads
along the source; forward, if it leads elsewhere.

The local search begins at the ends of new edges: these cities wait in a queue. The first one, a,
looks at its neighbours b, nearest first, as long as they are nearer than the city after a: the
edges from a and b to the cities after them are given up for a-b and the edge between those two.
Then it looks the same way at the cities before a and b. The move that gains most is made, the first
of equal ones, if any gains; then a, b and the two others join the end of the queue, unless they
wait. The search ends with the queue empty.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.geometry import distance
from gpu.cpu.philox import Key, draw_block, start_city
from gpu.cpu.record import ITERATION
from gpu.cpu.wheel import part_of, scale_of, spin
from gpu.faco.cpu.state import (
    QUEUE_HEAD,
    QUEUE_SIZE,
    WALKED,
    FacoLists,
    FacoSource,
    FacoState,
    FacoWorkspace,
    note_stretch,
)
from gpu.tour_changes.cpu.patch import turn


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


ROULETTE = np.uint32(Purpose.ROULETTE)


@compiled
def walk(state: FacoState, work: FacoWorkspace, ant: int) -> None:
    """Visit cities until enough edges are new, or no city is left."""
    key, source, free = state.rules.key, state.source, work.free
    candidates, weights = state.lists.candidates, state.pheromone.weights
    iteration = np.uint32(state.record.numbers[ITERATION])
    n, missing = source.tour.size, state.rules.fewest_edges + state.ants.arms[ant]
    city = np.int64(start_city(key, iteration, ant, n))
    free[city] = 0
    work.walk[0] = city
    walked = 1
    while missing > 0 and walked < n:
        if walked == 1 or walked & 3 == 0:
            draw_block(work.words, key, ROULETTE, iteration, ant, walked // 4)
        word = work.words[walked & 3]
        following = _draw(candidates, weights, free, work.parts, city, word)
        if following < 0:
            following = _nearest(state.lists, free, city)
        before, after = beside(source.tour, source.place, city)
        missing -= following not in (before, after)
        city = following
        free[city] = 0
        work.walk[walked] = city
        walked += 1
    work.numbers[WALKED] = walked


@cached
def draw_once(
    candidates: NDArray[np.int32],
    weights: NDArray[np.float32],
    work: FacoWorkspace,
    key: Key,
    when: tuple[np.uint32, int, int],
) -> np.int64:
    """Draw for the decision view among the candidates of one city, in rows of their own.

    ``when`` is the iteration, the ant, and how many cities it has visited. The parts of the wheel
    are written.
    """
    iteration, ant, walked = when
    draw_block(work.words, key, ROULETTE, iteration, ant, walked // 4)
    return _draw(candidates, weights, work.free, work.parts, 0, work.words[walked & 3])


@inlined
def _draw(
    candidates: NDArray[np.int32],
    weights: NDArray[np.float32],
    free: NDArray[np.int32],
    parts: NDArray[np.int32],
    city: Whole,
    word: np.uint32,
) -> np.int64:
    """Turn the wheel over the free candidates; return where it stops, or -1 if none is free.

    It is that of :mod:`gpu.cpu.wheel`: its parts are whole numbers, so that it stops at the same
    city in whatever order they are added.
    """
    largest = np.int32(0)
    for lane in range(candidates.shape[1]):
        bits = np.float32(weights[city, lane]).view(np.int32)
        parts[lane] = np.int32(bits & free[candidates[city, lane]])
        largest = max(largest, parts[lane])
    if largest == 0:
        return np.int64(-1)
    scale, total = scale_of(largest), np.uint32(0)
    for lane in range(candidates.shape[1]):
        part = part_of(parts[lane], scale)
        parts[lane] = part
        total = np.uint32(total + part)
    stop, lane = np.int64(spin(word, np.uint64(total))), 0
    while parts[lane] <= stop:
        stop -= parts[lane]
        lane += 1
    return np.int64(candidates[city, lane])


@compiled
def _nearest(lists: FacoLists, free: NDArray[np.int32], city: np.int64) -> np.int64:
    """Return the first free city of the backup list, else the nearest; ties to the lowest."""
    for lane in range(lists.backup.shape[1]):
        if free[lists.backup[city, lane]]:
            return np.int64(lists.backup[city, lane])
    nearest, best = np.int64(-1), np.int64(0)
    for other in range(free.size):
        if free[other]:
            far = distance(lists.geometry, city, other)
            if nearest < 0 or far < best:
                nearest, best = np.int64(other), far
    return nearest


@inlined
def beside(
    tour: NDArray[np.int32], place: NDArray[np.int32], city: Whole
) -> tuple[np.int32, np.int32]:
    """Return the cities before and after a city on a tour."""
    at, last = np.int64(place[city]), tour.size - 1
    return tour[at - 1 if at > 0 else last], tour[at + 1 if at < last else 0]


@compiled
def lay_out(state: FacoState, work: FacoWorkspace) -> np.int64:
    """Make the tour of the walk; return how much longer than the source it is.

    All ends of new edges wait to look for a move.
    """
    tour, place, free, numbers = work.tour, work.place, work.free, work.numbers
    source, walked, n = state.source, numbers[WALKED], work.tour.size
    origin = np.int64(place[work.walk[0]])
    forward = 1
    if walked > 1:
        before, after = beside(source.tour, source.place, work.walk[0])
        forward = -1 if work.walk[1] == before and before != after else 1
    # cities missing on each side are made up for from that side, so little is moved
    ahead = behind = far_ahead = far_behind = np.int64(0)
    for step in range(1, walked):
        far = wrapped(forward * (np.int64(place[work.walk[step]]) - origin), n)
        if 2 * far <= n:
            ahead, far_ahead = ahead + 1, max(far_ahead, far)
        else:
            behind, far_behind = behind + 1, max(far_behind, n - far)
    _close_up(tour, place, free, origin, forward, far_ahead)
    _close_up(tour, place, free, origin, -forward, far_behind)
    at = wrapped(origin - forward * behind, n)
    for step in range(walked):
        tour[at], place[work.walk[step]] = work.walk[step], at
        at = wrapped(at + forward, n)
    first = origin - far_behind if forward == 1 else origin - far_ahead
    note_stretch(work.stretches, numbers, wrapped(first, n), far_ahead + far_behind + 1)
    return _changes(state.lists, source, work)


@inlined
def _close_up(
    tour: NDArray[np.int32],
    place: NDArray[np.int32],
    free: NDArray[np.int32],
    origin: np.int64,
    step: int,
    far: np.int64,
) -> None:
    """Move the cities not visited away from the origin, up to ``far`` steps from there."""
    n = tour.size
    to = source = wrapped(origin + step * far, n)
    for _ in range(far - 1):
        source = wrapped(source - step, n)
        city = tour[source]
        if free[city]:
            tour[to], place[city] = city, to
            to = wrapped(to - step, n)


@inlined
def _changes(lists: FacoLists, source: FacoSource, work: FacoWorkspace) -> np.int64:
    """Let the ends of new edges wait, and forget what was visited; return how long the edges are.

    That is, how much longer than those that are given up.
    """
    walk, free, numbers = work.walk, work.free, work.numbers
    for step in range(numbers[WALKED]):
        city = walk[step]
        before, after = beside(source.tour, source.place, city)
        one, other = beside(work.tour, work.place, city)
        kept_before, kept_after = before in (one, other), after in (one, other)
        if not (kept_before and kept_after):
            wait(work.queue, work.waiting, numbers, city)
        if free[before] and not kept_before:
            wait(work.queue, work.waiting, numbers, before)
        if free[after] and not kept_after:
            wait(work.queue, work.waiting, numbers, after)
    twice = np.int64(0)  # both ends of each edge count it
    for waiter in range(numbers[QUEUE_SIZE]):
        city = work.queue[wrapped(numbers[QUEUE_HEAD] + waiter, work.queue.size)]
        before, after = beside(source.tour, source.place, city)
        one, other = beside(work.tour, work.place, city)
        twice += away(lists, city, one) + away(lists, city, other)
        twice -= away(lists, city, before) + away(lists, city, after)
    for step in range(numbers[WALKED]):
        free[walk[step]] = -1
    return twice // 2
