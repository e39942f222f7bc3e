"""Graphs and colorings for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.problems.coloring.instance import GraphInstance, unique_edges


def random_graph(
    n: int, density: float, seed: int = 1, *, known: int | None = None
) -> GraphInstance:
    """Each pair of ``n`` vertices is an edge with the probability ``density``."""
    lower, upper = np.triu_indices(n, 1)
    chosen = np.random.default_rng(seed).random(len(lower)) < density
    edges = unique_edges(np.column_stack([lower, upper])[chosen])
    return GraphInstance(f"random{n}", "A random graph for tests", n, edges, optimum=known)


def queens(side: int) -> GraphInstance:
    """Squares of a chess board, joined where a queen moves from one to the other."""
    row, column = np.divmod(np.arange(side * side), side)
    down, right = row[:, None] - row, column[:, None] - column
    moves = (down == 0) | (right == 0) | (abs(down) == abs(right))
    pairs = np.argwhere(np.triu(moves, 1))
    return GraphInstance(
        f"queen{side}_{side}", "", side * side, unique_edges(pairs), optimum=side + 1
    )


def greedy(graph: GraphInstance, seed: int = 0) -> NDArray[np.int32]:
    """The lowest color that no neighbour has, vertex by vertex: by degree, or in random order."""
    neighbours: list[list[int]] = [[] for _ in range(graph.n)]
    for u, v in graph.edges:
        neighbours[u].append(int(v))
        neighbours[v].append(int(u))
    order = np.argsort(-graph.degrees, kind="stable")
    if seed:
        order = np.random.default_rng(seed).permutation(graph.n)
    colors = np.full(graph.n, -1, np.int32)
    for vertex in order:
        taken = {int(colors[other]) for other in neighbours[vertex]}
        colors[vertex] = next(color for color in range(graph.n) if color not in taken)
    return colors


def spoiled(graph: GraphInstance, coloring: NDArray[np.int32], edges: int) -> NDArray[np.int32]:
    """The coloring with both ends of the first ``edges`` separate edges in one color."""
    colors = coloring.copy()
    met: set[int] = set()
    for u, v in graph.edges:
        if len(met) < 2 * edges and not met & {int(u), int(v)}:
            met |= {int(u), int(v)}
            colors[v] = colors[u]
    return colors
