"""The settings that come with the program, read from ``resources/presets``."""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Sequence
from typing import Any

from views.setup.preset import Preset


def presets() -> tuple[Preset, ...]:
    """Return all presets, sorted by their ``order``."""
    folder = importlib.resources.files("resources") / "presets"
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    found = [tomllib.loads(file.read_text("utf-8")) for file in files]
    return tuple(_preset(**one) for one in sorted(found, key=lambda one: int(one["order"])))


def _preset(order: int, searches: Sequence[str] = (), **others: Any) -> Preset:
    return Preset(searches=tuple(searches), **others)
