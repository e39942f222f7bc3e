"""The one way from any file to the instance in it: a table of formats, and what decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from gpu.core.arguments import described, path_of
from gpu.core.errors import InstanceError
from gpu.core.instance import Instance
from gpu.problems.coloring import (
    adjacency,
    dimacs,
    edge_lists,
    graph_formats,
    graph_json,
    graph_xml,
)
from gpu.problems.coloring.matrix_market import is_matrix_market, load_matrix_market
from gpu.problems.document import GIVE_INSTANCE, in_utf8, plain, read_bytes, what_else
from gpu.problems.input_file import InputFile
from gpu.problems.reading import Doubt, FileKind, ReadAs, UnsureError
from gpu.problems.table import is_table
from gpu.problems.table_kinds import TABLE_KINDS, load_table
from gpu.problems.tsp import tours, tsplib


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files: how it shows, and its reader."""

    kinds: tuple[FileKind, ...]  # what its files can be of
    title: str  # what such a file is, in words: "a DIMACS graph"
    looks: Callable[[InputFile], bool]  # whether a file is one, or means to be one
    load: Callable[[InputFile], Instance]  # InstanceError says what is wrong with it
    one_way: bool = False  # whether its files are always read in the same way


def _load_tsplib(file: InputFile) -> Instance:
    """Load a TSPLIB file; InstanceError says what is wrong with any other file."""
    if file.value is not None:
        raise file.error(
            "it is JSON or Python, and nothing in it is known: give the rows of a table, or a "
            "matrix, as a list of lists"
        )
    try:
        return tsplib.load(file.path, file.data)
    except InstanceError as error:
        if what_else(file.data, GIVE_INSTANCE) or not tours.is_tour(file.path, file.data):
            raise
        raise file.error(
            "it is a tour, not an instance; name its instance, and this file behind --start (or "
            "as start in Python)"
        ) from error


def _graph(
    title: str,
    looks: Callable[[InputFile], bool],
    load: Callable[[InputFile], Instance],
    kind: FileKind = FileKind.GRAPH,
) -> Format:
    """Return a format of graphs; a table is another one, and what is said of tables is for that."""
    if kind is FileKind.GRAPH:
        return Format((kind,), title, looks, load, one_way=True)

    def looks_so(file: InputFile) -> bool:
        return ReadAs(file.read_as.kind, encoding=file.read_as.encoding) == file.read_as and looks(
            file
        )

    return Format((kind,), title, looks_so, load)


_EDGES, _ADJACENCY = FileKind.EDGES, FileKind.ADJACENCY

FORMATS = (
    _graph("a graph of pyclustering", adjacency.is_grpr, adjacency.load_grpr, _ADJACENCY),
    Format(
        (FileKind.DIMACS,),
        "a DIMACS graph",
        lambda file: file.value is None and dimacs.is_graph(file.path, file.data),
        lambda file: dimacs.load_graph(file.path, file.data),
        one_way=True,
    ),
    _graph("a graph in XML", graph_xml.is_graph_xml, graph_xml.load_graph_xml),
    _graph("a Matrix Market file", is_matrix_market, load_matrix_market),
    _graph("GML", graph_formats.is_gml, graph_formats.load_gml),
    _graph("DOT", graph_formats.is_dot, graph_formats.load_dot),
    _graph("a Pajek network", graph_formats.is_pajek, graph_formats.load_pajek),
    _graph("TGF", graph_formats.is_tgf, graph_formats.load_tgf),
    _graph("graph6 or sparse6", graph_formats.is_graph6, graph_formats.load_graph6),
    _graph("a graph in JSON", graph_json.is_node_link, graph_json.load_node_link),
    _graph("a METIS graph", adjacency.is_metis, adjacency.load_metis, _ADJACENCY),
    _graph("a matrix of 0 and 1", adjacency.is_matrix, adjacency.load_matrix, _ADJACENCY),
    _graph("adjacency lists", adjacency.is_value, adjacency.load_value, _ADJACENCY),
    _graph("a list of edges", edge_lists.is_value, edge_lists.load_value, _EDGES),
    _graph("a list of edges", edge_lists.is_counted, edge_lists.load_counted, _EDGES),
    _graph("a list of edges", edge_lists.is_numbers, edge_lists.load_numbers, _EDGES),
    _graph("adjacency lists", adjacency.is_lists, adjacency.load_lists, _ADJACENCY),
    Format(
        TABLE_KINDS,
        "a table",
        is_table,
        load_table,
    ),
    Format(
        (FileKind.TSPLIB,),
        "a TSPLIB file, or nothing that is known",
        lambda file: True,  # its reader says what is wrong with any other file
        _load_tsplib,
        one_way=True,
    ),
)
"""All formats. A file is of the first one that it looks like, of those that its user allows."""


def recognise(file: InputFile) -> Format:
    """Return the format of ``file``; InstanceError if it is none of the kind that was asked for."""
    found = next(one for one in FORMATS if one.looks(file))
    wanted = file.read_as.kind
    if wanted is None or wanted in found.kinds:
        return found
    for one in FORMATS:
        if wanted in one.kinds and one.looks(file):
            return one
    raise file.error(f"--read-as {wanted} does not fit: it is {found.title}; leave that out")


def load_instance(path: str | Path, data: bytes | None = None, read_as: str = "") -> Instance:
    """Load the instance of whatever problem in the file at ``path``.

    The file's ``data`` are read unless they are given; either may be packed. ``read_as`` says
    what it is read as, in the words of :class:`gpu.problems.reading.ReadAs`.

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
    wanted = ReadAs.parse(read_as)
    file = InputFile(path, in_utf8(path, data, wanted.encoding), wanted)
    instance = recognise(file).load(file)
    if wanted.encoding and not instance.read_as:  # of a format that says all else itself
        instance = replace(instance, read_as=str(ReadAs(encoding=wanted.encoding)))
    return instance


def load_likely(path: Path, data: bytes, read_as: str = "") -> tuple[Instance, Doubt | None]:
    """Load the instance as :func:`load_instance` does, or in one of two ways, with the doubt."""
    try:
        return load_instance(path, data, read_as), None
    except UnsureError as unsure:
        return load_instance(path, data, unsure.doubt.taken[1]), unsure.doubt


def is_read_one_way(path: Path, data: bytes) -> bool:
    """Whether nothing but the ``data`` of the file at ``path`` decides how they are read."""
    return recognise(InputFile(path, in_utf8(path, data))).one_way
