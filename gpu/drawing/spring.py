"""The spring layout: the distance of two places is about the length of the shortest path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import shortest_path

from gpu.cpu.compilation import cached
from gpu.problems.coloring.instance import GraphInstance

WHOLE_GRAPH = (
    1000  # up to so many vertices, all distances count; with more, only those to some pivots
)
_LARGE = 5_000_000
"""From so many vertices times edges on, paths are counted by products of matrices."""

_PATHS_AT_ONCE = 100_000  # edges in one call of SciPy, which holds the interpreter's lock meanwhile
PIVOTS = 96
SPRING_ROUNDS = 40
_LAST_SPRING_STEP = 0.05
_APART = 1.5  # distance between components, as a multiple of the longest path


def spring_places(graph: GraphInstance) -> NDArray[np.float64]:
    """Lay a graph out by stochastic gradient descent on the stress.

    The stress Σ w (|x_i - x_j| - d)², w = d⁻², d the edges on the shortest path from i to j
    (Kamada and Kawai 1989), is made small pair by pair in random order, by steps that shrink
    (Zheng, Pawar and Goodman 2019). In large graphs the pairs are the edges and those
    with ``PIVOTS`` vertices that lie far from each other.

    A graph always gets the same places. The longest direction is x.
    """
    n = graph.n
    random = np.random.default_rng(1)
    places = random.random((n, 2)) - 0.5
    if n < 2:
        return np.zeros((n, 2))
    pairs, distances, weights = _springs(graph)
    places *= distances.max()
    first, last = 1.0 / weights.min(), _LAST_SPRING_STEP / weights.max()
    for number in range(SPRING_ROUNDS):
        step = first * (last / first) ** (number / (SPRING_ROUNDS - 1))
        _relax(places, pairs, distances, weights, random.permutation(len(pairs)), step)
    places -= places.mean(axis=0)
    _, vectors = np.linalg.eigh(places.T @ places)
    vectors = vectors[:, ::-1]
    # The sign of an eigenvector is arbitrary. Choose it so that the map is always the same.
    largest = vectors[np.abs(vectors).argmax(axis=0), [0, 1]]
    turned: NDArray[np.float64] = places @ (vectors * np.sign(largest))
    return turned


def _springs(
    graph: GraphInstance,
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Return pairs of vertices (int32, shape (k, 2)), their distances and their weights."""
    n, edges = graph.n, graph.edges
    matrix = coo_array((np.ones(len(edges), np.int8), edges.T), shape=(n, n)).tocsr()
    if n <= WHOLE_GRAPH:
        lower, upper = np.triu_indices(n, 1)
        if n * len(edges) <= _LARGE:
            sources = np.array_split(np.arange(n), min(n, n * len(edges) // _PATHS_AT_ONCE + 1))
            far = np.concatenate([_paths(matrix, among) for among in sources])[lower, upper]
        else:
            far = _short_paths(matrix.toarray())[lower, upper]
        pairs = np.column_stack([lower, upper]).astype(np.int32)
        share = np.ones(len(pairs))
    else:
        pivots, paths = _pivots(matrix, n)
        other = np.broadcast_to(np.arange(n, dtype=np.int32), paths.shape)
        pairs = np.stack([np.broadcast_to(pivots[:, None], paths.shape), other], axis=2)
        pairs, far = pairs.reshape(-1, 2), paths.ravel()
        apart = pairs[:, 0] != pairs[:, 1]
        pairs = np.concatenate([pairs[apart], edges]).astype(np.int32)
        # A pivot's pairs stand for those with all vertices around it.
        share = np.repeat([n / len(pivots), 1.0], [int(apart.sum()), len(edges)])
        far = np.concatenate([far[apart], np.ones(len(edges))])
    reached = np.isfinite(far)
    longest = far[reached].max(initial=1.0)
    distances = np.where(reached, far, _APART * longest)
    return pairs, distances, share / distances**2


def _short_paths(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lengths of the paths between all vertices of a dense graph: all are short.

    The matrix ``ends`` is not 0 at the lower and the upper end of each edge.
    """
    edges = np.asarray((ends != 0) | (ends.T != 0), np.float32)
    paths = np.where(edges > 0, 1.0, np.inf)
    np.fill_diagonal(paths, 0.0)
    met, count = edges, 1
    while True:
        count += 1
        met = np.asarray(met @ edges > 0, np.float32)
        new = (met > 0) & np.isinf(paths)
        if not new.any():
            return paths
        paths[new] = count


def _pivots(matrix: csr_array[np.float64], n: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Choose vertices far from each other, one after the other, with the paths from each."""
    pivots, paths = [0], []
    nearest = np.full(n, np.inf)
    while True:
        paths.append(_paths(matrix, pivots[-1]))
        nearest = np.minimum(nearest, paths[-1])
        if len(pivots) == min(n, PIVOTS):
            return np.array(pivots, np.int32), np.array(paths)
        pivots.append(int(nearest.argmax()))


def _paths(matrix: csr_array[np.float64], sources: int | NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the lengths of the paths from ``sources`` to each vertex; infinity without a path."""
    return shortest_path(matrix, "D", directed=False, unweighted=True, indices=sources)


@cached
def _relax(
    places: NDArray[np.float64],
    pairs: NDArray[np.int32],
    distances: NDArray[np.float64],
    weights: NDArray[np.float64],
    order: NDArray[np.int64],
    step: float,
) -> None:
    """Move the ends of each pair, in this order, towards their distance."""
    for at in order:
        i, j = pairs[at, 0], pairs[at, 1]
        x, y = places[i, 0] - places[j, 0], places[i, 1] - places[j, 1]
        length = max(np.sqrt(x * x + y * y), 1e-9)
        share = 0.5 * min(weights[at] * step, 1.0) * (length - distances[at]) / length
        places[i, 0] -= share * x
        places[i, 1] -= share * y
        places[j, 0] += share * x
        places[j, 1] += share * y
