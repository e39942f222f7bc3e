"""The instances that come with the application, as menus list them."""

from __future__ import annotations

import functools
import importlib.resources
import tomllib
from dataclasses import dataclass
from pathlib import Path

from gpu.core.problem import Problem


@dataclass(frozen=True, slots=True)
class BundledInstance:
    """An instance that comes with the application."""

    name: str
    kind: str  # one sentence: what it looks like
    n: int  # number of cities (vertices)
    path: Path  # its TSPLIB or DIMACS file
    optimum: int | None  # length of an optimal tour, or the fewest colors, where it is provable
    problem: Problem


@functools.cache
def bundled() -> tuple[BundledInstance, ...]:
    """List the bundled instances from their index; no instance is parsed."""
    folder = Path(str(importlib.resources.files("resources"))) / "instances"
    index = tomllib.loads((folder / "index.toml").read_text("ascii"))
    return tuple(
        BundledInstance(
            row["name"],
            row["kind"],
            row[problem.words.places],
            folder / row.get("file", f"{row['name']}.tsp"),
            row.get("optimum"),
            problem,
        )
        for row in index["instance"]
        for problem in Problem
        if problem.words.places in row
    )


def name_or_path(path: Path) -> str:
    """Return what stands for the instance at ``path``: its name if it is bundled."""
    path = path.absolute()
    return next((one.name for one in bundled() if one.path == path), str(path))
