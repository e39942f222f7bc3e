"""The arrays that an Ant Colony System on the CPU works on.

Rows of candidates have whole vectors; see :func:`gpu.cpu.candidate_lists.widened`. The lanes after
a list have the weight 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.random import greedy_threshold
from gpu.cpu.candidate_lists import widened, width_of
from gpu.problems.tsp.candidates import NOT_LISTED, Candidates, weights

LANES = 32
"""Lanes of a warp, and of the widest row."""

DEEPEST = 64
"""Most levels of a tree of boxes, which halves the cities at each."""

NO_CITY = -1


class CandidateLists(NamedTuple):
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
        The pheromone matrix; only its edges that are on no list are used.
    bounds : ndarray of float32, shape (n, 3)
        The largest trail that there ever was from this city to a backup neighbour, the largest to
        a city after those, and the smallest to either. Empty for a selective memory, as is the
        matrix.
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
        City of each ant at each position: what all ants write in one step stands together.
    unvisited : ndarray of uint32, shape (m, ceil(n / 32))
        A bit for each city.
    draws : ndarray of uint32, shape (4, m)
        Random words of four steps.
    lanes : ndarray of uint8, shape (m,)
        Lane of the candidate chosen last, or ``NOT_LISTED``.
    lengths : ndarray of int64, shape (m,)
    hits : ndarray of int64, shape (threads, 8)
        Local updates that found their trail, and all local updates, counted by each thread.
    """

    routes: NDArray[np.uint32]
    unvisited: NDArray[np.uint32]
    draws: NDArray[np.uint32]
    lanes: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    hits: NDArray[np.int64]


class Workspace(NamedTuple):
    """What one thread works with, for one ant at a time.

    Attributes
    ----------
    weights : ndarray of float32, shape (32,)
    keys : ndarray of int32, shape (32,)
        The bits of ``weights``: the same memory.
    sums : ndarray of float32, shape (32,)
    waiting : ndarray of int32, shape (64,)
        Boxes that are still to be looked at.
    """

    weights: NDArray[np.float32]
    keys: NDArray[np.int32]
    sums: NDArray[np.float32]
    waiting: NDArray[np.int32]


class Rules(NamedTuple):
    """The parameters, in the form in which compiled code uses them.

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
        Whether the instance is asymmetric.
    builders : int
        At most so many threads build tours.
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
    builders: int


def rules_of(
    parameters: AcsParameters,
    key: tuple[int, int],
    *,
    scale: int,
    immediate: bool,
    directed: bool,
    builders: int,
) -> Rules:
    """Prepare parameters without automatic values; see :class:`Rules` for the others."""
    assert parameters.q0 is not None
    keep = np.float32(1.0 - parameters.rho)
    return Rules(
        key0=np.uint32(key[0]),
        key1=np.uint32(key[1]),
        greedy=np.uint32(greedy_threshold(parameters.q0)),
        period=parameters.update_period,
        keep=keep,
        drop=np.float32(1) - keep,  # not ρ: the initial trail, 1, stays 1 at every update
        global_keep=np.float32(1.0 - parameters.alpha),
        alpha=parameters.alpha,
        scale=scale,
        immediate=immediate,
        selective=isinstance(parameters, SpmParameters),
        directed=directed,
        builders=builders,
    )


def lists_of(candidates: Candidates, beta: float) -> CandidateLists:
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
    return CandidateLists(widened(candidates.neighbours, cl), distances, etas, reverse, backup)


def pheromone_of(n: int, cl: int, slots: int) -> Pheromone:
    """Return all trails at the initial level: a matrix, or a selective memory if ``slots`` > 0."""
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
    """Allocate ``m`` ants' tours."""
    return Ants(
        routes=np.zeros((n, m), np.uint32),
        unvisited=np.zeros((m, -(-n // 32)), np.uint32),
        draws=np.zeros((4, m), np.uint32),
        lanes=np.zeros(m, np.uint8),
        lengths=np.zeros(m, np.int64),
        hits=np.zeros((threads, 8), np.int64),
    )


def new_workspace() -> Workspace:
    """Allocate a thread's workspace."""
    weighed = np.zeros(LANES, np.float32)
    return Workspace(
        weighed,
        weighed.view(np.int32),
        np.zeros(LANES, np.float32),
        np.zeros(DEEPEST, np.int32),
    )


def bytes_needed(n: int, m: int, cl: int, backup: int, slots: int) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    return {
        "candidate lists": n * (width_of(cl) * 17 + 4 * backup),
        "selective memory" if slots else "pheromone matrix": (
            n * (slots * 9 + 4) if slots else n * (4 * n + 12)
        ),
        "tours of the ants": m * (4 * n + -(-n // 32) * 4 + 25),
    }
