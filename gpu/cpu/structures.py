"""Structures of arrays, which compiled code can read; candidate lists in rows of whole vectors."""

from __future__ import annotations

from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

Structure = TypeVar("Structure", bound=tuple[Any, ...])

Shape = int | tuple[int, ...]


def allocated(kind: type[Structure], shape: Shape, **fields: Shape | NDArray[Any]) -> Structure:
    """Make a structure: each field is the array given, or zeros of the shape given.

    Fields that are not named have the common ``shape``. Zeros have the dtype of the field's
    annotation, ``NDArray[dtype]``.
    """
    arrays = {}
    for name, annotation in get_type_hints(kind).items():
        given = fields.get(name, shape)
        arrays[name] = (
            given if isinstance(given, np.ndarray) else np.zeros(given, _dtype(annotation))
        )
    return kind(**arrays)


def _dtype(annotation: Any) -> Any:
    """The dtype in ``NDArray[dtype]``: one level deeper before NumPy 2.5, which has an alias."""
    last = get_args(annotation)[-1]
    return next(iter(get_args(last)), last)


VECTOR = 8  # a row's width is a multiple of this


def width_of(cl: int) -> int:
    """Width of rows that hold ``cl`` candidates."""
    return -(-cl // VECTOR) * VECTOR


def widened(neighbours: NDArray[np.integer], cl: int) -> NDArray[np.uint32]:
    """Return the first ``cl`` candidates of each city in rows of :func:`width_of` lanes.

    The lanes after a list hold the row's own city. An ant in that city has visited it, so it never
    chooses these lanes.
    """
    rows = np.repeat(np.arange(len(neighbours), dtype=np.uint32)[:, None], width_of(cl), axis=1)
    rows[:, :cl] = neighbours[:, :cl]
    return rows
