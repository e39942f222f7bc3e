"""How ants color a graph, compiled: Algorithms 1 and 3 and equations 1 and 2 of the 2017 paper."""

from __future__ import annotations

import numpy as np

from gpu.core.random import Purpose
from gpu.cpu.bits import ONE, SHIFT, WORD, count, drop, has, lowest, nth, rank
from gpu.cpu.compiled import Whole, part, piece
from gpu.cpu.philox import philox
from gpu.cpu.wheel import BLOCK, add_up, part_of, scale_of, slot_at, spin
from gpu.problems.tsp.candidates import HEAVIEST, LIGHTEST
from gpu.rlf.cpu.tables import (
    COLOR,
    DRAWN,
    HERE,
    LARGEST,
    LEFT,
    Colorings,
    Pairs,
    RlfRules,
    Workplace,
)

START, ROULETTE, TRIAL = (
    np.uint32(Purpose.START),
    np.uint32(Purpose.ROULETTE),
    np.uint32(Purpose.TRIAL),
)
LIGHTEST_KEY, HEAVIEST_KEY = LIGHTEST.view(np.int32), HEAVIEST.view(np.int32)
SHARE = np.float32(2.0**-24)


@part
def weigh_row(pairs: Pairs, rules: RlfRules, u: int) -> None:
    """Compute τ^β for all pairs of ``u`` and, where ants try, its prefix sums in whole units."""
    trails, info = pairs.trails, pairs.info
    n = trails.shape[0]
    if rules.factors >= 0:
        for v in range(n):
            info[u, v] = np.float32(1.0)
        for _ in range(rules.factors):
            for v in range(n):
                info[u, v] *= trails[u, v]
    else:
        for v in range(n):
            info[u, v] = np.float32(np.float64(trails[u, v]) ** rules.beta)
    largest = np.float32(0)
    for v in range(n):
        weight = min(max(info[u, v], LIGHTEST), HEAVIEST)
        info[u, v] = weight if trails[u, v] > 0 else np.float32(0)
        largest = max(largest, info[u, v])
    if pairs.sums.shape[0] == 0:
        return
    total = np.uint64(0)
    if largest > 0:
        scale = scale_of(np.float32(largest).view(np.int32))
        for v in range(n):
            total += np.uint64(part_of(np.float32(info[u, v]).view(np.int32), scale))
            pairs.sums[u, v] = total


@part
def construct(
    pairs: Pairs,
    ants: Colorings,
    rules: RlfRules,
    iteration: np.uint32,
    place: Workplace,
    first: int,
    begin: int,
    end: int,
) -> None:
    """Make visits ``begin`` to before ``end`` of all those that the ants from ``first`` on make.

    One ant colors its whole graph before the next begins.
    """
    n = ants.orders.shape[1]
    progress = place.progress
    ant, step = first + begin // n, begin % n
    for _ in range(begin, end):
        if step == 0:
            _begin(place, n)
        if progress[LEFT] == 0:
            _begin_class(ants, place, ant, step)
            drawn = _start_word(rules, iteration, ant, step)
            vertex = np.uint32(nth(place.uncolored, _uniform(drawn, n - step)))
        else:
            vertex = place.candidates[_select(pairs, rules, iteration, place, ant, step)]
        ants.orders[ant, step] = vertex
        ants.places[ant, vertex] = step
        ants.colors[ant, vertex] = progress[COLOR] - 1
        _visit(pairs, place, vertex)
        step += 1
        if step == n:
            ants.costs[ant] = progress[COLOR]
            ants.ends[ant, progress[COLOR]] = n
            step = 0
            ant += 1


@piece
def _begin(place: Workplace, n: int) -> None:
    """All vertices are uncolored."""
    for word in range(place.uncolored.size):
        place.uncolored[word] = ~np.uint64(0)
    if n % WORD != 0:
        place.uncolored[place.uncolored.size - 1] = (ONE << np.uint64(n % WORD)) - ONE
    place.progress[LEFT] = 0
    place.progress[COLOR] = 0
    place.progress[DRAWN] = -1


@piece
def _begin_class(ants: Colorings, place: Workplace, ant: int, step: int) -> None:
    """Take a new color: all uncolored vertices are candidates, and none is ruled out."""
    for word in range(place.free.size):
        place.free[word] = place.uncolored[word]
    ants.ends[ant, place.progress[COLOR]] = step
    place.progress[COLOR] += 1


@piece
def _start_word(rules: RlfRules, iteration: np.uint32, ant: int, step: int) -> np.uint32:
    """Return the random word for the first vertex of a class."""
    first, second, third, fourth = philox(
        np.uint32(step >> 2), np.uint32(ant), iteration, START, rules.key0, rules.key1
    )
    low = second if step & 1 else first
    high = fourth if step & 1 else third
    return high if step & 2 else low


@piece
def _uniform(word: np.uint32, choices: Whole) -> np.int64:
    """Return one of so many slots, all being as probable."""
    return np.int64((np.uint64(word) * np.uint64(choices)) >> np.uint64(32))


@part
def _select(
    pairs: Pairs, rules: RlfRules, iteration: np.uint32, place: Workplace, ant: int, step: int
) -> Whole:
    """Return the slot of the candidate that the ant visits next (eq. 2)."""
    progress = place.progress
    left, here, largest = progress[LEFT], progress[HERE], progress[LARGEST]
    if largest > 0 and rules.trials > 0:
        slot = _try(pairs, rules, iteration, place, ant, step)
        if slot >= 0:
            return slot
    block = step >> 2
    if progress[DRAWN] != block:
        words = philox(
            np.uint32(block), np.uint32(ant), iteration, ROULETTE, rules.key0, rules.key1
        )
        for word in range(4):
            place.words[word] = words[word]
        progress[DRAWN] = block
    drawn = place.words[step & 3]
    if largest == 0:
        return _uniform(drawn, left)
    return _spin(pairs, rules, place, here, left, drawn)


@piece
def _spin(
    pairs: Pairs, rules: RlfRules, place: Workplace, here: Whole, left: Whole, drawn: np.uint32
) -> int:
    """Turn the wheel over all candidates (selection with prefix sums)."""
    padded = (left + BLOCK - 1) // BLOCK * BLOCK
    heaviest = np.int32(0)
    row = pairs.info[here]
    for slot in range(left):
        power = rules.powers[place.counts[slot]]
        key = np.float32(power * row[place.candidates[slot]]).view(np.int32)
        key = min(max(key, LIGHTEST_KEY), HEAVIEST_KEY) if power > 0 else np.int32(0)
        place.keys[slot] = key
        heaviest = max(heaviest, key)
    for slot in range(left, padded):
        place.keys[slot] = np.int32(0)
    scale = scale_of(heaviest)
    keys = place.keys[:padded]
    total = add_up(keys, scale, place.sums)
    return slot_at(keys, scale, place.sums, spin(drawn, total))


@piece
def _try(
    pairs: Pairs, rules: RlfRules, iteration: np.uint32, place: Workplace, ant: int, step: int
) -> Whole:
    """Return the slot of the first candidate that a stochastic trial accepts, or -1.

    A vertex is drawn from the whole row by its trail alone, and accepted in proportion to the
    other factor: so the choice has the probabilities of equation 2.
    """
    here = place.progress[HERE]
    n = pairs.sums.shape[1]
    sums = pairs.sums[here]
    ceiling = rules.powers[place.progress[LARGEST]]
    first, second, third, fourth = np.uint32(0), np.uint32(0), np.uint32(0), np.uint32(0)
    for trial in range(rules.trials):
        if trial & 1 == 0:
            purpose = np.uint32(TRIAL | np.uint32(np.uint32(trial >> 1) << np.uint32(8)))
            first, second, third, fourth = philox(
                np.uint32(step), np.uint32(ant), iteration, purpose, rules.key0, rules.key1
            )
        else:
            first, second = third, fourth
        stop = spin(first, sums[n - 1])
        low, high = 0, n - 1
        while low < high:
            middle = (low + high) >> 1
            if sums[middle] > stop:
                high = middle
            else:
                low = middle + 1
        if has(place.free, low) != 0:
            slot = rank(place.free, low)
            share = np.float32(np.float32(second >> np.uint32(8)) * SHARE)
            if np.float32(share * ceiling) < rules.powers[place.counts[slot]]:
                return slot
    return -1


@part
def _visit(pairs: Pairs, place: Workplace, vertex: np.uint32) -> None:
    """Color ``vertex``: its neighbours among the candidates are candidates no more.

    The counts of those that remain grow by their neighbours among the ones that went.
    """
    words = place.free.size
    drop(place.uncolored, vertex)
    drop(place.free, vertex)
    near = pairs.neighbours[vertex]
    for word in range(words):
        gone = place.free[word] & near[word]
        place.gone[word] = gone
        place.free[word] ^= gone
    left = _keep_free(place) if place.progress[LEFT] > 0 else _list_free(place)
    largest = np.uint32(0)
    for slot in range(left):
        row = pairs.neighbours[place.candidates[slot]]
        more = np.uint64(0)
        for word in range(words):
            more += count(row[word] & place.gone[word])
        counted = np.uint32(place.counts[slot] + np.uint32(more))
        place.counts[slot] = counted
        largest = max(largest, counted)
    place.progress[LEFT] = left
    place.progress[LARGEST] = largest
    place.progress[HERE] = vertex


@piece
def _list_free(place: Workplace) -> np.int64:
    """List the candidates of a class that has begun; return how many they are."""
    left = np.int64(0)
    for word in range(place.free.size):
        bits = place.free[word]
        while bits != 0:
            place.candidates[left] = np.uint32((np.uint64(word) << SHIFT) + lowest(bits))
            place.counts[left] = np.uint32(0)
            bits &= bits - ONE
            left += 1
    return left


@piece
def _keep_free(place: Workplace) -> np.int64:
    """Leave out of the list who is a candidate no more; return how many are left."""
    left = np.int64(0)
    for slot in range(place.progress[LEFT]):
        candidate = place.candidates[slot]
        place.candidates[left] = candidate
        place.counts[left] = place.counts[slot]
        left += has(place.free, candidate)
    return left
