"""Writes cities on a plane as a TSPLIB file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def text_of_cities(
    name: str, comment: str, points: NDArray[np.float64], decimals: int | None = None
) -> str:
    """Return the file of an instance ``name``: ``points``, shape (n, 2), in the plane.

    Each coordinate has so many ``decimals``, by default as many as it needs.
    """
    form = ".15g" if decimals is None else f".{decimals}f"
    lines = [f"NAME: {name}", f"COMMENT: {comment}", "TYPE: TSP"]
    lines += [f"DIMENSION: {len(points)}", "EDGE_WEIGHT_TYPE: EUC_2D", "NODE_COORD_SECTION"]
    lines += [f"{i} {x:{form}} {y:{form}}" for i, (x, y) in enumerate(points.tolist(), 1)]
    return "\n".join([*lines, "EOF", ""])
