"""Structures of arrays: NamedTuples, which compiled code can read."""

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
