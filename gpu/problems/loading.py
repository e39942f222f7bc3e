"""The one way from any file to the instance in it."""

from __future__ import annotations

from pathlib import Path

from gpu.problems.coloring import dimacs
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.document import read_bytes
from gpu.problems.tsp import tsplib
from gpu.problems.tsp.instance import TspInstance


def load_instance(path: str | Path) -> TspInstance | GraphInstance:
    """Load the instance in the file at ``path``: a TSPLIB problem or a DIMACS graph.

    What the file says decides which it is, and its ending where it says neither.

    Raises
    ------
    InstanceError
        If the file is missing, or is no usable instance.
    """
    path = Path(path)
    data = read_bytes(path)
    if dimacs.is_graph(path, data):
        return dimacs.parse_graph(path, data)
    return tsplib.parse(path, data)
