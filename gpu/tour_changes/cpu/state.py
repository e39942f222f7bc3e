"""What ants search a tour in, and what becomes of their changes.

The lists have the candidates of each city, by their distance. A patch is a part of a tour that one
thread's ants change, with a tour of its own. An exchange is what two tours differ in: edges that
are given up, and edges that come instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.alpha import alpha_neighbours
from gpu.cpu.first_tours import greedy_tour
from gpu.cpu.geometry import CityGeometry, geometry_of, is_flat
from gpu.cpu.quadrants import quadrant_lists
from gpu.cpu.structures import allocated
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.parameters import ALPHA


class CityLists(NamedTuple):
    """What does not change: the cities, and the candidates of each by their distance."""

    geometry: CityGeometry
    flat: bool  # whether a distance is that of EUC_2D, the common case, which has a short cut
    neighbours: NDArray[np.int32]  # (n, k)
    lengths: NDArray[np.int32]  # (n, k)


def lists_of(instance: TspInstance, k: int, nearness: str) -> tuple[CityLists, NDArray[np.int32]]:
    """Return the candidates of each city by (distance, index), and the greedy tour."""
    if nearness == ALPHA:
        neighbours = alpha_neighbours(instance, k).neighbours
    else:
        neighbours = quadrant_lists(instance, k)
    lengths = instance.distances(np.arange(instance.n)[:, None], neighbours)
    order = np.argsort(lengths * instance.n + neighbours, axis=1)
    spans = np.take_along_axis(lengths, order, 1).astype(np.int32)
    neighbours = np.take_along_axis(neighbours, order, 1)
    geometry = geometry_of(instance, 1.0)
    lists = CityLists(geometry, is_flat(geometry), neighbours, spans)
    return lists, greedy_tour(instance, neighbours)


JOURNAL = 4096  # turns that an ant can take back; with fewer left it stops
JOURNAL_ENDS = 6 * JOURNAL  # cities whose edges an ant can change: a turn has at most 6

DEEPEST_EXCHANGES = 100  # exchanges in a row that a city tries while the tour settles
SETTLED_CITIES = (
    100_000  # cities of the largest tour that they are tried for: to undo them takes O(n)
)
ENDS_A_MOVE = 6  # ends of the edges of a move, in the order of their exchange

MOST_LEFT = 64  # components that can be remembered until others are known

NOBODY = np.int32(-1)
FAR_AWAY = np.int32(
    2**31 - 1
)  # length of a candidate that is not in the patch: nothing is gained by it


class Patch(NamedTuple):
    """What a thread's ants search in; cities are numbered in the order of the source.

    A patch has ``k`` cities, so many entries of each array are used.
    """

    cities: NDArray[np.int32]  # (c,): numbers in the instance
    number: NDArray[np.int32]  # (n,): of each city of the instance in the patch, or NOBODY
    points: NDArray[np.float64]  # (c, 2)
    near: NDArray[np.int32]  # (c, k): candidates in the patch, by distance
    spans: NDArray[np.int32]  # (c, k): their distances; FAR_AWAY after the last
    links: NDArray[np.int32]  # (c, 2): the other end of a link after and before, or NOBODY
    tour: NDArray[np.int32]  # (c,)
    place: NDArray[np.int32]  # (c,): in the tour
    queue: NDArray[np.int32]  # (c,): a ring of cities that will look for a move
    waiting: NDArray[np.bool_]  # (c,)
    beside: NDArray[np.int32]  # (c, 2): both neighbours in the tour that was kept last
    ends: NDArray[
        np.int32
    ]  # (JOURNAL_ENDS,): cities whose edges the present ant changed; some twice
    touched: NDArray[np.int32]  # (6 DEEPEST_EXCHANGES,): ends of the edges that a move changed
    words: NDArray[np.uint32]  # (8,): random words of the present ant
    journal: NDArray[np.int32]  # (JOURNAL, 2): first place and length of the turns of an ant
    numbers: NDArray[np.int64]  # (10,): see the constants below


(
    PATCH_CITIES,
    PATCH_TURNS,
    PATCH_HEAD,
    PATCH_WAITING,
    LINKED,
    PATCH_CHANGED,
    GIVEN_UP,
    TOUCHED,
    PATCH_OPEN,
    PATCH_STILL,
) = range(10)
"""Places in a patch's numbers: its cities; turns in the journal; the queue's first place, and how
many wait; whether there are links; the number of ``ends``; the length of the edges that the present
ant's double bridge gave up; the number of ``touched``; the city at which the last exchange left the
tour open, and what has been gained so far."""


class Exchange(NamedTuple):
    """Edges that are given up and edges that come instead, and room to find out what they make."""

    old: NDArray[np.int32]  # (n, 2): edges to give up, cities of the instance
    new: NDArray[np.int32]  # (n, 2): edges to take
    order: NDArray[np.int32]  # (2, n): indices of old and new edges by component
    root: NDArray[np.int32]  # (n,): union-find
    cuts: NDArray[np.int32]  # (n,): places after which the tour is cut, ascending
    ends: NDArray[np.int32]  # (2 n,): the end with which a new edge joins each end of a segment
    path: NDArray[np.int32]  # (n,): segments in their new order; the lowest bit: turned
    moved: NDArray[np.int32]  # (n,): cities on their way to another place
    place: NDArray[np.int32]  # (n,): places in a patch's tour
    left: NDArray[np.int32]  # (MOST_LEFT, 2): components not made: first edge, and the number
    left_gains: NDArray[np.int64]  # (MOST_LEFT,)


def deepest_of(n: int) -> int:
    """Exchanges in a row that a city tries while a tour settles."""
    return DEEPEST_EXCHANGES if n <= SETTLED_CITIES else 0


def new_patch(n: int, k: int, c: int) -> Patch:
    """Make room for a thread's patch of up to ``c`` cities."""
    return allocated(
        Patch,
        c,
        number=np.full(n, NOBODY),
        points=(c, 2),
        near=(c, k),
        spans=(c, k),
        links=(c, 2),
        beside=(c, 2),
        ends=JOURNAL_ENDS,
        touched=max(8, DEEPEST_EXCHANGES * ENDS_A_MOVE),
        words=8,
        journal=(JOURNAL, 2),
        numbers=10,
    )


def new_exchange(n: int) -> Exchange:
    """Make room for an exchange."""
    return allocated(
        Exchange,
        n,
        old=(n, 2),
        new=(n, 2),
        order=(2, n),
        ends=2 * n,
        left=(MOST_LEFT, 2),
        left_gains=MOST_LEFT,
    )
