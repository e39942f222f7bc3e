"""Places in a table: a row for each, with its coordinates and perhaps its name."""

from __future__ import annotations

import itertools
import math
import re
from array import array
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError
from gpu.core.words import counted
from gpu.problems.document import in_memory, name_of, plain_name, shortened
from gpu.problems.input_file import InputFile
from gpu.problems.quantities import unit_of
from gpu.problems.reading import AS_FOUND, Doubt, FileKind, ReadAs, UnsureError
from gpu.problems.table import (
    EASTING,
    GROUPED,
    LATITUDE,
    TABLE_SUFFIXES,
    Columns,
    Table,
    TextTable,
    X,
    columns_of,
    is_number,
    named_coordinates,
    words_of,
)
from gpu.problems.tsp.distances import (
    LARGEST_COORDINATE,
    LARGEST_DISTANCE,
    Metric,
    Reals,
    longest_possible,
)
from gpu.problems.tsp.globe import (
    at_the_same_spot,
    check_count,
    check_degrees,
    globe_instance,
    without_return,
)
from gpu.problems.tsp.inhabited import CELL_SIDE, latitude_column, where_people_live
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.place_cells import PlainTable, notes_of, plain_table

TABLE_FINEST = (
    1_000  # units that a table's places span at least, so that rounded lengths still differ
)
_ROWS_AT_ONCE = 1_000
_WHOLE_NUMBERS = re.compile(r"[-+]?[0-9]{1,15}(?:\n[-+]?[0-9]{1,15})*")
_PLAIN_NUMBERS = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:\n[-+]?[0-9]+(?:\.[0-9]+)?)*")
_GAZETTEER_WIDTH = 12  # columns that it has at least
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_QUARTER, _HALF = 90.0, 180.0  # degrees: the largest latitude and longitude
_FINE_SHARE = 0.5  # of numbers with at least three decimals, as degrees mostly have
_NEARLY_ALL = 0.97  # of the places are where people live, if nothing else says that they are any
_FEWEST_CELLS = 4  # of the map of where people live, so that a guess is no chance
TABLE_WIDEST = 10_000_000  # units that they span at most for the sake of their decimals


@dataclass
class _Places:
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
    def of(cls, table: Table, columns: Columns) -> _Places:
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
                    + ("; --columns takes two of them" if columns.third is not None else "")
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

    def on_globe(self) -> _Places:
        """The same with the latitude first: what is called y, or has no numbers beyond 90."""
        columns = self.columns
        beyond = not columns.ordered and (np.abs(np.frombuffer(self.first)) > _QUARTER).any()
        return self.turned() if columns.means == X or beyond else self

    def turned(self) -> _Places:
        """The same with the other column first."""
        return replace(self, columns=self.columns.turned, first=self.second, second=self.first)

    def as_said(self) -> _Places:
        """The same where it is known which column comes first."""
        return replace(self, columns=replace(self.columns, ordered=True))

    def way_out(self) -> str:
        """Say what to do if a latitude or longitude is beyond its range."""
        points = np.abs(self.points())
        if 2 * (points[:, 0] > _QUARTER).sum() > len(points) and (points[:, 1] <= _QUARTER).all():
            return "; are the headings of latitude and longitude swapped?"
        return "; --coordinates plane takes the numbers as they are"


def load_places(
    path: str | Path, data: bytes, read_as: ReadAs = AS_FOUND, table: Table | None = None
) -> TspInstance:
    """Load the table of places ``data`` that was at ``path``, and is given if it is known.

    ``read_as`` says what the coordinates are; by default the header says it. They are numbers in a
    "plane"; latitude and longitude in "degrees"; or, as "geo", these with the distances of
    TSPLIB's GEO, in whole kilometres, also between near places. Its columns are those of x and y,
    or of latitude and longitude.

    Lengths in the plane count a power of ten of the table's own unit, so that little is lost when
    TSPLIB's rule rounds them. InstanceError if it is no such table, or a row of it is none;
    UnsureError if it can be read in two ways.
    """
    path = Path(path)
    file = InputFile(path, data, read_as)
    with in_memory(path):
        coordinates, wanted = read_as.coordinates, read_as.columns
        table = plain_table(table or Table.of(file))
        columns = place_columns(table, wanted)
        found = _Places.of(table, columns)
        check_count(table, "place", len(found.names))
        _check_zones(table, columns)
        guess = ""  # what shows that these are degrees, if nothing says it
        if not coordinates:
            coordinates = "plane"
            if columns.means == LATITUDE or has_signs(table):
                coordinates = "degrees"
            elif columns.means in ("", X) and look_like_degrees(found.points()):
                if not _lie_where_people_live(found):
                    raise _of_unsure_kind(table, read_as, columns.said() if wanted else "")
                coordinates, guess = "degrees", "taken for degrees, as they lie where people live"
        if coordinates != "plane":
            found = found.on_globe()
            ordered = _in_order(found, read_as, coordinates)
            wanted = wanted or (ordered.columns.said() if ordered is not found else "")
            found = ordered
        names, notes = found.names, [*found.notes(), *notes_of(table)]
        n, again = without_return(found.points(), names)
        names, notes = names[:n], [*notes, *again]
        columns_said = found.columns.said() if wanted else ""
        if coordinates != "plane":
            degrees = found.degrees(found.way_out())[:n]
            return globe_instance(
                file,
                degrees,
                names,
                found.where,
                seen="; ".join(filter(None, [found.said(coordinates), guess])),
                notes=[*notes, *found.beyond_180(), *_swapped(found, degrees)],
                columns=columns_said,
            )
        display, points = found.points()[:n], found.in_space()[:n]
        flat = points.shape[1] == display.shape[1]
        measured, about = plane_coordinates(points, found.decimals)
        if is_bare(table) and not found.decimals:
            measured, about = points, {"decimals": 0}
            rounded = ", distances are rounded to whole numbers, as TSPLIB's EUC_2D"
        elif about["decimals"]:
            rounded = f", distances are rounded to {10.0 ** -about['decimals']:g}"
        else:
            rounded = ""
        metric = Metric.EUC_2D if flat else Metric.EUC_3D
        if longest_possible(metric, measured) > LARGEST_DISTANCE:
            raise file.error(
                f"its places lie too far apart: distances may exceed {LARGEST_DISTANCE}; scale "
                "them down"
            )
        return TspInstance(
            name=name_of(file.stem),
            comment="",
            metric=metric,
            coordinates=frozen(measured),
            matrix=None,
            display=frozen(display),
            names=tuple(names) if any(names) else (),
            **about,
            seen=f"{found.said(coordinates)}{rounded}",
            unit=unit_of(read_as.unit) if read_as.unit else "",
            note="; ".join([*notes, *at_the_same_spot(points)]),
            path=path,
            sha256=file.sha256,
            read_as=_as(read_as, coordinates, columns_said),
        )


def _as(read_as: ReadAs, coordinates: str, columns: str = "") -> str:
    """Return how a table is read, as an instance and its log keep it."""
    return str(replace(read_as, kind=FileKind.PLACES, coordinates=coordinates, columns=columns))


def _of_unsure_kind(table: Table, read_as: ReadAs, columns: str) -> UnsureError:
    """Return the refusal of numbers that may be places on the globe; ``columns`` are wanted."""
    return UnsureError(
        f"{table.path}: its numbers may be latitudes and longitudes: say --coordinates degrees or "
        "--coordinates plane (in Python read_as), or call its columns latitude and longitude, or "
        "easting and northing",
        Doubt(
            f"Are the numbers in {table.path.name} latitudes and longitudes?",
            taken=("Plain numbers", _as(read_as, "plane", columns)),
            other=("Latitudes and longitudes", _as(read_as, "degrees", columns)),
        ),
    )


def place_columns(table: Table, wanted: str) -> Columns:
    """Return where the coordinates are: the user, the header or signs in the cells say it."""
    found = table.coordinates if isinstance(table, PlainTable) else _of_gazetteer(table)
    if wanted or found is None or named_coordinates(table) is not None:
        return columns_of(table, wanted)
    return found


def _check_zones(table: Table, columns: Columns) -> None:
    """Raise InstanceError if eastings and northings are of several zones."""
    heads = [words_of(cell) for cell in table.header]
    at = next((at for at, words in enumerate(heads) if "zone" in words), None)
    if columns.means != EASTING or at is None:
        return
    zones = sorted({cells[at] for _, cells in table.data_rows() if at < len(cells)})
    if len(zones) > 1:
        raise table.error(
            f"its places are in {len(zones)} zones ({', '.join(zones)[:60]}), between which there "
            "are no distances: convert them to latitude and longitude"
        )


def _of_gazetteer(table: Table) -> Columns | None:
    """Return where the coordinates are in a dump of GeoNames; None if ``table`` is none.

    It has no header: number, three kinds of names, latitude and longitude; at its end are the zone
    of time and a date.
    """
    rows = table.sample
    if table.header or not rows or not all(len(row) >= _GAZETTEER_WIDTH for row in rows):
        return None
    if not all(row[0].isdigit() and "/" in row[-2] and _DATE.fullmatch(row[-1]) for row in rows):
        return None
    return Columns(4, 5, 1, LATITUDE, ordered=True)


def has_signs(table: Table) -> bool:
    """Whether signs of degrees, or letters of directions, are in the cells."""
    return isinstance(table, PlainTable) and table.degrees


def _lie_where_people_live(found: _Places) -> bool:
    """Whether numbers that look like degrees are so in all likelihood: fine, and on land."""
    points = found.points()
    if np.mean(points != np.round(points, 2)) <= _FINE_SHARE:
        return False
    if len(np.unique(np.floor(points / CELL_SIDE), axis=0)) < _FEWEST_CELLS:
        return False
    turned = found.on_globe()
    if turned.columns.means != X and turned is found and not (np.abs(points) > _QUARTER).any():
        first = latitude_column(points)
        if first is None:
            return False
        turned = found if first == 0 else found.turned()
    return where_people_live(turned.points(), _NEARLY_ALL)


def _in_order(found: _Places, read_as: ReadAs, coordinates: str) -> _Places:
    """Return the places with the latitude first, if that was not said.

    UnsureError if either column may be it.
    """
    table, columns = found.table, found.columns
    if columns.ordered or columns.means == X or (np.abs(found.points()) > _QUARTER).any():
        return found
    first = latitude_column(found.points())
    if first is not None:
        return found.as_said() if first == 0 else found.turned().as_said()
    one, other = columns.said(), columns.turned.said()
    names = table.called(columns.first), table.called(columns.second)
    raise UnsureError(
        f"{table.path}: which column is the latitude is not said: say --columns {one} if it is "
        f"{names[0]}, or --columns {other}",
        Doubt(
            f"In {table.path.name}, {names[0]} is taken for latitude, as {found.first[0]:g} in the "
            f"first row. Is it {names[1]}, as {found.second[0]:g}?",
            taken=(f"No, {names[0]}", _as(read_as, coordinates, one)),
            other=(f"Yes, {names[1]}", _as(read_as, coordinates, other)),
        ),
    )


def _swapped(found: _Places, degrees: Reals) -> list[str]:
    """Return what to say of places that the header may have called the wrong way round."""
    if not found.columns.ordered or latitude_column(degrees) != 1:
        return []
    return [
        "latitude and longitude may have changed places: read the other way round, its places lie "
        "where people live"
    ]


class TablePoints(NamedTuple):
    """The places in a table, and what their numbers can be."""

    plane: Reals  # (n, 2): the numbers as they are
    globe: Reals | None  # longitudes and latitudes; None if a number is beyond their range
    named: bool  # whether the header says that they are latitudes and longitudes
    latitude: str  # which column the latitudes are


def points_of(path: Path, data: bytes) -> TablePoints:
    """Return the places in the table ``data``; a single one is enough.

    InstanceError if it is no such table, or a latitude or longitude is none.
    """
    table = plain_table(Table.of(InputFile(path, data)))
    found = _Places.of(table, place_columns(table, ""))
    named = found.columns.means == LATITUDE
    on_globe = found.on_globe()
    try:
        globe = on_globe.degrees()[:, ::-1].copy()
    except InstanceError:
        if named:
            raise
        globe = None
    return TablePoints(found.points(), globe, named, table.called(on_globe.columns.first))


def look_like_degrees(points: Reals) -> bool:
    """Whether numbers, shape (n, 2), look like latitudes and longitudes: by range and decimals."""
    first, second = np.abs(points).max(axis=0)
    fits = max(first, second) <= 180.0 and min(first, second) <= 90.0
    fine = np.mean(points != np.round(points, 1))
    return bool(fits and fine > 0.5 and max(first, second) > 1.0)


def is_bare(table: Table) -> bool:
    """Whether ``table`` has rows of numbers alone, as programs for tours write instances.

    A table with a header, or that is called one (.csv), has its own unit instead.
    """
    named = plain_name(table.path).lower().endswith(TABLE_SUFFIXES)
    return isinstance(table, TextTable) and not table.header and not table.texts and not named


def plane_coordinates(points: Reals, decimals: int) -> tuple[Reals, dict[str, Any]]:
    """Return places in the plane or in space, so large that little is lost by rounding lengths.

    They are (n, 2) or (n, 3), and have so many ``decimals``. Also in what lengths count then, as
    fields of an instance.
    """
    counted = _exponent(points, decimals)
    return points * 10.0**counted, {"decimals": counted}


def _exponent(points: Reals, decimals: int) -> int:
    """Return the power of ten by which places in the plane are scaled."""
    span = float(np.linalg.norm(np.ptp(points, axis=0)))
    if span == 0.0:
        return 0
    least = math.ceil(math.log10(TABLE_FINEST / span))
    most = math.floor(math.log10(TABLE_WIDEST / span))
    return max(0, least, min(decimals, most))
