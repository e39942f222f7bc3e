"""Where to draw cities of which only distances are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LANDMARKS = 200
"""Cities laid out by the full method; the others are placed by their distances to these."""


def laid_out(matrix: NDArray[np.integer]) -> NDArray[np.float64]:
    """Lay cities out so that places are about as far apart as the distances say.

    Classical multidimensional scaling (Torgerson 1952) of up to ``LANDMARKS`` cities; the others
    are placed by distance-based triangulation (landmark MDS, de Silva and Tenenbaum 2004).
    A directed matrix is taken as the mean of both directions. The places, shape (n, 2), are the
    same for the same matrix, and a circle where all cities lie at one place.
    """
    n = len(matrix)
    marks = np.unique(np.linspace(0, n - 1, min(n, LANDMARKS)).astype(np.int64))
    both = (matrix[marks].astype(np.float64) + matrix[:, marks].T) / 2.0
    both[np.arange(len(marks)), marks] = 0.0
    squares = both**2

    among = squares[:, marks]
    mean = among.mean(axis=1)
    product = -0.5 * (among - mean[:, None] - mean + mean.mean())
    values, vectors = np.linalg.eigh(product)
    values, vectors = values[:-3:-1], vectors[:, :-3:-1]
    if values[0] <= 0.0:
        angle = np.arange(n) * (2.0 * np.pi / n)
        return np.column_stack((np.cos(angle), np.sin(angle)))
    # The sign of an eigenvector is arbitrary. Choose it so that the map is always the same.
    largest = vectors[np.abs(vectors).argmax(axis=0), [0, 1]]
    vectors = vectors * np.where(largest < 0.0, -1.0, 1.0)
    # Cities on a line leave only rounding noise for the second axis.
    axes = values > 1e-12 * values[0]
    scale = axes / np.sqrt(np.where(axes, values, 1.0))
    places: NDArray[np.float64] = -0.5 * (squares - mean[:, None]).T @ (vectors * scale)
    return places
