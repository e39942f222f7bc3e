"""The one way from any file to the instance in it."""

from __future__ import annotations

from pathlib import Path

from gpu.core.arguments import described, path_of
from gpu.core.errors import InstanceError
from gpu.core.instance import Instance
from gpu.problems.coloring import dimacs
from gpu.problems.document import plain, read_bytes
from gpu.problems.other_files import INSTANCE, what_else
from gpu.problems.tsp import places, tours, tsplib


def load_instance(path: str | Path, data: bytes | None = None, read_as: str = "") -> Instance:
    """Load the instance of whatever problem in the file at ``path``, or raise InstanceError.

    The file's ``data`` are read unless they are given; either may be packed by gzip. ``read_as``
    says what the coordinates of a table of places are; see
    :func:`gpu.problems.tsp.places.load_places`.
    """
    path = path_of(
        path,
        InstanceError,
        "load_instance takes that of a TSPLIB file, a DIMACS graph or a table of places, so write "
        "what you have into such a file first",
    )
    if not isinstance(data, bytes | None):
        raise InstanceError(f"{path}: data = {described(data)} is not bytes")
    if not isinstance(read_as, str):
        raise InstanceError(f"{path}: read_as = {described(read_as)} is not a text")
    data = read_bytes(path) if data is None else plain(path, data)
    if dimacs.is_graph(path, data):
        return dimacs.load_graph(path, data)
    if places.is_table(path, data):
        return places.load_places(path, data, read_as)
    try:
        return tsplib.load(path, data)  # which says what is wrong with any other file
    except InstanceError as error:
        if what_else(data, INSTANCE) or not tours.is_tour(path, data):
            raise
        raise InstanceError(
            f"{path}: it is a tour, not an instance; name its instance, and this file behind "
            "--start (or as start in Python)"
        ) from error
