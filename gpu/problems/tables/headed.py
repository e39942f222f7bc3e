"""Tables of places that begin with a title, or that have units or a rule below their header."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gpu.problems.tables.cells import is_number
from gpu.problems.tables.columns import named_coordinates
from gpu.problems.tables.table import Table

_TITLE_ROWS = 5  # that may stand above the header
_RULE = re.compile(r"[-+=:| ]*")  # between header and rows in Markdown and in Org
_UNITS = {
    *("deg", "degree", "degrees", "°", "dd", "decimal degrees", "wgs84", "epsg:4326", "float"),
    *("m", "km", "cm", "mm", "ft", "mi", "px", "metres", "meters", "-"),
}


@dataclass(frozen=True)
class HeadedTable(Table):
    """A table without some of its first rows."""

    inner: Table
    left_out: Collection[int]  # rows, from 0

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number and cells of each row; see :class:`Table`."""
        for at, row in enumerate(self.inner.rows()):
            if at not in self.left_out:
                yield row


def headed(table: Table) -> Table:
    """Return ``table`` with the row first that calls columns coordinates; itself if none does."""
    if table.read_as.header or isinstance(table, HeadedTable):
        return table
    header = 0
    if named_coordinates(table) is None:
        header = next((at for at in range(1, _TITLE_ROWS + 1) if _is_header(table, at)), 0)
        if not header:
            return table
    first = _without(table, range(header))
    columns = named_coordinates(first)
    assert columns is not None
    below = first.sample[:1]
    if below and _is_no_place(below[0], (columns.first, columns.second)):
        return _without(table, {*range(header), header + 1})
    return first if header else table


def _without(table: Table, rows: Collection[int]) -> HeadedTable:
    return HeadedTable(table.path, table, rows, read_as=table.read_as, separator=table.separator)


def _is_header(table: Table, at: int) -> bool:
    """Whether the row ``at``, from 0, calls columns coordinates, and none above has two numbers."""
    above = ([table.header] if table.header else []) + table.sample[: at - bool(table.header)]
    if any(sum(map(is_number, row)) > 1 for row in above):
        return False
    below = _without(table, range(at))
    names = list(filter(None, below.header))
    return len({*names}) == len(names) and named_coordinates(below) is not None


def _is_no_place(row: Sequence[str], columns: Sequence[int]) -> bool:
    """Whether ``row``, below a header, has the units of its ``columns``, or is a rule."""
    if all(map(_RULE.fullmatch, row)) and any(len(cell) > 1 for cell in row):
        return True
    return all(at < len(row) and row[at].casefold().strip("()[]") in _UNITS for at in columns)
