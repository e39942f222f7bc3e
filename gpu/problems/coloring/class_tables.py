"""Colorings as tables: a row for each vertex with its class, or a column for each class.

Vertices stand there by what their graph calls them, so that people, and other programs, read them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.problems.document import in_utf8, shortened
from gpu.problems.input_file import InputFile
from gpu.problems.tables.text_table import TextTable

VERTEX_TITLE, CLASS_TITLE = "vertex", "class"


def class_rows(names: Sequence[str], coloring: NDArray[np.integer]) -> Iterator[list[object]]:
    """Yield a row for each vertex: its name, and its class counted from 1."""
    for name, color in zip(names, coloring.tolist(), strict=True):
        yield [name, color + 1]


def class_columns(names: Sequence[str], coloring: NDArray[np.integer]) -> Iterator[list[object]]:
    """Yield rows in which each column has the names of a class' vertices."""
    order = np.argsort(coloring, kind="stable")
    sizes = np.bincount(coloring)
    ends = np.cumsum(sizes)
    classes = [order[end - size : end].tolist() for size, end in zip(sizes, ends, strict=True)]
    for row in range(int(sizes.max(initial=0))):
        yield [names[one[row]] if row < len(one) else None for one in classes]


def is_class_table(path: Path, data: bytes, vertices: Mapping[str, int]) -> bool:
    """Whether the file ``data`` at ``path`` gives ``vertices``, by their names, classes."""
    try:
        rows = _rows(path, data)
    except InstanceError:
        return False
    found = _by_columns(rows, vertices) or _by_rows(rows, vertices, sure=True)
    return found is not None


def read_class_table(path: Path, data: bytes, vertices: Mapping[str, int]) -> NDArray[np.int32]:
    """Read a coloring, 0-based, of ``vertices`` whose numbers are given by their names.

    InstanceError if the table does not give each of them one class.
    """
    rows = _rows(path, data)
    pairs = _by_columns(rows, vertices) or _by_rows(rows, vertices)
    if pairs is None:
        raise InstanceError(
            f"{path}: it gives no vertices of this graph a class; a table of classes has a row for "
            "each vertex with its class, or a column for each class"
        )
    classes: dict[str, int] = {}
    colors = np.full(len(vertices), -1, np.int64)
    for name, label in pairs:
        vertex = vertices.get(name, vertices.get(name.removeprefix("'")))
        if vertex is None:
            raise InstanceError(f"{path}: the graph has no vertex {shortened(name)}")
        color = classes.setdefault(label, len(classes))
        if colors[vertex] not in (-1, color):
            raise InstanceError(f"{path}: {shortened(name)} has two classes")
        colors[vertex] = color
    missing = np.flatnonzero(colors < 0)
    if len(missing):
        name = next(one for one, vertex in vertices.items() if vertex == missing[0])
        raise InstanceError(
            f"{path}: {shortened(name)} has no class; {len(missing):,} of {len(colors):,} vertices "
            "have none"
        )
    numbers = _in_order(list(classes))
    return np.unique(numbers[colors], return_inverse=True)[1].reshape(-1).astype(np.int32)


def _in_order(labels: list[str]) -> NDArray[np.int64]:
    """Return numbers for the ``labels`` of classes: these themselves, if all are whole numbers."""
    if all(label.isascii() and label.isdigit() and len(label) < 10 for label in labels):
        return np.array(list(map(int, labels)), np.int64)
    return np.arange(len(labels))


def _rows(path: Path, data: bytes) -> list[list[str]]:
    """Return the cells of all rows; InstanceError if the file is no table."""
    file = InputFile(path, in_utf8(path, data))
    table = TextTable.of_text(path, file.text_for_sure())
    if not table.separator:
        return [cells for _, cells in table.rows()]
    # Names of one class may end a line: empty cells stay where they are.
    lines = csv.reader(table.text.splitlines(), delimiter=table.separator, skipinitialspace=True)
    try:
        return [[cell.strip() for cell in cells] for cells in lines if any(map(str.strip, cells))]
    except csv.Error as error:
        raise InstanceError(f"{path}: it is no table: {error}") from error


def _is_vertex(cell: str, vertices: Mapping[str, int]) -> bool:
    return cell in vertices or cell.removeprefix("'") in vertices


def _by_rows(
    rows: Sequence[Sequence[str]], vertices: Mapping[str, int], *, sure: bool = False
) -> list[tuple[str, str]] | None:
    """Return vertices with their classes, of a table with a row for each; None if it is none.

    Its header calls both columns as the program does, or there are no others. It is ``sure`` to be
    none if its classes may be vertices, as in a list of edges.
    """
    titles = [cell.casefold() for cell in rows[0]] if rows else []
    if VERTEX_TITLE in titles and CLASS_TITLE in titles:
        at, label = titles.index(VERTEX_TITLE), titles.index(CLASS_TITLE)
        return [(row[at], row[label]) for row in rows[1:] if max(at, label) < len(row)]
    if not rows or any(len(row) != 2 for row in rows):
        return None
    for at, label in ((0, 1), (1, 0)):
        below = rows[not _is_vertex(rows[0][at], vertices) :]  # without the header
        pairs = [(row[at], row[label]) for row in below]
        if sure and all(_is_vertex(one, vertices) for _, one in pairs):
            continue
        known = sum(_is_vertex(name, vertices) for name, _ in pairs)
        if len(vertices) // 2 <= len(pairs) <= 2 * known and known:
            return pairs
    return None


def _by_columns(
    rows: Sequence[Sequence[str]], vertices: Mapping[str, int]
) -> list[tuple[str, str]] | None:
    """Return the same of a table with a column for each class, under its title."""
    if len(rows) < 2:
        return None
    titles = rows[0]
    found = [
        (cell, f"{at} {titles[at] if at < len(titles) else ''}")
        for row in rows[1:]
        for at, cell in enumerate(row)
        if cell
    ]
    whole = len({cell for cell, _ in found}) == len(found) == len(vertices)
    return found if whole and all(_is_vertex(cell, vertices) for cell, _ in found) else None
