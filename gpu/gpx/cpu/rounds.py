"""Moves of an optimizer that all threads make at once, in large graphs: a round.

The threads share out the vertices. A round has stages, after each of which they wait for each
other; in none does a thread read what another one writes. What a vertex decides depends on how all
stood before, so that the number of threads is no matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.bits import ONE_BIT, WORD_BITS, WORD_SHIFT, has, lowest
from gpu.cpu.compilation import Whole, compiled, inlined
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
    chosen: NDArray[np.int32]  # (n,): the color that each mover, by its number, has chosen
    driven: NDArray[np.int32]  # (n,): vertices that were driven out in this round
    classes: NDArray[np.int32]  # (n,): out of which class
    rows: NDArray[np.uint32]  # (threads, most): the sums of one vertex
    counts: NDArray[np.int64]  # (threads, 8): see the constants below
    numbers: NDArray[np.int64]  # (2,): see the constants below


MOVERS, LOST, DRIVEN = range(3)
"""Counts of a thread: movers, those that have lost, vertices driven out."""

LEFT, SUMS_DUE = range(2)
"""Vertices without color; whether the sums of weights are to be made anew."""

DRAW, CHOOSE, CHECK, TAKE, SETTLE = range(5)
"""The stages of a round."""


def new_rounds(n: int, most: int, threads: int) -> Rounds:
    """Make what rounds need; with no ``threads``, there are none."""
    words = -(-n // WORD_BITS)
    if not threads:
        n = words = 0
    return allocated(
        Rounds,
        n,
        loose=words,
        moving=words,
        rows=(threads, most),
        counts=(threads, 8),
        numbers=2,
    )


def bytes_of_rounds(n: int) -> int:
    """Bytes that they take."""
    return 18 * n


@inlined
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
    elif stage == TAKE:
        _take(rules, shared, rounds, task)
    else:
        _settle(rules, shared, rounds, task)


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
def _place(rules: TabuRules, v: Whole, vertex: Whole, task: StageTask) -> np.int64:
    """Return where the neighbours of ``v`` from ``vertex`` on begin; they are ascending."""
    low, high = rules.ends[v], rules.ends[v + 1]
    if vertex == 0 or task.threads == 1:
        return np.int64(low if vertex == 0 else high)
    while low < high:
        middle = (low + high) >> 1
        if rules.neighbours[middle] < vertex:
            low = middle + 1
        else:
            high = middle
    return np.int64(low)


@compiled
def _take(rules: TabuRules, own: PartialColoring, rounds: Rounds, task: StageTask) -> None:
    """Give own movers their colors; drive own vertices out, and sum up weights for them."""
    first, end = _own_vertices(rounds, task)
    most = own.row.size
    driven = np.int64(0)
    for thread in range(task.threads):
        begin = _begin_of(rounds, thread, task.threads)
        for at in range(begin, begin + rounds.counts[thread, MOVERS]):
            if rounds.lost[at]:
                continue
            v = np.int64(rounds.movers[at])
            color, weight = rounds.chosen[v], own.weights[v]
            if thread == task.thread:
                own.colors[v] = color
                _switch(rounds, v)
            low, high = _place(rules, v, first, task), _place(rules, v, end, task)
            for i in range(low, high):
                u = rules.neighbours[i]
                if own.colors[u] == color:
                    own.colors[u] = LOOSE
                    _switch(rounds, u)
                    rounds.driven[first + driven] = u
                    rounds.classes[first + driven] = color
                    driven += 1
            for i in range(low, high):
                own.sums[np.int64(rules.neighbours[i]) * most + color] += weight
    rounds.counts[task.thread, DRIVEN] = driven


@compiled
def _settle(rules: TabuRules, own: PartialColoring, rounds: Rounds, task: StageTask) -> None:
    """Take the weights of what was driven out from the sums of own vertices."""
    first, end = _own_vertices(rounds, task)
    most = own.row.size
    for thread in range(task.threads):
        begin = _begin_of(rounds, thread, task.threads)
        for at in range(begin, begin + rounds.counts[thread, DRIVEN]):
            u, color = np.int64(rounds.driven[at]), rounds.classes[at]
            weight = own.weights[u]
            for i in range(_place(rules, u, first, task), _place(rules, u, end, task)):
                own.sums[np.int64(rules.neighbours[i]) * most + color] -= weight


@compiled
def end_round(
    own: PartialColoring, rounds: Rounds, threads: Whole, heaviest: np.uint32
) -> tuple[np.int64, np.int64]:
    """Count what a round has done; return how many got a color, and how many lost theirs.

    What was driven out weighs more from now on. The sums are right then, unless all weights had
    become too large: these are halved, and the sums are due.
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
            u = rounds.driven[at]
            own.weights[u] += np.uint32(1)
            heavy = heavy or own.weights[u] >= heaviest
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
