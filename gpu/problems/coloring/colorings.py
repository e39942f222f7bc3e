"""DIMACS solutions: files with a coloring, as the program writes them (``.sol``).

Lines of one letter and its words: ``c`` a comment, ``s col K`` the number of colors, ``l V C`` the
color of a vertex. Vertices count from 1. Colors may have any numbers; only which are equal matters.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.core.words import counted
from gpu.problems.document import lines_of, read_bytes, shortened

_LARGEST = 2**31 - 1  # number of a color


def read_coloring(path: Path, n: int, data: bytes | None = None) -> NDArray[np.int32]:
    """Read a coloring of ``n`` vertices, 0-based; which vertices are neighbours is not asked.

    InstanceError if the file does not give each vertex one color.
    """
    colors = np.full(n, -1, np.int64)
    for number, line in enumerate(lines_of(path, read_bytes(path) if data is None else data), 1):
        words = line.split()
        if not words or words[0] in ("c", "s"):
            continue
        where = f"{path}, line {number}"
        if words[0] != "l" or len(words) != 3 or not all(map(str.isdecimal, words[1:])):
            raise InstanceError(
                f"{where}: {shortened(line.strip())} is no line of a coloring, such as 'l 7 3' for "
                "vertex 7 with color 3, both as numbers"
            )
        vertex, color = (int(word) if len(word) < 11 else _LARGEST + 1 for word in words[1:])
        if not 1 <= vertex <= n:
            others = f"the graph has vertices 1 to {n}"
            raise InstanceError(f"{where}: there is no vertex {shortened(words[1])}: {others}")
        if color > _LARGEST:
            raise InstanceError(f"{where}: {shortened(words[2])} is no number of a color")
        if colors[vertex - 1] >= 0:
            raise InstanceError(f"{where}: vertex {vertex} has a color already")
        colors[vertex - 1] = color
    missing = np.flatnonzero(colors < 0)
    if len(missing):
        others = f", nor {counted(len(missing) - 1, 'other')}" if len(missing) > 1 else ""
        raise InstanceError(
            f"{path}: vertex {missing[0] + 1} has no color{others}; the graph has {n:,} vertices"
        )
    return np.unique(colors, return_inverse=True)[1].reshape(n).astype(np.int32)
