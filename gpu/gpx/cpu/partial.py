"""Partial colorings, compiled: vertices without color, and what keeps them from each class.

Two kinds of ants work on one: a conflict optimizer (:mod:`gpu.gpx.cpu.optimizer`) and partial tabu
search (:mod:`gpu.gpx.cpu.partial_tabu`). Both give a class to a vertex without color, and drive
out its neighbours there. :mod:`gpu.gpx.rule` says to the last bit what a move does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.bits import ONE_BIT, WORD_SHIFT, lowest
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import draw_block
from gpu.cpu.structures import Shape, allocated
from gpu.problems.coloring.instance import GraphInstance
from gpu.tabu_search.cpu import LOOSE, TabuRules, is_dense


class PartialColoring(NamedTuple):
    """What one such ant works with."""

    colors: NDArray[np.int32]  # (n,): LOOSE for none
    loose: NDArray[np.int32]  # (n,): the vertices without color, in the order that the rule says
    weights: NDArray[np.uint32]  # (n,)
    # (n * most,): of each vertex and class, the sum of the weights of its neighbours in that; class
    # by class if the graph is dense, else vertex by vertex
    sums: NDArray[np.uint32]
    # (n * most,), in the same order, of partial tabu search: the move before which a class is tabu
    # for a vertex; else empty
    expiries: NDArray[np.uint32]
    members: NDArray[np.uint64]  # (most, words): of each class, as a set, if the graph is dense
    row: NDArray[np.uint32]  # (most,): the sums of one vertex
    sizes: NDArray[np.int32]  # (most + 1,): of the classes
    names: NDArray[np.int32]  # (most + 1,): new numbers of the colors
    numbers: NDArray[np.int64]  # (10,): see the constants below
    words: NDArray[np.uint32]  # (4,): random words of four moves


OWN_COLORS, OWN_TIME, LOOSE_COUNT, DRIVEN_OUT = range(4)
"""Numbers of every partial coloring: colors that the ant tries to make do with; moves made;
vertices without color; those that the last move drove out."""

OPTIMIZE = np.uint32(Purpose.OPTIMIZE)


def new_partial_colorings(
    graph: GraphInstance, count: int, most: int, tabu: bool
) -> PartialColoring:
    """Make what so many ants work with, each array one dimension more; all vertices weigh 1."""
    n = graph.n
    shapes: dict[str, Shape] = {
        "sums": (count, n * most),
        "expiries": (count, n * most if tabu else 0),
        "members": (count, most, -(-n // 64)) if is_dense(graph) else (count, 0, 0),
        "row": (count, most),
        "sizes": (count, most + 1),
        "names": (count, most + 1),
        "numbers": (count, 10),
        "words": (count, 4),
    }
    weights = np.ones((count, n), np.uint32)
    return allocated(PartialColoring, (count, n), weights=weights, **shapes)


@inlined
def partial_coloring_of(all_of_kind: PartialColoring, number: Whole) -> PartialColoring:
    """Return what one ant of a kind works with."""
    s = all_of_kind
    return PartialColoring(
        s.colors[number],
        s.loose[number],
        s.weights[number],
        s.sums[number],
        s.expiries[number],
        s.members[number],
        s.row[number],
        s.sizes[number],
        s.names[number],
        s.numbers[number],
        s.words[number],
    )


@inlined
def next_word(rules: TabuRules, own: PartialColoring, ant: Whole) -> np.uint32:
    """Return the random word of the coming move."""
    time = own.numbers[OWN_TIME]
    if time & 3 == 0:
        draw_block(own.words, rules.key, OPTIMIZE, 0, ant, time >> 2)
    return np.uint32(own.words[time & 3])


@inlined
def add_weight(
    rules: TabuRules, own: PartialColoring, v: Whole, color: Whole, weight: np.uint32
) -> None:
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
def _switch(own: PartialColoring, v: Whole, color: Whole) -> None:
    """Add ``v`` to the members of a class of a dense graph, or remove it."""
    own.members[color, v >> 6] ^= ONE_BIT << np.uint64(v & 63)


@compiled
def begin_partial_coloring(rules: TabuRules, own: PartialColoring) -> None:
    """List the vertices without color in ascending order, and sum up the weights."""
    own.numbers[LOOSE_COUNT] = 0
    for v in range(own.colors.size):
        if own.colors[v] == LOOSE:
            own.loose[own.numbers[LOOSE_COUNT]] = v
            own.numbers[LOOSE_COUNT] += 1
    sum_up(rules, own)


@inlined
def sum_up(rules: TabuRules, own: PartialColoring) -> None:
    """Sum up the weights of neighbours by class."""
    n, count = own.colors.size, own.numbers[OWN_COLORS]
    if rules.near.size > 0:
        own.sums[: count * n] = 0
        own.members[:] = 0
    else:
        own.sums[:] = 0
    for v in range(n):
        color = own.colors[v]
        if color != LOOSE:
            add_weight(rules, own, v, color, own.weights[v])
            if rules.near.size > 0:
                _switch(own, v, color)


@inlined
def sum_up_of(rules: TabuRules, own: PartialColoring, first: Whole, end: Whole) -> None:
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


@inlined
def take_from_list(own: PartialColoring, place: Whole) -> np.int64:
    """Remove a vertex from the list of those without color; the last one takes its place."""
    v = np.int64(own.loose[place])
    own.numbers[LOOSE_COUNT] -= 1
    own.loose[place] = own.loose[own.numbers[LOOSE_COUNT]]
    return v


@inlined
def give_color(rules: TabuRules, own: PartialColoring, v: Whole, color: Whole) -> None:
    """Give a class to a vertex that is not listed any more; its neighbours there lose theirs.

    Their sums still have the weights that they have now. They are the last ones in the list.
    """
    numbers = own.numbers
    numbers[DRIVEN_OUT] = 0
    if rules.near.size > 0:
        near, members = rules.near_bits[v], own.members[color]
        for word in range(near.size):
            bits = near[word] & members[word]
            while bits != 0:
                u = np.int64((np.uint64(word) << WORD_SHIFT) + lowest(bits))
                bits &= bits - ONE_BIT
                _drive_out(rules, own, u, color)
                _switch(own, u, color)
        _switch(own, v, color)
    else:
        for i in range(rules.ends[v], rules.ends[v + 1]):
            u = np.int64(rules.neighbours[i])
            if own.colors[u] == color:
                _drive_out(rules, own, u, color)
    own.colors[v] = color
    add_weight(rules, own, v, color, own.weights[v])


@inlined
def _drive_out(rules: TabuRules, own: PartialColoring, u: Whole, color: Whole) -> None:
    numbers = own.numbers
    own.colors[u] = LOOSE
    own.loose[numbers[LOOSE_COUNT]] = u
    numbers[LOOSE_COUNT] += 1
    numbers[DRIVEN_OUT] += 1
    add_weight(rules, own, u, color, np.uint32(0) - own.weights[u])
