"""The values of parameters as the user writes them: ants = 10, 25; local_search = 2opt."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from gpu.batch.design import Value

EXAMPLE = "ants = 10, 25; local_search = 2opt"


def parsed(text: str) -> dict[str, tuple[Value, ...]]:
    """Return the values to try of each parameter; raise ValueError with a sentence."""
    found: dict[str, list[Value]] = {}
    name = ""
    for part in filter(None, map(str.strip, re.split("[,;]", text))):
        before, sign, after = part.partition("=")
        if sign:
            name = before.strip()
            if name in found:
                raise ValueError(f"{name} is there twice: separate its values by commas")
            if not re.fullmatch(r"[A-Za-z_]\w*", name):
                raise ValueError(f"write parameters like this: {EXAMPLE}")
            found[name] = []
        if not name:
            raise ValueError(f"write parameters like this: {EXAMPLE}")
        value = after.strip() if sign else part
        if value:
            if _value(value) in found[name]:
                raise ValueError(f"{name} has the value {value} twice")
            found[name].append(_value(value))
    for name, values in found.items():
        if not values:
            raise ValueError(f"{name} has no value")
    return {name: tuple(values) for name, values in found.items()}


def written(parameters: Mapping[str, tuple[Value, ...]]) -> str:
    """Return the text that :func:`parsed` reads as these values."""
    return "; ".join(
        f"{name} = {', '.join(map(str, values))}" for name, values in parameters.items()
    )


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    return text
