"""The arrays that ants on the CPU build tours with by the random proportional rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.construction.parameters import AsParameters
from gpu.core.random import Purpose
from gpu.cpu.candidate_lists import widened, width_of
from gpu.cpu.geometry import Geometry
from gpu.cpu.philox import Key, key_of
from gpu.cpu.record import Record
from gpu.cpu.structures import allocated
from gpu.cpu.wheel import BLOCK, factors_of, padded
from gpu.local_search.cpu.state import LocalSearch
from gpu.problems.tsp import distances
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import Candidates, weights

OWN_DRAWS = {"i-roulette": Purpose.INDEPENDENT, "wrs": Purpose.RESERVOIR}
"""The selections in which each city draws its own random number, and the purpose of the number."""

LINE = 16  # ants in a block: their entries of one row of ``ends`` fill a cache line


class Matrices(NamedTuple):
    """What is known of every edge; row u has the edges from city u."""

    trails: NDArray[np.float32]  # (n, n): in units of the initial trail
    heuristic: NDArray[np.float32]  # (n, n): η^β, in units of the row's largest
    weights: NDArray[np.float32]  # (n, width): ``choice_info``, τ^α·η^β; zeros fill the last block
    neighbours: NDArray[np.uint32]  # (n, lanes): as ``widened`` makes them; no lanes without lists
    listed: NDArray[np.float32]  # (n, lanes): weights of the candidates


class AntTours(NamedTuple):
    """The ants' tours."""

    # (m, n): cities in the order in which each ant visits them. For stc-roulette the ant's tour
    # list: the cities not yet visited follow (2017, Definition 1)
    routes: NDArray[np.uint32]
    lengths: NDArray[np.int64]  # (m,)
    # (blocks * 16,): what each ant deposits on every edge of its tour, in whole units
    quanta: NDArray[np.uint32]
    # (blocks, n, sides, 16): the city to which each ant went from each city and, in a symmetric
    # instance, the city from which it came: where it deposits in the row of that city
    ends: NDArray[np.uint32]


class Workspace(NamedTuple):
    """What one thread works with, for one ant at a time."""

    unvisited: NDArray[np.int32]  # (width,): -1 for cities that the ant has not visited, else 0
    keys: NDArray[np.int32]  # (width,): bits of the weights of cities
    lanes: NDArray[np.int32]  # (64 or more,): bits of the weights of candidates; then 0
    sums: NDArray[np.uint32]  # (width / 64,)
    words: NDArray[np.uint32]  # (4,): random words of four steps
    deposits: NDArray[np.uint32]  # (n,): what is deposited on the trails of one row


class ChoiceRules(NamedTuple):
    """How ants choose, in the form in which compiled code uses it."""

    key: Key  # the seed
    lists: bool  # whether the wheel is in the order of the ants' tour lists
    own: np.uint32  # purpose of the random numbers if each city draws its own; 0 for a wheel
    alpha: float
    factors: int  # α where it is whole, else -1
    halves: bool  # whether weights are rounded to half precision


class Construction(NamedTuple):
    """All that colonies with a matrix of weights build and keep tours with."""

    matrices: Matrices
    geometry: Geometry
    ants: AntTours
    rules: ChoiceRules
    search: LocalSearch
    record: Record


def choice_rules_of(
    seed: int, parameters: AsParameters, selection: str, *, listed: bool
) -> ChoiceRules:
    """Prepare ``selection``; ``listed`` says whether there are candidate lists.

    A wheel over candidates is always in the order of their list.
    """
    alpha = float(parameters.alpha)
    return ChoiceRules(
        key_of(seed),
        lists=selection == "stc-roulette" and not listed,
        own=np.uint32(OWN_DRAWS.get(selection, 0)),
        alpha=alpha,
        factors=factors_of(alpha),
        halves=parameters.half_weights,
    )


def matrices_of(instance: TspInstance, candidates: Candidates, cl: int, beta: float) -> Matrices:
    """Return all trails at the initial level, and the lists of the ``cl`` nearest cities."""
    n, everyone = instance.n, np.arange(instance.n)
    heuristic = np.empty((n, n), np.float32)
    nearest = candidates.distances[:, :1]
    for rows in distances.blocks(n, n):
        cities = everyone[rows]
        apart = instance.distances(cities[:, None], everyone)
        apart[np.arange(len(cities)), cities] = nearest[rows, 0]  # no ant stays where it is
        heuristic[rows] = weights(apart, nearest[rows], beta)
    trails, neighbours = np.ones((n, n), np.float32), widened(candidates.neighbours, cl)
    return rows_of(trails, heuristic, neighbours)


def rows_of(
    trails: NDArray[np.float32], heuristic: NDArray[np.float32], neighbours: NDArray[np.uint32]
) -> Matrices:
    """Return matrices of rows with these trails; the weights are not yet computed."""
    weights = np.zeros((len(trails), padded(trails.shape[1])), np.float32)
    listed = np.zeros(neighbours.shape, np.float32)
    return Matrices(trails, heuristic, weights, neighbours, listed)


def tours_of(n: int, m: int, directed: bool, *, linked: bool = True) -> AntTours:
    """Allocate ``m`` ants' tours; ``quanta`` and ``ends`` are empty unless ``linked``."""
    blocks = -(-m // LINE) if linked else 0
    ends = (blocks, n, 1 if directed else 2, LINE)
    return allocated(AntTours, m, routes=(m, n), quanta=blocks * LINE, ends=ends)


def workspace_of(n: int, cl: int) -> Workspace:
    """Allocate a thread's workspace, for lists of ``cl`` candidates."""
    width, lanes = padded(n), max(padded(width_of(cl)), BLOCK)
    return allocated(Workspace, width, lanes=lanes, sums=width // BLOCK, words=4, deposits=n)


def bytes_needed(
    instance: TspInstance, m: int, cl: int, listed: int, *, linked: bool = True
) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    n, sides = instance.n, 1 if instance.directed else 2
    deposits = -(-m // LINE) * LINE * (sides * 4 * n + 4) if linked else 0
    return {
        "matrices of trails and weights": n * (8 * n + 4 * padded(n) + 8 * width_of(cl)),
        "tours of the ants": m * (4 * n + 8) + deposits,
        "candidate lists": n * 9 * listed,
        "distances": 4 * n * n if instance.matrix is not None else 0,
    }
