"""The edge of a tour that is nearest to the mouse, found fast enough for a million cities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF

from views.widgets.layers import Points
from views.widgets.view import NOTHING, Pointed

_NEAR = 6.0  # pixels from the mouse to an edge that it points at, at most


def near_edge(
    cities: Points, tour: NDArray[np.int32], place: QPointF, pixel: tuple[float, float]
) -> Pointed:
    """Return the edge of ``tour`` that is nearest to ``place``, where a pixel is so large."""
    scale, at = np.array(pixel), np.array([place.x(), place.y()])
    left, low = at - _NEAR * scale
    right, high = at + _NEAR * scale
    x, y = cities.T
    # A bit for each side of the place that a city reaches. The ends of an edge nearby reach all.
    reached = (x <= right) * np.uint8(1)
    reached |= (x >= left) * np.uint8(2)
    reached |= (y <= high) * np.uint8(4)
    reached |= (y >= low) * np.uint8(8)
    of_ends = reached[tour]
    edges = np.flatnonzero((of_ends | np.roll(of_ends, -1)) == 15)
    if not len(edges):
        return NOTHING
    first, last = tour[edges], tour[(edges + 1) % len(tour)]
    start, way = (cities[first] - at) / scale, (cities[last] - cities[first]) / scale
    square = np.maximum((way * way).sum(axis=1), 1e-12)
    along = np.clip(-(start * way).sum(axis=1) / square, 0.0, 1.0)
    distances = np.hypot(*(start + along[:, None] * way).T)
    best = int(distances.argmin())
    if distances[best] > _NEAR:
        return NOTHING
    return Pointed(places=(int(first[best]), int(last[best])))
