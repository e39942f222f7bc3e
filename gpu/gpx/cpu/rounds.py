"""Moves of an optimizer that all threads make at once, in large graphs: a round.

The threads share out the vertices, and each has to do with its own alone: of the neighbours of a
vertex it tells their threads, by notes in a region of its own. A round has stages, after each of
which all wait for each other; in none does a thread read what another one writes. What a vertex
decides depends on how all stood before, so that the number of threads is no matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.bits import ONE_BIT, WORD_BITS, WORD_SHIFT, has, lowest
from gpu.cpu.compilation import Whole, compiled, inlined, pasted
from gpu.cpu.philox import words_of
from gpu.cpu.stage_loop import StageTask, share_of
from gpu.cpu.structures import allocated
from gpu.gpx.cpu.optimizer import lightest
from gpu.gpx.cpu.partial import LOOSE_COUNT, OPTIMIZE, PartialColoring, sum_up_of
from gpu.gpx.rule import FEW_LOOSE, LOTS, MOST_AT_ONCE, ROUND_SHARE
from gpu.tabu_search.cpu import LOOSE, TabuRules, lot_of


class Rounds(NamedTuple):
    """What rounds need. Of arrays with n entries, a thread has the part of its own vertices."""

    loose: NDArray[np.uint64]  # (words,): vertices without color, as a set
    moving: NDArray[np.uint64]  # (words,): those that move in this round
    movers: NDArray[np.int32]  # (n,): the same, ascending
    lost: NDArray[np.uint8]  # (n,): whether a mover gets no color after all
    # (n,): of each vertex, the color that it has chosen, or out of which it was driven
    chosen: NDArray[np.int32]
    driven: NDArray[np.int32]  # (n,): vertices that were driven out in this round
    # (2 e,): notes for the neighbours of vertices, those for one thread together. A thread's region
    # has as many as its own vertices have neighbours; a note is of a vertex, a color and a weight.
    told: NDArray[np.int32]
    colors: NDArray[np.int32]
    weights: NDArray[np.uint32]
    begins: NDArray[np.int64]  # (threads, threads + 1): where the notes for each thread begin
    places: NDArray[np.int64]  # (threads, threads + 1): room for the same
    rows: NDArray[np.uint32]  # (threads, most): the sums of one vertex
    counts: NDArray[np.int64]  # (threads, 8): see the constants below
    numbers: NDArray[np.int64]  # (2,): see the constants below


MOVERS, LOST, DRIVEN = range(3)
"""Counts of a thread: movers, those that have lost, vertices driven out."""

LEFT, SUMS_DUE = range(2)
"""Vertices without color; whether the sums of weights are to be made anew."""

DRAW, CHOOSE, CHECK, TAKE, TELL, SETTLE = range(6)
"""The stages of a round."""


def new_rounds(n: int, ends: int, most: int, threads: int) -> Rounds:
    """Make what rounds need, for a graph with so many ends of edges; without threads, nothing."""
    words = -(-n // WORD_BITS)
    if not threads:
        n = ends = words = 0
    return allocated(
        Rounds,
        n,
        loose=words,
        moving=words,
        told=ends,
        colors=ends,
        weights=ends,
        begins=(threads, threads + 1),
        places=(threads, threads + 1),
        rows=(threads, most),
        counts=(threads, 8),
        numbers=2,
    )


def bytes_of_rounds(n: int, ends: int) -> int:
    """Bytes that they take at most."""
    return 14 * n + 12 * ends


@pasted
def play_stage(
    rules: TabuRules,
    shared: PartialColoring,
    rounds: Rounds,
    iteration: Whole,
    noise: Whole,
    task: StageTask,
    stage: Whole,
) -> None:
    """Do a thread's share of a stage of the round of an ``iteration``."""
    if stage == DRAW:
        if rounds.numbers[SUMS_DUE]:
            first, end = _own_vertices(rounds, task)
            sum_up_of(rules, shared, first, end)
        _draw(rules, rounds, iteration, task)
    elif stage == CHOOSE:
        _choose(rules, shared, rounds, iteration, noise, task)
    elif stage == CHECK:
        _check(rules, rounds, task)
        _tell_of_movers(rules, shared, rounds, task)
    elif stage == TAKE:
        _take(shared, rounds, task)
    elif stage == TELL:
        _tell_of_driven(rules, shared, rounds, task)
    else:
        _settle(shared, rounds, task)


@inlined
def _begin_of(rounds: Rounds, thread: Whole, threads: Whole) -> np.int64:
    """Return the first vertex of a thread; that of the thread after the last one is n."""
    first = np.int64(rounds.loose.size * thread // threads * WORD_BITS)
    return min(first, np.int64(rounds.movers.size))


@inlined
def _own_vertices(rounds: Rounds, task: StageTask) -> tuple[np.int64, np.int64]:
    """Return the first vertex of a thread, and the one after its last."""
    return (
        _begin_of(rounds, task.thread, task.threads),
        _begin_of(rounds, task.thread + 1, task.threads),
    )


@compiled
def _draw(rules: TabuRules, rounds: Rounds, iteration: Whole, task: StageTask) -> None:
    """Draw which vertices without color move."""
    first, _ = _own_vertices(rounds, task)
    left, count = rounds.numbers[LEFT], np.int64(0)
    if left >= FEW_LOOSE:
        limit = LOTS // max(np.int64(ROUND_SHARE), left // MOST_AT_ONCE)
        word = words_of(rules.key, OPTIMIZE, iteration, 0, 0)[0]
        begin, end = share_of(rounds.loose.size, task)
        for place in range(begin, end):
            bits, drawn = rounds.loose[place], np.uint64(0)
            while bits != 0:
                low = lowest(bits)
                bits &= bits - ONE_BIT
                v = np.int64((np.uint64(place) << WORD_SHIFT) + low)
                if lot_of(v & 0xFFFF, v >> 16, word) < limit:
                    drawn |= ONE_BIT << low
                    rounds.movers[first + count] = v
                    count += 1
            rounds.moving[place] = drawn
    counts = rounds.counts[task.thread]
    counts[MOVERS], counts[LOST], counts[DRIVEN] = count, 0, 0


@compiled
def _choose(
    rules: TabuRules,
    shared: PartialColoring,
    rounds: Rounds,
    iteration: Whole,
    noise: Whole,
    task: StageTask,
) -> None:
    """Let own movers choose the class where they would drive out the least weight."""
    first, _ = _own_vertices(rounds, task)
    s = shared
    own = PartialColoring(
        s.colors,
        s.loose,
        s.weights,
        s.sums,
        s.expiries,
        s.members,
        rounds.rows[task.thread],
        s.sizes,
        s.names,
        s.numbers,
        s.words,
    )
    word = words_of(rules.key, OPTIMIZE, iteration, 0, 0)[1]
    for at in range(first, first + rounds.counts[task.thread, MOVERS]):
        v = np.int64(rounds.movers[at])
        rounds.chosen[v] = lightest(rules, own, v, word, noise)


@compiled
def _check(rules: TabuRules, rounds: Rounds, task: StageTask) -> None:
    """Note which own movers have lost: a lower neighbour moves to the same class."""
    first, _ = _own_vertices(rounds, task)
    counts = rounds.counts[task.thread]
    for at in range(first, first + counts[MOVERS]):
        v = rounds.movers[at]
        lost = np.uint8(0)
        for i in range(rules.ends[v], rules.ends[v + 1]):
            u = rules.neighbours[i]
            if has(rounds.moving, u) and u < v and rounds.chosen[u] == rounds.chosen[v]:
                lost = np.uint8(1)
        rounds.lost[at] = lost
        counts[LOST] += lost


@inlined
def _switch(rounds: Rounds, v: Whole) -> None:
    """Add ``v`` to those without color, or remove it."""
    rounds.loose[np.uint64(v) >> WORD_SHIFT] ^= ONE_BIT << (np.uint64(v) & np.uint64(63))


@inlined
def _count_notes(rules: TabuRules, rounds: Rounds, v: Whole, task: StageTask) -> None:
    """Count the neighbours of ``v``, which are ascending, for each thread."""
    places, thread = rounds.places[task.thread], np.int64(0)
    end = _begin_of(rounds, 1, task.threads)
    for i in range(rules.ends[v], rules.ends[v + 1]):
        while rules.neighbours[i] >= end:
            thread += 1
            end = _begin_of(rounds, thread + 1, task.threads)
        places[thread] += 1


@inlined
def _place_notes(rules: TabuRules, rounds: Rounds, task: StageTask) -> None:
    """Make of the counts of notes where those for each thread begin."""
    first, _ = _own_vertices(rounds, task)
    begins, places = rounds.begins[task.thread], rounds.places[task.thread]
    at = rules.ends[first]
    for thread in range(task.threads):
        begins[thread] = at
        at += places[thread]
        places[thread] = begins[thread]
    begins[task.threads] = at


@inlined
def _write_notes(
    rules: TabuRules, rounds: Rounds, v: Whole, color: Whole, weight: np.uint32, task: StageTask
) -> None:
    """Tell the neighbours of ``v`` of a color and a weight."""
    places, thread = rounds.places[task.thread], np.int64(0)
    end = _begin_of(rounds, 1, task.threads)
    for i in range(rules.ends[v], rules.ends[v + 1]):
        u = rules.neighbours[i]
        while u >= end:
            thread += 1
            end = _begin_of(rounds, thread + 1, task.threads)
        at = places[thread]
        rounds.told[at], rounds.colors[at], rounds.weights[at] = u, color, weight
        places[thread] = at + 1


@compiled
def _tell_of_movers(
    rules: TabuRules, own: PartialColoring, rounds: Rounds, task: StageTask
) -> None:
    """Give own movers their colors, and tell their neighbours."""
    first, _ = _own_vertices(rounds, task)
    last = first + rounds.counts[task.thread, MOVERS]
    rounds.places[task.thread] = 0
    for at in range(first, last):
        if not rounds.lost[at]:
            _count_notes(rules, rounds, rounds.movers[at], task)
    _place_notes(rules, rounds, task)
    for at in range(first, last):
        if not rounds.lost[at]:
            v = np.int64(rounds.movers[at])
            own.colors[v] = rounds.chosen[v]
            _switch(rounds, v)
            _write_notes(rules, rounds, v, rounds.chosen[v], own.weights[v], task)


@compiled
def _take(own: PartialColoring, rounds: Rounds, task: StageTask) -> None:
    """Read the notes of movers: drive own vertices out, and sum up weights for them."""
    first, _ = _own_vertices(rounds, task)
    most, driven = own.row.size, np.int64(0)
    for thread in range(task.threads):
        begins = rounds.begins[thread]
        for at in range(begins[task.thread], begins[task.thread + 1]):
            u, color = np.int64(rounds.told[at]), rounds.colors[at]
            own.sums[u * most + color] += rounds.weights[at]
            if own.colors[u] == color:
                own.colors[u] = LOOSE
                _switch(rounds, u)
                rounds.driven[first + driven] = u
                rounds.chosen[u] = color
                driven += 1
    rounds.counts[task.thread, DRIVEN] = driven


@compiled
def _tell_of_driven(
    rules: TabuRules, own: PartialColoring, rounds: Rounds, task: StageTask
) -> None:
    """Tell the neighbours of own vertices that these were driven out; they weigh more from now."""
    first, _ = _own_vertices(rounds, task)
    last = first + rounds.counts[task.thread, DRIVEN]
    rounds.places[task.thread] = 0
    for at in range(first, last):
        _count_notes(rules, rounds, rounds.driven[at], task)
    _place_notes(rules, rounds, task)
    for at in range(first, last):
        u = np.int64(rounds.driven[at])
        _write_notes(rules, rounds, u, rounds.chosen[u], own.weights[u], task)
        own.weights[u] += np.uint32(1)


@compiled
def _settle(own: PartialColoring, rounds: Rounds, task: StageTask) -> None:
    """Read these notes: take the weights from the sums of own vertices."""
    most = own.row.size
    for thread in range(task.threads):
        begins = rounds.begins[thread]
        for at in range(begins[task.thread], begins[task.thread + 1]):
            place = np.int64(rounds.told[at]) * most + rounds.colors[at]
            own.sums[place] -= rounds.weights[at]


@compiled
def end_round(
    own: PartialColoring, rounds: Rounds, threads: Whole, heaviest: np.uint32
) -> tuple[np.int64, np.int64]:
    """Count what a round has done; return how many got a color, and how many lost theirs.

    The sums are right then, unless a weight has become too large: all are halved, and the sums are
    due.
    """
    numbers = rounds.numbers
    numbers[SUMS_DUE] = 0
    colored = driven = np.int64(0)
    heavy = False
    for thread in range(threads):
        counts, begin = rounds.counts[thread], _begin_of(rounds, thread, threads)
        colored += counts[MOVERS] - counts[LOST]
        driven += counts[DRIVEN]
        for at in range(begin, begin + counts[DRIVEN]):
            heavy = heavy or own.weights[rounds.driven[at]] >= heaviest
        counts[MOVERS] = counts[LOST] = counts[DRIVEN] = 0
    numbers[LEFT] += driven - colored
    if heavy:
        numbers[SUMS_DUE] = 1
        for x in range(own.weights.size):
            own.weights[x] = np.uint32(own.weights[x] + np.uint32(1)) >> np.uint32(1)
    return colored, driven


@compiled
def begin_rounds(own: PartialColoring, rounds: Rounds) -> None:
    """Note which vertices have no color; the sums are due."""
    rounds.loose[:] = 0
    left = np.int64(0)
    for v in range(own.colors.size):
        if own.colors[v] == LOOSE:
            _switch(rounds, v)
            left += 1
    rounds.numbers[LEFT], rounds.numbers[SUMS_DUE] = left, 1


@compiled
def list_loose(own: PartialColoring, rounds: Rounds) -> None:
    """Begin single moves: list the vertices without color, ascending, and empty their set."""
    count = np.int64(0)
    for place in range(rounds.loose.size):
        bits = rounds.loose[place]
        rounds.loose[place] = 0
        while bits != 0:
            own.loose[count] = np.int64((np.uint64(place) << WORD_SHIFT) + lowest(bits))
            bits &= bits - ONE_BIT
            count += 1
    own.numbers[LOOSE_COUNT] = count


@inlined
def gather_loose(own: PartialColoring, rounds: Rounds) -> None:
    """End single moves: make a set of the list."""
    for at in range(own.numbers[LOOSE_COUNT]):
        _switch(rounds, own.loose[at])
    rounds.numbers[LEFT] = own.numbers[LOOSE_COUNT]
