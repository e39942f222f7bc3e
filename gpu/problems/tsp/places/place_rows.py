"""Rows of places in a table: the numbers in them, and what their marks tell."""

from __future__ import annotations

import itertools
import re
from array import array
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpu.core.words import counted
from gpu.problems.document import name_of, shortened
from gpu.problems.tables.cells import GROUPED, is_number
from gpu.problems.tables.columns import LATITUDE, Columns, X
from gpu.problems.tables.table import Table
from gpu.problems.tsp.distances import LARGEST_COORDINATE, Reals
from gpu.problems.tsp.places.place_instances import check_degrees

_ROWS_AT_ONCE = 1_000
_WHOLE_NUMBERS = re.compile(r"[-+]?[0-9]{1,15}(?:\n[-+]?[0-9]{1,15})*")
_PLAIN_NUMBERS = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:\n[-+]?[0-9]+(?:\.[0-9]+)?)*")
QUARTER, _HALF = 90.0, 180.0  # degrees: the largest latitude and longitude


@dataclass
class PlaceRows:
    """What the rows of one table say."""

    table: Table
    columns: Columns
    thousands: str = ""  # what separates them in its numbers
    first: array[float] = field(default_factory=lambda: array("d"))
    second: array[float] = field(default_factory=lambda: array("d"))
    third: array[float] = field(default_factory=lambda: array("d"))  # z, if there is a column of it
    lines: array[int] = field(default_factory=lambda: array("q"))  # where each place stands
    names: list[str] = field(default_factory=list)
    decimals: int = 0  # most digits after the point
    marks: set[str] = field(default_factory=set)  # a point, a comma, or both
    grouped: bool = True  # whether all numbers with a mark have it before three digits
    twice: bool = False  # whether a number has two marks, so that they separate thousands
    round: bool = False  # whether such a number ends with 0
    largest: int = -1  # of the numbers without a mark; -1 if there is none
    longer: int = 0  # rows whose name goes on behind the header's last column

    @classmethod
    def of(cls, table: Table, columns: Columns) -> PlaceRows:
        """Read all rows; InstanceError if one of them has no coordinates."""
        found = cls(table, columns)
        found._read()
        if found._has_thousands():
            found = cls(table, columns, thousands=found.marks.pop())
            found._read()
        return found

    def _read(self) -> None:
        rows = self.table.data_rows()
        while block := list(itertools.islice(rows, _ROWS_AT_ONCE)):
            if self._add_plain(block):
                continue
            for line, cells in block:
                self._add(line, cells)

    def _add_plain(self, block: list[tuple[int, list[str]]]) -> bool:
        """Add rows at once whose numbers are as most programs write them; else do nothing.

        That is right where their marks tell nothing new, and much faster.
        """
        columns = [
            [cells[at] if at < len(cells) else "" for _, cells in block] for at, _ in self._numbers
        ]
        texts = ["\n".join(cells) for cells in columns]
        whole = all(map(_WHOLE_NUMBERS.fullmatch, texts))
        if self.thousands or not (whole or all(map(_PLAIN_NUMBERS.fullmatch, texts))):
            return False
        if not whole and self.grouped:
            return False
        if any(text.count("\n") >= len(block) for text in texts):  # within a cell
            return False
        values = [array("d", map(float, cells)) for cells in columns]
        largest = max(max(map(abs, one)) for one in values)
        if not largest <= LARGEST_COORDINATE:
            return False
        for (_, kept), one in zip(self._numbers, values, strict=True):
            kept.extend(one)
        if whole:
            self.largest = max(self.largest, min(int(largest), 1_000))
        else:
            fractions = (cell.partition(".")[2] for cells in columns for cell in cells)
            self.decimals = max(self.decimals, *(len(one.rstrip("0")) for one in fractions))
        self.lines.extend(line for line, _ in block)
        self.names.extend(self._name(cells) for _, cells in block)
        return True

    def _add(self, line: int, cells: list[str]) -> None:
        columns = self.columns
        for at, values in self._numbers:
            cell = cells[at] if at < len(cells) else ""
            if not is_number(cell):
                wrong = (
                    f"{shortened(cell)} in column {at + 1} is no number"
                    if cell
                    else (f"there is nothing in column {at + 1}")
                )
                needs = ("two", "three")[len(self._numbers) - 2]
                raise self.table.error(
                    f"line {line}: {wrong}; each place needs {needs} coordinates"
                    + ("; with --columns, two count" if columns.third is not None else "")
                )
            value = self._value(cell)
            if not abs(value) <= LARGEST_COORDINATE:
                raise self.table.error(
                    f"line {line}: a coordinate is beyond {LARGEST_COORDINATE:g}"
                )
            values.append(value)
        self.lines.append(line)
        self.names.append(self._name(cells))

    def _name(self, cells: list[str]) -> str:
        name = self.columns.name
        if name is None or name >= len(cells):
            return ""
        if name == self._last and any(cells[name + 1 :]):
            self.longer += 1
            return name_of(f"{self.table.separator} ".join(cells[name:]).rstrip(" ,;|"))
        return name_of(cells[name])

    @cached_property
    def _numbers(self) -> list[tuple[int, array[float]]]:
        """Columns of numbers, and where these are kept."""
        one = self.columns
        pairs = [(one.first, self.first), (one.second, self.second)]
        return pairs if one.third is None else [*pairs, (one.third, self.third)]

    @cached_property
    def _last(self) -> int:
        """The header's last column; cells behind it belong to a name with commas in it."""
        return len(self.table.header) - 1 if self.table.separator else -1

    def _value(self, cell: str) -> float:
        if self.thousands:
            return float(cell.replace(self.thousands, ""))
        plain = cell.replace(",", ".")
        _, _, fraction = plain.partition(".")
        if "e" in fraction or "E" in fraction:
            fraction = fraction.lower().partition("e")[0]
        if len(fraction) > self.decimals:
            self.decimals = max(self.decimals, len(fraction.rstrip("0")))
        if self.grouped:
            self._weigh(cell)
        if "." in fraction:
            self.twice = True
            return float(plain.replace(".", ""))
        return float(plain)

    def _weigh(self, cell: str) -> None:
        """Note what ``cell`` tells of points and commas: whether they may separate thousands."""
        digits = cell.lstrip("+-")
        if digits.isdigit():
            self.largest = max(self.largest, min(int(digits[:20]), 1_000))
            return
        self.marks.update(mark for mark in ".," if mark in cell)
        self.grouped = GROUPED.fullmatch(cell) is not None
        self.round |= cell.endswith("0")

    def _has_thousands(self) -> bool:
        """Whether the marks in numbers separate thousands, as "1,250" does beside "987"."""
        if self.twice and not (self.grouped and len(self.marks) == 1):
            raise self.table.error(
                "some of its numbers have several points or commas; write them with a point before "
                "decimals, and with nothing between thousands"
            )
        if not self._may_have_thousands():
            return False
        if self.twice or self.marks == {"."}:
            return self.twice or (self.round and 100 <= self.largest < 1_000)
        return self.table.separator == "," if self.largest < 0 else self.largest < 1_000

    def _may_have_thousands(self) -> bool:
        if self.columns.means == LATITUDE or not self.grouped or len(self.marks) != 1:
            return False
        usual = self.marks == {"."} and (self.largest < 0 or self.table.separator == ",")
        return self.twice or not usual

    def notes(self) -> list[str]:
        """What the user should know of the numbers and names."""
        pieces = []
        if self.longer:
            pieces.append(
                f"{counted(self.longer, 'row')} with more cells than the header, taken for the "
                "end of the name; quotes around a name would say so"
            )
        if self.thousands or self._may_have_thousands():
            marks = "commas" if "," in (self.thousands, *self.marks) else "points"
            what = "separate thousands" if self.thousands else "stand before decimals"
            return [f"it is assumed that the {marks} in its numbers {what}", *pieces]
        return pieces

    def said(self, coordinates: str) -> str:
        """Say how many places there are, and what each column was taken for."""
        table, columns = self.table, self.columns
        first, second = ("x", "y") if coordinates == "plane" else ("latitude", "longitude")
        parts = [
            f"{first} is {table.called(columns.first)}",
            f"{second} {table.called(columns.second)}",
        ]
        if columns.third is not None and coordinates == "plane":
            parts.append(f"z {table.called(columns.third)}")
        if columns.name is not None:
            parts.append(f"the name {table.called(columns.name)}")
        return f"a table of {counted(len(self.names), 'place')}: {', '.join(parts)}"

    def points(self) -> Reals:
        """Both columns, shape (n, 2)."""
        return np.column_stack([np.frombuffer(self.first), np.frombuffer(self.second)])

    def in_space(self) -> Reals:
        """All columns of coordinates, shape (n, 3) if there is one of z."""
        return np.column_stack([np.frombuffer(values) for _, values in self._numbers])

    def degrees(self, way_out: str = "") -> Reals:
        """Latitudes and longitudes, shape (n, 2), of columns in that order.

        InstanceError if a number is beyond their range; ``way_out`` says what to do then.
        """
        points = self.points()
        points[self._beyond_180(), 1] -= 2 * _HALF
        check_degrees(self.table, points, self.where, way_out)
        return points

    def _beyond_180(self) -> NDArray[np.bool_]:
        """Which longitudes go on eastwards to 360 degrees, if they are counted so.

        A single one is rather a mistake.
        """
        east = np.frombuffer(self.second)
        found: NDArray[np.bool_] = (east > _HALF) & (east <= 2 * _HALF)
        found &= bool(found.sum() > 1 and east.min() >= 0.0)
        return found

    def beyond_180(self) -> list[str]:
        """Return what to say of longitudes of more than 180 degrees."""
        count = int(self._beyond_180().sum())
        some = counted(count, "longitude")
        return [f"{some} of more than 180 degrees: they are counted to 360"] if count else []

    def where(self, row: int) -> str:
        """Return where the place ``row`` stands, in words."""
        return f"line {self.lines[row]}"

    def on_globe(self) -> PlaceRows:
        """The same with the latitude first: what is called y, or has no numbers beyond 90."""
        columns = self.columns
        beyond = not columns.ordered and (np.abs(np.frombuffer(self.first)) > QUARTER).any()
        return self.turned() if columns.means == X or beyond else self

    def turned(self) -> PlaceRows:
        """The same with the other column first."""
        return replace(self, columns=self.columns.turned, first=self.second, second=self.first)

    def as_said(self) -> PlaceRows:
        """The same where it is known which column comes first."""
        return replace(self, columns=replace(self.columns, ordered=True))

    def way_out(self) -> str:
        """Say what to do if a latitude or longitude is beyond its range."""
        points = np.abs(self.points())
        if 2 * (points[:, 0] > QUARTER).sum() > len(points) and (points[:, 1] <= QUARTER).all():
            return "; are the headings of latitude and longitude swapped?"
        return "; --coordinates plane takes the numbers as they are"
