"""Pictures of one graph, made on request."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import cached
from gpu.drawing.drawing import (
    CONFLICT,
    MATRIX_SIZE,
    MOST_EDGE_LINES,
    AdjacencyPicture,
    Arrangement,
    GraphDrawing,
)
from gpu.drawing.spring import spring_places
from gpu.problems.coloring.instance import GraphInstance, class_order, class_sizes

_READABLE = 3_000  # most edges for which a spring layout is still clear
_FINE = 100_000
"""Most edges whose density is drawn at full size: more look blurred anyway, and take long."""

SHADES_SIZE = 720  # rows and columns of a picture of edges
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
_NO_NAMES = np.empty((0, 2))

_Places = tuple[NDArray[np.float64], float, NDArray[np.float64]]
"""Places, their distance, and the places of the classes' numbers."""

_Shades = NDArray[np.uint8] | None


def suits(graph: GraphInstance) -> Arrangement:
    """Return the arrangement that shows most of ``graph``."""
    few = len(graph.edges) <= max(_READABLE, 3 * graph.n)
    return Arrangement.SPRING if few else Arrangement.CLASSES


class GraphArtist:
    """Draws one graph; keeps what does not change from one coloring to the next.

    One thread at a time may ask.
    """

    def __init__(self, graph: GraphInstance) -> None:
        self._graph = graph

    @functools.cached_property
    def _spring(self) -> tuple[_Places, _Shades]:
        places = *_fitted(spring_places(self._graph)), _NO_NAMES
        return places, self._shades(places)

    def draw(
        self, arrangement: Arrangement | None, coloring: NDArray[np.int32] | None
    ) -> GraphDrawing:
        """Arrange the vertices, by the classes of ``coloring`` if the arrangement has classes.

        Without an ``arrangement`` it is the one that suits the graph.
        """
        graph = self._graph
        arrangement = arrangement or suits(graph)
        if arrangement is Arrangement.SPRING:
            places, shades = self._spring
        else:
            arrange = _on_circle if arrangement is Arrangement.CIRCLE else _in_classes
            places = arrange(graph.n, coloring)
            shades = self._shades(places)
        conflicts = np.empty((0, 2), np.int32) if coloring is None else graph.conflicts(coloring)
        return GraphDrawing(arrangement, coloring, conflicts, *places, shades)

    def adjacency(self, coloring: NDArray[np.int32] | None) -> AdjacencyPicture:
        """Draw the adjacency matrix, rows and columns by the classes of ``coloring``.

        Each pixel shows whether there is any edge in its square, and how large a share of it.
        """
        n, edges = self._graph.n, self._graph.edges
        order = np.arange(n, dtype=np.int32) if coloring is None else class_order(coloring)
        size = min(n, MATRIX_SIZE)
        place = np.empty(n, np.int64)
        place[order] = np.arange(n) * size // n
        rows = place[edges]
        squares = np.bincount(rows[:, 0] * size + rows[:, 1], minlength=size * size)
        counts = squares.reshape(size, size)
        counts = counts + counts.T
        members = np.bincount(place, minlength=size)
        share = np.minimum(counts / np.outer(members, members), 1.0)
        levels = np.where(counts > 0, 64 + 186 * share, 0).astype(np.uint8)
        if coloring is not None:
            wrong = place[self._graph.conflicts(coloring)]
            levels[wrong[:, 0], wrong[:, 1]] = levels[wrong[:, 1], wrong[:, 0]] = CONFLICT
        return AdjacencyPicture(coloring, order, levels)

    def _shades(self, places: _Places) -> _Shades:
        edges = self._graph.edges
        if len(edges) <= MOST_EDGE_LINES:
            return None
        return shades_of(places[0], edges, SHADES_SIZE if len(edges) <= _FINE else SHADES_SIZE // 2)


def _fitted(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Scale ``places`` into [-1, 1]; return them and a typical distance to the nearest place."""
    from scipy.spatial import cKDTree

    low, high = places.min(axis=0), places.max(axis=0)
    half = float((high - low).max()) / 2
    places = (places - (low + high) / 2) / (half or 1.0)
    if len(places) < 2:
        return places, 1.0
    nearest = np.asarray(cKDTree(places).query(places, k=2)[0])[:, 1]
    return places, float(np.percentile(nearest, 25.0))


def _on_circle(n: int, coloring: NDArray[np.int32] | None) -> _Places:
    """Place vertices clockwise around a circle from the top, with a gap after each class."""
    colors = np.zeros(n, np.int32) if coloring is None else coloring
    sizes, order = class_sizes(colors), class_order(colors)
    gap = 0.0 if len(sizes) == 1 else 1.0
    around = n + gap * len(sizes)
    place = np.empty(n)
    place[order] = np.arange(n) + gap * colors[order]
    radius = 0.92
    spacing = 2 * radius * math.sin(math.pi / max(around, 2))
    if coloring is None:
        return radius * _directions(place / around), spacing, _NO_NAMES
    ends = np.cumsum(sizes) + gap * np.arange(len(sizes))
    middles = ends - (sizes + 1) / 2
    return radius * _directions(place / around), spacing, 0.98 * _directions(middles / around)


def _directions(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    angles = 2 * np.pi * turns
    return np.column_stack([np.sin(angles), np.cos(angles)])


def _in_classes(n: int, coloring: NDArray[np.int32] | None) -> _Places:
    """Place each class in a cell of its own, row by row; vertices like seeds of a sunflower."""
    colors = np.zeros(n, np.int32) if coloring is None else coloring
    sizes = class_sizes(colors)
    columns = math.ceil(math.sqrt(len(sizes)))
    rows = math.ceil(len(sizes) / columns)
    number = np.arange(len(sizes))
    cell = 2.0 / columns
    across, down = (number % columns + 0.5) * cell, (number // columns + 0.5) * cell
    centres = np.column_stack([across - 1.0, rows * cell / 2 - down])
    order = class_order(colors)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    seed = np.empty(n)
    seed[order] = np.arange(n) - np.repeat(starts, sizes)
    # Seeds are about `step` apart. The largest class leaves room for a border and a name.
    step = 0.41 * cell / math.sqrt(max(1, int(sizes.max())))
    radius = step * np.sqrt(seed + (sizes[colors] > 1) * 0.5)
    inner = np.column_stack([np.cos(_GOLDEN * seed), np.sin(_GOLDEN * seed)]) * radius[:, None]
    middle = np.column_stack([np.bincount(colors, inner[:, axis]) / sizes for axis in (0, 1)])
    places = (centres - middle)[colors] + inner
    beside = 0.1 * cell + 0.72 * step * np.sqrt(sizes + 0.5)
    names = centres + beside[:, None] * [-1.0, 1.0] if coloring is not None else _NO_NAMES
    return places, 1.6 * step, names


def shades_of(
    places: NDArray[np.float64], edges: NDArray[np.int32], size: int = SHADES_SIZE
) -> NDArray[np.uint8]:
    """Draw ``edges`` between ``places`` in [-1, 1]: the more pass a pixel, the larger its value.

    Rows run from the top down. A value is 0 without an edge; else 24 to 255, by the square root of
    the number of edges. One pixel in a hundred has the largest value.
    """
    pixels = (places * [0.5, -0.5] + 0.5) * (size - 1)
    counts = np.zeros((size, size), np.uint32)
    _count(counts, pixels, edges)
    met = counts > 0
    if not met.any():
        return np.zeros((size, size), np.uint8)
    most = max(float(np.percentile(counts[met], 99.0)), 1.0)
    shades = np.sqrt(np.minimum(counts / most, 1.0))
    return np.where(met, 24 + 231 * shades, 0).astype(np.uint8)


@cached
def _count(
    counts: NDArray[np.uint32], pixels: NDArray[np.float64], edges: NDArray[np.int32]
) -> None:
    """Add 1 to one pixel of every column that an edge passes, or row if it is steep."""
    for at in range(len(edges)):
        u, v = edges[at, 0], edges[at, 1]
        x, y = pixels[u, 0], pixels[u, 1]
        right, down = pixels[v, 0] - x, pixels[v, 1] - y
        steps = int(max(abs(right), abs(down))) + 1
        right, down = right / steps, down / steps
        x, y = x + 0.5, y + 0.5
        for _ in range(steps + 1):
            counts[int(y), int(x)] += 1
            x += right
            y += down
