"""Graphs as Matrix Market files: the matrix' entries that are not 0 are edges."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from gpu.problems.coloring.adjacency import graph_of_matrix
from gpu.problems.coloring.building import NO_DIRECTIONS, NO_WEIGHTS, check_size, made_graph
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.document import shortened
from gpu.problems.input_file import InputFile

_BANNER = re.compile(rb"%%MatrixMarket\b", re.IGNORECASE)
_WHAT = "a Matrix Market graph"
_ENTRY_LEAST = {"coordinate": 4, "array": 2}  # bytes of an entry: "1 1" or "0", and its line's end


def is_matrix_market(file: InputFile) -> bool:
    """Whether ``file`` is of this format."""
    return _BANNER.match(file.start) is not None


def _header(file: InputFile) -> tuple[int, str, str, str]:
    """Return size, format, field and symmetry of the matrix, if ``file`` can have so many entries.

    What is announced is allocated before an entry is read.
    """
    from scipy.io import mminfo  # it takes a while, and few files need it

    try:
        rows, columns, entries, form, field, symmetry = mminfo(io.BytesIO(file.data))
    except (ValueError, OverflowError) as error:
        raise file.error(f"it is no whole Matrix Market file ({shortened(str(error))})") from error
    if rows != columns:
        raise file.error(
            f"its matrix has {rows:,} rows and {columns:,} columns; that of a graph is square"
        )
    kept = entries if form == "coordinate" or symmetry == "general" else entries // 2
    if kept * _ENTRY_LEAST[form] > len(file.data) + 2:
        raise file.error(
            f"it announces {entries:,} entries, and is too short for them; is the file whole?"
        )
    return rows, form, field, symmetry


def load_matrix_market(file: InputFile) -> GraphInstance:
    """Load the graph whose adjacency matrix is in ``file``: coordinates, or all entries."""
    from scipy.io import mmread

    n, form, field, symmetry = _header(file)
    check_size(file, n, 0)
    try:
        matrix: Any = mmread(io.BytesIO(file.data))
    except (ValueError, OverflowError) as error:
        raise file.error(f"it is no whole Matrix Market file ({shortened(str(error))})") from error
    if form == "array":
        return graph_of_matrix(file, matrix)
    there = np.flatnonzero(matrix.data)
    ends = np.column_stack((matrix.row[there], matrix.col[there])).astype(np.int64)
    notes = [NO_WEIGHTS] if field != "pattern" and (matrix.data[there] != 1).any() else []
    if symmetry == "general":
        forth, back = ends @ [n, 1], ends @ [1, n]
        one_way = not np.array_equal(np.sort(forth), np.sort(back))
        # Of an undirected graph, one half may be there.
        half = (ends[:, 0] >= ends[:, 1]).all() or (ends[:, 0] <= ends[:, 1]).all()
        notes += [NO_DIRECTIONS] if one_way and not half else []
    return made_graph(file, _WHAT, n, ends, notes=notes)
