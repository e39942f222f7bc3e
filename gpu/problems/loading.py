"""The one way from any file to the instance in it."""

from __future__ import annotations

from pathlib import Path

from gpu.core.instance import Instance
from gpu.problems.coloring import dimacs
from gpu.problems.document import read_bytes
from gpu.problems.tsp import tsplib


def load_instance(path: str | Path) -> Instance:
    """Load the instance of whatever problem in the file at ``path``, or raise InstanceError."""
    path = Path(path)
    data = read_bytes(path)
    if dimacs.is_graph(path, data):
        return dimacs.load_graph(path, data)
    return tsplib.load(path, data)  # which says what is wrong with any other file
