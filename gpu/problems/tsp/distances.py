"""TSPLIB's metrics, and a few of LKH's, and their distances: exact integers, from whole arrays.

Every metric is a real length followed by a rounding rule. The two are kept apart because the
rounding is monotone, which lets neighbours be searched by length and ranked by integer.
"""

from __future__ import annotations

import enum
import math

import numpy as np
from numpy.typing import NDArray

GEO_UNIT = "km"
"""Unit of GEO's lengths, by TSPLIB's rule. Those of other metrics are in the unit of the file."""


class Metric(enum.StrEnum):
    """How the distance between two cities follows from the file (TSPLIB's EDGE_WEIGHT_TYPE)."""

    EUC_2D = "EUC_2D"
    EUC_3D = "EUC_3D"
    CEIL_2D = "CEIL_2D"
    CEIL_3D = "CEIL_3D"
    FLOOR_2D = "FLOOR_2D"
    FLOOR_3D = "FLOOR_3D"
    MAN_2D = "MAN_2D"
    MAN_3D = "MAN_3D"
    MAX_2D = "MAX_2D"
    MAX_3D = "MAX_3D"
    ATT = "ATT"
    GEO = "GEO"
    XRAY1 = "XRAY1"
    XRAY2 = "XRAY2"
    EXPLICIT = "EXPLICIT"


def space_of(metric: Metric) -> int:
    """Coordinates that each city has under ``metric``; 0 if it has none."""
    if metric is Metric.EXPLICIT:
        return 0
    return 3 if metric.endswith("_3D") or metric in MOTOR_SPEEDS else 2


LARGEST_DISTANCE = 2**31 - 1  # distances are kept as int32
LARGEST_COORDINATE = 1e12  # beyond it float64 no longer tells near cities apart
EARTH_RADIUS = 6378.388  # radius of TSPLIB's idealized sphere, in km
DEGREES_PER_TURN = 360.0

MOTOR_SPEEDS = {Metric.XRAY1: (1.0, 1.0, 1.0), Metric.XRAY2: (1.25, 1.5, 1.15)}
"""Speeds of a diffractometer's φ, χ and 2θ motors, in degrees per unit of time."""

SHORTEST = 0.1
"""Length that stands for 0 in η = 1/d, so that cities at one place keep a finite weight."""

COARSE = 2.0
"""Way between neighbours below which rounding it to a whole number loses much."""

BLOCK_PAIRS = 1 << 20
"""City pairs computed at a time where all pairs are wanted, so that temporaries stay small."""

Reals = NDArray[np.float64]


def pairwise(metric: Metric, start: Reals, end: Reals) -> NDArray[np.int64]:
    """Distances between points, ``start[..., :]`` to ``end[..., :]``, under ``metric``."""
    return round_length(metric, length(metric, start, end))


def blocks(rows: int, width: int) -> list[slice]:
    """Slices of ``rows`` rows such that each holds about ``BLOCK_PAIRS`` entries of ``width``."""
    step = max(1, BLOCK_PAIRS // max(1, width))
    return [slice(first, min(first + step, rows)) for first in range(0, rows, step)]


def length(metric: Metric, start: Reals, end: Reals) -> Reals:
    """Length between points before it is rounded; last axis x, y and perhaps z."""
    if metric is Metric.GEO:
        return _great_circle(start, end)
    differences = np.abs(start - end)
    if metric in MOTOR_SPEEDS:
        return _motor_time(differences, MOTOR_SPEEDS[metric])
    if metric in (Metric.MAN_2D, Metric.MAN_3D):
        return _sum_in_order(differences)
    if metric in (Metric.MAX_2D, Metric.MAX_3D):
        result: Reals = differences.max(axis=-1)
        return result
    squares = _sum_in_order(differences * differences)
    if metric is Metric.ATT:
        return np.sqrt(squares / 10.0)
    if metric.startswith(("EUC_", "CEIL_", "FLOOR_")):
        return np.sqrt(squares)
    raise ValueError(f"{metric} has no formula")


def round_length(metric: Metric, lengths: Reals) -> NDArray[np.int64]:
    """TSPLIB's integer for each length: a monotone rule of ``metric``."""
    if metric in (Metric.CEIL_2D, Metric.CEIL_3D):
        return np.ceil(lengths).astype(np.int64)
    if metric in (Metric.FLOOR_2D, Metric.FLOOR_3D):
        return np.floor(lengths).astype(np.int64)
    if metric is Metric.GEO:
        return (lengths + 1.0).astype(np.int64)
    nearest = np.floor(lengths + 0.5)
    if metric is Metric.ATT:
        nearest += nearest < lengths
    return nearest.astype(np.int64)


def radians(coordinates: Reals) -> Reals:
    """Latitude and longitude in radians from TSPLIB's DDD.MM (degrees, a point, minutes)."""
    return np.radians(degrees(coordinates))


def degrees(coordinates: Reals) -> Reals:
    """Latitude and longitude in decimal degrees from TSPLIB's DDD.MM."""
    whole = np.trunc(coordinates)
    return whole + (coordinates - whole) * 5.0 / 3.0


def _sum_in_order(terms: Reals) -> Reals:
    """Sum over the last axis from left to right: NumPy's own sum promises no order."""
    total = terms[..., 0]
    for axis in range(1, terms.shape[-1]):
        total = total + terms[..., axis]
    return total


def _great_circle(start: Reals, end: Reals) -> Reals:
    # With the true π, as tsplib95 has it. TSPLIB's documentation writes 3.141592, which changes
    # one pair of long distances in a thousand by 1, and the length of no published optimal tour.
    start, end = radians(start), radians(end)
    q1 = np.cos(start[..., 1] - end[..., 1])
    q2 = np.cos(start[..., 0] - end[..., 0])
    q3 = np.cos(start[..., 0] + end[..., 0])
    cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)
    return EARTH_RADIUS * np.arccos(np.clip(cosine, -1.0, 1.0))


def _motor_time(differences: Reals, speeds: tuple[float, float, float]) -> Reals:
    # Three motors turn at once; φ may turn either way around. In hundredths of a unit of time.
    phi, chi, theta = (differences[..., axis] for axis in range(3))
    phi = np.minimum(phi, np.abs(phi - DEGREES_PER_TURN))
    slowest = np.maximum(np.maximum(phi / speeds[0], chi / speeds[1]), theta / speeds[2])
    return 100.0 * slowest


def is_coarse(metric: Metric, coordinates: Reals) -> bool:
    """Whether rounding to whole numbers loses much of the way between neighbours.

    That way is estimated from the box around all cities, as if they were spread evenly in it.
    """
    if metric in MOTOR_SPEEDS or (metric is not Metric.GEO and not (coordinates % 1.0).any()):
        return False
    spans = np.sort(coordinates.max(axis=0) - coordinates.min(axis=0))[::-1]
    if metric is Metric.GEO:
        spans = np.sort(np.radians(spans))[::-1] * EARTH_RADIUS
    n = len(coordinates)
    if metric is Metric.ATT:
        spans = spans / math.sqrt(10.0)
    neighbours = max(0.7124 * math.sqrt(spans[0] * spans[1] / n), spans[0] / n)
    return bool(0.0 < neighbours < COARSE)


def longest_possible(metric: Metric, coordinates: Reals) -> float:
    """Bound on every distance: that between the corners of the bounding box."""
    if metric is Metric.GEO:
        return EARTH_RADIUS * math.pi + 1.0
    spans = coordinates.max(axis=0) - coordinates.min(axis=0)
    if metric in MOTOR_SPEEDS:
        return 100.0 * float(spans.max()) + 1.0
    return float(length(metric, np.zeros_like(spans), spans)) + 1.0


NEAR_ON_GLOBE = 1_000_000.0
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
    the distance of places within ``NEAR_ON_GLOBE`` is the straight line in metres. Returned are the
    metric, its coordinates and the unit of its lengths.
    """
    if not geo:
        points = in_metres(degrees)
        if np.linalg.norm(np.ptp(points, axis=0)) <= NEAR_ON_GLOBE:
            return Metric.EUC_3D, points, "m"
    return Metric.GEO, in_minutes(degrees), GEO_UNIT
