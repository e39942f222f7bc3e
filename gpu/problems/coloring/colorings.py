"""Colorings as DIMACS writes solutions: ``s col K``, then ``l V C`` for each vertex."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError, SolutionError
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.document import read_bytes, shortened, text_of


def load_coloring(path: str | Path, graph: GraphInstance) -> NDArray[np.int32]:
    """Load a coloring of ``graph`` from a DIMACS solution.

    Returns
    -------
    ndarray of int32, shape (n,)
        The color of each vertex, 0-based.

    Raises
    ------
    InstanceError
        If the file cannot be read, or is no proper coloring of ``graph``.
    """
    path = Path(path)
    colors = np.full(graph.n, -1, np.int32)
    count = None
    for number, raw in enumerate(text_of(path, read_bytes(path)).splitlines(), 1):
        match raw.split():
            case [] | ["c", *_]:
                continue
            case ["s", "col", text] if text.isdecimal() and count is None:
                count = int(text)
            case ["l", vertex, color] if vertex.isdecimal() and color.isdecimal():
                if not (1 <= int(vertex) <= graph.n and 1 <= int(color) <= graph.n):
                    raise InstanceError(
                        f"{path}: line {number}, {shortened(raw)}, has a vertex or a color that "
                        f"is not from 1 to {graph.n}"
                    )
                colors[int(vertex) - 1] = int(color) - 1
            case _:
                raise InstanceError(
                    f"{path}: line {number}, {shortened(raw)}, is no line of a DIMACS solution"
                )
    try:
        found = graph.cost_of(colors)
    except SolutionError as error:
        raise InstanceError(f"{path}: {error}") from None
    if count is not None and count != found:
        raise InstanceError(f"{path}: it announces {count} colors and has {found}")
    return colors
