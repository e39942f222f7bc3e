"""The arrays that ants on the CPU build tours with by the random proportional rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.candidate_lists import widened, width_of
from gpu.cpu.geometry import Geometry
from gpu.cpu.record import Record
from gpu.cpu.wheel import BLOCK
from gpu.local_search.cpu.state import LocalSearch
from gpu.problems.tsp import distances
from gpu.problems.tsp.candidates import Candidates, weights
from gpu.problems.tsp.instance import TspInstance

OWN_DRAWS = {"i-roulette": Purpose.INDEPENDENT, "wrs": Purpose.RESERVOIR}
"""Selections in which each city draws a number of its own, and the purpose of that number."""

LINE = 16
"""Ants in a block: their entries of one row of ``ends`` fill a cache line."""


FAINTEST = np.float32(2.0**-60)
"""A trail evaporates no further (the papers know no floor): weights would begin to underflow."""


class Matrices(NamedTuple):
    """What is known of every edge; row u has the edges from city u.

    Attributes
    ----------
    trails : ndarray of float32, shape (n, n)
        In units of the initial trail.
    heuristic : ndarray of float32, shape (n, n)
        η^β, in units of the row's largest.
    weights : ndarray of float32, shape (n, width)
        ``choice_info``: τ^α·η^β. Rows are filled with zeros to whole blocks.
    neighbours : ndarray of uint32, shape (n, lanes)
        Candidate lists, as :func:`gpu.cpu.candidate_lists.widened` makes them. Empty without lists.
    listed : ndarray of float32, shape (n, lanes)
        Weights of the candidates.
    """

    trails: NDArray[np.float32]
    heuristic: NDArray[np.float32]
    weights: NDArray[np.float32]
    neighbours: NDArray[np.uint32]
    listed: NDArray[np.float32]


class AntTours(NamedTuple):
    """The ants' tours.

    Attributes
    ----------
    routes : ndarray of uint32, shape (m, n)
        Cities in the order in which each ant visits them. For stc-roulette the ant's tour list:
        the cities not yet visited follow (2017, Definition 1).
    lengths : ndarray of int64, shape (m,)
    quanta : ndarray of uint32, shape (blocks * 16,)
        What each ant deposits on every edge of its tour, in whole units.
    ends : ndarray of uint32, shape (blocks, n, sides, 16)
        The city to which each ant went from each city and, in a symmetric instance, the city from
        which it came: where it deposits in the row of that city.
    """

    routes: NDArray[np.uint32]
    lengths: NDArray[np.int64]
    quanta: NDArray[np.uint32]
    ends: NDArray[np.uint32]


class Workspace(NamedTuple):
    """What one thread works with, for one ant at a time.

    Attributes
    ----------
    unvisited : ndarray of int32, shape (width,)
        -1 for the cities that the ant has not visited, else 0.
    keys : ndarray of int32, shape (width,)
        Bits of the weights of cities.
    lanes : ndarray of int32, shape (64 or more,)
        Bits of the weights of candidates; 0 after them.
    sums : ndarray of uint32, shape (width / 64,)
    words : ndarray of uint32, shape (4,)
        Random words of four steps.
    deposits : ndarray of uint32, shape (n,)
        What is deposited on the trails of one row.
    """

    unvisited: NDArray[np.int32]
    keys: NDArray[np.int32]
    lanes: NDArray[np.int32]
    sums: NDArray[np.uint32]
    words: NDArray[np.uint32]
    deposits: NDArray[np.uint32]


class ChoiceRules(NamedTuple):
    """How ants choose, in the form in which compiled code uses it.

    Attributes
    ----------
    key0, key1 : uint32
        The seed.
    lists : bool
        Whether the wheel is in the order of the ants' tour lists.
    own : uint32
        The purpose of the random numbers if each city draws its own; 0 for a wheel.
    alpha : float
    factors : int
        α where it is whole, else -1.
    halves : bool
        Whether weights are rounded to half precision.
    """

    key0: np.uint32
    key1: np.uint32
    lists: bool
    own: np.uint32
    alpha: float
    factors: int
    halves: bool


class Construction(NamedTuple):
    """All that colonies with a matrix of weights build and keep tours with."""

    matrices: Matrices
    geometry: Geometry
    ants: AntTours
    rules: ChoiceRules
    search: LocalSearch
    record: Record


def choice_rules_of(
    key: tuple[int, int], selection: str, listed: bool, alpha: float, *, halves: bool = False
) -> ChoiceRules:
    """Prepare ``selection``; ``listed`` says whether there are candidate lists.

    A wheel over candidates is always in the order of their list.
    """
    return ChoiceRules(
        key0=np.uint32(key[0]),
        key1=np.uint32(key[1]),
        lists=selection == "stc-roulette" and not listed,
        own=np.uint32(OWN_DRAWS.get(selection, 0)),
        alpha=float(alpha),
        factors=int(alpha) if float(alpha).is_integer() else -1,
        halves=halves,
    )


def width_of_row(n: int) -> int:
    """Length of a row of weights."""
    return -(-n // BLOCK) * BLOCK


def matrices_of(instance: TspInstance, candidates: Candidates, cl: int, beta: float) -> Matrices:
    """Return all trails at the initial level, and the lists of the ``cl`` nearest cities."""
    n, lanes = instance.n, width_of(cl)
    return Matrices(
        trails=np.ones((n, n), np.float32),
        heuristic=_heuristic_of(instance, candidates, beta),
        weights=np.zeros((n, width_of_row(n)), np.float32),
        neighbours=widened(candidates.neighbours, cl),
        listed=np.zeros((n, lanes), np.float32),
    )


def _heuristic_of(
    instance: TspInstance, candidates: Candidates, beta: float
) -> NDArray[np.float32]:
    n = instance.n
    heuristic = np.empty((n, n), np.float32)
    everyone = np.arange(n)
    nearest = candidates.distances[:, :1]
    for rows in distances.blocks(n, n):
        cities = everyone[rows]
        apart = instance.distances(cities[:, None], everyone)
        apart[np.arange(len(cities)), cities] = nearest[rows, 0]  # no ant stays where it is
        heuristic[rows] = weights(apart, nearest[rows], beta)
    return heuristic


def tours_of(n: int, m: int, directed: bool, *, linked: bool = True) -> AntTours:
    """Allocate ``m`` ants' tours; ``quanta`` and ``ends`` are empty unless ``linked``."""
    blocks = -(-m // LINE) if linked else 0
    return AntTours(
        routes=np.zeros((m, n), np.uint32),
        lengths=np.zeros(m, np.int64),
        quanta=np.zeros(blocks * LINE, np.uint32),
        ends=np.zeros((blocks, n, 1 if directed else 2, LINE), np.uint32),
    )


def workspace_of(n: int, cl: int) -> Workspace:
    """Allocate a thread's workspace, for lists of ``cl`` candidates."""
    width = width_of_row(n)
    return Workspace(
        unvisited=np.zeros(width, np.int32),
        keys=np.zeros(width, np.int32),
        lanes=np.zeros(max(width_of_row(width_of(cl)), BLOCK), np.int32),
        sums=np.zeros(width // BLOCK, np.uint32),
        words=np.zeros(4, np.uint32),
        deposits=np.zeros(n, np.uint32),
    )


def bytes_needed(
    instance: TspInstance, m: int, cl: int, listed: int, *, linked: bool = True
) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    n = instance.n
    sides = 1 if instance.directed else 2
    return {
        "matrices of trails and weights": n * (8 * n + 4 * width_of_row(n) + 8 * width_of(cl)),
        "tours of the ants": m * (4 * n + 8)
        + (-(-m // LINE) * LINE * (sides * 4 * n + 4) if linked else 0),
        "candidate lists": n * 9 * listed,
        "distances": 4 * n * n if instance.matrix is not None else 0,
    }
