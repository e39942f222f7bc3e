"""A picture of the density of edges, for graphs with too many edges to see each line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import cached

SIZE = 720  # rows and columns of a picture


def shades_of(
    places: NDArray[np.float64], edges: NDArray[np.int32], size: int = SIZE
) -> NDArray[np.uint8]:
    """Draw ``edges`` between ``places`` in [-1, 1]: the more pass a pixel, the larger its value.

    Rows run from the top down. A value is 0 without an edge; else 24 to 255, by the square root of
    the number of edges. One pixel in a hundred has the largest value.
    """
    pixels = (places * [0.5, -0.5] + 0.5) * (size - 1)
    counts = np.zeros((size, size), np.uint32)
    _count(counts, pixels, edges)
    met = counts > 0
    if not met.any():
        return np.zeros((size, size), np.uint8)
    most = max(float(np.percentile(counts[met], 99.0)), 1.0)
    shades = np.sqrt(np.minimum(counts / most, 1.0))
    return np.where(met, 24 + 231 * shades, 0).astype(np.uint8)


@cached
def _count(
    counts: NDArray[np.uint32], pixels: NDArray[np.float64], edges: NDArray[np.int32]
) -> None:
    """Add 1 to one pixel of every column that an edge passes, or row if it is steep."""
    for at in range(len(edges)):
        u, v = edges[at, 0], edges[at, 1]
        x, y = pixels[u, 0], pixels[u, 1]
        right, down = pixels[v, 0] - x, pixels[v, 1] - y
        steps = int(max(abs(right), abs(down))) + 1
        right, down = right / steps, down / steps
        x, y = x + 0.5, y + 0.5
        for _ in range(steps + 1):
            counts[int(y), int(x)] += 1
            x += right
            y += down
