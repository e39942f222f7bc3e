"""Records in files: dataclasses from plain values and back, by msgspec.

A type says all that a value must be: ``Count`` and ``Real`` keep out what no run has, such as
numbers beyond 2^63 and NaN. What a file may leave out has a default in its dataclass.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar

import msgspec

from gpu.core.errors import FormicariumError
from gpu.core.words import shown

T = TypeVar("T")

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Real = Annotated[float, msgspec.Meta(ge=0, lt=2.0**63)]


def record_of(
    kind: type[T],
    values: object,
    refusal: type[FormicariumError],
    where: str,
    must: Mapping[str, str] | None = None,
) -> T:
    """Return the ``kind`` (a dataclass, or any type) that plain ``values`` describe.

    Values are plain as JSON, TOML and SQLite have them. Keys that ``kind`` does not know are left
    alone: later versions may write more. For what people write, ``must`` says of keys, wherever
    they are, what their values must be; the sentence then says that alone.

    Raises
    ------
    FormicariumError
        The ``refusal``, with a sentence that begins with ``where``, if something is missing or of
        the wrong kind.
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at ")
        key = place.strip("`").removeprefix("$").removeprefix(".")
        missing = re.findall(r"missing required field `(\w+)`", what)
        for name in (*missing, *reversed(re.findall(r"\w+", key))) if must else ():
            if must is not None and name in must:
                raise refusal(f"{where}{name} must be {must[name]}") from error
        what = f"{missing[0]} is missing" if missing else what
        told = (where, key, what.replace("`", ""))
        raise refusal(": ".join(filter(None, told))) from error


def plain(record: object) -> Any:
    """Return ``record`` as plain values, ready for JSON: the other way of :func:`record_of`."""
    return msgspec.to_builtins(record)


def need_known_keys(
    table: Mapping[str, object], known: Iterable[str], refusal: type[FormicariumError], where: str
) -> None:
    """Raise ``refusal`` if ``table`` has a key that is not ``known``; for what people write."""
    known = tuple(known)
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise refusal(f"{where} has the unknown key {shown(key, 40)!r}: {hint}")
