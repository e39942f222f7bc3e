"""TSPLIB's ``.tour`` files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gpu.core.problem import Problem
from gpu.core.words import counted
from gpu.problems.document import GIVE_TOUR, name_of, plain_name, read_bytes, shortened
from gpu.problems.tsp.specification import Document, document_of

_END = -1
_TOUR_ENDINGS = re.compile(r"(\.a?tsp)?(\.opt\w*)?(\.tour)?$", re.IGNORECASE)
"""How the name of a tour goes on after that of its instance."""

_SECTION = re.compile(rb"^[ \t]*TOUR_SECTION\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TourFile:
    """A ``.tour`` file; whether it is a tour of some instance is found out by :meth:`of`."""

    document: Document
    problem: ClassVar[Problem] = Problem.TSP  # of its instance

    @property
    def names(self) -> list[str]:
        """What its instance may be called, the likeliest first: by its own words and its name."""
        said = self.document.specification.get("NAME", "").rpartition("/")[2]
        found = [_TOUR_ENDINGS.sub("", text) for text in (said, plain_name(self.document.path))]
        return [name_of(name) for name in dict.fromkeys(found) if name]

    @property
    def n(self) -> int:
        """Number of cities that it visits; InstanceError if it has something else there."""
        return len(_numbers(self.document))

    def of(self, name: str, ids: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the tour, 0-based, of the instance ``name``.

        Its cities have the numbers ``ids``, ascending.
        InstanceError if it is not one tour through all.
        """
        document, n = self.document, len(ids)
        if "DIMENSION" in document.specification and document.dimension() != n:
            raise document.error(f"it is a tour of {document.dimension()} cities; {name} has {n}")
        numbers = _numbers(document)
        if len(numbers) != n:
            raise document.error(f"its tour has {counted(len(numbers), 'city')}; {name} has {n}")
        place = np.minimum(np.searchsorted(ids, numbers), n - 1)
        strangers = ids[place] != numbers
        if strangers.any():
            raise document.error(f"{name} has no city {numbers[strangers.argmax()]}")
        visits = np.bincount(place, minlength=n)
        if visits.max() > 1:
            raise document.error(f"its tour visits city {ids[visits.argmax()]} more than once")
        return place.astype(np.int32)


def is_tour(path: Path, data: bytes) -> bool:
    """Whether the file ``data`` at ``path`` is a tour, or means to be one."""
    if plain_name(path).lower().endswith(".tour"):
        return True
    # To look for the word first is quicker, and does not hold up other threads.
    return b"TOUR_SECTION" in data and _SECTION.search(data) is not None


def read_tour(path: str | Path, data: bytes | None = None) -> TourFile:
    """Read a TSPLIB ``.tour`` file, whose ``data`` are read unless they are given.

    InstanceError if it cannot be read, or is no such file.
    """
    path = Path(path)
    document = document_of(path, read_bytes(path) if data is None else data, GIVE_TOUR)
    kind = document.specification.get("TYPE", "TOUR").split()
    if kind[:1] != ["TOUR"]:
        raise document.error(f"its TYPE is {shortened(' '.join(kind))}, not TOUR")
    if "TOUR_SECTION" not in document.sections:
        raise document.error("it has no TOUR_SECTION")
    return TourFile(document)


def edges_in_common(
    a: NDArray[np.integer], b: NDArray[np.integer], *, directed: bool = False
) -> int:
    """Number of edges that two tours of the same cities have both.

    Where the instance is ``directed``, an edge and its reverse are two.
    """
    after = np.empty(len(b), np.int64)
    after[b] = np.roll(b, -1)
    start, end = a, np.roll(a, -1)
    shared = after[start] == end
    if not directed:
        shared |= after[end] == start
    return int(np.count_nonzero(shared))


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
