"""Values in files as programs write them: JSON, JSON line by line, and literals of Python."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from gpu.core.errors import InstanceError
from gpu.problems.document import decoded

_BEGINS = re.compile(r"\s*(?:[A-Za-z_]\w*\s*=\s*)?[\[({]")
_NAMED = re.compile(r"\s*[A-Za-z_]\w*\s*=\s*")
_PYTHON_LONGEST = 50 << 20  # characters of a literal: Python takes some 40 bytes for each


def begins_as_value(start: bytes) -> bool:
    """Whether a file that begins with ``start`` begins as such a value."""
    text = decoded(start)
    return text is not None and _BEGINS.match(text) is not None


def structured(path: Path, data: bytes) -> Any | None:
    """Return the value in the file ``data`` at ``path``; None if it does not begin as one.

    Of Python there may be a name and "=" before it. InstanceError if it begins as a value and is
    none: broken off, too deep, or with something behind it.
    """
    text = decoded(data)
    if text is None or not _BEGINS.match(text):
        return None
    try:
        return json.loads(text)
    except RecursionError as error:
        raise InstanceError(f"{path}: its lists are too deep") from error
    except ValueError as error:
        broken = str(error)
    if lines := _lines_of_json(text):
        return lines
    named = _NAMED.match(text)
    if len(text) > _PYTHON_LONGEST:
        raise InstanceError(f"{path}: it is no whole JSON ({broken})")
    try:
        return ast.literal_eval(text[named.end() if named else 0 :].strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        if named:
            raise InstanceError(f"{path}: it is no whole value of Python ({error})") from error
        if text.lstrip()[0] in "[{":
            raise InstanceError(f"{path}: it is no whole JSON ({broken})") from error
        return None


def _lines_of_json(text: str) -> list[Any] | None:
    """Return the values of a file with one in each line; None if it is no such file."""
    found = []
    for line in filter(str.strip, text.splitlines()):
        try:
            found.append(json.loads(line.rstrip().removesuffix(",")))
        except (ValueError, RecursionError):
            return None
    return found if len(found) > 1 else None
