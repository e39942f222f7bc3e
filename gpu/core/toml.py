"""TOML files that a user names."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from gpu.core.errors import FormicariumError

LARGEST_TEXT = 2**20  # bytes in UTF-8
MOST_PARTS = 8  # of a dotted key: reading one of many takes memory and time by their square

_TEXT_OR_COMMENT = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?(?:"{3}|\Z)|'{3}.*?(?:'{3}|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|#[^\n]*+""",
    re.DOTALL,
)
_LONG_KEY = re.compile(rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{MOST_PARTS}}}")


def table_of(text: str, refusal: type[FormicariumError]) -> dict[str, Any]:
    """Return the tables in the TOML ``text``, or raise ``refusal``, whose text says why.

    No number in them has more than 64 bits, so that each can be compared and written.
    """
    if len(text.encode(errors="replace")) > LARGEST_TEXT:
        raise refusal(f"a TOML file may have {LARGEST_TEXT:,} bytes, and this one has more")
    if _LONG_KEY.search(_TEXT_OR_COMMENT.sub("_", text)):
        raise refusal(f"a key in it has more than {MOST_PARTS} parts with dots between them")
    try:
        table = tomllib.loads(text)
        huge = _has_huge_number(table)
    except tomllib.TOMLDecodeError as error:
        raise refusal(f"it is no TOML file ({error})") from error
    except RecursionError as error:
        raise refusal("it is no TOML file: its tables are nested too deeply") from error
    except ValueError as error:  # thousands of digits, or a day that no calendar has
        raise refusal("it is no TOML file: a number or a date in it cannot be read") from error
    if huge:
        raise refusal("a number in it has more than 64 bits")
    return table


def _has_huge_number(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_huge_number, value.values()))
    if isinstance(value, list):
        return any(map(_has_huge_number, value))
    return isinstance(value, int) and value.bit_length() > 64
