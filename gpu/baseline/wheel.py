"""How an ant of the Ant System draws its next city: equation 1 of the 2013 paper, in compiled code.

An ant first writes the weights of its slots to ``keys``: the bits of a float32, 0 for slots that
cannot be drawn. Slots are cities, or lanes of a candidate list. The bits of positive floats order
as whole numbers do, so the largest is found without a comparison of floats, by whole vectors.

A sum of floats depends on the order of adding. So a wheel's parts are whole numbers: a weight is
measured in units of 2^-23 of the largest one, rounded up to a power of two. Sums of them are
exact, whoever adds them in whatever order, and every Ant System draws the same cities.

Without a wheel each city draws a random number of its own, and one comparison decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.baseline.compiled import Whole, piece
from gpu.baseline.philox import philox
from gpu.baseline.reservoir import RESERVOIR, reservoir_key
from gpu.random import DRAW_BITS

BLOCK = 64
"""Slots whose parts are added to one sum; the number of slots is a multiple of this."""

GROUP = 8
"""Slots that the search within a block passes over together."""

ROUNDER = np.float32(2.0**23)
"""From here to 2^24 floats are the whole numbers: adding it rounds to nearest, ties to even."""

ROUNDER_BITS = np.int32(0x4B000000)

SCALE_BITS = np.int32(276)
"""Exponent fields of a wheel's largest weight and of its scale add up to this."""

INDEPENDENT = 3
"""Low byte of the purpose of I-Roulette's random numbers; the step stands above it."""

LAST_CITY = np.uint32(2**31 - 1)

SPARE_BITS = np.uint32(32 - DRAW_BITS)
SHARE = np.float32(2.0**-DRAW_BITS)


@piece
def weigh_all(
    weights: NDArray[np.float32],
    unvisited: NDArray[np.int32],
    u: Whole,
    keys: NDArray[np.int32],
) -> np.int32:
    """Write the keys of all cities as seen from ``u``; return the largest.

    ``unvisited`` has all bits set for an unvisited city and none for another.
    """
    largest = np.int32(0)
    for city in range(unvisited.size):
        key = np.int32(np.float32(weights[u, city]).view(np.int32) & unvisited[city])
        keys[city] = key
        largest = max(largest, key)
    return largest


@piece
def weigh_listed(
    weights: NDArray[np.float32],
    neighbours: NDArray[np.uint32],
    unvisited: NDArray[np.int32],
    u: Whole,
    keys: NDArray[np.int32],
) -> np.int32:
    """Write the keys of the candidates of ``u``; return the largest, 0 if all are visited."""
    largest = np.int32(0)
    for lane in range(neighbours.shape[1]):
        free = unvisited[neighbours[u, lane]]
        key = np.int32(np.float32(weights[u, lane]).view(np.int32) & free)
        keys[lane] = key
        largest = max(largest, key)
    return largest


@piece
def scale_of(largest: np.int32) -> np.float32:
    """Return 2^(23 - e), where 2^(e - 1) <= w < 2^e for the largest weight w."""
    field = np.int32(SCALE_BITS - np.int32(largest >> np.int32(23)))
    return np.int32(field << np.int32(23)).view(np.float32)


@piece
def part_of(key: np.int32, scale: np.float32) -> np.uint32:
    """Return the part of the wheel that a slot has, from 0 to 2^23."""
    rounded = np.float32(np.float32(np.int32(key).view(np.float32) * scale) + ROUNDER)
    return np.uint32(rounded.view(np.int32) - ROUNDER_BITS)


@piece
def add_up(keys: NDArray[np.int32], scale: np.float32, sums: NDArray[np.uint32]) -> np.uint64:
    """Write the sum of the parts of each block to ``sums``; return the sum of all."""
    total = np.uint64(0)
    for block in range(keys.size // BLOCK):
        first = block * BLOCK
        inside = np.uint32(0)
        for slot in range(BLOCK):
            inside = np.uint32(inside + part_of(keys[first + slot], scale))
        sums[block] = inside
        total += np.uint64(inside)
    return total


@piece
def spin(word: np.uint32, total: np.uint64) -> np.uint64:
    """Return where the wheel stops: word · total / 2^32, rounded down."""
    half = np.uint64(32)
    low = np.uint64(word) * (total & np.uint64(0xFFFFFFFF))
    return np.uint64(word) * (total >> half) + (low >> half)


@piece
def slot_at(
    keys: NDArray[np.int32], scale: np.float32, sums: NDArray[np.uint32], stop: np.uint64
) -> int:
    """Return the first slot the sum of whose and all earlier parts is larger than ``stop``."""
    block = 0
    while np.uint64(sums[block]) <= stop:
        stop -= np.uint64(sums[block])
        block += 1
    slot = block * BLOCK
    left = np.uint32(stop)
    while True:  # whole groups first: their sums do not wait for each other
        inside = np.uint32(0)
        for place in range(GROUP):
            inside = np.uint32(inside + part_of(keys[slot + place], scale))
        if inside > left:
            break
        left = np.uint32(left - inside)
        slot += GROUP
    inside = np.uint32(0)
    passed = 0
    for place in range(GROUP):
        inside = np.uint32(inside + part_of(keys[slot + place], scale))
        passed += 1 if inside <= left else 0
    return slot + passed


@piece
def place_at(
    keys: NDArray[np.int32],
    scale: np.float32,
    routes: NDArray[np.uint32],
    ant: int,
    step: int,
    stop: np.uint64,
) -> int:
    """Return the place on the ant's tour list where the wheel over its rest stops.

    As :func:`slot_at`, in the order of the list, from ``step`` on.
    """
    left, n = stop, routes.shape[1]
    place = step
    while place + GROUP <= n:
        inside = np.uint32(0)
        for more in range(GROUP):
            inside = np.uint32(inside + part_of(keys[routes[ant, place + more]], scale))
        if np.uint64(inside) > left:
            break
        left -= np.uint64(inside)
        place += GROUP
    while True:
        inside = part_of(keys[routes[ant, place]], scale)
        if np.uint64(inside) > left:
            return place
        left -= np.uint64(inside)
        place += 1


@piece
def first_of(keys: NDArray[np.int32], largest: np.int32) -> int:
    """Return the first slot with this key; one has it."""
    first = 0
    while True:
        here = np.int32(0)
        for slot in range(BLOCK):
            here = np.int32(here + (np.int32(1) if keys[first + slot] == largest else np.int32(0)))
        if here != 0:
            break
        first += BLOCK
    while keys[first] != largest:
        first += 1
    return first


@piece
def times_own(key: np.int32, word: np.uint32) -> np.int32:
    """Return the key of a weight times its slot's random number in (0, 1)."""
    share = np.float32(np.float32(np.uint32(word >> SPARE_BITS) | np.uint32(1)) * SHARE)
    return np.float32(np.int32(key).view(np.float32) * share).view(np.int32)


@piece
def own_key(key: np.int32, word: np.uint32, own: np.uint32) -> np.int32:
    """Return what a slot's weight and its own random word make; ``own`` says by which rule."""
    return reservoir_key(key, word) if own == RESERVOIR else times_own(key, word)


@piece
def draw_all(
    keys: NDArray[np.int32],
    ant: int,
    iteration: np.uint32,
    step: int,
    own: np.uint32,
    k0: np.uint32,
    k1: np.uint32,
) -> np.int32:
    """Draw a number for each city, and make a key of it and the weight; return the largest.

    ``own`` is ``INDEPENDENT`` for their product (2013, Algorithm 3), or ``RESERVOIR``.
    """
    purpose = np.uint32(own | np.uint32(step) << np.uint32(8))
    largest = np.int32(0)
    for block in range(keys.size // 4):
        words = philox(np.uint32(block), np.uint32(ant), iteration, purpose, k0, k1)
        first = 4 * block
        a = own_key(keys[first], words[0], own)
        b = own_key(keys[first + 1], words[1], own)
        c = own_key(keys[first + 2], words[2], own)
        d = own_key(keys[first + 3], words[3], own)
        keys[first], keys[first + 1], keys[first + 2], keys[first + 3] = a, b, c, d
        largest = max(largest, max(max(a, b), max(c, d)))
    return largest


@piece
def draw_listed(
    keys: NDArray[np.int32],
    neighbours: NDArray[np.uint32],
    u: Whole,
    ant: int,
    iteration: np.uint32,
    step: int,
    own: np.uint32,
    k0: np.uint32,
    k1: np.uint32,
) -> np.uint32:
    """As :func:`draw_all` for the candidates of ``u``; return the city with the largest key.

    Ties go to the lowest city.
    """
    purpose = np.uint32(own | np.uint32(step) << np.uint32(8))
    largest = np.int32(0)
    for lane in range(neighbours.shape[1]):  # visited ones too: vectors would not branch
        city = neighbours[u, lane]
        block = np.uint32(city >> np.uint32(2))
        words = philox(block, np.uint32(ant), iteration, purpose, k0, k1)
        upper = words[3] if city & np.uint32(1) else words[2]
        lower = words[1] if city & np.uint32(1) else words[0]
        key = own_key(keys[lane], upper if city & np.uint32(2) else lower, own)
        keys[lane] = key
        largest = max(largest, key)
    winner = LAST_CITY
    for lane in range(neighbours.shape[1]):
        city = neighbours[u, lane]
        winner = min(winner, city if keys[lane] == largest else LAST_CITY)
    return winner
