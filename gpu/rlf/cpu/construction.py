"""How ants color a graph, compiled: Algorithms 1 and 3, equations 1 and 2 of the 2017 paper."""

from __future__ import annotations

import numpy as np

from gpu.core.random import Purpose
from gpu.cpu.bits import ONE, SHIFT, WORD, count, drop, has, lowest, nth, rank
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.philox import SHARE, START, draw_block, words_of
from gpu.cpu.record import ITERATION
from gpu.cpu.stage_loop import Task, share_of
from gpu.cpu.wheel import BLOCK, part_of, raise_all, scale_of, slot_of, spin
from gpu.problems.tsp.neighbours import HEAVIEST, LIGHTEST
from gpu.rlf.cpu.state import Pairs, RlfRules, RlfState, Workspace

ROULETTE, TRIAL = np.uint32(Purpose.ROULETTE), np.uint32(Purpose.TRIAL)
LIGHTEST_KEY, HEAVIEST_KEY = LIGHTEST.view(np.int32), HEAVIEST.view(np.int32)

LEFT, LARGEST, COLOR, HERE, DRAWN, TRIED = range(6)
"""An ant's progress: number of candidates, the largest of their counts, the number of classes, the
vertex last visited, the block whose random words are in ``words``, and which of the last choice's
trials was accepted, counted from 1, or 0."""


@compiled
def weigh_row(pairs: Pairs, rules: RlfRules, u: int) -> None:
    """Compute τ^β for the pairs of ``u`` and, if ants make trials, prefix sums in whole units."""
    trails, info = pairs.trails, pairs.info
    n = trails.shape[1]
    raise_all(trails[u], rules.beta, rules.factors, info[u])
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


@compiled
def construct(state: RlfState, workspace: Workspace, task: Task) -> None:
    """Make the task's visits of all those that the thread's ants make, one ant after the other."""
    pairs, ants, rules = state.pairs, state.ants, state.rules
    m, n = ants.orders.shape
    iteration = np.uint32(state.record.numbers[ITERATION])
    first, last = share_of(m, task)
    progress = workspace.progress
    ant, step = first + task.begin // n, task.begin % n
    for _ in range(task.begin, min(task.end, n * (last - first))):
        if step == 0:
            begin(workspace, n)
        if progress[LEFT] == 0:
            begin_class(workspace)
            ants.ends[ant, progress[COLOR] - 1] = step
            vertex = first_vertex(rules, iteration, workspace, ant, step, n)
        else:
            vertex = workspace.candidates[select(pairs, rules, iteration, workspace, ant, step)]
        ants.orders[ant, step] = vertex
        ants.places[ant, vertex] = step
        ants.colors[ant, vertex] = progress[COLOR] - 1
        visit(pairs, workspace, vertex)
        step += 1
        if step == n:
            ants.costs[ant] = progress[COLOR]
            ants.ends[ant, progress[COLOR]] = n
            step = 0
            ant += 1


@inlined
def begin(workspace: Workspace, n: int) -> None:
    """All vertices are uncolored."""
    workspace.uncolored[:] = ~np.uint64(0)
    if n % WORD != 0:
        workspace.uncolored[workspace.uncolored.size - 1] = (ONE << np.uint64(n % WORD)) - ONE
    workspace.progress[LEFT] = 0
    workspace.progress[COLOR] = 0
    workspace.progress[DRAWN] = -1


@inlined
def begin_class(workspace: Workspace) -> None:
    """Take a new color: all uncolored vertices are candidates again."""
    for word in range(workspace.free.size):
        workspace.free[word] = workspace.uncolored[word]
    workspace.progress[COLOR] += 1


@inlined
def first_vertex(
    rules: RlfRules, iteration: np.uint32, workspace: Workspace, ant: int, step: int, n: int
) -> np.uint32:
    """Return the first vertex of a class: any of the uncolored, each with the same probability."""
    drawn = words_of(rules.key, START, iteration, ant, step >> 2)[step & 3]
    return np.uint32(nth(workspace.uncolored, _uniform(drawn, n - step)))


@inlined
def _uniform(word: np.uint32, choices: Whole) -> np.int64:
    """Return one of so many slots, all with the same probability."""
    return np.int64((np.uint64(word) * np.uint64(choices)) >> np.uint64(32))


@compiled
def select(
    pairs: Pairs, rules: RlfRules, iteration: np.uint32, workspace: Workspace, ant: int, step: int
) -> Whole:
    """Return the slot of the candidate that the ant visits next (eq. 2)."""
    progress = workspace.progress
    left, here, largest = progress[LEFT], progress[HERE], progress[LARGEST]
    if largest > 0 and rules.trials > 0:
        slot = _try(pairs, rules, iteration, workspace, ant, step)
        if slot >= 0:
            return slot
    block = step >> 2
    if progress[DRAWN] != block:
        draw_block(workspace.words, rules.key, ROULETTE, iteration, ant, block)
        progress[DRAWN] = block
    drawn = workspace.words[step & 3]
    if largest == 0:
        return _uniform(drawn, left)
    return _spin(pairs, rules, workspace, here, left, drawn)


@inlined
def _spin(
    pairs: Pairs, rules: RlfRules, workspace: Workspace, here: Whole, left: Whole, drawn: np.uint32
) -> int:
    """Turn the wheel over all candidates (selection with prefix sums)."""
    end = (left + BLOCK - 1) // BLOCK * BLOCK
    heaviest = np.int32(0)
    row = pairs.info[here]
    for slot in range(left):
        power = rules.powers[workspace.counts[slot]]
        key = np.float32(power * row[workspace.candidates[slot]]).view(np.int32)
        key = min(max(key, LIGHTEST_KEY), HEAVIEST_KEY) if power > 0 else np.int32(0)
        workspace.keys[slot] = key
        heaviest = max(heaviest, key)
    workspace.keys[left:end] = 0
    return slot_of(workspace.keys[:end], heaviest, workspace.sums, drawn)


@inlined
def _try(
    pairs: Pairs, rules: RlfRules, iteration: np.uint32, workspace: Workspace, ant: int, step: int
) -> Whole:
    """Return the slot of the first candidate that a stochastic trial accepts, or -1.

    A vertex is drawn from the whole row by its trail alone, and accepted with a probability in
    proportion to the other factor. So the choice has the probabilities of equation 2.
    """
    here = workspace.progress[HERE]
    n = pairs.sums.shape[1]
    sums = pairs.sums[here]
    ceiling = rules.powers[workspace.progress[LARGEST]]
    first = second = third = fourth = np.uint32(0)
    for trial in range(rules.trials):
        if trial & 1 == 0:
            purpose = np.uint32(TRIAL | np.uint32(np.uint32(trial >> 1) << np.uint32(8)))
            first, second, third, fourth = words_of(rules.key, purpose, iteration, ant, step)
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
        if has(workspace.free, low) != 0:
            slot = rank(workspace.free, low)
            share = np.float32(np.float32(second >> np.uint32(8)) * SHARE)
            if np.float32(share * ceiling) < rules.powers[workspace.counts[slot]]:
                workspace.progress[TRIED] = trial + 1
                return slot
    workspace.progress[TRIED] = 0
    return -1


@compiled
def visit(pairs: Pairs, workspace: Workspace, vertex: np.uint32) -> None:
    """Color ``vertex``, and exclude its neighbours from the candidates.

    The count of each remaining candidate grows by the number of its neighbours among those.
    """
    words = workspace.free.size
    drop(workspace.uncolored, vertex)
    drop(workspace.free, vertex)
    near = pairs.neighbours[vertex]
    for word in range(words):
        gone = workspace.free[word] & near[word]
        workspace.gone[word] = gone
        workspace.free[word] ^= gone
    left = _keep_free(workspace) if workspace.progress[LEFT] > 0 else _list_free(workspace)
    largest = np.uint32(0)
    for slot in range(left):
        row = pairs.neighbours[workspace.candidates[slot]]
        more = np.uint64(0)
        for word in range(words):
            more += count(row[word] & workspace.gone[word])
        counted = np.uint32(workspace.counts[slot] + np.uint32(more))
        workspace.counts[slot] = counted
        largest = max(largest, counted)
    workspace.progress[LEFT] = left
    workspace.progress[LARGEST] = largest
    workspace.progress[HERE] = vertex


@inlined
def _list_free(workspace: Workspace) -> np.int64:
    """List the candidates of a new class; return how many they are."""
    left = np.int64(0)
    for word in range(workspace.free.size):
        bits = workspace.free[word]
        while bits != 0:
            workspace.candidates[left] = np.uint32((np.uint64(word) << SHIFT) + lowest(bits))
            workspace.counts[left] = np.uint32(0)
            bits &= bits - ONE
            left += 1
    return left


@inlined
def _keep_free(workspace: Workspace) -> np.int64:
    """Remove from the list what is no longer a candidate; return how many are left."""
    left = np.int64(0)
    for slot in range(workspace.progress[LEFT]):
        candidate = workspace.candidates[slot]
        workspace.candidates[left] = candidate
        workspace.counts[left] = workspace.counts[slot]
        left += has(workspace.free, candidate)
    return left
