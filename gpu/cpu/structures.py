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
        _, dtype = get_args(annotation)
        zeros = not isinstance(given, np.ndarray)
        arrays[name] = np.zeros(given, get_args(dtype)[0]) if zeros else given
    return kind(**arrays)
