"""Graphs as Matrix Market files: the entries of a square matrix that are not 0 are edges.

Not by scipy's reader: what a file announces is allocated there before an entry is read, and an
index that is too large ends the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.machine.processors import SPARE, free_memory
from gpu.problems.coloring.adjacency import graph_of_matrix
from gpu.problems.coloring.building import NO_DIRECTIONS, NO_WEIGHTS, check_size, made_graph
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.document import shortened
from gpu.problems.input_file import InputFile
from gpu.problems.integers import pieces, rows_in

_WHAT = "a Matrix Market graph"
_DISTANCE_BYTES = 24  # of a distance, while an instance is made of it
_COMPLETE_LARGEST = 1 << 13  # rows of a matrix that is looked through
_BANNER = re.compile(
    rb"%%MatrixMarket[ \t]+matrix[ \t]+(coordinate|array)"
    rb"[ \t]+(real|double|integer|complex|pattern)"
    rb"[ \t]+(general|symmetric|skew-symmetric|hermitian)[ \t]*\r?\n",
    re.IGNORECASE,
)
_BEGINS = re.compile(rb"%%MatrixMarket\b", re.IGNORECASE)
_COMMENTS = re.compile(rb"(?:[ \t]*(?:%[^\n]*)?\n)*")
_SIZES = re.compile(
    rb"[ \t]*([0-9]{1,12})[ \t]+([0-9]{1,12})(?:[ \t]+([0-9]{1,18}))?[ \t]*\r?(?:\n|\Z)"
)
_ZERO = re.compile(  # an entry that is 0, or 0 in both its parts
    rb"(?m)^[ \t]*[0-9]+[ \t]+[0-9]+"
    rb"(?:[ \t]+[-+]?(?:0+\.?0*|\.0+)(?:[eE][-+]?[0-9]+)?)+[ \t\r]*$"
)
_VALUE = re.compile(rb"(?m)^([ \t]*[0-9]+[ \t]+[0-9]+)[ \t]+[-+.0-9][-+.0-9eEdD \t]*\r?$")
_PLAIN = re.compile(rb"(?m)^[ \t]*[0-9]+[ \t]+[0-9]+[ \t]+[+]?1(?:\.0*)?[ \t\r]*$")


@dataclass(frozen=True, slots=True)
class _Header:
    """What a file says of its matrix."""

    form: str
    field: str
    symmetry: str
    n: int
    entries: int
    begin: int  # of the entries, in bytes


def is_matrix_market(file: InputFile) -> bool:
    """Whether ``file`` is of this format."""
    return _BEGINS.match(file.start) is not None


def _header(file: InputFile) -> _Header:
    banner = _BANNER.match(file.data)
    if banner is None:
        first = file.start.split(b"\n", 1)[0].decode("latin-1").strip()
        raise file.error(f"{shortened(first)} is no header of a Matrix Market file with a matrix")
    comments = _COMMENTS.match(file.data, banner.end())
    begin = comments.end() if comments else banner.end()
    sizes = _SIZES.match(file.data, begin)
    form, field, symmetry = (one.decode().lower() for one in banner.groups())
    if sizes is None or (sizes[3] is None) == (form == "coordinate"):
        raise file.error("it has no line with the sizes of its matrix, or is broken off before it")
    rows, columns = int(sizes[1]), int(sizes[2])
    if rows != columns:
        raise file.error(
            f"its matrix has {rows:,} rows and {columns:,} columns; that of a graph is square"
        )
    check_size(file, rows, 0)
    entries = int(sizes[3]) if sizes[3] else rows * rows
    return _Header(form, field, symmetry, rows, entries, sizes.end())


def load_matrix_market(file: InputFile) -> GraphInstance:
    """Load the graph whose adjacency matrix is in ``file``: coordinates, or all entries."""
    header = _header(file)
    if header.form == "array":
        return graph_of_matrix(file, _array(file, header))
    ends, weighted = _coordinates(file, header)
    n = header.n
    notes = [NO_WEIGHTS] if weighted else []
    if header.symmetry == "general" and len(ends):
        # Of an undirected graph, one half may be there.
        half = (ends[:, 0] >= ends[:, 1]).all() or (ends[:, 0] <= ends[:, 1]).all()
        both = half or np.array_equal(np.sort(ends @ [n, 1]), np.sort(ends @ [1, n]))
        notes += [] if both else [NO_DIRECTIONS]
    return made_graph(file, _WHAT, n, ends, notes=notes)


def distances_in(file: InputFile) -> NDArray[np.float64]:
    """Return the matrix in ``file`` with NaN where it has no entry, and 0 on its diagonal.

    InstanceError if it cannot be one of distances.
    """
    header = _header(file)
    n, both = header.n, header.symmetry == "symmetric"
    if header.field in ("pattern", "complex") or not (both or header.symmetry == "general"):
        said = header.field if header.field in ("pattern", "complex") else header.symmetry
        raise file.error(f"its matrix is {said}, and one of distances is real or integer")
    needed, free = n * n * _DISTANCE_BYTES, free_memory() - SPARE
    if needed > free:
        raise file.error(
            f"its {n:,} × {n:,} distances need {needed / 2**30:,.1f} GiB of memory, but only "
            f"{max(free, 0) / 2**30:,.1f} GiB are free: close other programs"
        )
    if header.form == "array":
        matrix = _array(file, header)
    else:
        ends = _coordinates(file, header, zeros=True)[0]
        values = _reals(file, file.data[header.begin :].split()[2::3])
        if len(values) != len(ends):
            raise file.error("a line of its entries has not two numbers and a value")
        matrix = np.full((n, n), np.nan)
        matrix[ends[:, 0], ends[:, 1]] = values
        if both:
            matrix[ends[:, 1], ends[:, 0]] = values
        diagonal = np.einsum("ii->i", matrix)
        diagonal[np.isnan(diagonal)] = 0
    return matrix


def is_complete(file: InputFile) -> bool:
    """Whether each two rows of the matrix in ``file`` have an entry, and these are not all alike.

    Then they may be distances.
    """
    header = _header(file)
    pairs = header.n * (header.n - 1) // (2 if header.symmetry == "symmetric" else 1)
    if header.field in ("pattern", "complex") or not 2 < header.n <= _COMPLETE_LARGEST:
        return False
    if header.entries < pairs or header.symmetry not in ("symmetric", "general"):
        return False
    matrix = distances_in(file)
    off = matrix[~np.eye(header.n, dtype=np.bool_)]
    return bool((off != 0).all() and not np.isnan(off).any() and (off != off[0]).any())


def _reals(file: InputFile, words: list[bytes]) -> NDArray[np.float64]:
    try:
        return np.array(words).astype(np.float64)
    except ValueError as error:
        raise file.error("an entry of its matrix is no number") from error


def _coordinates(
    file: InputFile, header: _Header, *, zeros: bool = False
) -> tuple[NDArray[np.int64], bool]:
    """Return row and column of all entries, 0-based, and whether these differ from 1.

    Those that are 0 are left out, but not with ``zeros``.
    """
    found, listed, weighted = [], 0, False
    for piece in pieces(file.data, header.begin):
        lines = piece
        if header.field != "pattern":
            weighted = weighted or len(_PLAIN.findall(lines)) < len(lines.split(b"\n")) - 1
            lines = lines if zeros else _ZERO.sub(b"", lines)
            lines = _VALUE.sub(rb"\1", lines)
        rows = rows_in(lines)
        pairs = None if rows is None else rows.table(2)
        if pairs is None:
            value = "" if header.field == "pattern" else " and a value"
            raise file.error(f"a line of its entries has not two numbers{value}")
        if len(pairs) and (pairs.min() < 1 or pairs.max() > header.n):
            wrong = pairs[(pairs < 1) | (pairs > header.n)][0]
            raise file.error(f"an entry of it is in row or column {wrong} of {header.n:,}")
        found.append(pairs)
        listed += sum(map(bool, map(bytes.strip, piece.split(b"\n"))))
    if listed != header.entries:
        raise file.error(
            f"it announces {header.entries:,} entries, and has {listed:,}; is the file whole?"
        )
    return np.concatenate([np.empty((0, 2), np.int64), *found]) - 1, weighted


def _array(file: InputFile, header: _Header) -> NDArray[np.float64]:
    """Return the matrix of all entries, which stand column by column; of half a matrix, both."""
    n, whole = header.n, header.symmetry == "general"
    strict = int(header.symmetry == "skew-symmetric")
    count = n * n if whole else (n - strict) * (n + 1 - strict) // 2
    parts = 2 if header.field == "complex" else 1
    words = file.data[header.begin :].split() if 2 * count * parts <= len(file.data) + 2 else []
    if len(words) != count * parts:
        raise file.error(f"its matrix has {count:,} entries, and the file others; is it whole?")
    values = _reals(file, words)
    if parts > 1:
        values = np.abs(values).reshape(-1, parts).sum(axis=1)
    if whole:
        found: NDArray[np.float64] = values.reshape(n, n).T
        return found
    matrix = np.zeros((n, n))
    columns, rows = np.triu_indices(n, strict)
    matrix[rows, columns] = matrix[columns, rows] = values
    return matrix
