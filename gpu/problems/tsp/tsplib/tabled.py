"""Distances by rules that no colony computes: all of them at once, as a matrix.

GEOM measures on a sphere in metres, between decimal degrees (as in Concorde). GEO_MEEUS and
GEOM_MEEUS measure on the ellipsoid, in kilometres between TSPLIB's degrees and minutes, or in
metres between decimal degrees (H. Andoyer's method: J. Meeus, Astronomical Algorithms, 1998,
chapter 11). TOR_2D and TOR_3D are Euclidean on a torus: what leaves a square, or a cube, at one
side comes back at the other (as in LKH).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpu.problems.tsp.distances import Reals, blocks, radians

LARGEST_TABLE = 20_000
"""Cities of which a matrix is made; the 1.6 GB of more would be too much for most machines."""

METRES_RADIUS = 6_378_388.0  # of GEOM's sphere
EQUATOR_RADIUS = 6378.137  # of the ellipsoid, in km
FLATTENING = 1 / 298.257
TORUS_SIDE = 1_000_000.0  # unless the file has a GRID_SIZE

Rule = Callable[[Reals, Reals, float], Reals]


def _geom(start: Reals, end: Reals, _side: float) -> Reals:
    """Great circle, by the arc tangent, which is exact for near places too; rounded up as GEO."""
    start, end = np.radians(start), np.radians(end)
    across = start[..., 1] - end[..., 1]
    up, sum_ = start[..., 0] - end[..., 0], start[..., 0] + end[..., 0]
    sine, cosine = np.sin(across / 2.0) ** 2, np.cos(across / 2.0) ** 2
    east = np.cos(end[..., 0]) * np.sin(across)
    north = np.sin(sum_) * sine - np.sin(up) * cosine
    along = np.cos(up) * cosine - np.cos(sum_) * sine
    way: Reals = METRES_RADIUS * np.arctan2(np.hypot(east, north), along) + 1.0
    return way


def _ellipsoid(start: Reals, end: Reals) -> Reals:
    """Kilometres on the ellipsoid between latitudes and longitudes in radians."""
    mean, half = (start[..., 0] + end[..., 0]) / 2.0, (start[..., 0] - end[..., 0]) / 2.0
    across = (start[..., 1] - end[..., 1]) / 2.0
    sf, sg, sl = np.sin(mean) ** 2, np.sin(half) ** 2, np.sin(across) ** 2
    s = sg * (1.0 - sl) + (1.0 - sf) * sl
    c = (1.0 - sg) * (1.0 - sl) + sf * sl
    apart, near = s > 0.0, c > 0.0
    s, c = np.where(apart, s, 1.0), np.where(near, c, np.finfo(float).tiny)
    angle = np.arctan(np.sqrt(s / c))
    ratio = np.sqrt(s * c) / angle
    first, second = (3.0 * ratio - 1.0) / (2.0 * c), (3.0 * ratio + 1.0) / (2.0 * s)
    flat = 1.0 + FLATTENING * (first * sf * (1.0 - sg) - second * (1.0 - sf) * sg)
    way = 2.0 * angle * EQUATOR_RADIUS * np.where(near, flat, 1.0)
    return np.where(apart, way, 0.0)


def _geo_meeus(start: Reals, end: Reals, _side: float) -> Reals:
    return _ellipsoid(radians(start), radians(end)) + 0.5


def _geom_meeus(start: Reals, end: Reals, _side: float) -> Reals:
    return 1000.0 * _ellipsoid(np.radians(start), np.radians(end)) + 0.5


def _torus(start: Reals, end: Reals, side: float) -> Reals:
    across = np.abs(start - end)
    squares = np.minimum(across, side - across) ** 2
    way: Reals = np.sqrt(squares.sum(axis=-1)) + 0.5
    return way


TABLED: dict[str, Rule] = {
    "GEOM": _geom,
    "GEO_MEEUS": _geo_meeus,
    "GEOM_MEEUS": _geom_meeus,
    "TOR_2D": _torus,
    "TOR_3D": _torus,
}
"""EDGE_WEIGHT_TYPEs whose distances come as a matrix; what the rule gives is cut to an integer."""

ON_GLOBE = {"GEOM": "m", "GEO_MEEUS": "km", "GEOM_MEEUS": "m"}
"""Those between latitudes and longitudes, with their units."""


def table_of(name: str, places: Reals, side: float = TORUS_SIDE) -> NDArray[np.int32]:
    """Compute all distances between ``places``, shape (n, 2) or (n, 3), by the rule ``name``."""
    n, rule = len(places), TABLED[name]
    result = np.empty((n, n), np.int32)
    for rows in blocks(n, n):
        # Each pair once: rounding noise may differ between there and back.
        later = slice(rows.stop, n)
        among = np.triu(rule(places[rows, None], places[rows], side).astype(np.int32), 1)
        result[rows, rows] = among + among.T
        result[rows, later] = rule(places[rows, None], places[later], side)
        result[later, rows] = result[rows, later].T
    return result
