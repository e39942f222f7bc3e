"""Solution files, read plainly."""

from __future__ import annotations

from pathlib import Path


def colors_in(path: Path) -> list[int]:
    """The color of each vertex, 0-based, in a DIMACS solution whose vertices are in order."""
    rows = [line.split() for line in path.read_text().splitlines() if line.startswith("l ")]
    assert [int(row[1]) for row in rows] == list(range(1, len(rows) + 1))
    return [int(row[2]) - 1 for row in rows]
