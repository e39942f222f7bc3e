"""The one way from any file to the instance in it."""

from __future__ import annotations

from pathlib import Path

from gpu.core.arguments import described, path_of
from gpu.core.errors import InstanceError
from gpu.core.instance import Instance
from gpu.problems.coloring import dimacs
from gpu.problems.document import plain, read_bytes
from gpu.problems.other_files import INSTANCE, what_else
from gpu.problems.recognising import Kind, recognise
from gpu.problems.tsp import places, tours, tsplib
from gpu.problems.tsp.places import Doubt, UnsureError

_NOT_READ = {  # what to do with a file that is recognised, but not read
    Kind.MATRIX: "write distances as a TSPLIB file with EDGE_WEIGHT_FORMAT: FULL_MATRIX, and a "
    "graph as a DIMACS file",
    Kind.EDGES: "write a graph as a DIMACS file, and distances as a TSPLIB file; if they are "
    "coordinates, put x and y above them, or say --columns",
}


def load_instance(path: str | Path, data: bytes | None = None, read_as: str = "") -> Instance:
    """Load the instance of whatever problem in the file at ``path``.

    The file's ``data`` are read unless they are given; either may be packed by gzip. ``read_as``
    says that it is a table of places, and what its coordinates are; see
    :func:`gpu.problems.tsp.places.load_places`.

    Raises
    ------
    InstanceError
        If there is no such file, or no instance in it that can be read.
    UnsureError
        If it can be read in two ways; it is an InstanceError that says how to choose.
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
    seen = recognise(path, data)
    if seen.kind is Kind.GRAPH:
        return dimacs.load_graph(path, data)
    if seen.kind is Kind.TSPLIB:
        return _tsplib(path, data)
    if seen.kind is Kind.PLACES or read_as:
        return places.load_places(path, data, read_as, seen.table)
    raise InstanceError(f"{path}: it has {seen.saw}; that is not read: {_NOT_READ[seen.kind]}")


def load_likely(path: Path, data: bytes, read_as: str = "") -> tuple[Instance, Doubt | None]:
    """Load the instance as :func:`load_instance` does, or in one of two ways, with the doubt."""
    try:
        return load_instance(path, data, read_as), None
    except UnsureError as unsure:
        return load_instance(path, data, unsure.doubt.taken[1]), unsure.doubt


def _tsplib(path: Path, data: bytes) -> Instance:
    """Load a TSPLIB file; InstanceError says what is wrong with any other file."""
    try:
        return tsplib.load(path, data)
    except InstanceError as error:
        if what_else(data, INSTANCE) or not tours.is_tour(path, data):
            raise
        raise InstanceError(
            f"{path}: it is a tour, not an instance; name its instance, and this file behind "
            "--start (or as start in Python)"
        ) from error
