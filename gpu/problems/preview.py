"""What a file shows before it is read: its first rows, and what can be said of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu.core.errors import InstanceError
from gpu.problems.document import in_utf8
from gpu.problems.input_file import InputFile
from gpu.problems.loading import recognise
from gpu.problems.reading import AS_FOUND, SEPARATOR_NAMES, FileKind, ReadAs
from gpu.problems.table import LATITUDE, Table, TextTable, X, columns_of

PREVIEW_ROWS = 12
_MOST_COLUMNS = 60
_LONGEST_CELL = 60


@dataclass(frozen=True, slots=True)
class Preview:
    """What a user is shown of a file, and what can be said of it."""

    title: str  # what its format is, in words
    kinds: tuple[FileKind, ...]  # what it can be of; one alone need not be said
    settings: frozenset[str] = frozenset()  # names of fields of ReadAs that can be said
    rows: Sequence[Sequence[str]] = ()  # the first ones, with the header
    roles: Sequence[str] = ()  # what each column is taken for; empty where for nothing
    headers: Sequence[str] = ()  # the names of columns, where the first row has them
    separator: str = ""  # that was found, in words
    problem: str = ""  # why there are no rows

    @property
    def width(self) -> int:
        """How many columns there are."""
        return max(map(len, self.rows), default=0)


def preview(path: Path, data: bytes, read_as: ReadAs = AS_FOUND) -> Preview:
    """Return what the unpacked ``data`` of the file at ``path`` show, read in this way.

    InstanceError if it is none of the kind that the user says.
    """
    file = InputFile(path, in_utf8(path, data, read_as.encoding), read_as)
    found = recognise(file)
    settings = {"encoding"} if file.text is not None else set[str]()
    if len(found.kinds) < 2 and read_as.kind is None:  # it says itself what is in it
        return Preview(found.title, found.kinds, frozenset(settings))
    settings |= {"kind", "coordinates", "columns", "unit", "header"}
    try:
        table = Table.of(file)
        rows = [
            [cell[:_LONGEST_CELL] for cell in cells[:_MOST_COLUMNS]]
            for _, cells in itertools.islice(table.rows(), PREVIEW_ROWS)
        ]
    except InstanceError as error:
        return Preview(found.title, found.kinds, frozenset(settings), problem=str(error))
    separator = ""
    if isinstance(table, TextTable):
        settings |= {"separator", "decimal"}
        words = {sign: word for word, sign in SEPARATOR_NAMES.items()}
        separator = words.get(table.separator, table.separator)
    return Preview(
        found.title,
        found.kinds,
        frozenset(settings),
        rows,
        _roles(table, max(map(len, rows), default=0)),
        table.header,
        separator,
    )


def _roles(table: Table, width: int) -> list[str]:
    """Return what each column of a table of places is taken for."""
    roles = [""] * width
    try:
        columns = columns_of(table, table.read_as.columns)
    except InstanceError:
        return roles
    globe = columns.means == LATITUDE or table.read_as.coordinates in ("degrees", "geo")
    one, other = ("latitude", "longitude") if globe else ("x", "y")
    if globe and columns.means == X:
        one, other = other, one
    for at, role in ((columns.first, one), (columns.second, other), (columns.name, "name")):
        if at is not None and at < width:
            roles[at] = role
    return roles
