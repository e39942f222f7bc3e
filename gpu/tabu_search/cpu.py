"""Tabu search for a coloring with a given number of colors (Hertz and de Werra 1987), compiled.

All vertices have a color. An edge is in conflict if both ends have the same color, and moves try
to make such edges fewer. A move gives another color to a vertex in conflict. The search makes the
move after which the fewest edges are in conflict; of equal ones, the one with the lowest lot, which
is random. For some moves after that, it is tabu to give the vertex its old color again, unless that
leads to fewer conflicts than there ever were.

The vertex is tabu for 0 to 9 moves, and for 0.6 moves more per vertex in conflict (Galinier and Hao
1999). What a search does depends on the seed, its number and its first coloring alone: the kernels
in ``gpu/tabu_search/cuda/search.cu`` do the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.philox import Key, draw_block
from gpu.cpu.structures import allocated
from gpu.problems.coloring.instance import GraphInstance


class TabuRules(NamedTuple):
    """What all searches share."""

    key: Key  # the seed
    most: int  # most colors that a search may have
    moves: int  # of a search in one iteration of its colony
    # (n + 1,): where the neighbours of each vertex begin in ``neighbours``, and the last ones end
    ends: NDArray[np.int64]
    neighbours: NDArray[np.int32]  # (2 e,)


class Searches(NamedTuple):
    """What searches keep from one iteration to the next."""

    states: NDArray[np.int64]  # (s, 4): see the constants below
    colors: NDArray[np.int32]  # (s, n): of all vertices, with conflicts
    kept: NDArray[np.int32]  # (s, n): the best proper coloring that each has found
    expiries: NDArray[np.uint32]  # (s, n, most): the move before which a color is tabu for a vertex


class TabuStanding(NamedTuple):
    """Where one search stands between two iterations."""

    colors: NDArray[np.int32]  # (n,)
    tries: int  # the number of colors that it tries to use; 0 before the first iteration
    time: int  # moves made
    fewest: int  # conflicts
    expiries: NDArray[np.uint32]  # (n, most)
    best: int  # number of colors of the best coloring of all


class TabuWorkspace(NamedTuple):
    """What one thread works with, for one search at a time."""

    colors: NDArray[np.int32]  # (n,)
    counts: NDArray[np.uint16]  # (n, most): neighbours of each vertex by color
    wrong: NDArray[np.int32]  # (n,): vertices in conflict, in any order
    places: NDArray[np.int32]  # (n,): place of each vertex among those, or -1
    sizes: NDArray[np.int32]  # (n + 1,): of the classes
    names: NDArray[np.int32]  # (n + 1,): new numbers of the colors
    numbers: NDArray[np.int64]  # (8,): see the constants below
    words: NDArray[np.uint32]  # (4,): random words of four moves


def rules_of(key: Key, graph: GraphInstance, most: int, moves: int) -> TabuRules:
    """Prepare the rules of searches with at most ``most`` colors."""
    return TabuRules(key, most, moves, graph.offsets, graph.adjacent)


def workspace_of(n: int, most: int) -> TabuWorkspace:
    """Allocate a thread's workspace."""
    sizes = {"sizes": n + 1, "names": n + 1, "numbers": 8, "words": 4}
    return allocated(TabuWorkspace, n, counts=(n, most), **sizes)


def bytes_needed(n: int, most: int, count: int, threads: int) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    return {
        "tabu searches": count * (4 * n * most + 8 * n + 32),
        "counts of the tabu searches": threads * (2 * n * most + 20 * n),
    }


TRIED_COLORS, MOVES_MADE, FEWEST_CONFLICTS, KEPT_COLORS = range(4)
"""Number of colors that a search tries to use, 0 before it begins; moves made; fewest conflicts so
far with that number of colors; number of colors of what it has kept, 0 for nothing."""

NOW_COLORS, NOW_TIME, NOW_FEWEST, CONFLICTS, WRONG = range(5)
"""Numbers of a workspace: the first three as in the state of a search; edges in conflict; vertices
in conflict."""

TABU = np.uint32(Purpose.TABU)

WORST_MOVE = 2**62  # more than any move gains, and more than any lot
LOOSE = -1  # the color of a vertex that has none


@compiled
def search(
    rules: TabuRules,
    searches: Searches,
    workspace: TabuWorkspace,
    number: int,
    begin: NDArray[np.uint32],
    begin_colors: Whole,
    best: Whole,
) -> None:
    """Make the moves of one search in one iteration.

    A new search begins with the coloring ``begin``. It tries to find a coloring with fewer colors
    than ``best``, and each time that it finds one, a coloring with one color fewer.
    """
    target = min(best - 1, rules.most)
    if target == 0:
        return
    state, colors, now = searches.states[number], workspace.colors, workspace.numbers
    expiries = searches.expiries[number]
    begins = state[TRIED_COLORS] == 0
    for v in range(colors.size):
        colors[v] = np.int32(begin[v]) if begins else searches.colors[number, v]
    now[NOW_COLORS] = begin_colors if begins else state[TRIED_COLORS]
    now[NOW_TIME] = state[MOVES_MADE]
    draw_block(workspace.words, rules.key, TABU, 0, number, now[NOW_TIME] >> 2)
    made = 0
    while True:
        prepare(rules, workspace, expiries, state[FEWEST_CONFLICTS], target)
        while now[CONFLICTS] > 0 and made < rules.moves:
            move(rules, workspace, expiries, number)
            made += 1
        if now[CONFLICTS] > 0:
            break
        for v in range(colors.size):
            searches.kept[number, v] = colors[v]
        state[KEPT_COLORS] = now[NOW_COLORS]
        if now[NOW_COLORS] == 1:
            break
        target = now[NOW_COLORS] - 1
    for v in range(colors.size):
        searches.colors[number, v] = colors[v]
    state[TRIED_COLORS], state[MOVES_MADE], state[FEWEST_CONFLICTS] = (
        now[NOW_COLORS],
        now[NOW_TIME],
        now[NOW_FEWEST],
    )


@compiled
def prepare(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    fewest: np.int64,
    target: Whole,
) -> None:
    """Count conflicts, after colors were taken away if there are more than ``target``.

    ``fewest`` are those with the present number of colors.
    """
    now = workspace.numbers
    fewer = now[NOW_COLORS] > target
    if fewer:
        _squeeze(workspace, target)
        expiries[:] = 0
    _build(rules, workspace)
    now[NOW_FEWEST] = now[CONFLICTS] if fewer else fewest


@compiled
def _squeeze(workspace: TabuWorkspace, target: Whole) -> None:
    """Take the color from the smallest classes, of equals the lowest, until ``target`` are left."""
    count, sizes, names = workspace.numbers[NOW_COLORS], workspace.sizes, workspace.names
    sizes[:] = 0
    names[:] = 0
    for color in workspace.colors:
        sizes[color] += 1
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
    for v in range(workspace.colors.size):
        workspace.colors[v] = names[workspace.colors[v]]
    workspace.numbers[NOW_COLORS] = target


@compiled
def _build(rules: TabuRules, workspace: TabuWorkspace) -> None:
    """Count neighbours by color; then give a color to the vertices that have none, in order."""
    colors, counts, now = workspace.colors, workspace.counts, workspace.numbers
    n = colors.size
    for v in range(n):
        counts[v, : now[NOW_COLORS]] = 0
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
        workspace.places[v] = -1
        ends += np.int64(counts[v, colors[v]])
        _mark(workspace, v)
    now[CONFLICTS] = ends // 2


@inlined
def _mark(workspace: TabuWorkspace, v: Whole) -> None:
    """Add ``v`` to the vertices in conflict, or remove it."""
    wrong, places, now = workspace.wrong, workspace.places, workspace.numbers
    place = places[v]
    if workspace.counts[v, workspace.colors[v]] > 0:
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


@inlined
def lot_of(vertex: Whole, color: Whole, salt: np.uint32) -> np.int64:
    """Return a random number for each move, which decides between equals."""
    mixed = np.uint64(np.uint32((vertex << 16 | color) ^ np.int64(salt)))
    mixed = np.uint64(np.uint32(mixed * np.uint64(0x9E3779B1)))
    mixed = (mixed ^ (mixed >> np.uint64(15))) * np.uint64(0x85EBCA77)
    return np.int64(np.uint32(mixed)) >> 16


@compiled
def move(
    rules: TabuRules, workspace: TabuWorkspace, expiries: NDArray[np.uint32], number: Whole
) -> None:
    """Make the best move of search ``number``, or none if all are tabu."""
    colors, counts, now = workspace.colors, workspace.counts, workspace.numbers
    time, conflicts, wrong = now[NOW_TIME], now[CONFLICTS], now[WRONG]
    if time & 3 == 0:
        draw_block(workspace.words, rules.key, TABU, 0, number, time >> 2)
    word = workspace.words[time & 3]
    now[NOW_TIME] = time + 1
    best_gain, best_code = np.int64(WORST_MOVE), np.int64(WORST_MOVE)
    for i in range(wrong):
        v = np.int64(workspace.wrong[i])
        own = np.int64(colors[v])
        given_up = np.int64(counts[v, own])
        for color in range(now[NOW_COLORS]):
            gain = np.int64(counts[v, color]) - given_up
            if gain > best_gain or color == own:
                continue
            if time < expiries[v, color] and conflicts + gain >= now[NOW_FEWEST]:
                continue
            code = lot_of(v, color, word) << 32 | v << 16 | color
            if gain < best_gain or code < best_code:
                best_gain, best_code = gain, code
    if best_gain == WORST_MOVE:
        return
    v, to = best_code >> 16 & 0xFFFF, best_code & 0xFFFF
    left = colors[v]
    tenure = (np.int64(word) * 10 >> 32) + 3 * wrong // 5
    expiries[v, left] = np.uint32(time + 1 + tenure)
    colors[v] = to
    _mark(workspace, v)
    for i in range(rules.ends[v], rules.ends[v + 1]):
        u = rules.neighbours[i]
        counts[u, left] -= 1
        counts[u, to] += 1
        if colors[u] == left or colors[u] == to:
            _mark(workspace, u)
    now[CONFLICTS] = conflicts + best_gain
    now[NOW_FEWEST] = min(now[NOW_FEWEST], now[CONFLICTS])


@cached
def go_on(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    number: Whole,
    fewest: np.int64,
    target: Whole,
) -> None:
    """Begin where search ``number`` stands: its colors, and their number, are in the workspace.

    So is the number of moves that it has made. See :func:`gpu.tabu_search.cpu.prepare`.
    """
    time = workspace.numbers[NOW_TIME]
    draw_block(workspace.words, rules.key, TABU, 0, number, time >> 2)
    prepare(rules, workspace, expiries, fewest, target)


@cached
def weigh_moves(
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    gains: NDArray[np.int64],
    waits: NDArray[np.int64],
) -> None:
    """Write what each move does: of vertices in conflict, a row each, to every color.

    ``gains`` get the change of the number of conflicts, ``waits`` the moves for which it is still
    tabu, 0 for none, and -1 where the vertex has the color already. Both have the shape
    (vertices in conflict, colors).
    """
    time, counts = workspace.numbers[NOW_TIME], workspace.counts
    for row in range(gains.shape[0]):
        v = workspace.wrong[row]
        own = workspace.colors[v]
        for color in range(gains.shape[1]):
            gains[row, color] = np.int64(counts[v, color]) - np.int64(counts[v, own])
            waits[row, color] = max(np.int64(expiries[v, color]) - time, 0)
        waits[row, own] = -1


@cached
def make_moves(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    number: Whole,
    count: int,
) -> int:
    """Make at most ``count`` moves, as long as there are conflicts; return how many were made."""
    made = 0
    while made < count and workspace.numbers[CONFLICTS] > 0:
        move(rules, workspace, expiries, number)
        made += 1
    return made
