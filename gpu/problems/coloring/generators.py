"""Seeded generators of graphs, some with a chromatic number that is known by construction.

The same graphs come out on every machine: uniform random numbers, whole numbers and comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.problems.coloring.dimacs import write_bits, write_graph
from gpu.problems.coloring.instance import GraphInstance, unique_edges

Edges = NDArray[np.int32]
"""As a :class:`GraphInstance` has them."""

Layout = tuple[int, Edges, int | None]
"""Vertices, edges, and the chromatic number where it is known by construction."""

PAIRS_DRAWN = 1 << 28  # most pairs of a graph for each of which is drawn whether it is an edge
_PAIRS_AT_ONCE = 1 << 20

SQUARE_SIDE = 1 << 20  # side of the square in which a geometric graph's points lie, in whole units


def random(seed: int, n: int, p: float) -> Layout:
    """G(n, p): each of the pairs is an edge with probability ``p``, whatever the others are.

    Of very many pairs, so many are drawn as are edges on average.
    """
    draws = np.random.Generator(np.random.PCG64(seed))
    pairs = n * (n - 1) // 2
    edges = _each_drawn(draws, n, p) if pairs <= PAIRS_DRAWN else _drawn(draws, n, round(p * pairs))
    return n, edges, None


def _each_drawn(draws: np.random.Generator, n: int, p: float) -> Edges:
    """Draw for each pair whether it is an edge."""
    found, first = [], 0
    while first < n - 1:
        last = min(first + max(1, _PAIRS_AT_ONCE // n), n - 1)
        width = np.arange(n - 1 - first, n - 1 - last, -1)  # pairs of each lower vertex
        chosen = np.flatnonzero(draws.random(width.sum()) < p)
        ends = np.cumsum(width)
        row = np.searchsorted(ends, chosen, side="right")
        found.append(np.column_stack((first + row, chosen - ends[row] + n)).astype(np.int32))
        first = last
    return np.concatenate(found) if found else unique_edges([])


def _drawn(draws: np.random.Generator, n: int, count: int) -> Edges:
    """Draw pairs until ``count`` different ones have come, which are few of all."""
    code = np.empty(0, np.int64)
    while len(code) < count:
        ends = draws.integers(0, n, (count + count // 8 + 100, 2))
        ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
        code = np.concatenate((code, ends[:, 0] * n + ends[:, 1]))
        code = code[np.sort(np.unique(code, return_index=True)[1])]  # in the order they came
    return unique_edges(np.column_stack(np.divmod(code[:count], n)))


def geometric(seed: int, n: int, radius: float) -> Layout:
    """Points in a square, and an edge between any two closer than ``radius`` of its side."""
    from scipy.spatial import cKDTree  # slow to import

    draws = np.random.Generator(np.random.PCG64(seed))
    points = draws.integers(0, SQUARE_SIDE, (n, 2))
    pairs = cKDTree(points).query_pairs(radius * SQUARE_SIDE + 1.0, output_type="ndarray")
    square = ((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2).sum(axis=1)
    near = square < math.floor((radius * SQUARE_SIDE) ** 2)
    return n, unique_edges(pairs[near]), None


def roads(seed: int, n: int) -> Layout:
    """Places in a square, and an edge between two if no other is in the circle between them.

    It is Gabriel's graph (1969), planar, with about two edges a vertex. The circle has the two
    places at the ends of a diameter. Whether a third one is in it shows at the triangles beside the
    edge, of Delaunay's triangulation: whole numbers say so exactly.
    """
    from scipy.spatial import Delaunay  # slow to import

    draws = np.random.Generator(np.random.PCG64(seed))
    code = np.empty(0, np.int64)
    while len(code) < n:  # different places, in the order they came
        code = np.concatenate((code, draws.integers(0, SQUARE_SIDE**2, n)))
        code = code[np.sort(np.unique(code, return_index=True)[1])]
    points = np.column_stack(np.divmod(code[:n], SQUARE_SIDE))
    corners = Delaunay(points).simplices.astype(np.int64)
    edges = np.concatenate([corners[:, [1, 2]], corners[:, [2, 0]], corners[:, [0, 1]]])
    edges.sort(axis=1)
    opposite = points[corners.T.ravel()]
    # The angle at the corner opposite to an edge is acute where the corner is outside the circle.
    sides = points[edges] - opposite[:, None]
    outside = (sides[:, 0] * sides[:, 1]).sum(axis=1) > 0
    inside = edges[~outside]
    found = unique_edges(edges)
    kept = ~np.isin(found[:, 0].astype(np.int64) * n + found[:, 1], inside[:, 0] * n + inside[:, 1])
    return n, found[kept], None


def queens(size: int) -> Layout:
    """Squares of a board, and an edge between two of which one sees the other as a queen does.

    A row needs ``size`` colors. They suffice where neither 2 nor 3 divides ``size``: the color of
    row r and column c is then 2r + c modulo ``size``.
    """
    row, column = np.divmod(np.arange(size * size), size)
    u, v = np.triu_indices(size * size, 1)
    down, across = row[u] - row[v], column[u] - column[v]
    seen = (down == 0) | (across == 0) | (abs(down) == abs(across))
    least = size if math.gcd(size, 6) == 1 else None
    return size * size, unique_edges(np.column_stack((u[seen], v[seen]))), least


def mycielski(colors: int) -> Layout:
    """Graph without triangles that needs ``colors`` >= 2 colors (Mycielski 1955).

    From an edge, and again and again: a copy of each vertex, joined to its neighbours, and one more
    vertex, joined to all copies. Each time one color more is needed.
    """
    if colors < 2:
        raise ValueError(f"no graph of Mycielski's has {colors} colors; the least is 2")
    n, edges = 2, np.array([[0, 1]], np.int64)
    for _ in range(colors - 2):
        u, v = edges.T
        copies = np.arange(n, 2 * n)
        joined = ((u, v), (u, v + n), (v, u + n), (copies, np.full(n, 2 * n)))
        edges = np.concatenate([np.column_stack(ends) for ends in joined])
        n = 2 * n + 1
    return n, unique_edges(edges), colors


def partite(seed: int, n: int, colors: int, p: float) -> Layout:
    """Random graph of ``colors`` parts, with edges between parts only: so many colors suffice.

    One vertex of each part is joined to those of all others: no fewer colors do.
    """
    if not 1 <= colors <= n:
        raise ValueError(f"{n} vertices cannot be in {colors} parts that all have one")
    draws = np.random.Generator(np.random.PCG64(seed))
    mixed = np.argsort(draws.random(n), kind="stable")
    part = np.empty(n, np.int64)
    part[mixed] = np.arange(n) % colors
    first = np.zeros(n, bool)
    first[mixed[:colors]] = True
    u, v = np.triu_indices(n, 1)
    chosen = (draws.random(u.size) < p) | (first[u] & first[v])
    chosen &= part[u] != part[v]
    return n, unique_edges(np.column_stack((u[chosen], v[chosen]))), colors


def instance(name: str, kind: str, layout: Layout) -> GraphInstance:
    """Make an instance of what a generator has made; its comment has what is proven."""
    n, edges, colors = layout
    proven = [] if colors is None else [f"chromatic number {colors}"]
    return GraphInstance(name, "\n".join([kind, *proven]), n, edges, optimum=colors)


@dataclass(frozen=True, slots=True)
class GraphRecipe:
    """How one bundled graph is made."""

    name: str
    kind: str
    make: Callable[[], Layout]
    bits: bool = False

    @property
    def file(self) -> str:
        """Name of its file; dense ones are shorter with a bit for every pair."""
        return f"{self.name}.col{'.b' if self.bits else ''}"

    def write(self, directory: Path) -> GraphInstance:
        """Write the graph into ``directory``; return it."""
        made = instance(self.name, self.kind, self.make())
        (write_bits if self.bits else write_graph)(directory / self.file, made)
        return made


_MYCIELSKI = "No three vertices all joined, yet it needs more colors than it seems to."
_QUEENS = "Squares of a chess board, joined where a queen on one sees the other."
_PARTITE = "Hidden parts with no edge inside: as many colors as parts are needed."
GEOMETRIC_TEXT = "Points in a square, joined where they are close."
ROADS_TEXT = "Places in a square, joined where no other lies between: a map of roads."
RANDOM_TEXT = "Every pair of vertices joined with the same probability."

GRAPH_RECIPES = (
    GraphRecipe("mycielski-47", _MYCIELSKI, lambda: mycielski(6)),
    GraphRecipe("mycielski-191", _MYCIELSKI, lambda: mycielski(8)),
    GraphRecipe("queens-49", _QUEENS, lambda: queens(7)),
    GraphRecipe("queens-121", _QUEENS, lambda: queens(11)),
    GraphRecipe("partite-100", _PARTITE, lambda: partite(1, 100, 8, 0.35)),
    GraphRecipe("partite-500", _PARTITE, lambda: partite(2, 500, 30, 0.5), bits=True),
    GraphRecipe("geometric-300", GEOMETRIC_TEXT, lambda: geometric(3, 300, 0.15)),
    GraphRecipe("random-125", RANDOM_TEXT, lambda: random(4, 125, 0.5), bits=True),
    GraphRecipe("random-500-sparse", RANDOM_TEXT, lambda: random(5, 500, 0.1), bits=True),
    GraphRecipe("random-500", RANDOM_TEXT, lambda: random(6, 500, 0.5), bits=True),
    GraphRecipe("random-500-dense", RANDOM_TEXT, lambda: random(7, 500, 0.9), bits=True),
    GraphRecipe("random-1000", RANDOM_TEXT, lambda: random(8, 1000, 0.5), bits=True),
)
