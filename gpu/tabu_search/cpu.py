"""Tabu search for a coloring with a given number of colors (Hertz and de Werra 1987), compiled.

All vertices have a color. An edge is in conflict if both ends have the same color, and moves try
to make such edges fewer. A move gives another color to a vertex in conflict. The search makes the
move after which the fewest edges are in conflict; of equal ones, the one with the lowest lot, which
is random. For some moves after that, it is tabu to give the vertex its old color again, unless that
leads to fewer conflicts than there ever were.

The vertex is tabu for 0 to 9 moves, and for 0.6 moves more per vertex in conflict (Galinier and Hao
1999); other searches than those of ACO-RLF may have another number than these ten, the *spread*.
What a search does depends on the seed, its number and its first coloring alone: the kernels in
``gpu/tabu_search/cuda/search.cu`` do the same.

How it is fast: neighbours by color are kept in columns, one for each color, so that a move changes
two columns, which lie in the first-level cache; of a dense graph, whole vectors at once. Vertices
in conflict are few. Each has, besides, a row of its own with all colors, in which those that it
cannot get are marked, so that the least number of a row is the best move of its vertex. That is
looked for anew only where it has become larger.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.bits import ONE_BIT, WORD_SHIFT, lowest
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.philox import Key, draw_block
from gpu.cpu.structures import Shape, allocated
from gpu.problems.coloring.instance import GraphInstance

LANES = 64  # entries of a row are a multiple of this, so that whole vectors read it
BARRED = np.uint16(0x8000)  # marks a color that a vertex cannot get: its own, or a tabu one
COUNTED = np.uint16(0x7FFF)  # what is left is the number of neighbours
BEYOND = np.uint16(0xFFFF)  # entries of a row beyond the last color
STALE = COUNTED  # stands where the least number of a row must be looked for anew

SPREAD = 10  # how many different tenures there are for the same conflicts; see above

MOST_DENSE = 8192  # vertices up to which a graph can be dense: n² bytes are 64 MiB
LEAST_DENSITY = 1 / 16  # where neighbours are listed faster one by one


class TabuRules(NamedTuple):
    """What all searches share."""

    key: Key  # the seed
    most: int  # most colors that a search may have
    moves: int  # of a search in one iteration of its colony
    # (n + 1,): where the neighbours of each vertex begin in ``neighbours``, and the last ones end
    ends: NDArray[np.int64]
    neighbours: NDArray[np.int32]  # (2 e,)
    # Of a dense graph, else empty:
    near: NDArray[np.uint8]  # (n, n): 1 for neighbours
    near_bits: NDArray[np.uint64]  # (n, words): the same as sets


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
    """What one search works with at a time."""

    colors: NDArray[np.int32]  # (n,)
    counts: NDArray[np.uint16]  # (most, n): neighbours of each vertex by color
    rows: NDArray[np.uint16]  # (n, stride): the same of each vertex in conflict, at its place
    least: NDArray[np.uint16]  # (n,): the least number of that row, at its place, or STALE
    wrong: NDArray[np.int32]  # (n,): vertices in conflict, in any order
    places: NDArray[np.int32]  # (n,): place of each vertex among those, or -1
    members: NDArray[np.uint64]  # (most, words): of each class, as a set, if the graph is dense
    sizes: NDArray[np.int32]  # (n + 1,): of the classes
    names: NDArray[np.int32]  # (n + 1,): new numbers of the colors
    # Which colors cease to be tabu at a move, as lists of vertices and colors:
    heads: NDArray[np.int32]  # (ring,): the first entry for each move, or -1
    entries: NDArray[np.int64]  # (2 ring,): vertex and color
    links: NDArray[np.int32]  # (2 ring,): the entry after each, or -1
    numbers: NDArray[np.int64]  # (8,): see the constants below
    words: NDArray[np.uint32]  # (4,): random words of four moves


def is_dense(graph: GraphInstance) -> bool:
    """Whether neighbours of ``graph`` are better kept in a matrix than in lists."""
    return graph.n <= MOST_DENSE and graph.density >= LEAST_DENSITY


def matrices_of(graph: GraphInstance) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Return ``near`` and ``near_bits`` of :class:`TabuRules`: empty if the graph is sparse."""
    if not is_dense(graph):
        return np.zeros((0, 0), np.uint8), np.zeros((0, 0), np.uint64)
    n = graph.n
    near = np.zeros((n, n), np.uint8)
    near[graph.edges[:, 0], graph.edges[:, 1]] = near[graph.edges[:, 1], graph.edges[:, 0]] = 1
    packed = np.zeros((n, _words(n) * 8), np.uint8)
    packed[:, : -(-n // 8)] = np.packbits(near, axis=1, bitorder="little")
    return near, packed.view("<u8").astype(np.uint64)


def rules_of(key: Key, graph: GraphInstance, most: int, moves: int) -> TabuRules:
    """Prepare the rules of searches with at most ``most`` colors."""
    return TabuRules(key, most, moves, graph.offsets, graph.adjacent, *matrices_of(graph))


def _words(n: int) -> int:
    return -(-n // 64)


def shapes_of(graph: GraphInstance, most: int, spread: int = SPREAD) -> dict[str, Shape]:
    """Return the shape of each array of a workspace that has another one than (n,)."""
    n = graph.n
    ring = 1 << (3 * n // 5 + spread + 6).bit_length()
    return {
        "counts": (most, n),
        "rows": (n, -(-most // LANES) * LANES),
        "members": (most, _words(n)) if is_dense(graph) else (0, 0),
        "sizes": n + 1,
        "names": n + 1,
        "heads": ring,
        "entries": 2 * ring,
        "links": 2 * ring,
        "numbers": 8,
        "words": 4,
    }


def workspace_of(graph: GraphInstance, most: int, spread: int = SPREAD) -> TabuWorkspace:
    """Allocate what one search works with."""
    return allocated(TabuWorkspace, graph.n, **shapes_of(graph, most, spread))


def bytes_of_workspace(graph: GraphInstance, most: int) -> int:
    """Bytes of a workspace."""
    n = graph.n
    return 2 * n * (2 * most + LANES) + n * most // 8 + 64 * n


def bytes_needed(graph: GraphInstance, most: int, count: int, threads: int) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    n = graph.n
    return {
        "tabu searches": count * (4 * n * most + 8 * n + 32),
        "counts of the tabu searches": threads * bytes_of_workspace(graph, most),
        **bytes_of_matrices(graph),
    }


def bytes_of_matrices(graph: GraphInstance) -> dict[str, int]:
    """Bytes of the neighbours' matrices, by what a user would call them."""
    return {"neighbours of all vertices": 9 * graph.n**2 // 8 if is_dense(graph) else 0}


TRIED_COLORS, MOVES_MADE, FEWEST_CONFLICTS, KEPT_COLORS = range(4)
"""Number of colors that a search tries to use, 0 before it begins; moves made; fewest conflicts so
far with that number of colors; number of colors of what it has kept, 0 for nothing."""

NOW_COLORS, NOW_TIME, NOW_FEWEST, CONFLICTS, WRONG, NEXT_ENTRY = range(6)
"""Numbers of a workspace: the first three as in the state of a search; edges in conflict; vertices
in conflict; the place of the next entry for a color that ceases to be tabu."""

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
            move(rules, workspace, expiries, number, SPREAD)
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
        squeeze(workspace.colors, workspace.sizes, workspace.names, now[NOW_COLORS], target)
        now[NOW_COLORS] = target
    build(rules, workspace, expiries, fewer)
    now[NOW_FEWEST] = now[CONFLICTS] if fewer else fewest


@compiled
def squeeze(
    colors: NDArray[np.int32],
    sizes: NDArray[np.int32],
    names: NDArray[np.int32],
    count: Whole,
    target: Whole,
) -> None:
    """Take the color from the smallest classes, of equals the lowest, until ``target`` are left.

    All vertices have one of ``count`` colors; those that lose it are LOOSE. The colors that are
    left get new numbers, in their order. ``sizes`` and ``names`` are room for numbers of classes.
    """
    sizes[:count] = 0
    names[:count] = 0
    for color in colors:
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
    for v in range(colors.size):
        colors[v] = names[colors[v]]


@inlined
def _count_neighbours(
    rules: TabuRules, workspace: TabuWorkspace, v: Whole, color: Whole, by: Whole
) -> None:
    """Let the neighbours of ``v`` have one neighbour more, or fewer, of a color."""
    column = workspace.counts[color]
    if rules.near.size > 0:
        near = rules.near[v]
        if by > 0:
            for u in range(column.size):
                column[u] += near[u]
        else:
            for u in range(column.size):
                column[u] -= near[u]
    else:
        for i in range(rules.ends[v], rules.ends[v + 1]):
            column[rules.neighbours[i]] += by


@compiled
def build(
    rules: TabuRules, workspace: TabuWorkspace, expiries: NDArray[np.uint32], anew: bool
) -> None:
    """Count neighbours by color; then give a color to the vertices that have none, in order.

    Nothing is tabu if the search begins ``anew``.
    """
    colors, counts, now = workspace.colors, workspace.counts, workspace.numbers
    n, count = colors.size, now[NOW_COLORS]
    for color in range(count):
        counts[color, :] = 0
    for v in range(n):
        if colors[v] != LOOSE:
            _count_neighbours(rules, workspace, v, colors[v], 1)
    for v in range(n):
        if colors[v] != LOOSE:
            continue
        fewest = 0
        for color in range(1, count):
            if counts[color, v] < counts[fewest, v]:
                fewest = color
        colors[v] = fewest
        _count_neighbours(rules, workspace, v, fewest, 1)
    if rules.near.size > 0:
        workspace.members[:] = 0
        for v in range(n):
            _join(workspace, v, colors[v])
    if anew:
        expiries[:] = 0
    _list_expiries(workspace, expiries, anew)
    ends = np.int64(0)
    now[WRONG] = 0
    for v in range(n):
        workspace.places[v] = -1
        ends += np.int64(counts[colors[v], v])
        _mark(workspace, expiries, v)
    now[CONFLICTS] = ends // 2


@inlined
def _join(workspace: TabuWorkspace, v: Whole, color: Whole) -> None:
    """Add ``v`` to the members of a class, or remove it."""
    workspace.members[color, v >> 6] ^= ONE_BIT << np.uint64(v & 63)


@inlined
def _list_expiries(workspace: TabuWorkspace, expiries: NDArray[np.uint32], none: bool) -> None:
    """List when each color that is tabu ceases to be so."""
    now = workspace.numbers
    workspace.heads[:] = -1
    now[NEXT_ENTRY] = 0
    if none:
        return
    for v in range(expiries.shape[0]):
        for color in range(now[NOW_COLORS]):
            if expiries[v, color] > now[NOW_TIME]:
                _list_expiry(workspace, v, color, np.int64(expiries[v, color]))
    now[NEXT_ENTRY] = workspace.heads.size  # from here on, the last of these are not overwritten


@inlined
def _list_expiry(workspace: TabuWorkspace, v: Whole, color: Whole, expiry: Whole) -> None:
    """List that a color is tabu for ``v`` before the move ``expiry``."""
    heads, now = workspace.heads, workspace.numbers
    ring = expiry & (heads.size - 1)
    entry = now[NEXT_ENTRY]
    now[NEXT_ENTRY] = (entry + 1) & (workspace.entries.size - 1)
    workspace.entries[entry] = np.int64(v) << 32 | np.int64(color)
    workspace.links[entry] = heads[ring]
    heads[ring] = entry


@inlined
def _release(workspace: TabuWorkspace, expiries: NDArray[np.uint32], time: Whole) -> None:
    """Unmark the colors that cease to be tabu now."""
    ring = time & (workspace.heads.size - 1)
    entry = workspace.heads[ring]
    workspace.heads[ring] = -1
    while entry >= 0:
        code = workspace.entries[entry]
        v, color = code >> 32, code & 0xFFFFFFFF
        place = workspace.places[v]
        if place >= 0 and expiries[v, color] == np.uint32(time) and workspace.colors[v] != color:
            count = np.uint16(workspace.rows[place, color] & COUNTED)
            workspace.rows[place, color] = count
            if workspace.least[place] != STALE:
                workspace.least[place] = min(workspace.least[place], count)
        entry = workspace.links[entry]


@inlined
def _mark(workspace: TabuWorkspace, expiries: NDArray[np.uint32], v: Whole) -> None:
    """Add ``v`` to the vertices in conflict, or remove it."""
    wrong, places, now = workspace.wrong, workspace.places, workspace.numbers
    place = places[v]
    own = workspace.colors[v]
    if workspace.counts[own, v] > 0:
        if place < 0:
            place = now[WRONG]
            places[v] = place
            wrong[place] = v
            now[WRONG] += 1
            row, tabu = workspace.rows[place], expiries[v]
            time = np.uint32(now[NOW_TIME])
            row[:] = BEYOND
            for color in range(now[NOW_COLORS]):
                barred = BARRED if tabu[color] > time else np.uint16(0)
                row[color] = workspace.counts[color, v] | barred
            row[own] |= BARRED
            workspace.least[place] = STALE
    elif place >= 0:
        now[WRONG] -= 1
        end = now[WRONG]
        last = wrong[end]
        wrong[place] = last
        places[last] = place
        places[v] = -1
        if place != end:
            workspace.least[place] = workspace.least[end]
            row, moved = workspace.rows[place], workspace.rows[end]
            for color in range(row.size):
                row[color] = moved[color]


@inlined
def lot_of(vertex: Whole, color: Whole, salt: np.uint32) -> np.int64:
    """Return a random number for each move, which decides between equals."""
    mixed = np.uint64(np.uint32((vertex << 16 | color) ^ np.int64(salt)))
    mixed = np.uint64(np.uint32(mixed * np.uint64(0x9E3779B1)))
    mixed = (mixed ^ (mixed >> np.uint64(15))) * np.uint64(0x85EBCA77)
    return np.int64(np.uint32(mixed)) >> 16


@inlined
def _best_gain(workspace: TabuWorkspace, wrong: Whole) -> tuple[np.int64, bool]:
    """Return what the best move gains, and whether it leads to the fewest conflicts ever.

    In the latter case, it does not matter what is tabu.
    """
    now, rows = workspace.numbers, workspace.rows
    missing = now[CONFLICTS] - now[NOW_FEWEST]  # a vertex in more conflicts may lead to fewer
    width = -(-now[NOW_COLORS] // LANES) * LANES
    best = aspired = np.int64(WORST_MOVE)
    for place in range(wrong):
        row = rows[place, :width]
        given_up = np.int64(row[workspace.colors[workspace.wrong[place]]] & COUNTED)
        least = workspace.least[place]
        if least == STALE:
            least = BEYOND
            for color in range(row.size):
                least = min(least, row[color])
            workspace.least[place] = least
        if least < BARRED:
            best = min(best, np.int64(least) - given_up)
        if given_up > missing:
            least = BEYOND
            for color in range(row.size):
                least = min(least, np.uint16(row[color] & COUNTED))
            aspired = min(aspired, np.int64(least) - given_up)
    if aspired < -missing:
        return aspired, True
    return best, False


@compiled
def move(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    number: Whole,
    spread: Whole,
) -> None:
    """Make the best move of search ``number``, or none if all are tabu."""
    colors, rows, now = workspace.colors, workspace.rows, workspace.numbers
    time, conflicts, wrong = now[NOW_TIME], now[CONFLICTS], now[WRONG]
    if time & 3 == 0:
        draw_block(workspace.words, rules.key, TABU, 0, number, time >> 2)
    word = workspace.words[time & 3]
    if time > 0 and np.uint32(time) == 0:  # numbers of moves begin anew: nothing is tabu
        build(rules, workspace, expiries, True)
    _release(workspace, expiries, time)
    now[NOW_TIME] = time + 1
    best_gain, aspired = _best_gain(workspace, wrong)
    if best_gain == WORST_MOVE:
        return
    mask = COUNTED if aspired else BEYOND
    best_code = np.int64(WORST_MOVE)
    for place in range(wrong):
        v = np.int64(workspace.wrong[place])
        wanted = best_gain + np.int64(rows[place, colors[v]] & COUNTED)
        if not aspired and workspace.least[place] != wanted:
            continue
        for color in range(now[NOW_COLORS]):
            if np.int64(rows[place, color] & mask) == wanted:
                best_code = min(best_code, lot_of(v, color, word) << 46 | v << 20 | color)
    v, to = best_code >> 20 & 0x3FFFFFF, best_code & 0xFFFFF
    left = np.int64(colors[v])
    tenure = (np.int64(word) * spread >> 32) + 3 * wrong // 5
    expiries[v, left] = np.uint32(time + 1 + tenure)
    _list_expiry(workspace, v, left, time + 1 + tenure)
    rows[workspace.places[v], to] |= BARRED
    workspace.least[workspace.places[v]] = STALE
    colors[v] = to
    _count_neighbours(rules, workspace, v, left, -1)
    _count_neighbours(rules, workspace, v, to, 1)
    if rules.near.size > 0:
        _renew_dense(rules, workspace, expiries, v, left, to)
    else:
        _renew_sparse(rules, workspace, expiries, v, left, to)
    _mark(workspace, expiries, v)
    now[CONFLICTS] = conflicts + best_gain
    now[NOW_FEWEST] = min(now[NOW_FEWEST], now[CONFLICTS])


@inlined
def _renew_row(workspace: TabuWorkspace, place: Whole, left: Whole, to: Whole) -> None:
    """Note in the row of a vertex that a neighbour went from one color to another."""
    row, least = workspace.rows[place], workspace.least[place]
    if row[to] == least:
        least = STALE
    row[to] += np.uint16(1)
    row[left] -= np.uint16(1)
    workspace.least[place] = min(least, row[left]) if least != STALE else STALE


@inlined
def _renew_dense(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    v: Whole,
    left: Whole,
    to: Whole,
) -> None:
    """Renew rows and the list of vertices in conflict after a move of ``v``."""
    near, near_bits, members = rules.near[v], rules.near_bits[v], workspace.members
    for place in range(workspace.numbers[WRONG]):
        if near[workspace.wrong[place]]:
            _renew_row(workspace, place, left, to)
    for word in range(near_bits.size):
        bits = near_bits[word] & (members[left, word] | members[to, word])
        while bits != 0:
            _mark(workspace, expiries, np.int64((np.uint64(word) << WORD_SHIFT) + lowest(bits)))
            bits &= bits - ONE_BIT
    _join(workspace, v, left)
    _join(workspace, v, to)


@inlined
def _renew_sparse(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    v: Whole,
    left: Whole,
    to: Whole,
) -> None:
    """Do so for a sparse graph."""
    colors = workspace.colors
    for i in range(rules.ends[v], rules.ends[v + 1]):
        u = rules.neighbours[i]
        place = workspace.places[u]
        if place >= 0:
            _renew_row(workspace, np.int64(place), left, to)
        if colors[u] == left or colors[u] == to:
            _mark(workspace, expiries, u)


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
            gains[row, color] = np.int64(counts[color, v]) - np.int64(counts[own, v])
            waits[row, color] = max(np.int64(expiries[v, color]) - time, 0)
        waits[row, own] = -1


@cached
def make_moves(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    number: Whole,
    spread: int,
    count: int,
) -> int:
    """Make at most ``count`` moves, as long as there are conflicts; return how many were made."""
    made = 0
    while made < count and workspace.numbers[CONFLICTS] > 0:
        move(rules, workspace, expiries, number, spread)
        made += 1
    return made
