"""Traces a picture into cities, many where it is dark: weighted Voronoi stippling.

After A. Secord, "Weighted Voronoi stippling" (2002). Each city moves to the centre of what is dark
around it, again and again (Lloyd's relaxation), so that the cities lie evenly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter, zoom
from scipy.spatial import cKDTree

from gpu.core.errors import FormicariumError
from gpu.core.random import checked_seed

Reals = NDArray[np.float64]
Shades = NDArray[np.float32]

ROUNDS = 30  # most moves of all cities
STILL = 0.02  # of the mean distance between cities: when they move less, they are at rest
FAINTEST = 0.02  # darkness below which a pixel counts as white
FEWEST, ENOUGH, PLENTY = 2, 12, 48  # dark pixels for each city: needed, aimed at, too many
FINE = 100_000  # dark pixels that are never too many
MOST_PIXELS = 6_000_000  # of an enlarged picture


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
    rows, columns = np.nonzero(shades > FAINTEST)
    weights = shades[rows, columns].astype(np.float64)
    pixels = np.column_stack((columns + 0.5, len(shades) - rows - 0.5))
    if not len(pixels):
        raise StipplingError("The picture is all white: nothing in it can be traced")
    if len(pixels) < FEWEST * n:
        raise StipplingError(
            f"The picture has too little that is dark for {n:,} cities; ask for fewer"
        )
    # Draws pixels without putting them back, each with a probability like its darkness.
    keys = random.exponential(size=len(pixels)) / weights
    cities = pixels[np.sort(np.argpartition(keys, n - 1)[:n])]
    rest = STILL * np.sqrt(len(pixels) / n)
    for number in range(1, ROUNDS + 1):
        moved_to = _centres(cities, pixels, weights)
        moved = float(np.hypot(*(moved_to - cities).T).mean())
        cities = moved_to
        if not goes_on(number / ROUNDS) or moved < rest:
            break
    side = 10_000 if n <= 10_000 else 100_000
    traced: Reals = np.rint(cities * (side / max(shades.shape)))
    return traced


def _centres(cities: Reals, pixels: Reals, weights: Reals) -> Reals:
    """Return the centre of the pixels that are nearest to each city; without any, it stays."""
    n = len(cities)
    _, home = cKDTree(cities).query(pixels, workers=-1)
    mass = np.bincount(home, weights, n)
    sums = np.column_stack([np.bincount(home, weights * one, n) for one in pixels.T])
    centres: Reals = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-9)[:, None], cities)
    return centres


def _at_size(darkness: Shades, n: int) -> Shades:
    """Return the picture with a sensible number of dark pixels for ``n`` cities."""
    dark = max(1, int(np.count_nonzero(darkness > FAINTEST)))
    if dark > (most := max(FINE, PLENTY * n)):
        step = np.sqrt(dark / most)
        smooth = uniform_filter(darkness, round(step))  # else thin lines would get lost
        return np.asarray(zoom(smooth, 1.0 / step, order=1))
    factor = min(np.sqrt(ENOUGH * n / dark), np.sqrt(MOST_PIXELS / darkness.size))
    return np.asarray(zoom(darkness, factor, order=1)) if factor > 1.0 else darkness
