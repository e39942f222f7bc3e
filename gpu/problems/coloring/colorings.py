"""DIMACS solutions: files with a coloring, as the program writes them (``.sol``).

Lines of one letter and its words: ``c`` a comment, ``s col K`` the number of colors, ``l V C`` the
color of a vertex. Vertices count from 1, or from 0 if there is a vertex 0. Or a plain list: the
color of each vertex, by lines, blanks or commas. Colors may have any numbers; only which are equal
matters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.core.words import counted
from gpu.problems.document import in_utf8, lines_of, read_bytes, shortened

_LARGEST = 2**31 - 1  # number of a color
_DIGITS_MOST = 10  # of such a number
_COMMENT_MARKS = ("c", "#", "%")
_BETWEEN = re.compile(r"[\s,;\[\](){}]+")  # what may stand between the colors of a list
_COLOR = re.compile(r"[0-9]+")


def read_coloring(path: Path, n: int, data: bytes | None = None) -> NDArray[np.int32]:
    """Read a coloring of ``n`` vertices, 0-based; which vertices are neighbours is not asked.

    InstanceError if the file does not give each vertex one color.
    """
    data = in_utf8(path, read_bytes(path) if data is None else data)
    lines = [(number, line.strip()) for number, line in enumerate(lines_of(path, data), 1)]
    said = [one for one in lines if one[1] and not one[1].lower().startswith(_COMMENT_MARKS)]
    cells = [cell for _, line in said for cell in _BETWEEN.split(line) if cell]
    if cells and all(map(_COLOR.fullmatch, cells)):
        return _classes(_listed(path, n, cells))
    colors = np.full(n, -1, np.int64)
    lowest = 1 - any(line.split()[1:2] == ["0"] for _, line in said if line[0] in "lL")
    for number, line in said:
        words = line.split()
        if words[0] in ("s", "S"):
            continue
        where = f"{path}, line {number}"
        if (
            words[0] not in ("l", "L")
            or len(words) != 3
            or not all(map(_COLOR.fullmatch, words[1:]))
        ):
            raise InstanceError(
                f"{where}: {shortened(line)} is no line of a coloring, such as 'l 7 3' for "
                "vertex 7 with color 3, both as numbers"
            )
        vertex = int(words[1]) - lowest if len(words[1]) <= _DIGITS_MOST else n
        if not 0 <= vertex < n:
            others = f"the graph has vertices {lowest} to {n - 1 + lowest}"
            raise InstanceError(f"{where}: there is no vertex {shortened(words[1])}: {others}")
        if colors[vertex] >= 0:
            raise InstanceError(f"{where}: vertex {words[1]} has a color already")
        colors[vertex] = _number(where, words[2])
    missing = np.flatnonzero(colors < 0)
    if len(missing):
        others = f", nor {counted(len(missing) - 1, 'other')}" if len(missing) > 1 else ""
        raise InstanceError(
            f"{path}: vertex {missing[0] + lowest} has no color{others}; the graph has {n:,} "
            "vertices"
        )
    return _classes(colors)


def _listed(path: Path, n: int, cells: Sequence[str]) -> NDArray[np.int64]:
    """Return the colors of a plain list."""
    if len(cells) != n:
        raise InstanceError(
            f"{path}: it lists {counted(len(cells), 'color')}; the graph has {n:,} vertices"
        )
    return np.array([_number(str(path), cell) for cell in cells], np.int64)


def _number(where: str, word: str) -> int:
    """Return the number of a color; InstanceError if it is none."""
    if len(word) > _DIGITS_MOST or int(word) > _LARGEST:
        raise InstanceError(f"{where}: {shortened(word)} is no number of a color")
    return int(word)


def _classes(colors: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the ``colors`` as numbers from 0 on, in their order."""
    return np.unique(colors, return_inverse=True)[1].reshape(len(colors)).astype(np.int32)
