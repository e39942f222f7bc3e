"""Tables of places: CSV files with a row for each place, its coordinates and perhaps its name.

What separates columns is the first of tab, semicolon, bar and comma that stands in each of the
first two rows; else it is blanks. A comma inside a number is its decimal mark. The first row is a
header if no number is in it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import math
import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError
from gpu.core.instance import Instance
from gpu.core.words import counted
from gpu.problems.document import in_memory, name_of, plain_name, shortened, stem_of, text_of
from gpu.problems.tsp.globe import metric_and_coordinates
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric
from gpu.problems.tsp.points import LARGEST_COORDINATE, Reals

SUFFIXES = (".csv", ".tsv")
FINEST = 1_000  # units that a table's places span at least, so that rounded lengths still differ
WIDEST = 10_000_000  # units that they span at most for the sake of their decimals

_NUMBER = re.compile(r"[-+]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_KEYWORD = re.compile(rb"\s*[A-Z][A-Z0-9_]*\s*(:|\r?\n|\Z)")
_SEPARATORS = "\t;|,"
_LATITUDES = {"lat", "latitude", "breite", "breitengrad", "latitud", "latitudine"}
_LONGITUDES = {"lon", "lng", "long", "longitude", "länge", "längengrad", "longitud", "longitudine"}
_X = {"x", "xcoord", "coordx", "easting", "east", "rechtswert"}
_Y = {"y", "ycoord", "coordy", "northing", "north", "hochwert"}
_NAMES = (
    *("name", "title", "label", "place", "town", "city", "ort", "stadt", "nom", "ville"),
    *("id", "key", "number", "num", "no", "nr", "n", "index", "order"),
)
"""Of several such columns, the first in this order has the names."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where in a row is what, from 0."""

    first: int  # x, or latitude
    second: int
    name: int | None
    degrees: bool  # whether the header says that they are latitude and longitude


@dataclass
class _Table:
    """What the rows of one file say."""

    path: Path
    way_out: str = ""  # what to do if the numbers are no latitudes and longitudes
    first: array[float] = field(default_factory=lambda: array("d"))
    second: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))  # where each place stands
    names: list[str] = field(default_factory=list)
    decimals: int = 0  # most digits after the point

    def error(self, what: str) -> InstanceError:
        return InstanceError(f"{self.path}: {what}")

    def read(self, text: str) -> _Columns:
        rows = self._rows(text)
        start: list[tuple[int, list[str]]] = []
        for row in rows:
            start.append(row)
            if len(start) == 2:
                break
        if not start:
            raise self.error("it has no rows; a table of places has one for each place")
        has_header = not any(map(_is_number, start[0][1]))
        header = start[0][1] if has_header else []
        if has_header and len(start) < 2:
            raise self.error("it has a header but no places")
        columns = self._columns(header, start[-1][1])
        for line, cells in start[has_header:]:
            self._add(line, cells, columns)
        for line, cells in rows:
            self._add(line, cells, columns)
        return columns

    def _rows(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield number and cells of each row with something in it."""
        hinted = re.match(r"sep=.[\r\n]+", text)  # for spreadsheets
        skipped = 1 if hinted else 0
        text = text[hinted.end() :] if hinted else text
        full = filter(str.strip, io.StringIO(text, newline=None))
        start = list(itertools.islice(full, 2))
        separator = next((one for one in _SEPARATORS if all(one in line for line in start)), "")
        if not separator:
            for number, line in enumerate(io.StringIO(text, newline=None), 1 + skipped):
                if line.strip():
                    yield number, line.split()
            return
        source = io.StringIO(text, newline="")
        reader = csv.reader(source, delimiter=separator, strict=True, skipinitialspace=True)
        try:
            for cells in reader:
                cells = [cell.strip() for cell in cells]
                if any(cells):
                    yield reader.line_num + skipped, cells
        except csv.Error as error:
            at = reader.line_num + skipped
            raise self.error(f"line {at} is no row of a table: {error}") from error

    def _columns(self, header: Sequence[str], sample: Sequence[str]) -> _Columns:
        words = [re.sub(r"\(.*?\)|[^\w]|_", "", cell).casefold() for cell in header]
        numbers = [at for at, cell in enumerate(sample) if _is_number(cell)]
        called = [words.index(name) for name in _NAMES if name in words]
        texts = [at for at, cell in enumerate(sample) if cell and at not in numbers]
        if not header and not texts and len(numbers) > 2 and sample[0].isdecimal():
            numbers = numbers[1:]  # rows as TSPLIB has them begin with the number of the city
        degrees = True
        first, second = (self._one_of(words, one, header) for one in (_LATITUDES, _LONGITUDES))
        if first is None or second is None:
            degrees = False
            first, second = (self._one_of(words, one, header) for one in (_X, _Y))
        if first is None or second is None:
            first, second = [*(at for at in numbers if at not in called), None, None][:2]
        if first is None or second is None:
            raise self.error(
                "it has no two columns of numbers; a table of places has a column for each "
                "coordinate, called x and y, or latitude and longitude"
            )
        names = (at for at in [*called, *texts] if at not in (first, second))
        return _Columns(first, second, next(names, None), degrees)

    def _one_of(
        self, words: Sequence[str], names: Collection[str], header: Sequence[str]
    ) -> int | None:
        """Return the column that has one of ``names``; two of them are refused."""
        found = [at for at, word in enumerate(words) if word in names]
        if len(found) > 1:
            both = " and ".join(shortened(header[at]) for at in found[:2])
            raise self.error(f"its columns {both} mean the same; keep one")
        return found[0] if found else None

    def _add(self, line: int, cells: Sequence[str], columns: _Columns) -> None:
        for at, values in ((columns.first, self.first), (columns.second, self.second)):
            cell = cells[at] if at < len(cells) else ""
            if not _is_number(cell):
                wrong = (
                    f"{shortened(cell)} in column {at + 1} is no number"
                    if cell
                    else (f"there is nothing in column {at + 1}")
                )
                raise self.error(f"line {line}: {wrong}; each place needs two coordinates")
            plain = cell.replace(",", ".")
            value = float(plain)
            if not abs(value) <= LARGEST_COORDINATE:
                raise self.error(f"line {line}: a coordinate is beyond {LARGEST_COORDINATE:g}")
            mantissa = plain.lower().partition("e")[0]
            self.decimals = max(self.decimals, len(mantissa.partition(".")[2].rstrip("0")))
            values.append(value)
        self.lines.append(line)
        name = columns.name
        self.names.append(name_of(cells[name]) if name is not None and name < len(cells) else "")

    def points(self) -> Reals:
        """Both columns, shape (n, 2)."""
        return np.column_stack([np.frombuffer(self.first), np.frombuffer(self.second)])

    def degrees(self, *, known: bool) -> Reals:
        """Latitudes and longitudes, shape (n, 2).

        Unless it is ``known`` which column is which, the one with numbers beyond 90 is the
        longitude, and else the second.
        """
        points = self.points()
        if not known and (np.abs(points[:, 0]) > 90.0).any():
            points = points[:, ::-1].copy()
        for at, (what, most) in enumerate((("latitude", 90.0), ("longitude", 180.0))):
            beyond = np.abs(points[:, at]) > most
            if beyond.any():
                row = int(beyond.argmax())
                raise self.error(
                    f"line {self.lines[row]}: the {what} {points[row, at]:g} is beyond {most:g} "
                    f"degrees{self.way_out}"
                )
        return points


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def is_table(path: Path, data: bytes) -> bool:
    """Whether the file ``data`` at ``path`` is a table of places, or means to be one."""
    if plain_name(path).lower().endswith(SUFFIXES):
        return True
    first = data.lstrip().split(b"\n", 1)[0][:10_000]
    return any(ord(one) in first for one in _SEPARATORS) and not begins_with_keyword(data)


def begins_with_keyword(data: bytes) -> bool:
    """Whether the file ``data`` begins as TSPLIB's do."""
    return _KEYWORD.match(data) is not None


def load_places(path: str | Path, data: bytes, read_as: str = "") -> TspInstance:
    """Load the table of places ``data`` that was at ``path``.

    ``read_as`` says what the coordinates are; by default the header says it. They are numbers in a
    "plane"; latitude and longitude in "degrees"; or, as "geo", these with the distances of
    TSPLIB's GEO, in whole kilometres, also between near places.

    Lengths in the plane count a power of ten of the table's own unit, so that little is lost when
    TSPLIB's rule rounds them. InstanceError if it is no such table, or a row of it is none.
    """
    path = Path(path)
    with in_memory(path):
        table = _Table(path, "; --coordinates plane takes the numbers as they are")
        columns = table.read(text_of(path, data))
        if len(table.names) < 3:
            places = counted(len(table.names), "place")
            raise table.error(f"it has {places}; a tour needs at least 3")
        read_as = read_as or ("degrees" if columns.degrees else "plane")
        if read_as == "plane":
            display = table.points()
            scale = 10.0 ** _exponent(display, table.decimals)
            metric, coordinates = Metric.EUC_2D, display * scale
            unit = "" if scale == 1.0 else f"{1.0 / scale:g} of the table's unit"
        else:
            degrees = table.degrees(known=columns.degrees)
            display = degrees[:, ::-1].copy()
            metric, coordinates, unit = metric_and_coordinates(degrees, geo=read_as == "geo")
        return TspInstance(
            name=name_of(stem_of(path)),
            comment="",
            metric=metric,
            coordinates=frozen(coordinates),
            matrix=None,
            display=frozen(display),
            names=tuple(table.names) if any(table.names) else (),
            geographic=read_as != "plane",
            unit=unit,
            path=path,
            sha256=hashlib.sha256(data).hexdigest(),
            read_as=read_as,
        )


class TablePoints(NamedTuple):
    """The places in a table, and what their numbers can be."""

    plane: Reals  # (n, 2): the numbers as they are
    globe: Reals | None  # longitudes and latitudes; None if a number is beyond their range
    named: bool  # whether the header says that they are latitudes and longitudes


def points_of(path: Path, data: bytes) -> TablePoints:
    """Return the places in the table ``data``; a single one is enough.

    InstanceError if it is no such table, or a latitude or longitude is none.
    """
    table = _Table(path)
    named = table.read(text_of(path, data)).degrees
    try:
        globe = table.degrees(known=named)[:, ::-1].copy()
    except InstanceError:
        if named:
            raise
        globe = None
    return TablePoints(table.points(), globe, named)


def may_be_degrees(instance: Instance) -> bool:
    """Whether places of a table that were read as in a plane may be latitudes and longitudes."""
    if not isinstance(instance, TspInstance) or instance.read_as != "plane":
        return False
    return look_like_degrees(instance.display)


def look_like_degrees(points: Reals) -> bool:
    """Whether numbers, shape (n, 2), look like latitudes and longitudes: by range and decimals."""
    first, second = np.abs(points).max(axis=0)
    fits = max(first, second) <= 180.0 and min(first, second) <= 90.0
    fine = np.mean(points != np.round(points, 1))
    return bool(fits and fine > 0.5 and max(first, second) > 1.0)


def _exponent(points: Reals, decimals: int) -> int:
    """Return the power of ten by which places in the plane are scaled."""
    span = float(np.linalg.norm(np.ptp(points, axis=0)))
    if span == 0.0:
        return 0
    least = math.ceil(math.log10(FINEST / span))
    most = math.floor(math.log10(WIDEST / span))
    return max(0, least, min(decimals, most))
