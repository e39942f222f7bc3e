"""Structures of arrays are allocated as their fields are declared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.structures import allocated


class Rows(NamedTuple):
    numbers: NDArray[np.int64]
    weights: NDArray[np.float32]
    free: NDArray[np.bool_]


def test_fields_have_their_dtypes_and_the_shapes_given() -> None:
    rows = allocated(Rows, (2, 3), weights=4)
    assert [(field.dtype.type, field.shape) for field in rows] == [
        (np.int64, (2, 3)),
        (np.float32, (4,)),
        (np.bool_, (2, 3)),
    ]
    assert not any(field.any() for field in rows)


def test_an_array_that_is_given_is_taken_as_it_is() -> None:
    given = np.ones(5, np.float32)
    assert allocated(Rows, 1, weights=given).weights is given
