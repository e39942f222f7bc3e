"""How ants color a graph, compiled: Algorithms 1 and 3, equations 1 and 2 of the 2017 paper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.bits import ONE_BIT, WORD_BITS, WORD_SHIFT, count, drop, has, lowest, nth, rank
from gpu.cpu.compilation import Whole, cached, compiled, inlined, pasted
from gpu.cpu.philox import DRAW_UNIT, START_PURPOSE, Key, below, draw_block, key_of, words_of
from gpu.cpu.record import ITERATION, ColonyRecord, keep
from gpu.cpu.stage_loop import StageTask, loop_over, share_of, units_of
from gpu.cpu.structures import allocated
from gpu.cpu.wheel import (
    WHEEL_BLOCK,
    factors_of,
    padded,
    part_of,
    raise_all,
    scale_of,
    slot_of,
    spin,
)
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.tsp.neighbours import HEAVIEST, LIGHTEST
from gpu.rlf.parameters import MOST_DEPOSIT, ColoringParameters, degree_powers, trials_of


class Pairs(NamedTuple):
    """What is known of every pair of vertices; row u has the pairs of vertex u."""

    neighbours: NDArray[np.uint64]  # (n, words): sets of neighbours as bits
    # (n, n): in units of the initial trail; 0 for neighbours and for a vertex with itself
    trails: NDArray[np.float32]
    info: NDArray[np.float32]  # (n, n): τ^β
    # (n, n): inclusive prefix sums of a row of ``info`` in whole units; empty without trials
    sums: NDArray[np.uint64]


class Colorings(NamedTuple):
    """The ants' colorings."""

    orders: NDArray[np.uint32]  # (m, n): vertices in the order of the visits, class by class
    places: NDArray[np.uint32]  # (m, n): place of each vertex in that order
    colors: NDArray[np.uint32]  # (m, n): of each vertex, counted from 0 in the order of the classes
    ends: NDArray[np.uint32]  # (m, n + 1): where each class begins in the order, and the last ends
    costs: NDArray[np.int64]  # (m,): numbers of colors
    quanta: NDArray[np.uint32]  # (m,): what each ant deposits on a pair, in whole units
    shares: NDArray[np.float32]  # (3,): see the constants


BASE_SHARE, UNIT_SHARE, LEVEL_SHARE = range(3)
"""What every trail gets, the size of a unit, and the level of a trail without deposits."""


class RlfWorkspace(NamedTuple):
    """What one thread works with, for one ant at a time: the ant's progress, and its color class.

    Candidates are the vertices that may still get the color of the class.
    """

    uncolored: NDArray[np.uint64]  # (words,): a set of vertices
    free: NDArray[np.uint64]  # (words,): the set of candidates
    gone: NDArray[np.uint64]  # (words,): candidates that the last visit excluded
    candidates: NDArray[np.uint32]  # (width,): their numbers, ascending
    counts: NDArray[np.uint32]  # (width,): d_N of each: how many of its neighbours are excluded
    keys: NDArray[np.int32]  # (width,): bits of the candidates' weights
    sums: NDArray[np.uint32]  # (width / 64,)
    words: NDArray[np.uint32]  # (4,): random words of four steps
    progress: NDArray[np.int64]  # (8,): see the constants below
    deposits: NDArray[np.uint32]  # (n,): what is deposited on the trails of one row


class RlfRules(NamedTuple):
    """The parameters, in the form in which compiled code uses them."""

    key: Key  # the seed
    powers: NDArray[np.float32]  # (n + 1,): d^α
    beta: float
    factors: int  # β where it is whole, else -1
    trials: int  # stochastic trials before the wheel is turned
    keep: np.float32  # ρ
    most: int  # whole units that the ant with the fewest colors deposits on a pair
    reward: float  # L
    chained: bool  # whether pairs visited one after the other are rewarded, not whole classes


class RlfState(NamedTuple):
    """What a colony works on."""

    pairs: Pairs
    ants: Colorings
    rules: RlfRules
    record: ColonyRecord


def rules_of(seed: int, parameters: ColoringParameters, n: int, m: int) -> RlfRules:
    """Prepare the parameters for ``m`` ants on ``n`` vertices."""
    beta = float(parameters.beta)
    return RlfRules(
        key_of(seed),
        powers=degree_powers(n, parameters.alpha),
        beta=beta,
        factors=factors_of(beta),
        trials=trials_of(parameters),
        keep=np.float32(parameters.rho),
        most=MOST_DEPOSIT // m,
        reward=float(parameters.reward),
        chained=parameters.deposit == "tour",
    )


def pairs_of(graph: GraphInstance, tried: bool) -> Pairs:
    """Return all trails at the initial level; ``tried`` says whether ants make trials."""
    n = graph.n
    apart = np.ones((n, n), np.float32)
    np.fill_diagonal(apart, 0)
    u, v = graph.edges[:, 0], graph.edges[:, 1]
    apart[u, v] = apart[v, u] = 0
    sums = (n, n) if tried else (0, 0)
    return allocated(Pairs, (n, n), neighbours=_neighbours_of(graph), trails=apart, sums=sums)


def one_row_of(graph: GraphInstance, tried: bool) -> Pairs:
    """Return room for the trails of one vertex alone, in row 0, and all sets of neighbours."""
    n = graph.n
    sums = (1, n) if tried else (0, 0)
    return allocated(Pairs, (1, n), neighbours=_neighbours_of(graph), sums=sums)


def _neighbours_of(graph: GraphInstance) -> NDArray[np.uint64]:
    halves = np.zeros((graph.n, 2 * -(-graph.n // WORD_BITS)), "<u4")
    halves[:, : graph.adjacency.shape[1]] = graph.adjacency
    return halves.view("<u8").astype(np.uint64)


def workspace_of(n: int) -> RlfWorkspace:
    """Allocate a thread's workspace."""
    words, width = -(-n // WORD_BITS), padded(n)
    sets = {"uncolored": words, "free": words, "gone": words}
    sums = width // WHEEL_BLOCK
    return allocated(RlfWorkspace, width, **sets, sums=sums, words=4, progress=8, deposits=n)


def bytes_needed(n: int, m: int, tried: bool) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    return {
        "matrices of all pairs": n * n * (16 if tried else 8) + n * n // 8,
        "colorings of the ants": m * (16 * n + 16),
    }


ROULETTE, TRIAL_PURPOSE = np.uint32(Purpose.ROULETTE), np.uint32(Purpose.TRIAL)
LIGHTEST_KEY, HEAVIEST_KEY = LIGHTEST.view(np.int32), HEAVIEST.view(np.int32)

CANDIDATES_LEFT, LARGEST_COUNT, CLASSES, LAST_VISITED, BLOCK_DRAWN, TRIAL_ACCEPTED = range(6)
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
def construct(state: RlfState, workspace: RlfWorkspace, task: StageTask) -> None:
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
        if progress[CANDIDATES_LEFT] == 0:
            begin_class(workspace)
            ants.ends[ant, progress[CLASSES] - 1] = step
            vertex = first_vertex(rules, iteration, workspace, ant, step, n)
        else:
            vertex = workspace.candidates[select(pairs, rules, iteration, workspace, ant, step)]
        ants.orders[ant, step] = vertex
        ants.places[ant, vertex] = step
        ants.colors[ant, vertex] = progress[CLASSES] - 1
        visit(pairs, workspace, vertex)
        step += 1
        if step == n:
            ants.costs[ant] = progress[CLASSES]
            ants.ends[ant, progress[CLASSES]] = n
            step = 0
            ant += 1


@inlined
def begin(workspace: RlfWorkspace, n: int) -> None:
    """All vertices are uncolored."""
    workspace.uncolored[:] = ~np.uint64(0)
    if n % WORD_BITS != 0:
        workspace.uncolored[workspace.uncolored.size - 1] = (
            ONE_BIT << np.uint64(n % WORD_BITS)
        ) - ONE_BIT
    workspace.progress[CANDIDATES_LEFT] = 0
    workspace.progress[CLASSES] = 0
    workspace.progress[BLOCK_DRAWN] = -1


@inlined
def begin_class(workspace: RlfWorkspace) -> None:
    """Take a new color: all uncolored vertices are candidates again."""
    for word in range(workspace.free.size):
        workspace.free[word] = workspace.uncolored[word]
    workspace.progress[CLASSES] += 1


@inlined
def first_vertex(
    rules: RlfRules, iteration: np.uint32, workspace: RlfWorkspace, ant: int, step: int, n: int
) -> np.uint32:
    """Return the first vertex of a class: any of the uncolored, each with the same probability."""
    drawn = words_of(rules.key, START_PURPOSE, iteration, ant, step >> 2)[step & 3]
    return np.uint32(nth(workspace.uncolored, below(drawn, n - step)))


@compiled
def select(
    pairs: Pairs,
    rules: RlfRules,
    iteration: np.uint32,
    workspace: RlfWorkspace,
    ant: int,
    step: int,
) -> Whole:
    """Return the slot of the candidate that the ant visits next (eq. 2)."""
    progress = workspace.progress
    left, here, largest = progress[CANDIDATES_LEFT], progress[LAST_VISITED], progress[LARGEST_COUNT]
    if largest > 0 and rules.trials > 0:
        slot = _try(pairs, rules, iteration, workspace, ant, step)
        if slot >= 0:
            return slot
    block = step >> 2
    if progress[BLOCK_DRAWN] != block:
        draw_block(workspace.words, rules.key, ROULETTE, iteration, ant, block)
        progress[BLOCK_DRAWN] = block
    drawn = workspace.words[step & 3]
    if largest == 0:
        return below(drawn, left)
    return _spin(pairs, rules, workspace, here, left, drawn)


@inlined
def _spin(
    pairs: Pairs,
    rules: RlfRules,
    workspace: RlfWorkspace,
    here: Whole,
    left: Whole,
    drawn: np.uint32,
) -> int:
    """Turn the wheel over all candidates (selection with prefix sums)."""
    end = (left + WHEEL_BLOCK - 1) // WHEEL_BLOCK * WHEEL_BLOCK
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
    pairs: Pairs,
    rules: RlfRules,
    iteration: np.uint32,
    workspace: RlfWorkspace,
    ant: int,
    step: int,
) -> Whole:
    """Return the slot of the first candidate that a stochastic trial accepts, or -1.

    A vertex is drawn from the whole row by its trail alone, and accepted with a probability in
    proportion to the other factor. So the choice has the probabilities of equation 2.
    """
    here = workspace.progress[LAST_VISITED]
    n = pairs.sums.shape[1]
    sums = pairs.sums[here]
    ceiling = rules.powers[workspace.progress[LARGEST_COUNT]]
    first = second = third = fourth = np.uint32(0)
    for trial in range(rules.trials):
        if trial & 1 == 0:
            purpose = np.uint32(TRIAL_PURPOSE | np.uint32(np.uint32(trial >> 1) << np.uint32(8)))
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
            share = np.float32(np.float32(second >> np.uint32(8)) * DRAW_UNIT)
            if np.float32(share * ceiling) < rules.powers[workspace.counts[slot]]:
                workspace.progress[TRIAL_ACCEPTED] = trial + 1
                return slot
    workspace.progress[TRIAL_ACCEPTED] = 0
    return -1


@compiled
def visit(pairs: Pairs, workspace: RlfWorkspace, vertex: np.uint32) -> None:
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
    left = (
        _keep_free(workspace) if workspace.progress[CANDIDATES_LEFT] > 0 else _list_free(workspace)
    )
    largest = np.uint32(0)
    for slot in range(left):
        row = pairs.neighbours[workspace.candidates[slot]]
        more = np.uint64(0)
        for word in range(words):
            more += count(row[word] & workspace.gone[word])
        counted = np.uint32(workspace.counts[slot] + np.uint32(more))
        workspace.counts[slot] = counted
        largest = max(largest, counted)
    workspace.progress[CANDIDATES_LEFT] = left
    workspace.progress[LARGEST_COUNT] = largest
    workspace.progress[LAST_VISITED] = vertex


@inlined
def _list_free(workspace: RlfWorkspace) -> np.int64:
    """List the candidates of a new class; return how many they are."""
    left = np.int64(0)
    for word in range(workspace.free.size):
        bits = workspace.free[word]
        while bits != 0:
            workspace.candidates[left] = np.uint32((np.uint64(word) << WORD_SHIFT) + lowest(bits))
            workspace.counts[left] = np.uint32(0)
            bits &= bits - ONE_BIT
            left += 1
    return left


@inlined
def _keep_free(workspace: RlfWorkspace) -> np.int64:
    """Remove from the list what is no longer a candidate; return how many are left."""
    left = np.int64(0)
    for slot in range(workspace.progress[CANDIDATES_LEFT]):
        candidate = workspace.candidates[slot]
        workspace.candidates[left] = candidate
        workspace.counts[left] = workspace.counts[slot]
        left += has(workspace.free, candidate)
    return left


@cached
def go_on(pairs: Pairs, workspace: RlfWorkspace, order: NDArray[np.uint32], made: int) -> None:
    """Color the vertices of ``order`` from place ``made`` on, class by class, without any choice.

    The workspace is as this function left it after the first ``made``; 0 begins anew. ``pairs`` has
    the trails of one vertex alone: those of the last vertex belong into row 0.
    """
    if made == 0:
        begin(workspace, pairs.neighbours.shape[0])
    for place in range(made, order.size):
        if workspace.progress[CANDIDATES_LEFT] == 0:
            begin_class(workspace)
        visit(pairs, workspace, order[place])
        workspace.progress[LAST_VISITED] = 0  # the row of its trails


@cached
def choose_once(
    pairs: Pairs,
    rules: RlfRules,
    workspace: RlfWorkspace,
    iteration: np.uint32,
    ant: int,
    step: int,
    parts: NDArray[np.uint32],
) -> tuple[np.uint32, np.uint32]:
    """Return the vertex that an ant colors after ``step`` others, and the random word it drew.

    The workspace is as :func:`go_on` left it; the vertex is not colored yet. The word is of no use
    after a trial that was accepted. If a wheel is turned over weights, the candidates' parts of it
    are written to ``parts``, shape (n,).
    """
    progress = workspace.progress
    if progress[CANDIDATES_LEFT] == 0:
        n = pairs.neighbours.shape[0]
        word = words_of(rules.key, START_PURPOSE, iteration, ant, step >> 2)[step & 3]
        return first_vertex(rules, iteration, workspace, ant, step, n), word
    weigh_row(pairs, rules, 0)
    slot = select(pairs, rules, iteration, workspace, ant, step)
    if progress[LARGEST_COUNT] > 0 and (rules.trials == 0 or progress[TRIAL_ACCEPTED] == 0):
        heaviest = np.int32(0)
        for candidate in range(progress[CANDIDATES_LEFT]):
            heaviest = max(heaviest, workspace.keys[candidate])
        scale = scale_of(heaviest)
        for candidate in range(progress[CANDIDATES_LEFT]):
            parts[candidate] = part_of(workspace.keys[candidate], scale)
    return workspace.candidates[slot], workspace.words[step & 3]


WEIGH, CONSTRUCT, RANK, SEARCH, TAKE, SHARE_OUT, RENEW, FINISH = range(8)
"""The stages: weights of pairs; the ants' colorings; three of tabu searches, if there are any; what
each ant deposits; the trails; the record."""


@pasted
def do_coloring_stage(
    state: RlfState, workspace: RlfWorkspace, task: StageTask, stage: int
) -> None:
    """Do a thread's share of a stage, but for those of tabu searches.

    In each stage a thread has rows of the matrices, or ants, of its own. No thread writes what
    another one reads or writes, so nothing is atomic, and the result does not depend on the number
    of threads.
    """
    pairs, ants, rules = state.pairs, state.ants, state.rules
    if stage == WEIGH:
        for u in units_of(ants.orders.shape[1], task):
            weigh_row(pairs, rules, u)
    elif stage == CONSTRUCT:
        construct(state, workspace, task)
    elif stage == RENEW:
        for u in units_of(ants.orders.shape[1], task):
            _renew_row(pairs, ants, rules, workspace.deposits, u)
    elif task.thread == 0:
        if stage == SHARE_OUT:
            _share_out(ants, rules)
        else:
            keep(state.record, ants.costs, ants.colors)


@inlined
def _share_out(ants: Colorings, rules: RlfRules) -> None:
    """Compute what each ant deposits on a pair, and what all trails get (eq. 4)."""
    fewest = ants.costs[ants.costs.argmin()]
    base = np.float64(0)
    for ant in range(ants.costs.size):
        base += 1.0 / np.float64(ants.costs[ant])
        share = np.float64(fewest) / np.float64(ants.costs[ant])
        ants.quanta[ant] = np.uint32(np.float64(rules.most) * share)
    ants.shares[BASE_SHARE] = np.float32(base)
    ants.shares[UNIT_SHARE] = np.float32(rules.reward / np.float64(fewest * rules.most))
    left = np.float32(ants.shares[LEVEL_SHARE] * rules.keep)
    ants.shares[LEVEL_SHARE] = left + ants.shares[BASE_SHARE]


@compiled
def _renew_row(
    pairs: Pairs, ants: Colorings, rules: RlfRules, deposits: NDArray[np.uint32], u: int
) -> None:
    """Evaporate the trails of ``u``, and add what all ants deposit (eqs. 3 and 4)."""
    trails = pairs.trails
    deposits[:] = 0
    for ant in range(ants.costs.size):
        color, here, quanta = ants.colors[ant, u], ants.places[ant, u], ants.quanta[ant]
        first, end = ants.ends[ant, color], ants.ends[ant, color + 1]
        if rules.chained:
            first = here - 1 if here > first else here
            end = min(here + 2, end)
        for place in range(first, end):
            deposits[ants.orders[ant, place]] += quanta
    base, unit = ants.shares[BASE_SHARE], ants.shares[UNIT_SHARE]
    for v in range(deposits.size):
        left = np.float32(np.float32(trails[u, v] * rules.keep) + base)
        renewed = np.float32(left + np.float32(np.float32(deposits[v]) * unit))
        trails[u, v] = renewed if trails[u, v] > 0 else np.float32(0)


@loop_over((CONSTRUCT,), (WEIGH, SHARE_OUT, RENEW, FINISH))
def run(
    state: RlfState,
    workspace: RlfWorkspace,
    barrier: NDArray[np.int64],
    task: StageTask,
    stage: int,
) -> None:
    """Do a thread's share of a stage."""
    do_coloring_stage(state, workspace, task, stage)
