"""Structures of arrays: NamedTuples, which compiled code can read."""

from __future__ import annotations

from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

Structure = TypeVar("Structure", bound=tuple[Any, ...])


def allocated(kind: type[Structure], **fields: int | tuple[int, ...] | NDArray[Any]) -> Structure:
    """Make a structure: each field is the array given, or zeros of the shape given.

    Zeros have the dtype of the field's annotation, ``NDArray[dtype]``.
    """
    hints = get_type_hints(kind)
    arrays = {
        name: given if isinstance(given, np.ndarray) else np.zeros(given, _dtype_of(hints[name]))
        for name, given in fields.items()
    }
    return kind(**arrays)


def _dtype_of(annotation: Any) -> Any:
    _, dtype = get_args(annotation)
    return get_args(dtype)[0]
