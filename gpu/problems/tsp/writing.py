"""Writes cities as a TSPLIB file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.problems.tsp.distances import Metric


def text_of_cities(
    name: str,
    comment: str,
    points: NDArray[np.float64],
    decimals: int | None = None,
    *,
    metric: Metric = Metric.EUC_2D,
    exact: bool = False,
) -> str:
    """Return the file of an instance ``name``: ``points``, shape (n, 2), in the metric's units.

    Each coordinate has so many ``decimals``, by default as many as it needs for 15 digits, or for
    all of them if it shall be ``exact``.
    """
    form = ".15g" if decimals is None else f".{decimals}f"

    def text(value: float) -> str:
        return repr(value).removesuffix(".0") if exact else f"{value:{form}}"

    lines = [f"NAME: {name}", f"COMMENT: {comment}", "TYPE: TSP"]
    lines += [f"DIMENSION: {len(points)}", f"EDGE_WEIGHT_TYPE: {metric}", "NODE_COORD_SECTION"]
    lines += [f"{i} {text(x)} {text(y)}" for i, (x, y) in enumerate(points.tolist(), 1)]
    return "\n".join([*lines, "EOF", ""])
