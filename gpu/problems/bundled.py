"""What comes with the application: instances, and the best-known costs of published ones."""

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


def best_known_length(name: str, n: int, metric: str) -> int | None:
    """Best-known length of the published instance that has this name, cities and metric."""
    row = _table("best_known.toml").get(name, {})
    return row.get(metric) if row.get("dimension") == n else None


def best_known_colors(name: str, n: int, edges: int) -> int | None:
    """Fewest colors known for the DIMACS graph that has this name, vertices and edges."""
    row = _table("best_known_colors.toml").get(name, {})
    if (row.get("vertices"), row.get("edges")) != (n, edges):
        return None
    return row["colors"]


def published_size(name: str) -> int | None:
    """Cities or vertices of the published instance of this name; None where it is not listed."""
    found = _table("best_known.toml").get(name, {}).get("dimension")
    return found or _table("best_known_colors.toml").get(name, {}).get("vertices")


@functools.cache
def _table(name: str) -> dict[str, dict[str, int]]:
    text = importlib.resources.files("resources").joinpath(name).read_text("utf-8")
    table: dict[str, dict[str, int]] = tomllib.loads(text)
    return table
