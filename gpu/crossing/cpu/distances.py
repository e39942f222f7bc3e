"""Distances between cities of the instance."""

from __future__ import annotations

import math

import numpy as np

from gpu.cpu.compilation import Whole, compiled
from gpu.cpu.geometry import distance
from gpu.tour_changes.cpu.lists import CityLists


@compiled
def apart(lists: CityLists, a: Whole, b: Whole) -> np.int64:
    """Return the distance between two cities; compiled once, for it is asked in many places."""
    points = lists.geometry.points
    if lists.flat:
        x, y = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1]
        return np.int64(math.sqrt(x * x + y * y) + 0.5)
    return np.int64(distance(lists.geometry, a, b))
