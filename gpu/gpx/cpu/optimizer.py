"""The conflict optimizer, compiled: it colors a part of the graph, and drives out others for that.

After Crombez, da Fonseca, Gerard and Gonzalez-Lorenzo (2022), who won a challenge in coloring with
it. Some vertices have no color; no edge is in conflict. A move takes one of them at random, and
gives it the color of the class where the weights of its neighbours have the least sum; that is
taken to be some percent more or less, at random. Those neighbours lose their color, and weigh 1
more from now on. So what is often driven out stays.
"""

from __future__ import annotations

import numpy as np

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import below
from gpu.gpx.cpu.partial import (
    DRIVEN_OUT,
    LOOSE_COUNT,
    OWN_COLORS,
    OWN_TIME,
    PartialColoring,
    give_color,
    next_word,
    sum_up,
    take_from_list,
)
from gpu.gpx.rule import HEAVIEST_SUM, TIE_LOTS, WHOLE_FACTOR
from gpu.tabu_search.cpu import TabuRules

NO_KEY = np.uint32(0xFFFFFFFF)


@compiled
def optimize_once(
    rules: TabuRules, own: PartialColoring, ant: Whole, noise: Whole, heaviest: np.uint32
) -> None:
    """Make a move; there is a vertex without color."""
    numbers = own.numbers
    word = next_word(rules, own, ant)
    numbers[OWN_TIME] += 1
    v = take_from_list(own, below(word, numbers[LOOSE_COUNT]))
    give_color(rules, own, v, lightest(rules, own, v, word, noise))
    heavy = False
    for i in range(numbers[LOOSE_COUNT] - numbers[DRIVEN_OUT], numbers[LOOSE_COUNT]):
        u = own.loose[i]
        own.weights[u] += np.uint32(1)
        heavy |= own.weights[u] >= heaviest
    if heavy:
        for x in range(own.weights.size):
            own.weights[x] = np.uint32(own.weights[x] + np.uint32(1)) >> np.uint32(1)
        sum_up(rules, own)


@inlined
def lightest(
    rules: TabuRules, own: PartialColoring, v: Whole, word: np.uint32, noise: Whole
) -> np.int64:
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
