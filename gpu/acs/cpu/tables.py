"""The arrays that a colony on the CPU works on, in the layout its compiled loops want.

Rows of candidates are widened to whole vectors. The lanes beyond a list hold the row's own city,
which no ant standing there can choose, with the weight 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.candidate_lists import widened, width_of
from gpu.problems.tsp.candidates import NOT_LISTED, Candidates, weights

LANES = 32
"""Lanes of a warp, and of the widest row."""

DEEPEST = 64
"""Boxes that wait at once: a tree of boxes halves the cities at each level."""

NO_CITY = -1


class Tables(NamedTuple):
    """Candidate lists; nothing here changes.

    Attributes
    ----------
    neighbours : ndarray of uint32, shape (n, width)
    distances : ndarray of int32, shape (n, width)
    weights : ndarray of float32, shape (n, width)
        η^β.
    reverse : ndarray of uint8, shape (n, width)
        Lane of the same edge in the other city's row, or ``NOT_LISTED``.
    backup : ndarray of uint32, shape (n, b)
        The neighbours after the candidates.
    """

    neighbours: NDArray[np.uint32]
    distances: NDArray[np.int32]
    weights: NDArray[np.float32]
    reverse: NDArray[np.uint8]
    backup: NDArray[np.uint32]


class Pheromone(NamedTuple):
    """All trails, in units of the initial trail, for either memory.

    Attributes
    ----------
    listed : ndarray of float32, shape (n, width)
        Trails of the candidates' edges. With a selective memory, 1 where it holds none.
    others : ndarray of float32, shape (n, n)
        The pheromone matrix; only its edges outside the lists are used.
    bounds : ndarray of float32, shape (n, 3)
        No trail from this city to a backup neighbour was ever larger than the first, none to a
        city beyond those larger than the second, and neither smaller than the third. Empty if
        selective, as is the matrix.
    cities : ndarray of int32, shape (n, s)
        Selective memory (Fig. 5): the other end of each remembered edge, or ``NO_CITY``. Empty
        if there is a matrix.
    lanes : ndarray of uint8, shape (n, s)
        Its lane in this city's row, or ``NOT_LISTED``.
    values : ndarray of float32, shape (n, s)
        Its trail.
    tails : ndarray of int32, shape (n,)
        The slot written last.
    """

    listed: NDArray[np.float32]
    others: NDArray[np.float32]
    bounds: NDArray[np.float32]
    cities: NDArray[np.int32]
    lanes: NDArray[np.uint8]
    values: NDArray[np.float32]
    tails: NDArray[np.int32]


class Ants(NamedTuple):
    """The ants' tours as they grow.

    Attributes
    ----------
    routes : ndarray of uint32, shape (n, m)
        City of each ant at each position: what one step writes lies together.
    unvisited : ndarray of uint32, shape (m, ceil(n / 32))
        A bit for each city.
    draws : ndarray of uint32, shape (4, m)
        Random words of four steps.
    lanes : ndarray of uint8, shape (m,)
        Lane of the candidate chosen last, or ``NOT_LISTED``.
    lengths : ndarray of int64, shape (m,)
    hits : ndarray of int64, shape (threads, 8)
        Local updates that found their trail, and all, counted by each thread.
    """

    routes: NDArray[np.uint32]
    unvisited: NDArray[np.uint32]
    draws: NDArray[np.uint32]
    lanes: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    hits: NDArray[np.int64]


class Scratch(NamedTuple):
    """One thread's place to weigh the candidates of one ant.

    Attributes
    ----------
    weights : ndarray of float32, shape (32,)
    keys : ndarray of int32, shape (32,)
        The bits of ``weights``: the same memory.
    sums : ndarray of float32, shape (32,)
    waiting : ndarray of int32, shape (64,)
        Boxes still to be looked at.
    """

    weights: NDArray[np.float32]
    keys: NDArray[np.int32]
    sums: NDArray[np.float32]
    waiting: NDArray[np.int32]


class Rules(NamedTuple):
    """The parameters in the form the loops use them.

    Attributes
    ----------
    key0, key1 : uint32
        The seed.
    greedy : uint32
        Draws below this are greedy.
    period : int
        k of the local update.
    keep, drop : float32
        Local update: τ ← τ·keep + drop.
    global_keep : float32
    alpha : float
    scale : int
        n·L_nn: the deposit of the global update is α·scale/L_best.
    immediate : bool
        Whether an ant's local update is made before the next ant chooses (the sequential ACS)
        or after all ants have chosen (ACS-GPU).
    selective : bool
        Whether the pheromone memory is selective.
    directed : bool
    """

    key0: np.uint32
    key1: np.uint32
    greedy: np.uint32
    period: int
    keep: np.float32
    drop: np.float32
    global_keep: np.float32
    alpha: float
    scale: int
    immediate: bool
    selective: bool
    directed: bool


def tables_of(candidates: Candidates, beta: float) -> Tables:
    """Widen the candidate lists, and weigh them."""
    n, cl = candidates.neighbours.shape
    width = width_of(cl)
    distances = np.zeros((n, width), np.int32)
    distances[:, :cl] = candidates.distances
    etas = np.zeros((n, width), np.float32)
    etas[:, :cl] = weights(candidates.distances, candidates.distances[:, :1], beta)
    reverse = np.full((n, width), NOT_LISTED, np.uint8)
    reverse[:, :cl] = candidates.reverse
    backup = candidates.backup.astype(np.uint32)
    return Tables(widened(candidates.neighbours, cl), distances, etas, reverse, backup)


def pheromone_of(n: int, cl: int, slots: int) -> Pheromone:
    """All trails at the initial level: a matrix, or a selective memory if ``slots`` > 0."""
    matrix, memory = (0, n) if slots else (n, 0)
    return Pheromone(
        listed=np.ones((n, width_of(cl)), np.float32),
        others=np.ones((matrix, matrix), np.float32),
        bounds=np.ones((matrix, 3), np.float32),
        cities=np.full((memory, slots), NO_CITY, np.int32),
        lanes=np.full((memory, slots), NOT_LISTED, np.uint8),
        values=np.ones((memory, slots), np.float32),
        tails=np.full(memory, slots - 1, np.int32),
    )


def ants_of(n: int, m: int, threads: int) -> Ants:
    """Room for ``m`` ants' tours."""
    return Ants(
        routes=np.zeros((n, m), np.uint32),
        unvisited=np.zeros((m, -(-n // 32)), np.uint32),
        draws=np.zeros((4, m), np.uint32),
        lanes=np.zeros(m, np.uint8),
        lengths=np.zeros(m, np.int64),
        hits=np.zeros((threads, 8), np.int64),
    )


def scratch_of() -> Scratch:
    """Room for one row of candidates."""
    weighed = np.zeros(LANES, np.float32)
    return Scratch(
        weighed,
        weighed.view(np.int32),
        np.zeros(LANES, np.float32),
        np.zeros(DEEPEST, np.int32),
    )


def bytes_needed(n: int, m: int, cl: int, backup: int, slots: int) -> dict[str, int]:
    """Bytes of each group of arrays above, by what a user would call it."""
    return {
        "candidate lists": n * (width_of(cl) * 17 + 4 * backup),
        "selective memory" if slots else "pheromone matrix": (
            n * (slots * 9 + 4) if slots else n * (4 * n + 12)
        ),
        "tours of the ants": m * (4 * n + -(-n // 32) * 4 + 25),
    }
