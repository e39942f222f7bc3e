"""Cities that a user draws: where they come from, and the instance that they become."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.problems.tsp.distances import EARTH_RADIUS
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric
from gpu.problems.tsp.places import points_of
from gpu.problems.tsp.writing import text_of_cities

LONGEST_TEXT = 4_000_000  # characters of a text that is pasted
FINEST = 1_000  # units that a drawing with fractions spans at least when it is written

Reals = NDArray[np.float64]


class Places(NamedTuple):
    """Cities on a plane."""

    points: Reals  # (n, 2)
    note: str = ""  # what the user should know of them: one sentence, or nothing


def pasted(text: str) -> Places:
    """Return the places in ``text``: lines of x and y, or a table of places.

    Latitudes and longitudes, which a header must name, become metres on a flat map. InstanceError
    if the text is none, or too long.
    """
    if len(text) > LONGEST_TEXT:
        raise InstanceError(
            f"The text on the clipboard has {len(text):,} characters, but at most "
            f"{LONGEST_TEXT:,} can be pasted; save it as a CSV file and open that"
        )
    points, degrees = points_of(Path("clipboard"), text.encode("utf-8", "replace"))
    if not degrees:
        return Places(points)
    return Places(flat(points), "Latitudes and longitudes became metres on a flat map")


def cities_of(instance: object) -> Places | None:
    """Return the cities of an instance to draw on with; None if it has no places on a plane."""
    if not isinstance(instance, TspInstance) or instance.computed_layout:
        return None
    if instance.geographic:
        return Places(flat(instance.display), "Its places became metres on a flat map")
    coordinates = instance.coordinates
    if coordinates is None or coordinates.shape[1] != 2 or instance.metric is Metric.GEO:
        return Places(instance.display)
    return Places(coordinates)


def flat(display: Reals) -> Reals:
    """Longitudes and latitudes in degrees, shape (n, 2), as metres on a flat map around them."""
    middle = (display.min(axis=0) + display.max(axis=0)) / 2.0
    metre = np.radians(1.0) * EARTH_RADIUS * 1000.0
    shrunk = np.array([math.cos(math.radians(middle[1])), 1.0])
    metres: Reals = ((display - middle) * metre * shrunk).round(1)
    return metres


def text_of_drawing(name: str, points: Reals) -> str:
    """Return the file of an instance ``name`` with the drawn ``points``, shape (n, 2).

    TSPLIB rounds lengths to whole numbers. So a drawing with fractions that spans few units is
    enlarged by a power of ten. InstanceError if it has too few cities.
    """
    if len(points) < 3:
        raise InstanceError(f"{name}: it has {len(points)} cities; a tour needs at least 3")
    exponent = _exponent(points)
    comment = "Drawn by hand."
    if exponent:
        comment += f" {10**exponent} units are one of the drawing."
    return text_of_cities(name, comment, points * 10.0**exponent)


def _exponent(points: Reals) -> int:
    span = float(np.linalg.norm(np.ptp(points, axis=0)))
    if span == 0.0 or np.array_equal(points, points.round()):
        return 0
    return max(0, math.ceil(math.log10(FINEST / span)))
