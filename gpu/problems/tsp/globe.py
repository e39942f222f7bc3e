"""Places given by latitude and longitude in decimal degrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.problems.tsp.distances import EARTH_RADIUS
from gpu.problems.tsp.metric import GEO_UNIT, Metric

Reals = NDArray[np.float64]

NEAR = 1_000_000.0
"""Metres between places for which a straight line is as long as the way to within 0.1 %."""


def in_minutes(degrees: Reals) -> Reals:
    """TSPLIB's DDD.MM (degrees, a point, minutes) of decimal degrees."""
    whole = np.trunc(degrees)
    return whole + (degrees - whole) * 0.6


def in_metres(degrees: Reals) -> Reals:
    """Points in space, shape (n, 3), in metres from their middle, of latitudes and longitudes.

    The middle is taken away so that the numbers are small.
    """
    latitude, longitude = np.radians(degrees).T
    around = np.cos(latitude)
    points = np.column_stack(
        (around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude))
    )
    points *= 1000.0 * EARTH_RADIUS
    centred: Reals = points - (points.min(axis=0) + points.max(axis=0)) / 2.0
    return centred


def metric_and_coordinates(degrees: Reals, *, geo: bool) -> tuple[Metric, Reals, str]:
    """Choose how distances between latitudes and longitudes, shape (n, 2), are measured.

    TSPLIB's GEO counts whole kilometres, too coarse for near places. Unless ``geo`` asks for it,
    the distance of places within ``NEAR`` is the straight line in metres. Returned are the metric,
    its coordinates and the unit of its lengths.
    """
    if not geo:
        points = in_metres(degrees)
        if np.linalg.norm(np.ptp(points, axis=0)) <= NEAR:
            return Metric.EUC_3D, points, "m"
    return Metric.GEO, in_minutes(degrees), GEO_UNIT
