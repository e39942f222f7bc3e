"""Cities that a user draws or traces: where they come from, and the instance that they become.

A picture is traced by weighted Voronoi stippling (A. Secord 2002): cities are many where it is
dark. Each moves to the centre of what is dark around it, again and again (Lloyd's relaxation), so
that they lie evenly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.instance import Instance
from gpu.core.random import checked_seed
from gpu.core.words import counted
from gpu.problems.document import text_of_cities
from gpu.problems.tables.table_files import begins_with_keyword
from gpu.problems.tsp.distances import EARTH_RADIUS, Metric, in_minutes
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.places.place_tables import look_like_degrees, points_of
from gpu.problems.tsp.tsplib.tsplib_files import load

PASTED_LONGEST = 4_000_000  # characters of a text that is pasted
DRAWING_FINEST = 1_000  # units that a drawing with fractions spans at least when it is written

Reals = NDArray[np.float64]

_ON_GLOBE = "The drawing is on the globe: its lengths are whole kilometres, by TSPLIB's rule GEO"


class DrawnPlaces(NamedTuple):
    """Cities on a plane, or on the globe."""

    points: Reals  # (n, 2); on the globe, longitude and latitude in degrees
    note: str = ""  # what the user should know of them: one sentence, or nothing
    globe: bool = False


class Pasted(NamedTuple):
    """Places from a text, as they would be drawn on a plane, and on the globe."""

    plane: DrawnPlaces
    globe: DrawnPlaces | None  # None if the numbers cannot be latitudes and longitudes
    named: bool  # whether a header says that they are
    likely: bool  # whether they are, by the header or by what they look like


def pasted(text: str) -> Pasted:
    """Return the places in ``text``, as :func:`tabled`; InstanceError also if it is too long."""
    if len(text) > PASTED_LONGEST:
        raise InstanceError(
            f"The text on the clipboard has {len(text):,} characters, but at most "
            f"{PASTED_LONGEST:,} can be pasted; save it as a CSV file and open that"
        )
    return tabled(Path("clipboard"), text.encode("utf-8", "replace"))


def tabled(path: Path, data: bytes) -> Pasted:
    """Return the places in the file ``path``: lines of x and y, a table of places, or TSPLIB's.

    On a plane, latitudes and longitudes that a header names become metres on a flat map.
    InstanceError if it is none of these.
    """
    if begins_with_keyword(data):
        return _of_instance(load(path, data))
    found = points_of(path, data)
    note = f"{_ON_GLOBE}; latitude is {found.latitude}"
    globe = None if found.globe is None else DrawnPlaces(found.globe, note, globe=True)
    if found.named and globe is not None:
        return _on_globe(globe)
    likely = globe is not None and look_like_degrees(found.plane)
    return Pasted(DrawnPlaces(found.plane), globe, named=False, likely=likely)


def _of_instance(instance: TspInstance) -> Pasted:
    places = cities_of(instance)
    if places is None:
        raise InstanceError(f"{instance.path}: its cities have no places that could be drawn")
    return _on_globe(places) if places.globe else Pasted(places, None, named=False, likely=False)


def _on_globe(globe: DrawnPlaces) -> Pasted:
    """Return places that are said to be on the globe."""
    note = "Latitudes and longitudes became metres on a flat map"
    return Pasted(DrawnPlaces(flat(globe.points), note), globe, named=True, likely=True)


def cities_of(instance: Instance) -> DrawnPlaces | None:
    """Return the cities of an instance to draw on with; None if it has no places.

    They stay on the globe if its lengths are measured by TSPLIB's rule for it.
    """
    cities: Any = instance  # what has a map has cities
    if instance.map_places is None or cities.computed_layout:
        return None
    if cities.geographic and cities.metric is Metric.GEO:
        return DrawnPlaces(cities.display, _ON_GLOBE, globe=True)
    if cities.geographic:
        return DrawnPlaces(flat(cities.display), "Its places became metres on a flat map")
    coordinates = cities.coordinates
    if coordinates is None or coordinates.shape[1] != 2 or cities.metric is Metric.GEO:
        return DrawnPlaces(cities.display)
    return DrawnPlaces(coordinates)


def flat(display: Reals) -> Reals:
    """Longitudes and latitudes in degrees, shape (n, 2), as metres on a flat map around them."""
    middle = (display.min(axis=0) + display.max(axis=0)) / 2.0
    metre = np.radians(1.0) * EARTH_RADIUS * 1000.0
    shrunk = np.array([math.cos(math.radians(middle[1])), 1.0])
    metres: Reals = ((display - middle) * metre * shrunk).round(1)
    return metres


def text_of_drawing(name: str, points: Reals, *, globe: bool = False) -> str:
    """Return the file of an instance ``name`` with the drawn ``points``, shape (n, 2).

    On the ``globe`` they are longitude and latitude in degrees, and lengths are TSPLIB's GEO. In a
    plane, TSPLIB rounds lengths to whole numbers. So a drawing with fractions that spans few units
    is enlarged by a power of ten. InstanceError if it has too few cities.
    """
    if len(points) < 3:
        raise InstanceError(
            f"{name}: it has {counted(len(points), 'city')}; a tour needs at least 3"
        )
    if globe:
        places = in_minutes(points[:, ::-1])
        return text_of_cities(name, "Drawn by hand, on the globe.", places, metric=Metric.GEO)
    exponent = _exponent(points)
    comment = "Drawn by hand."
    if exponent:
        comment += f" {10**exponent} units are one of the drawing."
    return text_of_cities(name, comment, points * 10.0**exponent)


def _exponent(points: Reals) -> int:
    span = float(np.linalg.norm(np.ptp(points, axis=0)))
    if span == 0.0 or np.array_equal(points, points.round()):
        return 0
    return max(0, math.ceil(math.log10(DRAWING_FINEST / span)))


Shades = NDArray[np.float32]

STIPPLING_ROUNDS = 30  # most moves of all cities
STILL = 0.02  # of the mean distance between cities: when they move less, they are at rest
DARKNESS_FAINTEST = 0.02  # darkness below which a pixel counts as white
PIXELS_FEWEST, ENOUGH, PLENTY = 2, 12, 48  # dark pixels for each city: needed, aimed at, too many
FINE = 100_000  # dark pixels that are never too many
PIXELS_MOST = 6_000_000  # of an enlarged picture


class StipplingError(FormicariumError):
    """A picture that cannot be traced; the message says why."""


def stipple(
    darkness: Shades, n: int, seed: int, goes_on: Callable[[float], bool] = lambda _: True
) -> Reals:
    """Return ``n`` cities in whole units, y up, shape (n, 2), as dense as the picture is dark.

    Parameters
    ----------
    darkness
        0 for white to 1 for black, shape (rows, columns).
    n
        How many cities, at least 1.
    seed
        Decides them.
    goes_on
        Is called after each round with the share that is done; False ends the work at once.

    Raises
    ------
    StipplingError
        If the picture has too little that is dark for so many cities.
    """
    random = np.random.Generator(np.random.PCG64(checked_seed(seed)))
    shades = _at_size(darkness, n)
    rows, columns = np.nonzero(shades > DARKNESS_FAINTEST)
    weights = shades[rows, columns].astype(np.float64)
    pixels = np.column_stack((columns + 0.5, len(shades) - rows - 0.5))
    if not len(pixels):
        raise StipplingError("The picture is all white: nothing in it can be traced")
    if len(pixels) < PIXELS_FEWEST * n:
        raise StipplingError(
            f"The picture has too little that is dark for {n:,} cities; ask for fewer"
        )
    # Draws pixels without putting them back, each with a probability like its darkness.
    keys = random.exponential(size=len(pixels)) / weights
    cities = pixels[np.sort(np.argpartition(keys, n - 1)[:n])]
    rest = STILL * np.sqrt(len(pixels) / n)
    for number in range(1, STIPPLING_ROUNDS + 1):
        moved_to = _centres(cities, pixels, weights)
        moved = float(np.hypot(*(moved_to - cities).T).mean())
        cities = moved_to
        if not goes_on(number / STIPPLING_ROUNDS) or moved < rest:
            break
    side = 10_000 if n <= 10_000 else 100_000
    traced: Reals = np.rint(cities * (side / max(shades.shape)))
    return traced


def _centres(cities: Reals, pixels: Reals, weights: Reals) -> Reals:
    """Return the centre of the pixels that are nearest to each city; without any, it stays."""
    from scipy.spatial import cKDTree  # slow to import

    n = len(cities)
    _, home = cKDTree(cities).query(pixels, workers=-1)
    mass = np.bincount(home, weights, n)
    sums = np.column_stack([np.bincount(home, weights * one, n) for one in pixels.T])
    centres: Reals = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-9)[:, None], cities)
    return centres


def _at_size(darkness: Shades, n: int) -> Shades:
    """Return the picture with a sensible number of dark pixels for ``n`` cities."""
    from scipy.ndimage import uniform_filter, zoom  # slow to import

    dark = max(1, int(np.count_nonzero(darkness > DARKNESS_FAINTEST)))
    if dark > (most := max(FINE, PLENTY * n)):
        step = np.sqrt(dark / most)
        smooth = uniform_filter(darkness, round(step))  # else thin lines would get lost
        return np.asarray(zoom(smooth, 1.0 / step, order=1))
    factor = min(np.sqrt(ENOUGH * n / dark), np.sqrt(PIXELS_MOST / darkness.size))
    return np.asarray(zoom(darkness, factor, order=1)) if factor > 1.0 else darkness
