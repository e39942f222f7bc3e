"""How an ant chooses its next city: the pseudo-random proportional rule (Fig. 3, eqs. 1 and 2).

When no neighbour of its city is left, the ant takes the best of all unvisited cities. A tree of
boxes around the cities finds it without looking at all: the distance to a box is at most that to
any city in it, and so it bounds the weights of its cities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from gpu.acs.cpu.state import (
    BOX_LEVELS,
    LANES,
    NO_CITY,
    AcsEdges,
    AcsLists,
    AcsPheromone,
    AcsRules,
    AcsWorkspace,
    BoxTree,
    trail_outside,
)
from gpu.core.random import Purpose
from gpu.cpu.bits import lowest
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.geometry import BOXED, CityGeometry, distance, length, weight
from gpu.cpu.philox import SPARE_BITS, share, words_of
from gpu.cpu.structures import allocated
from gpu.cpu.wheel import part_of, scale_of, spin
from gpu.problems.tsp.neighbours import NOT_LISTED

LEAF = 24  # cities in a box that is not divided further


_NONE = allocated(BoxTree, (0, 2), low=(0, 3), high=(0, 3), cities=0)


def box_tree_of(geometry: CityGeometry) -> BoxTree:
    """Divide the cities into boxes, if distances grow with every coordinate's difference."""
    if geometry.rule not in BOXED:
        return _NONE
    kd_tree = cKDTree(geometry.points, leafsize=LEAF)
    cities = np.asarray(kd_tree.indices)
    corners: list[tuple[Any, Any]] = []  # the low ones and the high ones
    parts: list[list[int]] = []
    spans: list[tuple[int, int]] = []
    waiting: list[tuple[Any, int, int, int]] = [(kd_tree.tree, 1, -1, 0)]
    while waiting:
        node, depth, parent, side = waiting.pop()
        if depth > BOX_LEVELS:  # no known instance has such a shape
            return _NONE
        here = len(spans)
        if parent >= 0:
            parts[parent][side] = here
        inside = geometry.points[cities[node.start_idx : node.end_idx]]
        corners.append((inside.min(axis=0), inside.max(axis=0)))
        parts.append([-1, -1])
        spans.append((node.start_idx, node.end_idx))
        if node.split_dim >= 0:
            waiting += [(node.lesser, depth + 1, here, 0), (node.greater, depth + 1, here, 1)]
    low, high = np.array(corners).swapaxes(0, 1).copy()
    ends = np.array(parts, np.int32), np.array(spans, np.int32)
    return BoxTree(low, high, *ends, cities.astype(np.uint32))


@compiled
def nearest_possible(tree: BoxTree, geometry: CityGeometry, box: Whole, u: Whole) -> np.int64:
    """Return a lower bound of the distance from ``u`` to the cities in ``box``."""
    x, y = _gap(tree, geometry, box, u, 0), _gap(tree, geometry, box, u, 1)
    return length(geometry, x, y, _gap(tree, geometry, box, u, 2))


@inlined
def _gap(tree: BoxTree, geometry: CityGeometry, box: Whole, u: Whole, axis: int) -> np.float64:
    place = geometry.points[u, axis]
    below, above = tree.low[box, axis] - place, place - tree.high[box, axis]
    return np.float64(max(max(below, above), 0.0))


EXPLOIT, ROULETTE = np.uint32(Purpose.EXPLOIT), np.uint32(Purpose.ROULETTE)

FEW_CITIES = 8  # up to so many unvisited cities, all are looked at instead of the backup list
MANY_CITIES = (
    64  # up to so many unvisited cities, looking at all is quicker than going through the boxes
)
WEIGHT_MARGIN = np.float32(1.000001)  # room for rounding, when a weight is compared with a bound
LAST_CITY = np.uint32(2**31 - 1)


@inlined
def is_unvisited(unvisited: NDArray[np.uint32], ant: int, city: np.uint32) -> np.uint32:
    """Return 1 if ``ant`` has not yet been in ``city``, else 0."""
    word = unvisited[ant, city >> np.uint32(5)]
    return np.uint32((word >> np.uint32(city & np.uint32(31))) & np.uint32(1))


@inlined
def weigh(
    lists: AcsLists,
    trails: AcsPheromone,
    unvisited: NDArray[np.uint32],
    ant: int,
    u: Whole,
    keys: NDArray[np.int32],
) -> np.int32:
    """Write the bits of τ·η^β of all unvisited candidates, 0 for others; return the largest.

    The bits of floats that are not negative have the order of the floats. The weight of an
    unvisited candidate is never 0, so the largest key is 0 only if no candidate is left.
    """
    largest = np.int32(0)
    for lane in range(lists.neighbours.shape[1]):
        free = is_unvisited(unvisited, ant, lists.neighbours[u, lane])
        bits = np.float32(trails.listed[u, lane] * lists.weights[u, lane]).view(np.int32)
        key = bits if free != 0 else np.int32(0)
        keys[lane] = key
        largest = max(largest, key)
    return largest


@inlined
def heaviest(lists: AcsLists, u: Whole, keys: NDArray[np.int32], largest: np.int32) -> Whole:
    """Return the lane whose key is the ``largest``; ties go to the lowest city."""
    mark = np.int32(0)  # a sum needs no branch, so vectors can do it
    for lane in range(lists.neighbours.shape[1]):
        mark = np.int32(mark + (np.int32(LANES + lane) if keys[lane] == largest else np.int32(0)))
    if mark < 2 * LANES:
        return np.int64(mark - LANES)
    winner = -1
    for lane in range(lists.neighbours.shape[1]):
        if keys[lane] == largest and (
            winner < 0 or lists.neighbours[u, lane] < lists.neighbours[u, winner]
        ):
            winner = lane
    return winner


@inlined
def roulette(keys: NDArray[np.int32], largest: np.int32, word: np.uint32) -> int:
    """Return a lane drawn in proportion to its weight (eq. 2); those of key 0 cannot be drawn.

    The wheel has whole parts, see :mod:`gpu.cpu.wheel`: both devices draw the same lane, and every
    lane with a key can be drawn.
    """
    scale = scale_of(largest)
    total = np.uint32(0)
    for lane in range(LANES):
        total = np.uint32(total + part_of(keys[lane], scale))
    left = np.uint32(spin(word, np.uint64(total)))
    lane, part = 0, part_of(keys[0], scale)
    while part <= left:
        left = np.uint32(left - part)
        lane += 1
        part = part_of(keys[lane], scale)
    return lane


@inlined
def choose_lane(
    lists: AcsLists,
    rules: AcsRules,
    workspace: AcsWorkspace,
    iteration: np.uint32,
    ant: int,
    step: int,
    u: Whole,
    largest: np.int32,
    draw: np.uint32,
) -> Whole:
    """Return the lane of the candidate that the ant takes, or ``NOT_LISTED`` if none is left.

    The workspace has the keys, of which ``largest`` is the largest. The random word ``draw``
    decides between the heaviest candidate and the wheel.
    """
    if largest == 0:
        return NOT_LISTED
    if is_greedy(rules, draw):
        return heaviest(lists, u, workspace.keys, largest)
    return roulette(workspace.keys, largest, spin_of(rules, iteration, ant, step))


@inlined
def is_greedy(rules: AcsRules, draw: np.uint32) -> bool:
    """Whether q < q₀ (eq. 1)."""
    return bool(draw >> SPARE_BITS < rules.threshold)


@inlined
def spin_of(rules: AcsRules, iteration: np.uint32, ant: int, step: int) -> np.uint32:
    """Return the random word that spins the wheel of a step."""
    return words_of(rules.key, ROULETTE, iteration, ant, step // 4)[step & 3]


@inlined
def key_of(value: np.float32, city: np.uint32) -> np.int64:
    """Return a number that grows with the weight and, of equal weights, falls with the city."""
    rank = np.int64(LAST_CITY) - np.int64(city)
    return (np.int64(np.float32(value).view(np.int32)) << 32) | rank


@inlined
def city_of(key: np.int64) -> np.uint32:
    """Return the city of a :func:`key_of`."""
    return np.uint32(np.int64(LAST_CITY) - (key & np.int64(LAST_CITY)))


@compiled
def key_outside(edges: AcsEdges, u: Whole, v: np.uint32) -> np.int64:
    """Return the key of a city that is not on the list of ``u``."""
    return key_of(np.float32(trail_outside(edges, u, v) * _eta(edges, u, v)), v)


@inlined
def best_remembered(edges: AcsEdges, unvisited: NDArray[np.uint32], ant: int, u: Whole) -> np.int64:
    """Return the largest key of the unvisited cities that ``u`` remembers off its list, or 0."""
    trails, best = edges.trails, np.int64(0)
    for slot in range(trails.cities.shape[1]):
        other, outside = trails.cities[u, slot], trails.lanes[u, slot] == NOT_LISTED
        if outside and other != NO_CITY and is_unvisited(unvisited, ant, np.uint32(other)) != 0:
            best = max(best, key_outside(edges, u, np.uint32(other)))
    return best


@inlined
def heaviest_remembered(
    edges: AcsEdges,
    unvisited: NDArray[np.uint32],
    weights: NDArray[np.float32],
    ant: int,
    u: Whole,
    least: np.float32,
) -> int:
    """Return the slot of the heaviest unvisited city that ``u`` remembers, or -1.

    None weighs less than ``least``; of equals it is the newest. ``weights`` are those of the
    candidates, 0 for visited ones. Cities off the list are at least as far as the last candidate:
    that bounds their weights, so that few of them are computed.
    """
    lists, trails, heaviest, found = edges.lists, edges.trails, least, -1
    eta = np.float32(lists.weights[u, edges.rules.listed - 1] * WEIGHT_MARGIN)
    slot = trails.tails[u]
    for _ in range(trails.cities.shape[1]):
        lane, other, tried = trails.lanes[u, slot], trails.cities[u, slot], np.float32(0)
        if lane != NOT_LISTED:
            tried = weights[lane]
        elif (
            other != NO_CITY
            and trails.values[u, slot] * eta >= heaviest
            and is_unvisited(unvisited, ant, np.uint32(other)) != 0
        ):
            tried = np.float32(trails.values[u, slot] * _eta(edges, u, other))
        if tried > heaviest or (tried == heaviest and found < 0):
            heaviest, found = tried, slot
        slot = slot - 1 if slot > 0 else trails.cities.shape[1] - 1
    return found


@inlined
def _eta(edges: AcsEdges, u: Whole, v: Whole) -> np.float32:
    """Return η^β of any edge."""
    away = distance(edges.geometry, u, v)
    return weight(edges.geometry, away, edges.lists.distances[u, 0])


@inlined
def exceeds(key: np.int64, bound: np.float32, eta: np.float32) -> bool:
    """Whether the weight of ``key`` is certainly larger than ``bound`` times ``eta``."""
    return bool(np.int32(key >> 32).view(np.float32) > bound * eta * WEIGHT_MARGIN)


@compiled
def fallback(
    edges: AcsEdges,
    boxes: BoxTree,
    unvisited: NDArray[np.uint32],
    waiting: NDArray[np.int32],
    ant: int,
    u: Whole,
    left: int,
) -> np.uint32:
    """Return the unvisited city with the largest τ·η^β when no candidate is left (Fig. 3, line 18).

    Ties go to the lowest city. The result is the same as from all ``left`` unvisited cities. If
    they are many, bounds of the trails and of the distances exclude most of them.
    """
    lists, geometry, trails = edges.lists, edges.geometry, edges.trails
    best = np.int64(0)
    if left <= FEW_CITIES:
        return city_of(_best_of_all(edges, unvisited, ant, u, best))
    nearest = lists.distances[u, 0]
    near = beyond = np.float32(1.0)
    if edges.rules.selective:  # trails other than 1 are only those remembered
        best = best_remembered(edges, unvisited, ant, u)
    else:
        beyond = trails.bounds[u, 1]
        near = max(trails.bounds[u, 0], beyond)
    backups = lists.backup.shape[1]
    for rank in range(backups):  # from the nearest on, so that weights only fall
        v = lists.backup[u, rank]
        if is_unvisited(unvisited, ant, v) != 0:
            eta = _eta(edges, u, v)
            if exceeds(best, near, eta):
                return city_of(best)
            best = max(best, key_of(np.float32(trail_outside(edges, u, v) * eta), v))
    if exceeds(best, beyond, _eta(edges, u, lists.backup[u, backups - 1])):
        return city_of(best)
    if left <= MANY_CITIES or boxes.spans.shape[0] == 0:
        return city_of(_best_of_all(edges, unvisited, ant, u, best))
    waiting[0] = 0
    count = 1
    while count > 0:
        count -= 1
        box = waiting[count]
        eta = weight(geometry, nearest_possible(boxes, geometry, box, u), nearest)
        if exceeds(best, beyond, eta):
            continue
        first, second = boxes.parts[box, 0], boxes.parts[box, 1]
        if first < 0:
            for place in range(boxes.spans[box, 0], boxes.spans[box, 1]):
                v = boxes.cities[place]
                if is_unvisited(unvisited, ant, v) != 0:
                    best = max(best, key_outside(edges, u, v))
            continue
        away = nearest_possible(boxes, geometry, second, u)
        if nearest_possible(boxes, geometry, first, u) < away:
            first, second = second, first
        waiting[count] = first
        waiting[count + 1] = second  # the nearer one is looked at first
        count += 2
    return city_of(best)


@compiled
def _best_of_all(
    edges: AcsEdges, unvisited: NDArray[np.uint32], ant: int, u: Whole, best: np.int64
) -> np.int64:
    """Return the largest of ``best`` and the keys of all unvisited cities."""
    for index in range(unvisited.shape[1]):
        word = unvisited[ant, index]
        while word != 0:
            v = np.uint32(np.uint64(32 * index) + lowest(np.uint64(word)))
            word = np.uint32(word & np.uint32(word - np.uint32(1)))
            best = max(best, key_outside(edges, u, v))
    return best


@cached
def choose_once(
    lists: AcsLists,
    trails: AcsPheromone,
    unvisited: NDArray[np.uint32],
    rules: AcsRules,
    workspace: AcsWorkspace,
    iteration: np.uint32,
    ant: int,
    step: int,
) -> tuple[Whole, np.float32, np.float32]:
    """Return the lane of one candidate for the decision view, and the numbers q and spin.

    ``lists`` and ``trails`` have one row, that of the city where the ant is, and ``unvisited`` has
    one row for the ant. The weights of the candidates are left in the workspace. The lane is
    ``NOT_LISTED`` if no candidate is left.
    """
    largest = weigh(lists, trails, unvisited, 0, 0, workspace.keys)
    draw = words_of(rules.key, EXPLOIT, iteration, ant, step // 4)[step & 3]
    lane = choose_lane(lists, rules, workspace, iteration, ant, step, 0, largest, draw)
    return lane, share(draw), share(spin_of(rules, iteration, ant, step))
