"""What scripts give as arguments: no type checker has seen it, and a message has to name it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import FormicariumError

_QUOTED_MOST = 40  # characters of a text that is quoted
_QUOTED_BITS = 128  # of a whole number that is written: Python refuses to write one of thousands


def described(value: object) -> str:
    """Return what a message calls ``value``: a number or a short text itself, else its type."""
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        bits = value.bit_length()
        return int.__repr__(value) if bits <= _QUOTED_BITS else f"a number of {bits} bits"
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, str):
        return str.__repr__(value if len(value) <= _QUOTED_MOST else f"{value[:_QUOTED_MOST]}...")
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def plain(value: Any) -> Any:
    """Return one of NumPy's numbers as a number of Python's; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def is_whole(value: object) -> bool:
    """Whether ``value`` is a whole number, be it one of NumPy's."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def numbers_in(values: object, kinds: str) -> NDArray[Any] | None:
    """Return ``values``, an array or what can become one; None if it has other things than numbers.

    ``kinds`` are the letters of NumPy's kinds that may be: "iu" for whole numbers.
    """
    try:
        found = np.asarray(values)
    except ValueError:  # rows of different lengths
        return None
    return found if found.dtype.kind in kinds or not found.size else None


def path_of(value: object, refusal: type[FormicariumError], wanted: str) -> Path:
    """Return the path that is ``value``, or raise ``refusal``, which says what is ``wanted``."""
    try:
        return Path(value)  # type: ignore[arg-type]  # that is what is tried
    except TypeError as error:
        raise refusal(f"{described(value)} is not the path of a file: {wanted}") from error
