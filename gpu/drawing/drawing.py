"""What views draw of a graph: places, densities and matrices, which are computed elsewhere."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MATRIX_SIZE = 1000  # most rows and columns of an adjacency picture
CONFLICT = 255  # level of an adjacency picture where an edge has the same color at both ends


class Arrangement(enum.StrEnum):
    """A way to give the vertices of a graph their places."""

    SPRING = "spring"
    CIRCLE = "circle"
    CLASSES = "classes"


@dataclass(frozen=True, slots=True, eq=False)
class GraphDrawing:
    """A graph's vertices in their places."""

    arrangement: Arrangement  # how the places were found
    coloring: NDArray[np.int32] | None  # (n,): the one shown, which may have given the places
    conflicts: NDArray[np.int32]  # (c, 2): edges that have one color at both ends
    places: NDArray[np.float64]  # (n, 2): in [-1, 1], y up
    spacing: float  # distance of neighbouring places
    names: NDArray[np.float64]  # (k, 2): where the color classes' numbers go; empty if nowhere
    bounds: NDArray[np.float64]  # (2, 2): lowest and highest coordinates of places and names
    settled: bool = True  # whether these places stay: those of a large graph get better


@dataclass(frozen=True, slots=True, eq=False)
class AdjacencyPicture:
    """An adjacency matrix, rows and columns in the order of color classes."""

    coloring: NDArray[np.int32] | None  # (n,): its classes give the order, if it is there
    order: NDArray[np.int32]  # (n,): the vertex of each row before rows were joined
    # (size, size): 0 where there is no edge, ``CONFLICT`` where there is one within a color class,
    # else from 64 for the least share of edges to 250 for all, or for the largest shares if rows
    # were joined
    levels: NDArray[np.uint8]
