"""How an ant of the Ant System draws its next city: equation 1 of the 2013 paper, in compiled code.

An ant first writes the weights of its slots to ``keys``: the bits of a float32, 0 for slots that
cannot be drawn. Slots are cities, or lanes of a candidate list. The bits of positive floats have
the order of the floats, so vector instructions for whole numbers find the largest.

The sum of floats depends on the order in which they are added. So the parts of a wheel are whole
numbers: a weight is measured in units of 2^-23 of the largest one, which is first rounded up to a
power of two. Sums of parts are exact, and every Ant System draws the same cities. Parts are rounded
up, so that every city that can be drawn has one. A wheel of more than 2^32 parts, which takes more
than 511 cities of nearly the largest weight, does not stop at each: it is turned by 32 random bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core import random
from gpu.cpu.compilation import Whole, inlined

WHEEL_BLOCK = (
    64  # slots of a block, whose parts have one sum; the number of slots is a multiple of this
)
WHEEL_GROUP = 8  # slots that the search within a block skips together
ROUNDER, ROUNDER_BITS = np.float32(random.ROUNDER), np.int32(random.ROUNDER_BITS)
ONE_PART = np.int32(1)
SCALE_BITS = np.int32(random.SCALE_BITS)


def padded(slots: int) -> int:
    """Return the number of slots in whole blocks."""
    return -(-slots // WHEEL_BLOCK) * WHEEL_BLOCK


def factors_of(exponent: float) -> int:
    """Return an exponent that is whole, else -1."""
    return int(exponent) if exponent.is_integer() else -1


@inlined
def raise_all(
    values: NDArray[np.float32], exponent: float, factors: int, powers: NDArray[np.float32]
) -> None:
    """Write a power of each value; the number of factors is from :func:`factors_of`.

    A whole power is a repeated product, in the same order on every device. Each factor is
    multiplied into the whole row, which stays in the first-level cache.
    """
    if factors >= 0:
        for v in range(values.size):
            powers[v] = np.float32(1.0)
        for _ in range(factors):
            for v in range(values.size):
                powers[v] *= values[v]
    else:
        for v in range(values.size):
            powers[v] = np.float32(np.float64(values[v]) ** exponent)


@inlined
def weigh_all(
    weights: NDArray[np.float32], unvisited: NDArray[np.int32], u: Whole, keys: NDArray[np.int32]
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


@inlined
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


@inlined
def scale_of(largest: np.int32) -> np.float32:
    """Return 2^(23 - e), where 2^(e - 1) <= w < 2^e for the largest weight w."""
    field = np.int32(SCALE_BITS - np.int32(largest >> np.int32(23)))
    return np.int32(field << np.int32(23)).view(np.float32)


@inlined
def part_of(key: np.int32, scale: np.float32) -> np.uint32:
    """Return a slot's part of the wheel, from 0 to 2^23; at least 1 if its key is not 0."""
    weight = np.float32(np.int32(key).view(np.float32) * scale)
    rounded = np.float32(np.float32(np.ceil(weight)) + ROUNDER)
    whole = np.int32(rounded.view(np.int32) - ROUNDER_BITS)
    return np.uint32(max(whole, min(np.int32(key), ONE_PART)))  # the product may have become 0


@inlined
def add_up(keys: NDArray[np.int32], scale: np.float32, sums: NDArray[np.uint32]) -> np.uint64:
    """Write the sum of the parts of each block to ``sums``; return the sum of all."""
    total = np.uint64(0)
    for block in range(keys.size // WHEEL_BLOCK):
        first = block * WHEEL_BLOCK
        inside = np.uint32(0)
        for slot in range(WHEEL_BLOCK):
            inside = np.uint32(inside + part_of(keys[first + slot], scale))
        sums[block] = inside
        total += np.uint64(inside)
    return total


@inlined
def spin(word: np.uint32, total: np.uint64) -> np.uint64:
    """Return where the wheel stops: word · total / 2^32, rounded down."""
    half = np.uint64(32)
    low = np.uint64(word) * (total & np.uint64(0xFFFFFFFF))
    return np.uint64(word) * (total >> half) + (low >> half)


@inlined
def slot_of(
    keys: NDArray[np.int32], largest: np.int32, sums: NDArray[np.uint32], word: np.uint32
) -> int:
    """Turn the wheel over all slots; return the one where it stops. ``sums`` is written."""
    scale = scale_of(largest)
    return slot_at(keys, scale, sums, spin(word, add_up(keys, scale, sums)))


@inlined
def slot_at(
    keys: NDArray[np.int32], scale: np.float32, sums: NDArray[np.uint32], stop: np.uint64
) -> int:
    """Return the first slot for which the sum of its part and all earlier ones exceeds ``stop``."""
    block = 0
    while np.uint64(sums[block]) <= stop:
        stop -= np.uint64(sums[block])
        block += 1
    slot = block * WHEEL_BLOCK
    left = np.uint32(stop)
    while True:  # whole groups first: their sums do not wait for each other
        inside = np.uint32(0)
        for place in range(WHEEL_GROUP):
            inside = np.uint32(inside + part_of(keys[slot + place], scale))
        if inside > left:
            break
        left = np.uint32(left - inside)
        slot += WHEEL_GROUP
    inside = np.uint32(0)
    passed = 0
    for place in range(WHEEL_GROUP):
        inside = np.uint32(inside + part_of(keys[slot + place], scale))
        passed += 1 if inside <= left else 0
    return slot + passed


@inlined
def place_at(
    keys: NDArray[np.int32],
    scale: np.float32,
    route: NDArray[np.uint32],
    step: int,
    stop: np.uint64,
) -> int:
    """As :func:`slot_at`, in the order of an ant's list of cities, from place ``step`` on.

    Return a place on that list.
    """
    left, n = stop, route.size
    place = step
    while place + WHEEL_GROUP <= n:
        inside = np.uint32(0)
        for more in range(WHEEL_GROUP):
            inside = np.uint32(inside + part_of(keys[route[place + more]], scale))
        if np.uint64(inside) > left:
            break
        left -= np.uint64(inside)
        place += WHEEL_GROUP
    while True:
        inside = part_of(keys[route[place]], scale)
        if np.uint64(inside) > left:
            return place
        left -= np.uint64(inside)
        place += 1


@inlined
def first_of(keys: NDArray[np.int32], largest: np.int32) -> int:
    """Return the first slot with this key; there is one."""
    first = 0
    while True:
        here = np.int32(0)
        for slot in range(WHEEL_BLOCK):
            here = np.int32(here + (np.int32(1) if keys[first + slot] == largest else np.int32(0)))
        if here != 0:
            break
        first += WHEEL_BLOCK
    while keys[first] != largest:
        first += 1
    return first
