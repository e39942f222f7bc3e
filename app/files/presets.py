"""The settings that come with the program, read from ``resources/presets``."""

from __future__ import annotations

import importlib.resources
import tomllib

from views.setup.preset import Preset


def presets() -> tuple[Preset, ...]:
    """Return all presets, sorted by their ``order``."""
    folder = importlib.resources.files("resources") / "presets"
    found = [
        tomllib.loads(file.read_text("utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    ]
    return tuple(
        Preset(
            one["name"],
            one["description"],
            one["parameters"],
            one.get("stop"),
            tuple(one.get("searches", ())),
        )
        for one in sorted(found, key=lambda one: int(one["order"]))
    )
