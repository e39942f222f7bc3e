"""Pictures of one graph, made on request."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import cached
from gpu.drawing.drawing import (
    CONFLICT,
    MATRIX_SIZE,
    AdjacencyPicture,
    Arrangement,
    GraphDrawing,
)
from gpu.drawing.sparse_stress import StressLayout
from gpu.drawing.spring import WHOLE_GRAPH, spring_places
from gpu.problems.coloring.instance import GraphInstance, class_order, class_sizes

_READABLE = 3_000  # most edges for which a spring layout is still clear
_LARGE_GRAPH = 20_000
"""Vertices and edges from which on springs are laid out step by step, unless vertices are few."""

_LONG_PATHS = 3.0
"""A graph has a shape if its paths are so many times as long as log2 n, which random ones are."""

_STRONGEST = 99.0  # percentile of the shares of edges in squares of a matrix that is the full level
_SPACING_CELLS = 512  # rows and columns of the cells in which very many places are counted
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
_NO_NAMES = np.empty((0, 2))

_Places = tuple[NDArray[np.float64], float, NDArray[np.float64]]
"""Places, their distance, and the places of the classes' numbers."""


def suits(graph: GraphInstance, longest: int = 0) -> Arrangement:
    """Return the arrangement that shows most of ``graph``, whose ``longest`` path is known."""
    few = len(graph.edges) <= max(_READABLE, 3 * graph.n)
    stretched = longest > _LONG_PATHS * math.log2(max(2, graph.n))
    return Arrangement.SPRING if few or stretched else Arrangement.CLASSES


def is_large(graph: GraphInstance) -> bool:
    """Whether the springs of ``graph`` are laid out step by step."""
    return graph.n > WHOLE_GRAPH and graph.n + len(graph.edges) > _LARGE_GRAPH


class GraphArtist:
    """Draws one graph; keeps what does not change from one coloring to the next.

    One thread at a time may ask.
    """

    def __init__(self, graph: GraphInstance) -> None:
        self._graph = graph
        self._layout: StressLayout | None = None  # of a large graph, once it has begun
        self._springs: _Places | None = None  # the best that are known
        self._last: tuple[Arrangement, NDArray[np.int32] | None, _Places] | None = None

    def draw(
        self, arrangement: Arrangement | None, coloring: NDArray[np.int32] | None
    ) -> GraphDrawing:
        """Arrange the vertices, by the classes of ``coloring`` if the arrangement has classes.

        Without an ``arrangement`` it is the one that suits the graph. Until :meth:`improve` has
        found places for a large graph, its vertices are arranged by their classes.
        """
        graph, wanted = self._graph, self._chosen(arrangement)
        if wanted is Arrangement.SPRING and self._springs is None and not is_large(graph):
            self._springs = *_fitted(spring_places(graph)), _NO_NAMES
        if wanted is Arrangement.SPRING and self._springs is not None:
            places = self._springs
        else:
            wanted = Arrangement.CIRCLE if wanted is Arrangement.CIRCLE else Arrangement.CLASSES
            places = self._by_class(wanted, coloring)
        conflicts = np.empty((0, 2), np.int32) if coloring is None else graph.conflicts(coloring)
        parts = [part for part in (places[0], places[2]) if len(part)]
        low, high = (
            edge([edge(part, axis=0) for part in parts], axis=0) for edge in (np.min, np.max)
        )
        bounds, settled = np.array([low, high]), self._is_settled(arrangement)
        return GraphDrawing(wanted, coloring, conflicts, *places, bounds, settled)

    def improve(self, arrangement: Arrangement | None) -> None:
        """Compute for about a second at most toward better places for an ``arrangement``."""
        layout = self._layout
        if self._is_settled(arrangement):
            return
        if layout is None:
            self._layout = StressLayout(self._graph)
        elif layout.improve():
            self._springs = *_many_fitted(layout.places()), _NO_NAMES

    def settle(self, arrangement: Arrangement | None) -> None:
        """Find the best places for an ``arrangement``, however long that takes."""
        while not self._is_settled(arrangement):
            self.improve(arrangement)

    def _by_class(self, arrangement: Arrangement, coloring: NDArray[np.int32] | None) -> _Places:
        """Return the places for an arrangement by classes; the last ones may be wanted again."""
        known = self._last
        if known is None or known[0] is not arrangement or known[1] is not coloring:
            arrange = _on_circle if arrangement is Arrangement.CIRCLE else _in_classes
            known = self._last = arrangement, coloring, arrange(self._graph.n, coloring)
        return known[2]

    def _chosen(self, arrangement: Arrangement | None) -> Arrangement | None:
        """Return ``arrangement``, or the one that suits the graph if that is known by now."""
        if arrangement is not None or not is_large(self._graph):
            return arrangement or suits(self._graph)
        return None if self._layout is None else suits(self._graph, self._layout.longest)

    def _is_settled(self, arrangement: Arrangement | None) -> bool:
        """Whether the places for an ``arrangement`` will not get better."""
        wanted = self._chosen(arrangement)
        if wanted is not Arrangement.SPRING or not is_large(self._graph):
            return wanted is not None
        return self._layout is not None and self._layout.settled

    def adjacency(self, coloring: NDArray[np.int32] | None) -> AdjacencyPicture:
        """Draw the adjacency matrix, rows and columns by the classes of ``coloring``.

        Each pixel shows whether there is any edge in its square, and how large a share of it, as
        it is or, where a square has many pairs, beside the largest shares.
        """
        n = self._graph.n
        order = np.arange(n, dtype=np.int32) if coloring is None else class_order(coloring)
        size = min(n, MATRIX_SIZE)
        place = np.empty(n, np.int32)
        place[order] = np.arange(n) * size // n
        counts = np.zeros((size, size), np.int64)
        _count_pairs(place, self._graph.edges, counts)
        members = np.bincount(place, minlength=size)
        share = np.minimum(counts / np.outer(members, members), 1.0)
        if size < n and counts.any():  # of so many pairs, few are edges
            share = np.minimum(share / np.percentile(share[counts > 0], _STRONGEST), 1.0)
        levels = np.where(counts > 0, 64 + 186 * share, 0).astype(np.uint8)
        if coloring is not None:
            wrong = place[self._graph.conflicts(coloring)]
            levels[wrong[:, 0], wrong[:, 1]] = levels[wrong[:, 1], wrong[:, 0]] = CONFLICT
        return AdjacencyPicture(coloring, order, levels)


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


def _many_fitted(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Do what :func:`_fitted` does, for very many places: count them in cells."""
    low, high = places.min(axis=0), places.max(axis=0)
    half = float((high - low).max()) / 2
    places = (places - (low + high) / 2) / (half or 1.0)
    cell = ((places + 1.0) * (0.5 * _SPACING_CELLS * (1 - 1e-9))).astype(np.int32)
    counts = np.bincount(cell[:, 1] * _SPACING_CELLS + cell[:, 0])
    usual = float((counts.astype(np.float64) ** 2).sum() / len(places))  # of a vertex's own cell
    return places, 2.0 / _SPACING_CELLS / math.sqrt(usual)


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


@cached
def _count_pairs(
    place: NDArray[np.int32], edges: NDArray[np.int32], counts: NDArray[np.int64]
) -> None:
    """Count each edge at the places of its ends, in either order."""
    for at in range(len(edges)):
        row, column = place[edges[at, 0]], place[edges[at, 1]]
        counts[row, column] += 1
        counts[column, row] += 1
