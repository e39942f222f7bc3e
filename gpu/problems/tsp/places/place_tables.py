"""Places in a table: a row for each, with its coordinates and perhaps its name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpu.core.errors import InstanceError
from gpu.problems.document import in_memory, plain_name
from gpu.problems.input_file import InputFile
from gpu.problems.reading import AS_FOUND, Doubt, FileKind, ReadAs, UnsureError
from gpu.problems.tables.cells import words_of
from gpu.problems.tables.columns import EASTING, LATITUDE, Columns, X, columns_of, named_coordinates
from gpu.problems.tables.table import Table
from gpu.problems.tables.table_files import TABLE_SUFFIXES, table_of
from gpu.problems.tables.text_table import TextTable
from gpu.problems.tsp.distances import (
    Reals,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.places.inhabited import CELL_SIDE, latitude_column, where_people_live
from gpu.problems.tsp.places.place_cells import PlainTable, notes_of, plain_table
from gpu.problems.tsp.places.place_instances import (
    check_count,
    globe_instance,
    plane_instance,
    without_return,
)
from gpu.problems.tsp.places.place_rows import QUARTER, PlaceRows

_GAZETTEER_WIDTH = 12  # columns that it has at least
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FINE_SHARE = 0.5  # of numbers with at least three decimals, as degrees mostly have
_NEARLY_ALL = 0.97  # of the places are where people live, if nothing else says that they are any
_FEWEST_CELLS = 4  # of the map of where people live, so that a guess is no chance


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
        table = plain_table(table or table_of(file))
        columns = place_columns(table, wanted)
        found = PlaceRows.of(table, columns)
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
        return plane_instance(
            file,
            found.in_space()[:n],
            names,
            found.decimals,
            whole=_is_bare(table) and not found.decimals,
            seen=found.said(coordinates),
            notes=notes,
            columns=columns_said,
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


def _lie_where_people_live(found: PlaceRows) -> bool:
    """Whether numbers that look like degrees are so in all likelihood: fine, and on land."""
    points = found.points()
    if np.mean(points != np.round(points, 2)) <= _FINE_SHARE:
        return False
    if len(np.unique(np.floor(points / CELL_SIDE), axis=0)) < _FEWEST_CELLS:
        return False
    turned = found.on_globe()
    if turned.columns.means != X and turned is found and not (np.abs(points) > QUARTER).any():
        first = latitude_column(points)
        if first is None:
            return False
        turned = found if first == 0 else found.turned()
    return where_people_live(turned.points(), _NEARLY_ALL)


def _in_order(found: PlaceRows, read_as: ReadAs, coordinates: str) -> PlaceRows:
    """Return the places with the latitude first, if that was not said.

    UnsureError if either column may be it.
    """
    table, columns = found.table, found.columns
    if columns.ordered or columns.means == X or (np.abs(found.points()) > QUARTER).any():
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


def _swapped(found: PlaceRows, degrees: Reals) -> list[str]:
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
    table = plain_table(table_of(InputFile(path, data)))
    found = PlaceRows.of(table, place_columns(table, ""))
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


def _is_bare(table: Table) -> bool:
    """Whether ``table`` has rows of numbers alone, as programs for tours write instances.

    A table with a header, or that is called one (.csv), has its own unit instead.
    """
    named = plain_name(table.path).lower().endswith(TABLE_SUFFIXES)
    return isinstance(table, TextTable) and not table.header and not table.texts and not named
