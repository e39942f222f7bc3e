"""How densely the edges of a graph lie in a picture: of very many edges, an even sample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.drawing import raster

MOST_EDGES = 250_000  # that are drawn in one picture; more take long, and look no different
_PARTS = 1 << 14  # of all edges; a sample consists of some
_STRONGEST = 99.0  # percentile of pixels with edges that has the full level
_FAINTEST_LEVEL = 24


class EdgeSample(NamedTuple):
    """Which edges are drawn of those in sight."""

    in_sight: int  # edges
    drawn: int  # of them, at most ``MOST_EDGES``
    parts: int  # of ``_PARTS`` that are drawn
    first: NDArray[np.int32]  # (k,): the first ones in sight, as many as were asked for


EVERY_EDGE = EdgeSample(0, 0, _PARTS, np.empty(0, np.int32))


def sample_of(
    places: NDArray[np.float64],
    edges: NDArray[np.int32],
    frame: NDArray[np.float64],
    width: float,
    height: float,
    first: int,
) -> EdgeSample:
    """Choose which edges to draw in a picture of this size; see :mod:`gpu.drawing.raster`.

    A picture of a part shows all edges that one of the whole shows there, and more. ``first`` is
    how many edges to list.
    """
    found, parts = np.empty(first, np.int32), np.zeros(_PARTS, np.int64)
    count = raster.edges_within(places, edges, frame, width, height, found, parts)
    upto = np.cumsum(parts)
    shown = int(np.searchsorted(upto, MOST_EDGES, side="right"))
    drawn = int(upto[shown - 1]) if shown else 0
    return EdgeSample(count, drawn, shown, found[:count])


def levels_of(
    places: NDArray[np.float64],
    edges: NDArray[np.int32],
    frame: NDArray[np.float64],
    shape: tuple[int, int],
    sample: EdgeSample,
) -> NDArray[np.uint8]:
    """Draw a sample of edges: the more pass a pixel, the larger its level.

    A level is 0 without an edge; else 24 to 255, by the square root of the number of edges. One
    pixel in a hundred has the largest level.
    """
    counts = np.zeros(shape, np.uint32)
    raster.count_edges(places, edges, frame, _PARTS, sample.parts, counts)
    met = counts > 0
    if not met.any():
        return np.zeros(shape, np.uint8)
    most = max(float(np.percentile(counts[met], _STRONGEST)), 1.0)
    shades = np.sqrt(np.minimum(counts / most, 1.0))
    return np.where(met, _FAINTEST_LEVEL + (255 - _FAINTEST_LEVEL) * shades, 0).astype(np.uint8)
