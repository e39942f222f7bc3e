"""Writes a line of a log as JSON, in pieces where it is long."""

from __future__ import annotations

import json
from collections.abc import Mapping

PIECE = 20_000  # items of a list that are written at once

_encode = json.JSONEncoder(allow_nan=False).encode  # json.dumps makes an encoder for each line


def encoded(line: Mapping[str, object]) -> str:
    """Return ``line`` as JSON without a line break.

    While the encoder works, no other thread can: with a tour of a million cities as one piece, the
    window would not answer for a quarter of a second.
    """
    members = (f"{_encode(name)}: {_value(value)}" for name, value in line.items())
    return f"{{{', '.join(members)}}}"


def _value(value: object) -> str:
    if not isinstance(value, list) or len(value) <= PIECE:
        return _encode(value)
    pieces = (value[first : first + PIECE] for first in range(0, len(value), PIECE))
    return f"[{', '.join(_encode(piece)[1:-1] for piece in pieces)}]"
