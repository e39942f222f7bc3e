"""The arrays that Focused ACO works on.

An iteration begins with a common tour, the source. Each thread has a copy of it, in which its ants
change something, one after the other; after each ant the copy is made like the source again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.geometry import CityGeometry
from gpu.cpu.philox import Key
from gpu.cpu.record import ColonyRecord
from gpu.cpu.structures import allocated

MOST_STRETCHES = 64  # that are remembered as changed; after more, the whole tour counts as changed


class FacoLists(NamedTuple):
    """What does not change: the cities, and the nearest of each by their distance."""

    geometry: CityGeometry
    flat: bool  # whether a distance is that of EUC_2D, the common case, which has a short cut
    candidates: NDArray[np.int32]  # (n, cl): from which ants draw
    backup: NDArray[np.int32]  # (n, bl): the next ones
    near: NDArray[np.int32]  # (n, k): those that the local search looks at
    lengths: NDArray[np.int32]  # (n, k): their distances
    heuristic: NDArray[np.float32]  # (n, cl): η^β of the candidates, in units of the row's largest


class FacoCpuRules(NamedTuple):
    """What the ants and the trails are told."""

    key: Key  # of the seed
    fewest_edges: int  # an ant's walk ends after so many new edges, and its arm more
    reward: float  # of an ant whose tour is so much shorter that nothing is left
    keep: np.float32  # ρ: what is left of a trail after an iteration
    start: float  # C_0: length of the first source, at least 1
    gain: float  # (1 - ρ)·C_0: trails on a tour of length L gain gain/L when it deposits
    spread: float  # τ_min/τ_max, at most 1
    best_source: np.float32  # probability that the best tour so far is the next source


class FacoSource(NamedTuple):
    """The tour with which an iteration begins."""

    tour: NDArray[np.int32]  # (n,): cities by position
    place: NDArray[np.int32]  # (n,): positions by city
    length: NDArray[np.int64]  # (1,)


class FacoPheromone(NamedTuple):
    """Trails of the candidates' edges, in units of the initial one; all others are at τ_min."""

    trails: NDArray[np.float32]  # (n, cl)
    weights: NDArray[np.float32]  # (n, cl): τ·η^β
    limits: NDArray[np.float32]  # (2,): τ_min and τ_max
    amount: NDArray[np.float32]  # (1,): what each trail of the tour that deposits gains


LEAST_LIMIT, MOST_LIMIT = range(2)  # places in the limits


class Bandit(NamedTuple):
    """How often an ant makes how many new edges: see :mod:`gpu.faco.cpu.bandit`."""

    scores: NDArray[np.float64]  # (arms,): logarithms of the arms' weights, the largest 0
    shares: NDArray[np.float32]  # (arms,): how likely each arm is in this iteration


class FacoAnts(NamedTuple):
    """What the ants of the iteration have found."""

    lengths: NDArray[np.int64]  # (m,): of their tours
    moves: NDArray[np.int64]  # (m,): that the local search made
    arms: NDArray[np.int32]  # (m,): new edges beyond the fewest
    best_built: NDArray[np.int32]  # (n,): the shortest tour, before the local search
    # (k, n): the tours of the first ants from where each began, to be watched; k = 0 where n is
    # more than MOST_WALKED
    tours: NDArray[np.int32]
    left: NDArray[np.int32]  # (n,): the source that these have left


class FacoState(NamedTuple):
    """All that the threads share."""

    lists: FacoLists
    rules: FacoCpuRules
    source: FacoSource
    pheromone: FacoPheromone
    bandit: Bandit
    ants: FacoAnts
    record: ColonyRecord


class FacoWorkspace(NamedTuple):
    """What one thread's ants work with, one after the other."""

    tour: NDArray[np.int32]  # (n,): the ant's tour; that of the source between ants
    place: NDArray[np.int32]  # (n,)
    walk: NDArray[np.int32]  # (n,): cities in the order in which the ant visits them
    free: NDArray[np.int32]  # (n,): 0 for the cities of the walk, else -1
    queue: NDArray[np.int32]  # (n,): a ring of cities that will look for a move
    waiting: NDArray[np.bool_]  # (n,): whether a city is in the queue
    # (MOST_STRETCHES, 2): first position and length of those that are not as in the source
    stretches: NDArray[np.int32]
    parts: NDArray[np.int32]  # (cl,): of the wheel, for the candidates
    words: NDArray[np.uint32]  # (4,): random words of the present ant
    numbers: NDArray[np.int64]  # (5,): see the constants below


WALKED, QUEUE_HEAD, QUEUE_SIZE, STRETCHES, CHANGED_CITIES = range(5)
"""Places in a workspace's numbers: cities in the walk; the queue's first place, and how many wait;
stretches that are not as in the source, perhaps more than are remembered; their cities."""


def new_workspace(n: int, candidates: int) -> FacoWorkspace:
    """Make room for a thread's ants."""
    stretches = (MOST_STRETCHES, 2)
    free = np.full(n, -1, np.int32)
    return allocated(
        FacoWorkspace, n, free=free, stretches=stretches, parts=candidates, words=4, numbers=5
    )


def bytes_needed(n: int, candidates: int, backup: int, near: int, threads: int) -> dict[str, int]:
    """Bytes of each part, for :func:`gpu.cpu.main_memory.require`."""
    return {
        "candidate lists": n * 4 * (2 * (candidates + backup) + 2 * near + 6),
        "trails and weights": n * candidates * 12,
        "tours": n * 20 + threads * n * 21,
    }


@inlined
def note_stretch(
    stretches: NDArray[np.int32], numbers: NDArray[np.int64], first: Whole, length: Whole
) -> None:
    """Note that a stretch is not as in the source any more."""
    entry = numbers[STRETCHES]
    if entry < MOST_STRETCHES:
        stretches[entry, 0], stretches[entry, 1] = first, length
    numbers[STRETCHES] += 1
    numbers[CHANGED_CITIES] += length


@compiled
def follow(source: FacoSource, work: FacoWorkspace) -> None:
    """Make the whole tour that of the source."""
    for at in range(source.tour.size):
        work.tour[at] = source.tour[at]
        work.place[at] = source.place[at]
    work.numbers[STRETCHES] = work.numbers[CHANGED_CITIES] = 0


@compiled
def restore(source: FacoSource, work: FacoWorkspace) -> None:
    """Make the tour that of the source again where it was changed."""
    numbers, n = work.numbers, source.tour.size
    if numbers[STRETCHES] > MOST_STRETCHES or numbers[CHANGED_CITIES] >= n:
        follow(source, work)
        return
    for entry in range(numbers[STRETCHES]):
        at = work.stretches[entry, 0]
        for _ in range(work.stretches[entry, 1]):
            city = source.tour[at]
            work.tour[at], work.place[city] = city, at
            at = at + 1 if at + 1 < n else 0
    numbers[STRETCHES] = numbers[CHANGED_CITIES] = 0
