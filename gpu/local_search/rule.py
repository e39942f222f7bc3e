"""Local search for tours: 2-opt and Or-opt on neighbour lists, by one rule for CPU and CUDA.

A move takes edges out of a tour and joins the parts again, shorter. 2-opt takes two edges and
turns the part between them around. Or-opt takes out a segment of one to three cities and puts it
between two other neighbours, either way around.

The rule
--------
It leaves nothing open: a tour has one result, whoever computes it and with however many threads.

*A city looks for a move* on two sides: towards its successor, and towards its predecessor. Let
``a`` be the city, ``p`` its neighbour on that side, and ``c`` run through the list of ``a``,
nearest first, as long as ``|ac| < |ap|``: an edge is given up for a shorter one. Call ``c+`` the
neighbour of ``c`` on the same side as ``p`` is of ``a``, and ``c-`` the other.

- 2-opt gives up ``ap`` and ``c c+`` for ``ac`` and ``p c+``.
- Or-opt takes the segment ``a ... e`` of 1, 2 or 3 cities, at most n - 3, which begins at ``a``
  and leads away from ``p``. With ``q`` the city after ``e``, it gives up ``pa``, ``eq`` and ``cd``
  for ``pq``, ``ac`` and ``ed``, where ``d`` is ``c-`` (the segment keeps its direction) or ``c+``
  (it is turned); ``c`` and ``d`` lie outside the segment.

The city takes the move that gains most, if any gains. Among equals it takes the one whose ``c`` is
first on the list, then the side of the successor, then 2-opt before Or-opt, then ``d`` = ``c-``,
then the shorter segment.

*Rounds.* Cities wait in a queue, each at most once: a city that does not wait is one whose
don't-look bit is set. In a round the first ``WINDOW`` of the queue leave it, and all look at the
tour as it stands. Then those that found a move make it, in their order, if it can still be made:
the edges given up are still there, those of 2-opt run the same way relative to each other, and the
segment of Or-opt still has its length. The ends of the edges given up join the queue, in the order
a, p, c, d, e, q (``d`` is ``c+`` for 2-opt); of a move that cannot be made any more, ``a`` does.
The search ends with the queue empty.

*The largest gain.* With ``2opt-largest`` a round makes one move: the one that gains most, and among
equals that of the first looker. The others that found a move wait again, in their order and before
all that wait already.

*The first queue.* What an ant took over from the best tour so far has been looked at before. So
only those cities wait whose neighbours on that tour are not their two neighbours now. Of the others
every ``SAMPLE``-th waits, where city + ant + iteration is divisible by it: don't-look bits leave a
move undone now and then, which another ant then finds. In the first iteration all cities wait. The
kinds ``2opt-all`` and ``2opt-largest`` have 1 in place of ``SAMPLE``: all cities wait in every
iteration, as in Skinderowicz (2020).

The tour is cut into ``WINDOW`` stretches of ceil(n / ``WINDOW``) cities, the last ones shorter or
empty. First come the first cities of all stretches, then their second ones, and so on: cities that
look at once are far apart, and seldom in each other's way.

*The arrays.* A move writes the shorter part of the tour anew. 2-opt turns the part that begins,
in the direction of the tour, with the later of ``a`` and ``p``, unless the other part has fewer
cities. Or-opt shifts the cities between the segment and its new place that lie behind it, unless
those before it, between its new place and the segment, are fewer.

Directed instances
------------------
Turning a part around would change all its distances: there is no 2-opt, and segments keep their
direction. Towards the successor ``c`` follows ``a`` in the new tour, towards the predecessor it
comes before ``a``. Each side has a list of its own, distances run as the tour does, and a move can
be made only if the edges given up still run the way they did. A city's neighbours on the best tour
are the one before it and the one after it there, in this order.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import ParameterError
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours

WINDOW = 32  # cities that look for a move in one round
NEIGHBOURS = 32  # cities on a neighbour list, where there are so many
MOST_NEIGHBOURS = 64  # a move found is written down with six bits for the place on the list
LEAST_CITIES = 4  # of fewer cities there is one tour alone, or none that a segment's move leads to

CODE_BITS = 10
"""Low bits of a move's key, below its gain: the largest code less a code, which is the move's place
in the order of moves that gain the same."""

SIDE_BIT, RANK_BIT = 3, 4  # parts of a code; the lowest bits are the kind of the move


def neighbour_rows(instance: TspInstance, neighbours: int = NEIGHBOURS) -> NDArray[np.int32]:
    """Build the neighbour lists of a local search, int32 of shape (1 or 2, n, K, 2).

    They hold the city and the distance of each of the K nearest, by distance, then city. A directed
    instance has two sides: the nearest cities to go to, and the nearest to come from. K is
    ``neighbours``, at most ``MOST_NEIGHBOURS``; fewer where there are not so many other cities.

    Raises
    ------
    ParameterError
        If ``neighbours`` is out of range.
    """
    if not 1 <= neighbours <= MOST_NEIGHBOURS:
        raise ParameterError(f"neighbours = {neighbours} must be in [1, {MOST_NEIGHBOURS}]")
    k = min(neighbours, instance.n - 1)
    sides = [instance]
    if instance.directed:
        assert instance.matrix is not None
        sides.append(dataclasses.replace(instance, matrix=instance.matrix.T))
    rows = np.empty((len(sides), instance.n, k, 2), np.int32)
    if k:
        for side, seen in zip(rows, sides, strict=True):
            side[:, :, 0] = nearest_neighbours(seen, k)
            side[:, :, 1] = seen.distances(np.arange(instance.n)[:, None], side[:, :, 0])
    return rows
