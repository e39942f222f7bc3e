"""What the best-known solutions of TSPLIB's instances and of DIMACS graphs cost."""

from __future__ import annotations

import functools
import importlib.resources
import tomllib


def length(name: str, n: int, metric: str) -> int | None:
    """Best-known length of the published instance that has this name, cities and metric."""
    row = _table("best_known.toml").get(name, {})
    return row.get(metric) if row.get("dimension") == n else None


def colors(name: str, n: int, edges: int) -> int | None:
    """Fewest colors known for the DIMACS graph that has this name, vertices and edges."""
    row = _table("best_known_colors.toml").get(name, {})
    if (row.get("vertices"), row.get("edges")) != (n, edges):
        return None
    return row["colors"]


def size(name: str) -> int | None:
    """Cities or vertices of the published instance of this name; None where it is not listed."""
    found = _table("best_known.toml").get(name, {}).get("dimension")
    return found or _table("best_known_colors.toml").get(name, {}).get("vertices")


@functools.cache
def _table(name: str) -> dict[str, dict[str, int]]:
    text = importlib.resources.files("resources").joinpath(name).read_text("utf-8")
    table: dict[str, dict[str, int]] = tomllib.loads(text)
    return table
