"""The one way from any file to the instance in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gpu.core.instance import Instance
from gpu.problems.coloring import dimacs
from gpu.problems.document import read_bytes
from gpu.problems.tsp import tsplib

Recognizer = Callable[[Path, bytes], bool]
Parser = Callable[[Path, bytes], Instance]

READERS: tuple[tuple[Recognizer, Parser], ...] = (
    (dimacs.is_graph, dimacs.parse_graph),
    (lambda path, data: True, tsplib.parse),  # which says what is wrong with any other file
)
"""What recognizes a problem's file by its content and its ending, and what reads it; in order."""


def load_instance(path: str | Path) -> Instance:
    """Load the instance in the file at ``path``, of whatever problem it is.

    Raises
    ------
    InstanceError
        If the file is missing, or is no usable instance.
    """
    path = Path(path)
    data = read_bytes(path)
    parse = next(parse for recognizes, parse in READERS if recognizes(path, data))
    return parse(path, data)
