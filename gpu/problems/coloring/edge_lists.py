"""Graphs as lists of edges: a line, a row of a table, or a value for each, by numbers or names.

Before the edges may stand how many vertices and edges there are, as in exercises (``11 20``), and
comments that say it, as in SNAP's files (``# Nodes: 11 Edges: 20``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.problems.coloring.building import (
    NO_WEIGHTS,
    NamedGraph,
    numbered_graph,
    read_as_of,
)
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.document import shortened
from gpu.problems.input_file import InputFile
from gpu.problems.integers import all_rows
from gpu.problems.reading import FileKind, ReadAs
from gpu.problems.tables.cells import is_number
from gpu.problems.tables.edge_columns import ends_in
from gpu.problems.tables.table import Table
from gpu.problems.tables.text_table import TextTable

_STATED = re.compile(rb"(?im)^[#%][^\n]*?\bnodes\b\s*[:=]?\s*([0-9]{1,9})\b")
_SCALARS = (str, int, float)
_COMMENTED = 1 << 16  # bytes in which a comment says how many vertices there are


def joins(pairs: NDArray[np.int64], *, within: bool = False) -> bool:
    """Whether pairs of whole numbers, shape (k, 2), look like edges, not like coordinates.

    There are as few different numbers as vertices of a graph with so many edges, and hardly one is
    joined to itself. ``within``: none of the second column is missing in the first one.
    """
    count = len(pairs)
    if not count:
        return False
    loops = int((pairs[:, 0] == pairs[:, 1]).sum())
    if within:
        return not loops and bool(np.isin(pairs[:, 1], pairs[:, 0]).all())
    low, high = int(pairs.min()), int(pairs.max())
    if high < 4 * pairs.size + 1_000:  # as a rule, and much quicker than to sort them
        there = np.zeros(high + 1, np.bool_)
        there[pairs] = True
        different = int(there.sum())
    else:
        different = len(np.unique(pairs))
    gapless = low < 2 and high - low + 1 == different
    if loops:
        return count > 3 and (gapless or 2 * different <= count)
    return (gapless and count > 3) or different <= count + 1


# Lines of numbers, after how many there are


def counted_edges(file: InputFile) -> tuple[int, NDArray[np.int64], bool] | None:
    """Return stated number of vertices, ends of edges, and whether these have weights.

    None if ``file`` does not have how many there are, and then a line for each edge.
    """
    rows = file.integers
    if rows is None or rows.values.size < 3:
        return None
    counts = rows.counts[rows.counts > 0]
    for head in ([2], [1, 1], [1]):
        width = int(counts[-1])
        behind = counts[len(head) :]
        if width not in (2, 3) or counts[: len(head)].tolist() != head or (behind != width).any():
            continue
        numbers = rows.values[: sum(head)]
        table = rows.values[sum(head) :].reshape(-1, width)
        if _fits(int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else None, table):
            return int(numbers[0]), table[:, :2], width > 2
    return None


def _fits(n: int, edges: int | None, table: NDArray[np.int64]) -> bool:
    """Whether the rows of ``table`` can be so many edges of ``n`` vertices, but not all."""
    ends = table[:, :2]
    low, high = ends.min(), ends.max()
    if not (high < n or (high == n and low > 0)):
        return False
    if table.shape[1] > 2 and 2 * len(table) >= n * (n - 1):  # distances between all of them
        return False
    if edges is not None:
        return edges == len(table)
    return len(table) != n and joins(ends)


def is_counted(file: InputFile) -> bool:
    """Whether ``file`` begins with how many there are, and then lists edges of numbers."""
    return counted_edges(file) is not None


def load_counted(file: InputFile) -> GraphInstance:
    """Load the list of edges ``file``, which begins with how many there are."""
    found = counted_edges(file)
    if found is None:
        raise file.error("it does not begin with how many vertices and edges there are")
    n, ends, weighted = found
    notes = [NO_WEIGHTS] if weighted else []
    read_as = read_as_of(file, FileKind.EDGES)
    return numbered_graph(file, "a list of edges", ends, stated=n, notes=notes, read_as=read_as)


# Tables


def is_weighted(table: Table) -> bool:
    """Whether the edges in ``table`` have a third column of numbers."""
    ends = ends_in(table) or (0, 1)
    return any(at not in ends for at in table.numeric)


def load_edges(
    file: InputFile, table: Table, columns: tuple[int, int] | None = None
) -> GraphInstance:
    """Load the graph whose edges are in the rows of ``table``, which was made of ``file``.

    Both ends are in ``columns``; if these are not given, in those that the header calls so, or
    else in the first two.
    """
    first, second = columns or ends_in(table) or (0, 1)
    said = replace(file.read_as, kind=FileKind.EDGES, columns=f"{first + 1},{second + 1}")
    more = max(map(len, table.sample), default=0) > 2
    notes = ["the other columns of its edges are not kept"] if more else []
    if (rows := _numbers(table)) is not None and max(first, second) < rows.shape[1]:
        return _numbered(file, rows[:, [first, second]], notes, said)
    rows_of_edges = _edge_rows(table, first, second)
    if len(rows_of_edges) == 1 and table.length == 1 and ends_in(table) == (first, second):
        raise file.error("it has a header for edges, but no edges")
    headed = table.header and len(rows_of_edges) < table.length
    columns_said = [table.called(at) if headed else f"column {at + 1}" for at in (first, second)]
    what = f"a list of edges from {columns_said[0]} to {columns_said[1]}"
    if headed and not table.read_as.header and ends_in(table) is None:
        head = " and ".join(map(shortened, filter(None, table.header[:3])))
        notes.append(f"its first row, {head}, is a header (--header no makes it an edge)")
    found = NamedGraph(file, what, notes=notes)
    for number, cells in rows_of_edges:
        ends = [cells[at] if at < len(cells) else "" for at in (first, second)]
        if not any(ends):
            continue
        if not all(ends):
            line = shortened(" ".join(cells))
            raise file.error(f"line {number}, {line}, has one vertex of an edge, and no second one")
        found.edge(*ends)
    names = list(map(str, found.vertices))
    if names and all(map(_is_count, names)):
        numbers = np.array(list(map(int, names)), np.int64)
        return _numbered(file, numbers[found.ends].reshape(-1, 2), notes, said)
    return found.graph(read_as=str(said))


def _numbered(
    file: InputFile, ends: NDArray[np.int64], notes: Iterable[str], read_as: ReadAs
) -> GraphInstance:
    """Return the graph with these edges; a comment may say how many vertices it has."""
    stated = _STATED.search(file.data[:_COMMENTED])
    n = int(stated[1]) if stated else 0
    return numbered_graph(
        file, "a list of edges", ends, stated=n, notes=notes, read_as=str(read_as)
    )


def is_numbers(file: InputFile) -> bool:
    """Whether ``file`` has nothing but two numbers in each line, which are ends of edges."""
    pairs = None if file.integers is None else file.integers.table(2)
    return pairs is not None and joins(pairs)


def load_numbers(file: InputFile) -> GraphInstance:
    """Load the list of edges ``file``, which has two numbers in each line."""
    pairs = None if file.integers is None else file.integers.table(2)
    if pairs is None:
        raise file.error("it has not two numbers in each line, as a list of edges has")
    return _numbered(file, pairs, (), replace(file.read_as, kind=FileKind.EDGES))


def _is_count(name: object) -> bool:
    text = str(name)
    return text.isascii() and text.isdigit() and len(text) <= 18


def _numbers(table: Table) -> NDArray[np.int64] | None:
    """Return the rows of ``table`` below its header, if all are equally many whole numbers."""
    if not isinstance(table, TextTable) or not table.text.isascii():
        return None
    text = table.text
    if table.header:
        text = text.partition("\n")[2]
    rows = all_rows(text.encode())
    return rows.table(int(rows.counts.max())) if rows is not None and rows.values.size else None


def whole_pairs(table: Table, first: int, second: int) -> NDArray[np.int64] | None:
    """Return two columns of ``table`` if they have nothing but whole numbers; shape (k, 2)."""
    if (rows := _numbers(table)) is not None:
        return rows[:, [first, second]]
    both = [cells for _, cells in table.data_rows() if max(first, second) < len(cells)]
    cells = [row[at] for row in both for at in (first, second)]
    return (
        np.array(list(map(int, cells)), np.int64).reshape(-1, 2)
        if all(map(_is_count, cells))
        else None
    )


def _edge_rows(table: Table, first: int, second: int) -> list[tuple[int, list[str]]]:
    """Return the rows of ``table`` that are edges: also the first one, if it is no header."""
    rows = list(table.rows())
    if table.header and not table.read_as.header and not is_header(rows, first, second):
        return rows
    return rows[bool(table.header) :]


def is_header(rows: Sequence[tuple[int, list[str]]], first: int, second: int) -> bool:
    """Whether the first of ``rows`` names columns of names: no edge below has one of its cells.

    A file with one row has no header.
    """
    if len(rows) < 2:
        return False
    head = {cell for at, cell in enumerate(rows[0][1]) if at in (first, second)}
    if any(is_number(cell) for cell in rows[0][1]):
        return False
    return not any(
        cells[at] in head for _, cells in rows[1:] for at in (first, second) if at < len(cells)
    )


# Values


def edges_of_value(value: Any) -> list[tuple[Any, Any]] | None:
    """Return the edges that the ``value`` of a file lists; None if it lists none.

    Each is a list of two, or of three of which the last one has properties. Others are tables.
    """
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if not isinstance(value, list | tuple) or not value:
        return None
    if not all(isinstance(one, list | tuple) and len(one) in (2, 3) for one in value):
        return None
    if any(len(one) == 3 and not isinstance(one[2], Mapping) for one in value):
        return None
    pairs = [(one[0], one[1]) for one in value]
    if not all(isinstance(end, _SCALARS) and end == end for pair in pairs for end in pair):
        return None
    return pairs


def lists_edges(value: Any) -> bool:
    """Whether the ``value`` of a file lists edges, and neither coordinates nor distances."""
    pairs = edges_of_value(value)
    if pairs is None:
        return False
    ends = [end for pair in pairs for end in pair]
    if all(isinstance(end, str) for end in ends):
        return not all(map(is_number, ends))
    if not all(type(end) is int and 0 <= end < 2**62 for end in ends):
        return False
    if len(value) == 2 and len(value[0]) == 2:  # two rows are a matrix
        return False
    return joins(np.array(pairs, np.int64).reshape(-1, 2))


def is_value(file: InputFile) -> bool:
    """Whether ``file`` is a list of edges in JSON or in Python."""
    return file.value is not None and lists_edges(file.value)


def load_value(file: InputFile) -> GraphInstance:
    """Load the list of edges ``file``, which is in JSON or in Python."""
    pairs = edges_of_value(file.value)
    if pairs is None:
        raise file.error("it is no list of edges, such as [[1, 2], [2, 3]]")
    what, read_as = "a list of edges", read_as_of(file, FileKind.EDGES)
    if all(isinstance(end, int) and not isinstance(end, bool) for pair in pairs for end in pair):
        ends = np.array(pairs, np.int64).reshape(-1, 2)
        if ends.min(initial=0) >= 0:
            return numbered_graph(file, what, ends, read_as=read_as)
    found = NamedGraph(file, what)
    for one, other in pairs:
        found.edge(str(one), str(other))
    return found.graph(read_as=read_as)
