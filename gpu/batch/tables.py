"""The tables of a TOML file of a design: read with a sentence for each mistake, and written."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gpu.core.errors import FormicariumError
from gpu.core.files import read_regular
from gpu.core.words import shown


class DesignError(FormicariumError):
    """A design that cannot be used; the message says what to change."""


def read_text(path: Path) -> str:
    """Return the text of the file of a design, or raise DesignError."""
    try:
        return read_regular(path, DesignError).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DesignError(f"{path}: it is no text; save it as UTF-8") from error


def check_keys(table: Mapping[str, object], known: Sequence[str], where: str) -> None:
    """Raise DesignError if ``table`` has a key that is not ``known``."""
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise DesignError(f"{where} has the unknown key {shown(key, 40)!r}: {hint}")


def text_of(table: Mapping[str, object], key: str, most: int) -> str:
    """Return the text at ``key`` on one line; empty if there is none. DesignError if too long."""
    text = table.get(key, "")
    if not isinstance(text, str):
        raise DesignError(f"{key} must be a text in quotation marks")
    if len(text) > most:
        raise DesignError(f"{key} has {len(text)} characters; it may have {most}")
    return shown(" ".join(text.split()))


def is_whole(value: object) -> bool:
    """Whether ``value`` is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def lines_of(table: Mapping[str, object]) -> str:
    """Return the lines of a table: a key and its value each."""
    return "".join(f"{name} = {toml(value)}\n" for name, value in table.items())


def toml(value: object) -> str:
    """Return ``value`` as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{toml_key(key)} = {toml(one)}" for key, one in value.items()) + " }"
        )
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(toml, value)) + "]"
    return repr(value)


def toml_key(name: str) -> str:
    """Return ``name`` as TOML writes a key."""
    bare = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return name if bare else toml(name)
