"""TSPLIB's distances of single pairs, compiled: the integers of ``gpu.problems.tsp.distances``.

Compiled code needs these only for edges that are on no candidate list: lists have their lengths.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.problems.tsp.distances import (
    DEGREES_PER_TURN,
    EARTH_RADIUS,
    MOTOR_SPEEDS,
    SHORTEST,
    Metric,
    radians,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import LEAST_WEIGHT

EUCLIDEAN, CEILING, FLOORING, PSEUDO, MANHATTAN, MAXIMUM = range(6)
GEOGRAPHICAL, MOTORS, TABLE, DOUBLED = range(6, 10)
"""DOUBLED is the table of a directed instance, each of whose cities i is entered as 2 i and left as
2 i + 1. Its distance is that from a left city to an entered one, less a value of each of them."""

FORBIDDEN = 2**56  # distance between two entered cities, or two left ones: no sum makes up for it

BOXED = (EUCLIDEAN, CEILING, FLOORING, PSEUDO, MANHATTAN, MAXIMUM)
"""Rules under which a box of coordinates bounds the distance to everything in it."""

_METRICS = ("EUC", "CEIL", "FLOOR", "ATT", "MAN", "MAX", "GEO", "XRAY", "EXPLICIT")
"""Beginnings of the names of the metrics that follow these rules, in order."""


class CityGeometry(NamedTuple):
    """What the distance and the weight of any pair follow from."""

    rule: int  # one of the constants above
    # (n, 3): coordinates, z = 0 in the plane; latitude and longitude in radians for GEO; for
    # DOUBLED the value that is taken away from all distances of the city, then nothing
    points: NDArray[np.float64]
    speeds: NDArray[np.float64]  # (3,): of the motors of XRAY1 and XRAY2
    table: NDArray[np.int32]  # (n, n): the distances of TABLE and DOUBLED; else (1, 1)
    beta: float  # β of η^β
    shortest: float = SHORTEST  # what stands for a distance of 0 in it


def geometry_of(instance: TspInstance, beta: float) -> CityGeometry:
    """Lay out the coordinates, or the distances, of ``instance`` for compiled code."""
    points = np.zeros((instance.n, 3))
    if instance.coordinates is not None and instance.matrix is None:
        given = instance.coordinates
        points[:, : given.shape[1]] = radians(given) if instance.metric is Metric.GEO else given
    matrix, rule = instance.matrix, TABLE
    if matrix is None:
        matrix = np.zeros((1, 1), np.int32)
        rule = next(i for i, name in enumerate(_METRICS) if instance.metric.startswith(name))
    speeds = np.array(MOTOR_SPEEDS.get(instance.metric, (1.0, 1.0, 1.0)))
    return CityGeometry(rule, points, speeds, as_compiled(matrix), float(beta), instance.shortest)


def as_compiled(matrix: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a matrix as compiled code takes all arrays: writable, though nobody writes to it.

    It is the same memory: a large matrix has no room for a copy.
    """
    matrix = np.ascontiguousarray(matrix, np.int32)
    return matrix if matrix.flags.writeable else np.asarray(_Writable(matrix))


class _Writable:
    """The memory of an array, for NumPy."""

    def __init__(self, array: NDArray[np.int32]) -> None:
        self._array = array  # kept alive
        place, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (place, False)}


def is_flat(geometry: CityGeometry) -> bool:
    """Whether the distance is the rounded one of points in a plane."""
    return geometry.rule == EUCLIDEAN and not geometry.points[:, 2].any()


@compiled
def distance(geometry: CityGeometry, a: Whole, b: Whole) -> np.int64:
    """Return the distance from city ``a`` to city ``b``."""
    if geometry.rule == TABLE:
        return np.int64(geometry.table[a, b])
    if geometry.rule == DOUBLED:
        if (a & 1) == (b & 1):
            return np.int64(FORBIDDEN)
        away = geometry.table[a >> 1, b >> 1] if a & 1 else geometry.table[b >> 1, a >> 1]
        return np.int64(away) - np.int64(geometry.points[a, 0]) - np.int64(geometry.points[b, 0])
    points = geometry.points
    x = abs(points[a, 0] - points[b, 0])
    y = abs(points[a, 1] - points[b, 1])
    if geometry.rule == GEOGRAPHICAL:
        q1, q2 = math.cos(y), math.cos(x)
        q3 = math.cos(points[a, 0] + points[b, 0])
        cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)
        return np.int64(EARTH_RADIUS * math.acos(min(max(cosine, -1.0), 1.0)) + 1.0)
    return length(geometry, x, y, abs(points[a, 2] - points[b, 2]))


@inlined
def length(geometry: CityGeometry, x: np.float64, y: np.float64, z: np.float64) -> np.int64:
    """Return the distance of cities whose coordinates differ by ``x``, ``y`` and ``z``.

    It never falls when one of them grows, but for ``MOTORS``.
    """
    real: float
    if geometry.rule == MANHATTAN:
        real = x + y + z
    elif geometry.rule == MAXIMUM:
        real = max(max(x, y), z)
    elif geometry.rule == MOTORS:
        turn = min(x, abs(x - DEGREES_PER_TURN))
        speeds = geometry.speeds
        real = 100.0 * max(max(turn / speeds[0], y / speeds[1]), z / speeds[2])
    elif geometry.rule == PSEUDO:
        real = math.sqrt((x * x + y * y + z * z) / 10.0)
        nearest = math.floor(real + 0.5)
        return np.int64(nearest + 1 if nearest < real else nearest)
    else:
        real = math.sqrt(x * x + y * y + z * z)
        if geometry.rule == CEILING:
            return np.int64(math.ceil(real))
        if geometry.rule == FLOORING:
            return np.int64(math.floor(real))
    return np.int64(math.floor(real + 0.5))


@inlined
def weight(geometry: CityGeometry, away: Whole, nearest: Whole) -> np.float32:
    """Return η^β of an edge of length ``away`` from a city whose nearest neighbour is so near.

    ``gpu.problems.tsp.neighbours.weights`` defines it.
    """
    near = np.float64(nearest) if nearest > 0 else geometry.shortest
    ratio = near / (np.float64(away) if away > 0 else geometry.shortest)
    whole = int(geometry.beta)
    if whole == geometry.beta:
        power = 1.0
        for _ in range(whole):
            power = power * ratio
    else:
        power = ratio**geometry.beta
    return np.float32(max(power, LEAST_WEIGHT))
