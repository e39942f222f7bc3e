"""Columns of coordinates and names: the header says which, the cells, or the user."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from gpu.problems.document import shortened
from gpu.problems.tables.cells import words_of
from gpu.problems.tables.table import Table

_FINE = re.compile(r"[-+]?[0-9]{1,3}[.,][0-9]{3,}")
LATITUDES = {
    *("lat", "latitude", "latitud", "latitudine", "breite", "breitengrad", "breedtegraad"),
    *("breddegrad", "breddgrad", "enlem", "szélesség", "intptlat", "lattitude", "phi", "φ"),
    *("szerokość", "широта", "纬度", "緯度", "위도"),
}
LONGITUDES = {
    *("lon", "lng", "long", "longitude", "longitud", "longitudine", "länge", "längengrad"),
    *("lengtegraad", "lengdegrad", "længdegrad", "längdgrad", "boylam", "hosszúság", "intptlong"),
    *("intptlon", "longtitude", "lambda", "λ", "długość", "долгота", "经度", "経度", "경도"),
}
_X = {"x", "xcoord", "coordx", "xcoordinate", "xpos", "posx"}
_Y = {"y", "ycoord", "coordy", "ycoordinate", "ypos", "posy"}
_Z = {"z", "zcoord", "coordz", "zcoordinate", "zpos", "posz"}
_EASTINGS = {"easting", "east", "rechtswert"}
_NORTHINGS = {"northing", "north", "hochwert"}
LATITUDE, X, EASTING = "latitude", "x", "easting"
_PAIRS = (
    (LATITUDE, LATITUDES, LONGITUDES),
    (X, _X, _Y),
    (EASTING, _EASTINGS, _NORTHINGS),
)

_BESIDE_NAMES = {
    *("gps", "geo", "stop", "city", "node", "place", "point", "location", "loc", "map", "centroid"),
    *("coord", "coordinate", "coordinates", "pos", "position", "deg", "degree", "degrees", "dd"),
    *("geogr", "geographische", "geographischer", "dezimal", "grad", "degré", "degrés", "grados"),
    *("decimal", "wgs84", "wgs", "utm", "m", "km", "ft", "mm", "px", "in", "n", "e", "geographic"),
}
"""Words that may stand beside such a word in a header: gps_lat, stop_lon, x coordinate."""

_NAME_COLUMNS = (
    *("name", "title", "label", "place", "town", "city", "ort", "stadt", "nom", "ville"),
    *("id", "key", "number", "num", "no", "nr", "n", "index", "order"),
)
"""Of several such columns, the first in this order has the names."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where in a row is what, from 0."""

    first: int  # x, or latitude
    second: int
    name: int | None
    means: str = ""  # what header or user call the first one: LATITUDE, X, EASTING, or nothing
    ordered: bool = False  # whether it is said which one comes first
    names_said: bool = False  # whether the user has said where names are
    third: int | None = None  # z, if the header has it beside x and y

    def said(self) -> str:
        """Return the columns as ``--columns`` takes them, from 1: that of names if it was said."""
        both = f"{self.first + 1},{self.second + 1}"
        return f"{both},{self.name + 1}" if self.names_said and self.name is not None else both

    @property
    def turned(self) -> Columns:
        """The same with the other one first."""
        return replace(self, first=self.second, second=self.first)


def _means(cell: str, names: Collection[str]) -> bool:
    """Whether the cell of a header is one of ``names``, with nothing but neutral words beside."""
    words = words_of(cell)
    whole = max(words, key=len, default="")
    if whole in names:
        return True
    return bool(words & {*names}) and words - {whole} <= {*names} | _BESIDE_NAMES


def named_coordinates(table: Table) -> Columns | None:
    """Return the columns that the header of ``table`` calls coordinates; None if it has no such.

    InstanceError if two of them mean the same.
    """
    if not table.header:
        return None
    for means, *names in _PAIRS:
        first, second = (_one_of(table, one) for one in names)
        if first is not None and second is not None:
            third = _one_of(table, _Z) if means == X else None
            taken = [at for at in (first, second, third) if at is not None]
            name = _name_column(table, taken)
            return Columns(first, second, name, means, ordered=True, third=third)
    return None


def _one_of(table: Table, names: Collection[str]) -> int | None:
    """Return the column that has one of ``names``; two of them are refused."""
    found = [at for at, cell in enumerate(table.header) if _means(cell, names)]
    if len(found) > 1:
        both = " and ".join(shortened(table.header[at]) for at in found[:2])
        raise table.error(
            f"its columns {both} mean the same; keep one, or say with --columns which two count"
        )
    return found[0] if found else None


def _name_column(table: Table, taken: Sequence[int]) -> int | None:
    words = ["".join(re.findall(r"[^\W_]+", cell)).casefold() for cell in table.header]
    called = [words.index(name) for name in _NAME_COLUMNS if name in words]
    texts = [at for at in called if at not in table.numeric]  # a number is a name for want of one
    return next((at for at in [*texts, *table.texts, *called] if at not in taken), None)


def columns_of(table: Table, wanted: str = "") -> Columns:
    """Return the columns of ``table`` that the user ``wanted``, or else those that are sure.

    ``wanted`` has two columns, by name or number from 1: of x and y, or of latitude and longitude;
    the header's own names go before this order. InstanceError if two columns cannot be told.
    """
    if not table.sample:
        what = "a header but no places" if table.header else "no rows"
        raise table.error(f"it has {what}; a table of places has a row for each place")
    if wanted:
        return _wanted(table, wanted)
    if found := named_coordinates(table):
        return found
    numeric = _without_count(table)
    if len(numeric) < 2:
        lacks = "it has no two columns of numbers"
        if not numeric and len(table.texts) == 2:
            lacks = (
                "it has two columns of names, and no coordinates: say --read-as edges if they are "
                "the edges of a graph; a geocoding service finds the coordinates of addresses"
            )
        elif not numeric:
            lacks = "it has names or addresses, but no coordinates: a geocoding service finds those"
        raise table.error(
            f"{lacks}; a table of places has a column for each coordinate, called x and y, or "
            "latitude and longitude"
        )
    if table.header:
        some = ", ".join(map(shortened, table.header[:4])) + (", …" * (len(table.header) > 4))
        raise table.error(
            f"none of its columns is called x and y, or latitude and longitude: it has {some[:160]}"
            "; name two of them so, or say with --columns which two count"
        )
    if len(numeric) > 2 and (fine := _with_decimals(table, numeric)):
        numeric = fine
    if len(numeric) > 2:
        raise table.error(
            f"it has {len(numeric):,} columns of numbers, and no header that says which are "
            "coordinates; add one with x and y, or latitude and longitude, or say with --columns "
            "which two count"
        )
    first, second = numeric
    return Columns(first, second, _name_column(table, numeric))


def _with_decimals(table: Table, numeric: list[int]) -> list[int]:
    """Return the only two columns with at least three decimals if they are neighbours, or none.

    Where others have whole numbers, as a dump of a gazetteer has, they are the coordinates.
    """
    some = range(len(table.sample))
    fine = [
        at
        for at in numeric
        if 2 * sum(1 for row in some if _FINE.fullmatch(_cell_at(table, row, at))) > len(some)
    ]
    return fine if len(fine) == 2 and fine[1] - fine[0] == 1 else []


def _cell_at(table: Table, row: int, at: int) -> str:
    cells = table.sample[row]
    return cells[at] if at < len(cells) else ""


def _without_count(table: Table) -> list[int]:
    """Return the columns of numbers, without one of three that only numbers the rows."""
    numeric = table.numeric
    if len(numeric) != 3 or table.header:
        return numeric
    for at in (0, -1):
        cells = [row[numeric[at]] if numeric[at] < len(row) else "" for row in table.sample]
        if not all(cell.isascii() and cell.isdigit() and len(cell) < 19 for cell in cells):
            continue
        steps = {int(after) - int(one) for one, after in itertools.pairwise(cells)}
        if steps <= {1} or (at == 0 and min(steps) > 0):
            return [one for one in numeric if one != numeric[at]]
    return numeric


def wanted_columns(table: Table, wanted: str, what: str) -> list[int]:
    """Return the two or three columns that the user ``wanted``, by name or number from 1.

    InstanceError if there are no such; ``what`` says what they can be.
    """
    parts = [part.strip() for part in wanted.split(",")]
    found = [at for part in parts if (at := _column(table, part)) is not None]
    width = max(map(len, table.sample), default=0)
    count = len(parts)
    if count not in (2, 3) or len({*found}) != count or max(found) >= width:
        raise table.error(
            f"--columns {shortened(wanted)} does not name two of its {width:,} columns, or a third "
            f"one {what}; say their names or numbers, as in --columns 2,3"
        )
    return found


def _wanted(table: Table, wanted: str) -> Columns:
    found = wanted_columns(table, wanted, "with names")
    count = len(found)
    first, second = found[:2]
    name = found[2] if count == 3 else _name_column(table, found)
    named = Columns(first, second, name, ordered=True, names_said=count == 3)
    header = [table.header[at] if at < len(table.header) else "" for at in found[:2]]
    for means, *names in _PAIRS:
        for order, cells in ((named, header), (named.turned, header[::-1])):
            if all(_means(cell, one) for cell, one in zip(cells, names, strict=True)):
                return replace(order, means=means)
    return named


def _column(table: Table, part: str) -> int | None:
    """Return the column with this name or number, from 0."""
    if part in table.header:
        return table.header.index(part)
    is_number = part.isascii() and part.isdigit() and len(part) < 10 and int(part) > 0
    return int(part) - 1 if is_number else None
