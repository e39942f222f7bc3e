"""Lengths of the best-known tours of TSPLIB's instances."""

from __future__ import annotations

import functools
import importlib.resources
import tomllib

from gpu.instances.instance import TspInstance


def length(instance: TspInstance) -> int | None:
    """Best-known length of the instance of TSPLIB that has this name, size and metric."""
    row = _table().get(instance.name, {})
    if row.get("dimension") != instance.n:
        return None
    return row.get(instance.metric.value)


@functools.cache
def _table() -> dict[str, dict[str, int]]:
    text = importlib.resources.files("resources").joinpath("best_known.toml").read_text("utf-8")
    table: dict[str, dict[str, int]] = tomllib.loads(text)
    return table
