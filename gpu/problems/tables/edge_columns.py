"""Columns of a table that have the ends of edges, as its header says."""

from __future__ import annotations

from collections.abc import Sequence

from gpu.problems.tables.cells import words_of
from gpu.problems.tables.table import Table

FROM = {
    *("from", "source", "src", "origin", "start", "tail", "u", "von", "quelle", "de", "origen"),
    *("fromnode", "fromnodeid", "fromid", "sourceid", "node1", "vertex1", "v1", "id1"),
}
TO = {
    *("to", "target", "dst", "destination", "dest", "end", "head", "v", "nach", "ziel", "destino"),
    *("tonode", "tonodeid", "toid", "targetid", "node2", "vertex2", "v2", "id2"),
}
"""What columns with the ends of edges are called."""

_NUMBERED = ("12", "ab", "01")  # how the names of two columns of the same kind end


def ends_in(table: Table) -> tuple[int, int] | None:
    """Return the columns that the header of ``table`` calls ends of edges."""
    words = [words_of(cell) for cell in table.header]
    found = [next((at for at, one in enumerate(words) if one & any_), None) for any_ in (FROM, TO)]
    first, second = found
    if first is not None and second is not None and first != second:
        return None if _are_counted(table.header, first, second) else (first, second)
    if len(table.header) in (2, 3) and are_numbered(*table.header[:2]):
        return 0, 1
    return None


def are_numbered(one: str, other: str) -> bool:
    """Whether two cells of a header name a first and a second of a kind: course1 and course2."""
    one, other = (cell.strip().casefold() for cell in (one, other))
    stem = one[:-1].rstrip(" _-.")
    return len(stem) > 1 and one[:-1] == other[:-1] and one[-1:] + other[-1:] in _NUMBERED


def _are_counted(header: Sequence[str], first: int, second: int) -> bool:
    """Whether more columns are counted as these two are: v1 and v2 of a matrix with v3."""
    one, other = (header[at].rstrip("0123456789") for at in (first, second))
    others = [cell.rstrip("0123456789") for cell in header]
    return one == other != "" and others.count(one) > 2
