"""What a file shows before it is read: its first rows, and what can be said of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gpu.core.errors import InstanceError
from gpu.problems.document import encoding_of, in_utf8
from gpu.problems.input_file import InputFile
from gpu.problems.loading import recognise
from gpu.problems.reading import AS_FOUND, SEPARATOR_NAMES, FileKind, ReadAs
from gpu.problems.table_kinds import SeenTable, seen_as
from gpu.problems.tables.binary_tables import is_binary_table, sheet_names
from gpu.problems.tables.cells import is_number
from gpu.problems.tables.columns import LATITUDE, X
from gpu.problems.tables.dialect import has_decimal_commas
from gpu.problems.tables.table import Table
from gpu.problems.tables.table_files import table_of
from gpu.problems.tables.text_table import TextTable
from gpu.problems.tsp.places.place_cells import plain_table
from gpu.problems.tsp.places.place_tables import has_signs, place_columns

PREVIEW_ROWS = 12
_MOST_COLUMNS = 60
_LONGEST_CELL = 60


@dataclass(frozen=True, slots=True)
class FilePreview:
    """What a user is shown of a file, and what can be said of it."""

    title: str  # what its format is, in words
    kinds: tuple[FileKind, ...]  # what it can be of; one alone need not be said
    settings: frozenset[str] = frozenset()  # names of fields of ReadAs that can be said
    rows: Sequence[Sequence[str]] = ()  # the first ones, with the header
    kind: FileKind | None = None  # what they are taken for
    roles: Sequence[str] = ()  # what each column is taken for; empty where for nothing
    headers: Sequence[str] = ()  # the names of columns, where the first row has them
    separator: str = ""  # that was found, in words
    decimal: str = ""  # the sign before decimals that was found; empty where there are none
    encoding: str = ""  # that was found, as Python calls it
    sheets: Sequence[str] = ()  # names of those of a spreadsheet, or of arrays
    problem: str = ""  # why there are no rows

    @property
    def width(self) -> int:
        """How many columns there are."""
        return max(map(len, self.rows), default=0)


def preview(path: Path, data: bytes, read_as: ReadAs = AS_FOUND) -> FilePreview:
    """Return what the unpacked ``data`` of the file at ``path`` show, read in this way.

    InstanceError if it is none of the kind that the user says.
    """
    file = InputFile(path, in_utf8(path, data, read_as.encoding), read_as)
    found = recognise(file)
    binary = is_binary_table(file.data)
    settings = {"encoding"} if not binary and file.text is not None else set[str]()
    if len(found.kinds) < 2 and read_as.kind is None:  # it says itself what is in it
        return FilePreview(found.title, found.kinds, frozenset(settings))
    settings |= {"kind", "coordinates", "columns", "unit", "header"}
    try:
        table = given = table_of(file)
        with suppress(InstanceError):  # what is wrong with it is said when it is read
            if (table.read_as.kind or seen_as(table).kind) is FileKind.PLACES:
                table = plain_table(table)
        rows = [
            [cell[:_LONGEST_CELL] for cell in cells[:_MOST_COLUMNS]]
            for _, cells in itertools.islice(table.rows(), PREVIEW_ROWS)
        ]
    except InstanceError as error:
        return FilePreview(found.title, found.kinds, frozenset(settings), problem=str(error))
    sheets = sheet_names(file) if binary else ()
    settings |= {"sheet"} if len(sheets) > 1 else set()
    separator = decimal = ""
    if isinstance(given, TextTable):
        settings |= {"separator", "decimal"}
        words = {sign: word for word, sign in SEPARATOR_NAMES.items()}
        separator = words.get(given.separator, given.separator)
        if has_decimal_commas(given):
            decimal = ","
        elif any("." in cell for row in rows for cell in row if is_number(cell)):
            decimal = "."
    return FilePreview(
        found.title,
        found.kinds,
        frozenset(settings),
        rows,
        *_taken_for(table, max(map(len, rows), default=0)),
        table.header,
        separator,
        decimal,
        _encoding(path, data) if "encoding" in settings else "",
        sheets,
    )


def _encoding(path: Path, data: bytes) -> str:
    try:
        return encoding_of(path, data).removesuffix("-sig")
    except InstanceError:  # the user must say it
        return ""


def _taken_for(table: Table, width: int) -> tuple[FileKind | None, list[str]]:
    """Return what a table is taken for, and each of its columns."""
    kind = table.read_as.kind
    try:
        seen = SeenTable(kind) if kind is FileKind.PLACES else seen_as(table)
        kind = seen.kind
        found = _of_places(table) if kind is FileKind.PLACES else _of_ways(seen, width)
    except InstanceError:
        return kind, [""] * width
    return kind, [found.get(at, "") for at in range(width)]


def _of_places(table: Table) -> dict[int | None, str]:
    columns = place_columns(table, table.read_as.columns)
    globe = (
        columns.means == LATITUDE
        or has_signs(table)
        or table.read_as.coordinates in ("degrees", "geo")
    )
    one, other = ("latitude", "longitude") if globe else ("x", "y")
    if globe and columns.means == X:
        one, other = other, one
    return {
        columns.name: "name",
        columns.first: one,
        columns.second: other,
        columns.third: "z",
    }


def _of_ways(seen: SeenTable, width: int) -> dict[int | None, str]:
    if seen.columns is not None:
        columns = seen.columns
        return {columns.weight: "distance", columns.source: "from", columns.target: "to"}
    if seen.square is None:
        return {}
    what = "edges" if seen.kind is FileKind.ADJACENCY else "distances"
    index = width - len(seen.square.values)
    return {at: "name" if at < index else what for at in range(width)}
