"""Tabu search for a coloring with a given number of colors (Hertz and de Werra 1987), compiled.

All vertices have a color, and moves of one vertex each make the edges fewer whose ends have the
same. A move takes a vertex in conflict to another color: of all such moves the one after which the
fewest edges are in conflict, of equals the one with the lowest lot, which is random. For some moves
after that the vertex may not return to the color that it left, unless there never were as few
conflicts as that would leave.

The vertex is kept away for 0 to 9 moves, and for 0.6 moves more a vertex in conflict (Galinier and
Hao 1999). What a search does depends on the seed, its own number and where it began, and on
nothing else: the kernels in ``tabu_coloring.cuh`` do the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.baseline.compiled import Whole, part, piece
from gpu.baseline.philox import philox
from gpu.instances.graph import GraphInstance
from gpu.random import Purpose

TABU = np.uint32(Purpose.TABU)

NO_MOVE = 2**62
"""More than any move gains, and more than any lot."""

LOOSE = -1
"""The color of a vertex that has none."""


class TabuRules(NamedTuple):
    """What all searches share.

    Attributes
    ----------
    key0, key1 : uint32
        The seed.
    most : int
        Colors that the tables have room for.
    moves : int
        Moves that a search makes in one iteration of its colony.
    ends : ndarray of int64, shape (n + 1,)
        Where the neighbours of each vertex begin in ``neighbours``, and where the last end.
    neighbours : ndarray of int32, shape (2 e,)
    """

    key0: np.uint32
    key1: np.uint32
    most: int
    moves: int
    ends: NDArray[np.int64]
    neighbours: NDArray[np.int32]


class Searches(NamedTuple):
    """What outlives an iteration.

    Attributes
    ----------
    states : ndarray of int64, shape (s, 4)
        See the index constants.
    colors : ndarray of int32, shape (s, n)
        Of all vertices, with conflicts.
    kept : ndarray of int32, shape (s, n)
        The best proper coloring that each has found.
    expiries : ndarray of uint32, shape (s, n, most)
        Before which move a vertex may not go back to a color.
    """

    states: NDArray[np.int64]
    colors: NDArray[np.int32]
    kept: NDArray[np.int32]
    expiries: NDArray[np.uint32]


COLORS, TIME, FEWEST, KEPT_COLORS = range(4)
"""Colors that a search tries to make do with, 0 before it begins; moves made; conflicts that it
came down to with so many colors; colors of what it has kept, 0 for nothing."""


class Desk(NamedTuple):
    """What one thread works with.

    Attributes
    ----------
    colors : ndarray of int32, shape (n,)
    counts : ndarray of uint16, shape (n, most)
        Neighbours of each vertex by color.
    wrong, places : ndarray of int32, shape (n,)
        Vertices in conflict, in any order, and where each stands among them, or -1.
    sizes, names : ndarray of int32, shape (n + 1,)
        By color.
    numbers : ndarray of int64, shape (8,)
        See the index constants.
    words : ndarray of uint32, shape (4,)
        Random words of four moves.
    """

    colors: NDArray[np.int32]
    counts: NDArray[np.uint16]
    wrong: NDArray[np.int32]
    places: NDArray[np.int32]
    sizes: NDArray[np.int32]
    names: NDArray[np.int32]
    numbers: NDArray[np.int64]
    words: NDArray[np.uint32]


NOW_COLORS, NOW_TIME, NOW_FEWEST, CONFLICTS, WRONG = range(5)
"""As those of a search; and the edges and the vertices in conflict."""


def rules_of(key: tuple[int, int], graph: GraphInstance, most: int, moves: int) -> TabuRules:
    """Prepare the rules of searches with at most ``most`` colors."""
    pairs = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return TabuRules(
        key0=np.uint32(key[0]),
        key1=np.uint32(key[1]),
        most=most,
        moves=moves,
        ends=np.concatenate([[0], np.cumsum(graph.degrees, dtype=np.int64)]),
        neighbours=np.ascontiguousarray(pairs[order, 1]),
    )


def searches_of(n: int, most: int, count: int) -> Searches:
    """Room for ``count`` searches that have not begun."""
    return Searches(
        states=np.zeros((count, 4), np.int64),
        colors=np.zeros((count, n), np.int32),
        kept=np.zeros((count, n), np.int32),
        expiries=np.zeros((count, n, most), np.uint32),
    )


def desk_of(n: int, most: int) -> Desk:
    """Room for one thread."""
    return Desk(
        colors=np.zeros(n, np.int32),
        counts=np.zeros((n, most), np.uint16),
        wrong=np.zeros(n, np.int32),
        places=np.zeros(n, np.int32),
        sizes=np.zeros(n + 1, np.int32),
        names=np.zeros(n + 1, np.int32),
        numbers=np.zeros(8, np.int64),
        words=np.zeros(4, np.uint32),
    )


def bytes_needed(n: int, most: int, count: int, threads: int) -> dict[str, int]:
    """Bytes of each group of arrays above, by what a user would call it."""
    return {
        "tabu searches": count * (4 * n * most + 8 * n + 32),
        "counts of the tabu searches": threads * (2 * n * most + 20 * n),
    }


@part
def search(
    rules: TabuRules,
    searches: Searches,
    desk: Desk,
    number: int,
    begin: NDArray[np.uint32],
    begin_colors: Whole,
    best: Whole,
) -> None:
    """Make the moves of one search in one iteration.

    If it has not begun, it begins with the coloring ``begin``. It tries to make do with fewer
    colors than ``best`` and, whenever it does, with one fewer still.
    """
    target = min(best - 1, rules.most)
    if target == 0:
        return
    state, colors, now = searches.states[number], desk.colors, desk.numbers
    expiries = searches.expiries[number]
    begins = state[COLORS] == 0
    for v in range(colors.size):
        colors[v] = np.int32(begin[v]) if begins else searches.colors[number, v]
    now[NOW_COLORS] = begin_colors if begins else state[COLORS]
    now[NOW_TIME] = state[TIME]
    _draw_words(rules, desk, number)
    fewer = now[NOW_COLORS] > target
    made = 0
    while True:
        if fewer:
            _squeeze(desk, target)
            for v in range(colors.size):
                for color in range(rules.most):
                    expiries[v, color] = np.uint32(0)
        if fewer or made == 0:
            _build(rules, desk)
            now[NOW_FEWEST] = now[CONFLICTS] if fewer else state[FEWEST]
        while now[CONFLICTS] > 0 and made < rules.moves:
            if now[NOW_TIME] & 3 == 0:
                _draw_words(rules, desk, number)
            _move(rules, desk, expiries)
            made += 1
        if now[CONFLICTS] > 0:
            break
        for v in range(colors.size):
            searches.kept[number, v] = colors[v]
        state[KEPT_COLORS] = now[NOW_COLORS]
        if now[NOW_COLORS] == 1:
            break
        target = now[NOW_COLORS] - 1
        fewer = True
    for v in range(colors.size):
        searches.colors[number, v] = colors[v]
    state[COLORS], state[TIME], state[FEWEST] = now[NOW_COLORS], now[NOW_TIME], now[NOW_FEWEST]


@piece
def _draw_words(rules: TabuRules, desk: Desk, number: int) -> None:
    """Draw the words of four moves, of which the next is one."""
    block = np.uint32(desk.numbers[NOW_TIME] >> 2)
    words = philox(block, np.uint32(number), np.uint32(0), TABU, rules.key0, rules.key1)
    desk.words[0], desk.words[1], desk.words[2], desk.words[3] = words


@part
def _squeeze(desk: Desk, target: Whole) -> None:
    """Take away the smallest classes, of equals the lowest, until ``target`` are left."""
    count, sizes, names = desk.numbers[NOW_COLORS], desk.sizes, desk.names
    for color in range(count):
        sizes[color] = names[color] = 0
    for v in range(desk.colors.size):
        sizes[desk.colors[v]] += 1
    for _ in range(count - target):
        smallest = -1
        for color in range(count):
            if names[color] == 0 and (smallest < 0 or sizes[color] < sizes[smallest]):
                smallest = color
        names[smallest] = LOOSE
    name = 0
    for color in range(count):
        if names[color] != LOOSE:
            names[color] = name
            name += 1
    for v in range(desk.colors.size):
        desk.colors[v] = names[desk.colors[v]]
    desk.numbers[NOW_COLORS] = target


@part
def _build(rules: TabuRules, desk: Desk) -> None:
    """Count neighbours by color; then give a color to the vertices that have none, in order."""
    colors, counts, now = desk.colors, desk.counts, desk.numbers
    n = colors.size
    for v in range(n):
        for color in range(now[NOW_COLORS]):
            counts[v, color] = 0
        for i in range(rules.ends[v], rules.ends[v + 1]):
            color = colors[rules.neighbours[i]]
            if color != LOOSE:
                counts[v, color] += 1
    for v in range(n):
        if colors[v] != LOOSE:
            continue
        fewest = 0
        for color in range(1, now[NOW_COLORS]):
            if counts[v, color] < counts[v, fewest]:
                fewest = color
        colors[v] = fewest
        for i in range(rules.ends[v], rules.ends[v + 1]):
            counts[rules.neighbours[i], fewest] += 1
    ends = np.int64(0)
    now[WRONG] = 0
    for v in range(n):
        desk.places[v] = -1
        ends += np.int64(counts[v, colors[v]])
        _mark(desk, v)
    now[CONFLICTS] = ends // 2


@piece
def _mark(desk: Desk, v: Whole) -> None:
    """List ``v`` among the vertices in conflict, or strike it off."""
    wrong, places, now = desk.wrong, desk.places, desk.numbers
    place = places[v]
    if desk.counts[v, desk.colors[v]] > 0:
        if place < 0:
            places[v] = now[WRONG]
            wrong[now[WRONG]] = v
            now[WRONG] += 1
    elif place >= 0:
        now[WRONG] -= 1
        last = wrong[now[WRONG]]
        wrong[place] = last
        places[last] = place
        places[v] = -1


@piece
def _lot(vertex: Whole, color: Whole, salt: np.uint32) -> np.int64:
    """Return a random number for each move, which decides between equals."""
    mixed = np.uint64(np.uint32((vertex << 16 | color) ^ np.int64(salt)))
    mixed = np.uint64(np.uint32(mixed * np.uint64(0x9E3779B1)))
    mixed = (mixed ^ (mixed >> np.uint64(15))) * np.uint64(0x85EBCA77)
    return np.int64(np.uint32(mixed)) >> 16


@part
def _move(rules: TabuRules, desk: Desk, expiries: NDArray[np.uint32]) -> None:
    """Make the best move, or let one pass if all are tabu."""
    colors, counts, now = desk.colors, desk.counts, desk.numbers
    time, conflicts, wrong = now[NOW_TIME], now[CONFLICTS], now[WRONG]
    word = desk.words[time & 3]
    now[NOW_TIME] = time + 1
    best_gain, best_code = np.int64(NO_MOVE), np.int64(NO_MOVE)
    for i in range(wrong):
        v = np.int64(desk.wrong[i])
        own = np.int64(colors[v])
        given_up = np.int64(counts[v, own])
        for color in range(now[NOW_COLORS]):
            gain = np.int64(counts[v, color]) - given_up
            if gain > best_gain or color == own:
                continue
            if time < expiries[v, color] and conflicts + gain >= now[NOW_FEWEST]:
                continue
            code = _lot(v, color, word) << 32 | v << 16 | color
            if gain < best_gain or code < best_code:
                best_gain, best_code = gain, code
    if best_gain == NO_MOVE:
        return
    v, to = best_code >> 16 & 0xFFFF, best_code & 0xFFFF
    left = colors[v]
    tenure = (np.int64(word) * 10 >> 32) + 3 * wrong // 5
    expiries[v, left] = np.uint32(time + 1 + tenure)
    colors[v] = to
    _mark(desk, v)
    for i in range(rules.ends[v], rules.ends[v + 1]):
        u = rules.neighbours[i]
        counts[u, left] -= 1
        counts[u, to] += 1
        if colors[u] == left or colors[u] == to:
            _mark(desk, u)
    now[CONFLICTS] = conflicts + best_gain
    now[NOW_FEWEST] = min(now[NOW_FEWEST], now[CONFLICTS])
