"""The arrays that an ACO-RLF colony on the CPU works on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.bits import WORD_BITS
from gpu.cpu.philox import Key, key_of
from gpu.cpu.record import ColonyRecord
from gpu.cpu.structures import allocated
from gpu.cpu.wheel import WHEEL_BLOCK, factors_of, padded
from gpu.problems.coloring.instance import GraphInstance
from gpu.rlf.fitness import MOST_DEPOSIT, degree_powers
from gpu.rlf.parameters import ColoringParameters, trials_of


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
    progress: NDArray[np.int64]  # (8,): see the constants of gpu.rlf.cpu.construction
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
