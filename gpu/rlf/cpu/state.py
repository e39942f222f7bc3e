"""The arrays that an ACO-RLF colony on the CPU works on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.bits import WORD
from gpu.cpu.record import Record
from gpu.cpu.wheel import BLOCK
from gpu.problems.coloring.instance import GraphInstance
from gpu.rlf.fitness import MOST_DEPOSIT, degree_powers
from gpu.rlf.parameters import MOST_TRIALS, ColoringCpuParameters


class Pairs(NamedTuple):
    """What is known of every pair of vertices; row u has the pairs of vertex u.

    Attributes
    ----------
    neighbours : ndarray of uint64, shape (n, words)
        Sets of neighbours as bits.
    trails : ndarray of float32, shape (n, n)
        In units of the initial trail; 0 for neighbours and for a vertex with itself.
    info : ndarray of float32, shape (n, n)
        τ^β.
    sums : ndarray of uint64, shape (n, n)
        Inclusive prefix sums of a row's ``info`` in whole units; empty without stochastic trials.
    """

    neighbours: NDArray[np.uint64]
    trails: NDArray[np.float32]
    info: NDArray[np.float32]
    sums: NDArray[np.uint64]


class Colorings(NamedTuple):
    """The ants' colorings.

    Attributes
    ----------
    orders : ndarray of uint32, shape (m, n)
        Vertices in the order of the visits, class by class.
    places : ndarray of uint32, shape (m, n)
        Place of each vertex in that order.
    colors : ndarray of uint32, shape (m, n)
        Color of each vertex, counted from 0 in the order of the classes.
    ends : ndarray of uint32, shape (m, n + 1)
        Where each class begins in the order, and where the last ends.
    costs : ndarray of int64, shape (m,)
        Number of colors.
    quanta : ndarray of uint32, shape (m,)
        What each ant deposits on a pair, in whole units.
    shares : ndarray of float32, shape (3,)
        What every trail gets, the size of a unit, and the level of a trail without deposits.
    """

    orders: NDArray[np.uint32]
    places: NDArray[np.uint32]
    colors: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    costs: NDArray[np.int64]
    quanta: NDArray[np.uint32]
    shares: NDArray[np.float32]


BASE, UNIT, LEVEL = range(3)


class Workspace(NamedTuple):
    """What one thread works with, for one ant at a time: the ant's progress, and its color class.

    Attributes
    ----------
    uncolored, free, gone : ndarray of uint64, shape (words,)
        Uncolored vertices; candidates for the class; candidates that the last visit excluded.
    candidates : ndarray of uint32, shape (width,)
        The candidates' numbers, ascending.
    counts : ndarray of uint32, shape (width,)
        d_N of each: how many of its neighbours are excluded.
    keys : ndarray of int32, shape (width,)
        Bits of the candidates' weights.
    sums : ndarray of uint32, shape (width / 64,)
    words : ndarray of uint32, shape (4,)
        Random words of four steps.
    progress : ndarray of int64, shape (8,)
        See the index constants.
    deposits : ndarray of uint32, shape (n,)
        What is deposited on the trails of one row.
    """

    uncolored: NDArray[np.uint64]
    free: NDArray[np.uint64]
    gone: NDArray[np.uint64]
    candidates: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    keys: NDArray[np.int32]
    sums: NDArray[np.uint32]
    words: NDArray[np.uint32]
    progress: NDArray[np.int64]
    deposits: NDArray[np.uint32]


LEFT, LARGEST, COLOR, HERE, DRAWN = range(5)
"""Number of candidates, the largest of their counts, the class, the vertex last visited, and the
block whose random words are in ``words``."""


class RlfRules(NamedTuple):
    """The parameters, in the form in which compiled code uses them.

    Attributes
    ----------
    key0, key1 : uint32
        The seed.
    powers : ndarray of float32, shape (n + 1,)
        d^α.
    beta : float
    factors : int
        β where it is whole, else -1.
    trials : int
        Stochastic trials before the wheel is turned.
    keep : float32
        ρ.
    most : int
        Whole units that the ant with the fewest colors deposits on a pair.
    reward : float
        L.
    chained : bool
        Whether only pairs visited one after the other are rewarded, instead of whole classes.
    """

    key0: np.uint32
    key1: np.uint32
    powers: NDArray[np.float32]
    beta: float
    factors: int
    trials: int
    keep: np.float32
    most: int
    reward: float
    chained: bool


class RlfState(NamedTuple):
    """What a colony works on."""

    pairs: Pairs
    ants: Colorings
    rules: RlfRules
    record: Record


def rules_of(key: tuple[int, int], parameters: ColoringCpuParameters, n: int, m: int) -> RlfRules:
    """Prepare the parameters for ``m`` ants on ``n`` vertices."""
    beta = float(parameters.beta)
    trials = {"wheel": 0, "hybrid": parameters.trials, "trial": MOST_TRIALS}
    return RlfRules(
        key0=np.uint32(key[0]),
        key1=np.uint32(key[1]),
        powers=degree_powers(n, parameters.alpha),
        beta=beta,
        factors=int(beta) if beta.is_integer() else -1,
        trials=trials[parameters.selection],
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
    words = -(-n // WORD)
    neighbours = np.zeros((n, 2 * words), np.uint32)
    neighbours[:, : graph.adjacency.shape[1]] = graph.adjacency
    low, high = neighbours[:, ::2].astype(np.uint64), neighbours[:, 1::2].astype(np.uint64)
    return Pairs(
        neighbours=np.ascontiguousarray(low | high << np.uint64(32)),
        trails=apart,
        info=np.zeros((n, n), np.float32),
        sums=np.zeros((n, n) if tried else (0, 0), np.uint64),
    )


def colorings_of(n: int, m: int) -> Colorings:
    """Allocate ``m`` ants' colorings."""
    return Colorings(
        orders=np.zeros((m, n), np.uint32),
        places=np.zeros((m, n), np.uint32),
        colors=np.zeros((m, n), np.uint32),
        ends=np.zeros((m, n + 1), np.uint32),
        costs=np.zeros(m, np.int64),
        quanta=np.zeros(m, np.uint32),
        shares=np.array([0, 0, 1], np.float32),
    )


def workspace_of(n: int) -> Workspace:
    """Allocate a thread's workspace."""
    words, width = -(-n // WORD), -(-n // BLOCK) * BLOCK
    return Workspace(
        uncolored=np.zeros(words, np.uint64),
        free=np.zeros(words, np.uint64),
        gone=np.zeros(words, np.uint64),
        candidates=np.zeros(width, np.uint32),
        counts=np.zeros(width, np.uint32),
        keys=np.zeros(width, np.int32),
        sums=np.zeros(width // BLOCK, np.uint32),
        words=np.zeros(4, np.uint32),
        progress=np.zeros(8, np.int64),
        deposits=np.zeros(n, np.uint32),
    )


def bytes_needed(n: int, m: int, tried: bool) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    return {
        "matrices of all pairs": n * n * (16 if tried else 8) + n * n // 8,
        "colorings of the ants": m * (16 * n + 16),
    }
