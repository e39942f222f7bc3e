"""Tours in files: TSPLIB's ``.tour``, and lists of cities or of edges, as other solvers write them.

Cities have the numbers of their file, or count from 0 (as in Concorde). Read are TSPLIB's
TOUR_SECTION in any dialect; Concorde's solutions, with the number of cities before them (``.sol``,
``.cyc``), and its edges, with one or two numbers before them or none, and perhaps a length behind
each; plain lists, by lines, blanks, commas or arrows, or with a number before each city; and lists
in JSON and Python. The first city may be there once more at the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.core.problem import Problem
from gpu.core.words import counted
from gpu.problems.document import (
    GIVE_TOUR,
    in_utf8,
    lines_of,
    name_of,
    plain_name,
    read_bytes,
    shortened,
    what_else,
)
from gpu.problems.structured import begins_as_value, structured
from gpu.problems.tsp.tsplib_document import document_of

_END = -1
_TOUR_ENDINGS = re.compile(r"(\.a?tsp)?(\.opt\w*)?(\.tour|\.cyc|\.sol|\.txt)?$", re.IGNORECASE)
"""How the name of a tour goes on after that of its instance."""

_SECTION = re.compile(rb"^[ \t]*TOUR_SECTION\b", re.MULTILINE | re.IGNORECASE)
_DISTANCES = re.compile(
    rb"^[ \t]*(?:NODE_COORD|EDGE_WEIGHT)_SECTION\b", re.MULTILINE | re.IGNORECASE
)
_SPELLINGS = (b"TOUR_SECTION", b"tour_section", b"Tour_Section")
_LIST_SUFFIXES = (".cyc", ".sol")  # of tours without a keyword
_LOOKED_AT = 2_000  # bytes at the beginning
_LIST_BEGINS = re.compile(rb"[\s0-9]+\Z")
_NO_NUMBERS = re.compile(r"->|→|[\s,;\[\](){}]+")  # what may stand between cities
_CITY = re.compile(r"-?[0-9]{1,18}(?:\.0*)?")
_EXPONENT = re.compile(r"-?[0-9](?:\.[0-9]{1,30})?[eE]\+?0?[0-9]")
_CALLED = re.compile(r"\s*(?:tour|route|path|cycle|order)\s*:", re.IGNORECASE)
_EDGE_WIDTHS = (2, 3)  # numbers of an edge: both cities and a length

Cities = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TourFile:
    """A file with a tour; whether it is one of some instance is found out by :meth:`of`."""

    path: Path
    said: str  # what it calls itself
    dimension: int | None  # number of cities that it says
    listed: Cities  # cities in their order; empty if there are edges
    edges: Cities | None = None  # (n, 2)
    problem: ClassVar[Problem] = Problem.TSP  # of its instance

    def error(self, what: str) -> InstanceError:
        """Build the error that names this file and says ``what`` is wrong with it."""
        return InstanceError(f"{self.path}: {what}")

    @property
    def names(self) -> list[str]:
        """What its instance may be called, the likeliest first: by its own words and its name."""
        said = re.split(r"[/\\]", self.said)[-1]  # a path of whichever system
        found = [_TOUR_ENDINGS.sub("", text) for text in (said, plain_name(self.path))]
        return [name_of(name) for name in dict.fromkeys(found) if name]

    @property
    def n(self) -> int:
        """Number of cities that it visits."""
        if self.edges is not None:
            return len(self.edges)
        with_count = len(self.listed) > 1 and self.listed[0] == len(self.listed) - 1
        closed = len(self.listed) > 1 and self.listed[0] == self.listed[-1]
        return len(self.listed) - (with_count or closed)

    def of(self, name: str, ids: Cities) -> NDArray[np.int32]:
        """Return the tour, 0-based, of the instance ``name``.

        Its cities have the numbers ``ids``, ascending.
        InstanceError if it is not one tour through all.
        """
        n = len(ids)
        back = len(self.listed) == n + 1 and self.listed[0] == self.listed[-1]
        if self.dimension is not None and self.dimension not in (n, n + back):
            raise self.error(f"it is a tour of {self.dimension} cities; {name} has {n}")
        found = self.listed if self.edges is None else self.around(self.edges)
        for numbers in _readings(found, n):
            for there in (ids, np.arange(n)):
                if np.array_equal(np.sort(numbers), there):
                    return np.searchsorted(there, numbers).astype(np.int32)
        raise self._wrong(found, name, ids)

    def _wrong(self, numbers: Cities, name: str, ids: Cities) -> InstanceError:
        """Return what is wrong with a list that is no tour."""
        n = len(ids)
        if len(numbers) != n:
            return self.error(f"its tour has {counted(len(numbers), 'city')}; {name} has {n}")
        place = np.minimum(np.searchsorted(ids, numbers), n - 1)
        strangers = ids[place] != numbers
        if strangers.any():
            return self.error(f"{name} has no city {numbers[strangers.argmax()]}")
        visits = np.bincount(place, minlength=n)
        return self.error(f"its tour visits city {ids[visits.argmax()]} more than once")

    def around(self, edges: Cities) -> Cities:
        """Return the cities in the order in which ``edges`` lead around; or raise InstanceError."""
        beside: dict[int, list[int]] = {}
        for one, other in edges.tolist():
            beside.setdefault(one, []).append(other)
            beside.setdefault(other, []).append(one)
        if any(len(some) != 2 for some in beside.values()):
            raise self.error("its edges are no tour: a city has another number of them than two")
        at = before = int(edges[0, 0])
        found = []
        for _ in range(len(beside)):
            found.append(at)
            one, other = beside[at]
            at, before = (other if one == before else one), at
            if at == found[0]:
                break
        if len(found) != len(beside):
            raise self.error(f"its edges are several tours, one of {counted(len(found), 'city')}")
        return np.array(found, np.int64)


def _readings(numbers: Cities, n: int) -> list[Cities]:
    """Return what of ``numbers`` can be a tour of ``n`` cities: all, or without count or return."""
    found = [numbers] if len(numbers) == n else []
    if len(numbers) == n + 1:
        found += [numbers[:-1]] if numbers[0] == numbers[-1] else []
        found += [numbers[1:]] if numbers[0] == n else []
    if len(numbers) == n + 2 and numbers[0] in (n, n + 1) and numbers[1] == numbers[-1]:
        found.append(numbers[1:-1])
    return found


def is_tour(path: Path, data: bytes) -> bool:
    """Whether the file ``data`` at ``path`` is a tour, or means to be one."""
    name = plain_name(path).lower()
    if name.endswith(".tour"):
        return True
    if name.endswith(_LIST_SUFFIXES) and _LIST_BEGINS.match(data[:_LOOKED_AT]):
        return True
    # To look for the word first is quicker, and does not hold up other threads.
    if not any(one in data for one in _SPELLINGS) or _SECTION.search(data) is None:
        return False
    return _DISTANCES.search(data, 0, _LOOKED_AT) is None  # an instance may have a tour, too


def read_tour(path: str | Path, data: bytes | None = None) -> TourFile:
    """Read a file with a tour, whose ``data`` are read unless they are given.

    InstanceError if it cannot be read, or is no such file.
    """
    path = Path(path)
    data = in_utf8(path, read_bytes(path) if data is None else data)
    if found := _of_value(path, data):
        return found
    if (rows := _rows_of(path, data)) is not None:
        return _plain(path, rows)
    document = document_of(path, data, GIVE_TOUR)
    kind = document.specification.get("TYPE", "").upper()  # such as OPT TOUR
    if kind and "TOUR" not in re.split(r"[\W_]+", kind):
        raise document.error(f"its TYPE is {shortened(document.specification['TYPE'])}, not TOUR")
    if "TOUR_SECTION" not in document.sections:
        raise document.error("it has no TOUR_SECTION")
    listed = _numbers([_cells(line) for line in document.sections["TOUR_SECTION"]])
    if listed is None:
        raise document.error("its TOUR_SECTION has something other than city numbers")
    said = document.specification.get("NAME", "")
    return TourFile(path, said, document.dimension(), _up_to_end(path, listed))


def _rows_of(path: Path, data: bytes) -> list[list[str]] | None:
    """Return the cells of each line; None if there are others than numbers, or none."""
    rows = list[list[str]]()
    for line in lines_of(path, data, GIVE_TOUR):
        text = line.partition("#")[0]
        if not rows:
            text = _CALLED.sub("", text, count=1)
        if cells := _cells(text):
            if not all(map(_CITY.fullmatch, cells[:2])):
                return None
            rows.append(cells)
    return rows or None


def _cells(line: str) -> list[str]:
    return [_without_exponent(cell) for cell in _NO_NUMBERS.split(line) if cell]


def _without_exponent(cell: str) -> str:
    """Return a whole number as such, also if a program wrote it as 1.000e+00."""
    if not _EXPONENT.fullmatch(cell):
        return cell
    number = float(cell)
    return str(int(number)) if number.is_integer() else cell


def _plain(path: Path, rows: Sequence[list[str]]) -> TourFile:
    """Take rows of numbers for a list of cities, or for a list of edges with two counts before."""
    first, *rest = rows
    if len(rows) > 2 and len({*map(len, rows)}) == 1 and len(first) in _EDGE_WIDTHS:
        ends = _numbers([row[:2] for row in rows])
        if ends is not None and (found := _by_pairs(path, ends.reshape(-1, 2), len(first))):
            return found
    if (
        len(first) in (1, 2)
        and int(first[-1].partition(".")[0]) == len(rest)
        and len(rest) > 1
        and {*map(len, rest)} <= {*_EDGE_WIDTHS}
    ):
        ends = _numbers([row[:2] for row in rest])
        if ends is not None and (len(first) == 2 or _goes_around(ends.reshape(-1, 2))):
            return _of_edges(path, ends)
    listed = _numbers(rows)
    if listed is None:
        raise InstanceError(f"{path}: it has something other than city numbers; {GIVE_TOUR}")
    return TourFile(path, "", None, _up_to_end(path, listed))


def _by_pairs(path: Path, pairs: Cities, width: int) -> TourFile | None:
    """Take rows of two numbers for edges, or for cities that are numbered; None if they are none.

    InstanceError if they can be both.
    """
    edges = _goes_around(pairs)
    count, first = len(pairs), int(pairs[0, 0])
    numbered = (
        width == len("ab")
        and first in (0, 1)
        and np.array_equal(pairs[:, 0], np.arange(first, first + count))
        and len({*pairs[:, 1].tolist()}) >= count - 1  # the first city may be there once more
    )
    one_by_one = np.array_equal(pairs[1:, 0], pairs[:-1, 1])
    if edges and numbered and not one_by_one:
        raise InstanceError(
            f"{path}: its rows can be edges, or cities with a number before each: keep one column "
            "with the cities in their order"
        )
    if edges:
        return _of_edges(path, pairs)
    return TourFile(path, "", None, pairs[:, 1].copy()) if numbered else None


def _of_edges(path: Path, ends: Cities) -> TourFile:
    return TourFile(path, "", None, np.zeros(0, np.int64), ends.reshape(-1, 2))


def _goes_around(edges: Cities) -> bool:
    """Whether ``edges`` are a single tour: two for each city, and all of them together."""
    values, counts = np.unique(edges, return_counts=True)
    if len(values) != len(edges) or (counts != 2).any():
        return False
    try:
        TourFile(Path(), "", None, np.zeros(0, np.int64)).around(edges)
    except InstanceError:
        return False
    return True


_TOUR_NAMES = ("tour", "route", "path", "cycle", "order", "solution", "best_tour", "sequence")


def _of_value(path: Path, data: bytes) -> TourFile | None:
    """Take a list of cities in JSON or Python, or what an object calls a tour; else None."""
    if not begins_as_value(data[:_LOOKED_AT]) or what_else(data[:_LOOKED_AT], ""):
        return None
    try:
        value = structured(path, data)
    except InstanceError:  # a list without commas, as NumPy prints it, is none of JSON
        return None
    if isinstance(value, dict):
        lists = [value[name] for name in value if str(name).casefold() in _TOUR_NAMES]
        value = lists[0] if len(lists) == 1 else None
    if not isinstance(value, list | tuple) or len(value) < 2:
        return None
    if not all(type(city) is int and abs(city) < 2**62 for city in value):
        return None
    return TourFile(path, "", None, np.array(value, np.int64))


def _numbers(rows: Sequence[list[str]]) -> Cities | None:
    """Return the whole numbers in all ``rows``; None if there is anything else."""
    cells = [cell for row in rows for cell in row]
    if not all(map(_CITY.fullmatch, cells)):
        return None
    return np.array([int(cell.partition(".")[0]) for cell in cells], np.int64)


def _up_to_end(path: Path, numbers: Cities) -> Cities:
    """Return ``numbers`` up to the -1 behind the tour, and the one behind the section."""
    ends = np.flatnonzero(numbers == _END)
    if ends.size:
        if (numbers[ends[0] :] != _END).any():
            raise InstanceError(f"{path}: it has several tours; keep one")
        numbers = numbers[: ends[0]]
    return numbers


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
