"""TOML files that a user names."""

from __future__ import annotations

import tomllib
from typing import Any

from gpu.core.errors import FormicariumError


def table_of(text: str, refusal: type[FormicariumError]) -> dict[str, Any]:
    """Return the tables in the TOML ``text``, or raise ``refusal``, whose text says why.

    No number in them has more than 64 bits, so that each can be compared and written.
    """
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
