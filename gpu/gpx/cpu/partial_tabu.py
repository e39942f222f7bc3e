"""Partial tabu search, compiled (PartialCol, Blöchliger and Zufferey 2008).

Some vertices have no color; no edge is in conflict. A move gives a class to one of them: of all
vertices without color and all classes, where the fewest neighbours lose theirs. These must not come
back to that class for some moves, unless fewer vertices than ever have no color then. How many
moves that are follows from how the search goes: more, if it goes round in circles, that is, if the
number of vertices without color hardly changes; else, by and by, fewer.
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
    begin_partial_coloring,
    give_color,
    next_word,
    take_from_list,
)
from gpu.gpx.rule import FIRST_TENURE, LONGER_TENURE, TENURE_WINDOW, UNCHANGED
from gpu.tabu_search.cpu import TabuRules, lot_of

TENURE, FEWEST_LOOSE, MOST_OF_LATE, FEWEST_OF_LATE = range(4, 8)
"""More numbers of a partial coloring: moves for which a class is tabu; fewest vertices without
color so far, with so many colors; most and fewest in the moves since the tenure was looked at."""

NO_CODE = 2**62  # more than any lot with its vertex and color


@compiled
def begin_partial_tabu(rules: TabuRules, own: PartialColoring) -> None:
    """Begin with another coloring: nothing is tabu."""
    begin_partial_coloring(rules, own)
    numbers = own.numbers
    own.expiries[:] = 0
    numbers[TENURE] = FIRST_TENURE
    numbers[FEWEST_LOOSE] = numbers[LOOSE_COUNT]
    numbers[MOST_OF_LATE], numbers[FEWEST_OF_LATE] = 0, own.colors.size


@compiled
def move_partial_tabu(rules: TabuRules, own: PartialColoring, ant: Whole) -> None:
    """Make a move; there is a vertex without color."""
    numbers = own.numbers
    word = next_word(rules, own, ant)
    if np.uint32(numbers[OWN_TIME]) == 0:  # moves are numbered anew: nothing is tabu
        own.expiries[:] = 0
    place, color = _best_move(rules, own, word)
    numbers[OWN_TIME] += 1
    give_color(rules, own, take_from_list(own, place), color)
    count = numbers[LOOSE_COUNT]
    expiry = np.uint32(numbers[OWN_TIME] + numbers[TENURE])
    to_vertex, to_class = _strides(rules, own)
    for i in range(count - numbers[DRIVEN_OUT], count):
        own.expiries[own.loose[i] * to_vertex + color * to_class] = expiry
    numbers[FEWEST_LOOSE] = min(numbers[FEWEST_LOOSE], count)
    numbers[MOST_OF_LATE] = max(numbers[MOST_OF_LATE], count)
    numbers[FEWEST_OF_LATE] = min(numbers[FEWEST_OF_LATE], count)
    if numbers[OWN_TIME] % TENURE_WINDOW == 0:
        if numbers[MOST_OF_LATE] - numbers[FEWEST_OF_LATE] <= UNCHANGED:
            numbers[TENURE] += LONGER_TENURE
        else:
            numbers[TENURE] -= numbers[TENURE] > 0
        numbers[MOST_OF_LATE], numbers[FEWEST_OF_LATE] = 0, own.colors.size


@inlined
def _strides(rules: TabuRules, own: PartialColoring) -> tuple[np.int64, np.int64]:
    """Return how far apart are the sums of two vertices, and of two classes."""
    if rules.near.size > 0:
        return np.int64(1), np.int64(own.colors.size)
    return np.int64(own.row.size), np.int64(1)


@inlined
def _best_move(
    rules: TabuRules, own: PartialColoring, word: np.uint32
) -> tuple[np.int64, np.int64]:
    """Return the place of a vertex in the list of those without color, and its class."""
    numbers = own.numbers
    count, colors = numbers[LOOSE_COUNT], numbers[OWN_COLORS]
    now = np.uint32(numbers[OWN_TIME])
    to_vertex, to_class = _strides(rules, own)
    free = numbers[FEWEST_LOOSE] - count + 1  # fewer than that driven out: tabu does not matter
    least, least_code = np.int64(NO_CODE), np.int64(NO_CODE)
    best_place = best_color = np.int64(-1)
    for place in range(count):
        v = np.int64(own.loose[place])
        for color in range(colors):
            at = v * to_vertex + color * to_class
            driven_out = np.int64(own.sums[at])
            if driven_out > least or (own.expiries[at] > now and driven_out >= free):
                continue
            code = lot_of(v, color, word) << 46 | v << 20 | color
            if driven_out < least or code < least_code:
                least, least_code = driven_out, code
                best_place, best_color = np.int64(place), np.int64(color)
    if best_place < 0:  # all are tabu
        best_place = below(word, count)
        v = np.int64(own.loose[best_place])
        best_color = lot_of(v, 1, word) * colors >> 16
    return best_place, best_color
