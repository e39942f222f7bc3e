"""TSPLIB's ``.tour`` files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.problems.document import Document, document_of, read_bytes, shortened
from gpu.problems.tsp.instance import TspInstance

_END = -1


def load_tour(path: str | Path, cities: TspInstance) -> NDArray[np.int32]:
    """Load a tour of ``cities``, 0-based, from a TSPLIB ``.tour`` file.

    InstanceError if it cannot be read, or is not one tour through all cities of ``cities``.
    """
    path = Path(path)
    document = document_of(path, read_bytes(path))
    kind = document.specification.get("TYPE", "TOUR").split()
    if kind[:1] != ["TOUR"]:
        raise document.error(f"its TYPE is {shortened(' '.join(kind))}, not TOUR")
    if "TOUR_SECTION" not in document.sections:
        raise document.error("it has no TOUR_SECTION")
    if "DIMENSION" in document.specification and document.dimension() != cities.n:
        raise document.error(
            f"it is a tour of {document.dimension()} cities; {cities.name} has {cities.n}"
        )
    numbers = _numbers(document)
    if len(numbers) != cities.n:
        raise document.error(f"its tour has {len(numbers)} cities; {cities.name} has {cities.n}")
    ids = cities.city_ids
    place = np.minimum(np.searchsorted(ids, numbers), cities.n - 1)
    strangers = ids[place] != numbers
    if strangers.any():
        raise document.error(f"{cities.name} has no city {numbers[strangers.argmax()]}")
    visits = np.bincount(place, minlength=cities.n)
    if visits.max() > 1:
        raise document.error(f"its tour visits city {ids[visits.argmax()]} more than once")
    return place.astype(np.int32)


def _numbers(document: Document) -> NDArray[np.int64]:
    words = " ".join(document.sections["TOUR_SECTION"]).split()
    try:
        numbers = np.array([int(word) for word in words], np.int64)
    except (ValueError, OverflowError):
        raise document.error("its TOUR_SECTION has something other than city numbers") from None
    # -1 ends the tour, and once more the section; some files of the library lack both.
    ends = np.flatnonzero(numbers == _END)
    if ends.size:
        if (numbers[ends[0] :] != _END).any():
            raise document.error("it has several tours; keep one")
        numbers = numbers[: ends[0]]
    return numbers
