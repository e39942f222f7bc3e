"""The distance matrix of an EXPLICIT file, in all of TSPLIB's formats."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpu.problems.document import Document, shortened

LARGEST_DISTANCE = 2**31 - 1  # distances are kept as int32


def entries(document: Document, n: int) -> int:
    """Count the numbers that the file's matrix format asks for."""
    form = document.required("EDGE_WEIGHT_FORMAT")
    if form == "FULL_MATRIX":
        return n * n
    if re.fullmatch("(UPPER|LOWER)_(DIAG_)?(ROW|COL)", form):
        return n * (n + 1) // 2 if "DIAG" in form else n * (n - 1) // 2
    raise document.error(f"its EDGE_WEIGHT_FORMAT {shortened(form)} is none of TSPLIB's")


def matrix(
    document: Document, rows: Sequence[Sequence[float]], n: int, directed: bool
) -> NDArray[np.int32]:
    """Build the matrix from the numbers in ``rows``, of which there are :func:`entries`.

    InstanceError if one is no whole number in [0, 2³¹), or an undirected matrix not symmetric.
    """
    try:
        flat = np.fromiter(itertools.chain.from_iterable(rows), np.float64)
    except OverflowError:
        raise document.error(f"it has a distance beyond {LARGEST_DISTANCE}") from None
    for wrong, why in (
        (~np.isfinite(flat), "not a finite number"),
        (flat < 0, "negative"),
        (flat > LARGEST_DISTANCE, f"beyond {LARGEST_DISTANCE}"),
        (flat != np.floor(flat), "not a whole number"),
    ):
        if wrong.any():
            raise document.error(f"the distance {flat[wrong.argmax()]:.12g} is {why}")
    form = document.specification["EDGE_WEIGHT_FORMAT"]
    values = flat.astype(np.int32)
    if form == "FULL_MATRIX":
        result = values.reshape(n, n)
        if not directed and not np.array_equal(result, result.T):
            i, j = np.argwhere(result != result.T)[0]
            raise document.error(
                f"it says TYPE: TSP, but from city {i + 1} to {j + 1} is {result[i, j]} and back "
                f"{result[j, i]}; a directed problem says TYPE: ATSP"
            )
        return result
    # A triangle stored by columns is, in a symmetric matrix, the other one stored by rows.
    upper = form.startswith("UPPER") == form.endswith("ROW")
    offset = 0 if "DIAG" in form else 1
    cities = np.arange(n)
    there = cities[:, None] + offset <= cities if upper else cities[:, None] - offset >= cities
    result = np.zeros((n, n), np.int32)
    result[there] = values
    result.T[there] = values
    return result
