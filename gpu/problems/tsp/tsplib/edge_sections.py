"""Edges in TSPLIB's files: of a graph that is not complete, and those that every tour has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.problems.document import shortened
from gpu.problems.tsp.tsplib.numbers import numbers_of
from gpu.problems.tsp.tsplib_document import Document

EDGES, FIXED = "EDGE_DATA_SECTION", "FIXED_EDGES_SECTION"
_END = -1
_NUMBER_LARGEST = 2**62
_LEAST_BESIDE = 2  # numbers of a row of neighbours, with the city's own

Pairs = NDArray[np.int64]


def edges_of(document: Document, keyword: str, ids: NDArray[np.int64] | None) -> Pairs | None:
    """Return the edges in the section ``keyword``, 0-based, shape (m, 2); None if there is none.

    ``ids`` are the numbers of the cities, ascending; without them they count from 1, or from 0
    where a 0 is among them. InstanceError if the section has something else than edges.
    """
    if keyword not in document.sections:
        return None
    form = document.word("EDGE_DATA_FORMAT")
    if keyword == EDGES and form not in ("", "EDGE_LIST", "ADJ_LIST"):
        raise document.error(f"its EDGE_DATA_FORMAT {shortened(form)} is none of TSPLIB's")
    numbers = np.asarray(numbers_of(document, keyword))
    if not (np.abs(numbers) < _NUMBER_LARGEST).all() or (numbers % 1 != 0).any():
        raise document.error(f"{keyword} has a number that is none of a city")
    flat = numbers.astype(np.int64)
    neighbours = keyword == EDGES and form == "ADJ_LIST"
    pairs = _beside(document, keyword, flat) if neighbours else _listed(document, keyword, flat)
    if ids is None:
        n = document.dimension() or int(pairs.max(initial=0))
        first = 0 if pairs.size and not pairs.all() else 1
        ids = np.arange(first, first + n)
        if first == 0:
            document.notes.append(f"{keyword} counts cities from 0: they are numbered from 1 here")
    places = np.minimum(np.searchsorted(ids, pairs), len(ids) - 1)
    if (strangers := ids[places] != pairs).any():
        raise document.error(f"{keyword} names city {pairs[strangers][0]}, which there is not")
    if (loops := places[:, 0] == places[:, 1]).any():
        document.notes.append(f"{int(loops.sum())} of {keyword} from a city to itself left out")
        places = places[~loops]
    return places


def _listed(document: Document, keyword: str, numbers: Pairs) -> Pairs:
    """Take the ends of edges, two and two; -1 ends them."""
    ends = np.flatnonzero(numbers == _END)
    if ends.size:
        if (numbers[ends[0] :] != _END).any():
            raise document.error(f"{keyword} goes on behind its end, -1")
        numbers = numbers[: ends[0]]
    if len(numbers) % 2:
        raise document.error(f"{keyword} has an edge with one end; is the file whole?")
    return numbers.reshape(-1, 2)


def _beside(document: Document, keyword: str, numbers: Pairs) -> Pairs:
    """Take a city and its neighbours, with -1 behind the last of them, again and again."""
    rows = np.split(numbers, np.flatnonzero(numbers == _END) + 1)
    found = []
    for row in rows:
        cities = row[row != _END]
        if len(cities) >= _LEAST_BESIDE:
            found.append(np.column_stack((np.full(len(cities) - 1, cities[0]), cities[1:])))
    if len(rows[-1]):
        raise document.error(f"{keyword} has no -1 behind its last neighbours; is the file whole?")
    return np.concatenate(found) if found else np.zeros((0, 2), np.int64)
