"""The conflict optimizer, compiled: it colors a part of the graph, and drives out others for that.

After Crombez, da Fonseca, Gerard and Gonzalez-Lorenzo (2022), who won a challenge in coloring with
it. Some vertices have no color; no edge is in conflict. A move takes one of them at random, and
gives it the color of the class where the weights of its neighbours have the least sum; that is
taken to be some percent more or less, at random. Those neighbours lose their color, and weigh 1
more from now on. So what is often driven out stays.

:mod:`gpu.gpx.rule` says to the last bit what a move does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.bits import ONE_BIT, WORD_SHIFT, lowest
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import below, draw_block
from gpu.gpx.rule import HEAVIEST_SUM, TIE_LOTS, WHOLE_FACTOR
from gpu.tabu_search.cpu import LOOSE, TabuRules


class Optimizer(NamedTuple):
    """What one optimizer works with."""

    colors: NDArray[np.int32]  # (n,): LOOSE for none
    loose: NDArray[np.int32]  # (n,): the vertices without color, in the order that the rule says
    weights: NDArray[np.uint32]  # (n,)
    # (n * most,): of each vertex and class, the sum of the weights of its neighbours in that; class
    # by class if the graph is dense, else vertex by vertex
    sums: NDArray[np.uint32]
    members: NDArray[np.uint64]  # (most, words): of each class, as a set, if the graph is dense
    row: NDArray[np.uint32]  # (most,): the sums of one vertex
    sizes: NDArray[np.int32]  # (most + 1,): of the classes
    names: NDArray[np.int32]  # (most + 1,): new numbers of the colors
    numbers: NDArray[np.int64]  # (6,): see the constants below
    words: NDArray[np.uint32]  # (4,): random words of four moves


OWN_COLORS, OWN_TIME, LOOSE_COUNT, DRIVEN_OUT, HEAVY = range(5)
"""Numbers of an optimizer: colors that it tries to make do with; moves made; vertices without
color; those that the last move drove out; 1 if a weight has become too large."""

OPTIMIZE = np.uint32(Purpose.OPTIMIZE)
NO_KEY = np.uint32(0xFFFFFFFF)


@inlined
def _add(rules: TabuRules, own: Optimizer, v: Whole, color: Whole, weight: np.uint32) -> None:
    """Add the weight of ``v`` to what its neighbours would drive out of a class."""
    n = own.colors.size
    if rules.near.size > 0:
        column, near = own.sums[color * n : (color + 1) * n], rules.near[v]
        for u in range(n):
            column[u] += np.uint32(near[u] * weight)
    else:
        most = own.row.size
        for i in range(rules.ends[v], rules.ends[v + 1]):
            own.sums[rules.neighbours[i] * most + color] += weight


@inlined
def _switch(own: Optimizer, v: Whole, color: Whole) -> None:
    """Add ``v`` to the members of a class of a dense graph, or remove it."""
    own.members[color, v >> 6] ^= ONE_BIT << np.uint64(v & 63)


@compiled
def begin_optimizer(rules: TabuRules, own: Optimizer) -> None:
    """Sum up the weights, and list the vertices without color in ascending order."""
    n, count = own.colors.size, own.numbers[OWN_COLORS]
    own.numbers[LOOSE_COUNT] = 0
    for v in range(n):
        if own.colors[v] == LOOSE:
            own.loose[own.numbers[LOOSE_COUNT]] = v
            own.numbers[LOOSE_COUNT] += 1
    _sum_up(rules, own, count)


@inlined
def _sum_up(rules: TabuRules, own: Optimizer, count: Whole) -> None:
    n = own.colors.size
    if rules.near.size > 0:
        own.sums[: count * n] = 0
        own.members[:] = 0
    else:
        own.sums[:] = 0
    for v in range(n):
        color = own.colors[v]
        if color != LOOSE:
            _add(rules, own, v, color, own.weights[v])
            if rules.near.size > 0:
                _switch(own, v, color)


@inlined
def sum_up_of(rules: TabuRules, own: Optimizer, first: Whole, end: Whole) -> None:
    """Sum up the weights of the neighbours of vertices ``first`` to ``end`` - 1 alone.

    The graph is sparse. Several threads may do it at once, each for vertices of its own.
    """
    most = own.row.size
    own.sums[first * most : end * most] = 0
    for v in range(first, end):
        for i in range(rules.ends[v], rules.ends[v + 1]):
            u = rules.neighbours[i]
            if own.colors[u] != LOOSE:
                own.sums[v * most + own.colors[u]] += own.weights[u]


@compiled
def optimize_once(
    rules: TabuRules, own: Optimizer, number: Whole, noise: Whole, heaviest: np.uint32
) -> None:
    """Make a move of the optimizer that is ant ``number``; there is a vertex without color."""
    numbers, loose = own.numbers, own.loose
    time = numbers[OWN_TIME]
    if time & 3 == 0:
        draw_block(own.words, rules.key, OPTIMIZE, 0, number, time >> 2)
    word = np.uint32(own.words[time & 3])
    numbers[OWN_TIME] = time + 1
    place = below(word, numbers[LOOSE_COUNT])
    v = np.int64(loose[place])
    numbers[LOOSE_COUNT] -= 1
    loose[place] = loose[numbers[LOOSE_COUNT]]
    color = lightest(rules, own, v, word, noise)
    numbers[DRIVEN_OUT] = 0
    if rules.near.size > 0:
        near, members = rules.near_bits[v], own.members[color]
        for word_ in range(near.size):
            bits = near[word_] & members[word_]
            while bits != 0:
                u = np.int64((np.uint64(word_) << WORD_SHIFT) + lowest(bits))
                bits &= bits - ONE_BIT
                _drive_out(rules, own, u, color, heaviest)
                _switch(own, u, color)
        _switch(own, v, color)
    else:
        for i in range(rules.ends[v], rules.ends[v + 1]):
            u = np.int64(rules.neighbours[i])
            if own.colors[u] == color:
                _drive_out(rules, own, u, color, heaviest)
    own.colors[v] = color
    _add(rules, own, v, color, own.weights[v])
    if numbers[HEAVY]:
        numbers[HEAVY] = 0
        for x in range(own.weights.size):
            own.weights[x] = np.uint32(own.weights[x] + np.uint32(1)) >> np.uint32(1)
        _sum_up(rules, own, numbers[OWN_COLORS])


@inlined
def _drive_out(
    rules: TabuRules, own: Optimizer, u: Whole, color: Whole, heaviest: np.uint32
) -> None:
    """Take the color from ``u``, which weighs more from now on."""
    numbers = own.numbers
    own.colors[u] = LOOSE
    own.loose[numbers[LOOSE_COUNT]] = u
    numbers[LOOSE_COUNT] += 1
    numbers[DRIVEN_OUT] += 1
    _add(rules, own, u, color, np.uint32(0) - own.weights[u])
    own.weights[u] += np.uint32(1)
    if own.weights[u] >= heaviest:
        numbers[HEAVY] = 1


@inlined
def lightest(rules: TabuRules, own: Optimizer, v: Whole, word: np.uint32, noise: Whole) -> np.int64:
    """Return the color of the class where ``v`` would drive out the least weight, with noise."""
    count, n, row = own.numbers[OWN_COLORS], own.colors.size, own.row
    if rules.near.size > 0:
        for color in range(count):
            row[color] = own.sums[color * n + v]
    else:
        first = v * row.size
        for color in range(count):
            row[color] = own.sums[first + color]
    low = np.uint32(WHOLE_FACTOR * noise // 100)
    span, base = np.uint32(np.uint32(2) * low + np.uint32(1)), np.uint32(WHOLE_FACTOR) - low
    least = NO_KEY
    salt = np.uint32(np.uint32(v << 16) ^ word)
    for color in range(count):
        mixed = np.uint32((np.uint32(color) ^ salt) * np.uint32(0x9E3779B1))
        mixed = np.uint32((mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x85EBCA77))
        lot = mixed >> np.uint32(16)
        factor = np.uint32(base + (np.uint32(lot * span) >> np.uint32(16)))
        key = np.uint32(np.uint32(row[color] * factor) + (lot & np.uint32(TIE_LOTS - 1)))
        row[color] = key
        least = min(least, key)
    best = np.int64(count)
    for color in range(count):
        best = min(best, np.int64(color)) if row[color] == least else best
    return best


def heaviest_of(most_degree: int) -> np.uint32:
    """Return the weight at which all are halved, so that sums stay in range."""
    return np.uint32(max(16, HEAVIEST_SUM // max(1, most_degree)))
