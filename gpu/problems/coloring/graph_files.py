"""The table of formats of graphs, beside DIMACS': how each shows, and its reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpu.problems.coloring import adjacency, edge_lists, graph_formats, graph_json, graph_xml
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.input_file import InputFile
from gpu.problems.reading import FileKind, ReadAs


class GraphFormat(NamedTuple):
    """A format of files with graphs; see :class:`gpu.problems.loading.Format`."""

    title: str
    looks: Callable[[InputFile], bool]
    load: Callable[[InputFile], GraphInstance]
    kind: FileKind = FileKind.GRAPH


def _untold(looks: Callable[[InputFile], bool]) -> Callable[[InputFile], bool]:
    """Return ``looks`` for files of which the user says no more than their kind and encoding.

    With what else is said they are tables, which heed it.
    """

    def looks_so(file: InputFile) -> bool:
        said = file.read_as
        return said == ReadAs(said.kind, encoding=said.encoding) and looks(file)

    return looks_so


GRAPH_FORMATS = (
    GraphFormat("a graph in XML", graph_xml.is_graph_xml, graph_xml.load_graph_xml),
    GraphFormat("GML", graph_formats.is_gml, graph_formats.load_gml),
    GraphFormat("DOT", graph_formats.is_dot, graph_formats.load_dot),
    GraphFormat("a Pajek network", graph_formats.is_pajek, graph_formats.load_pajek),
    GraphFormat("TGF", graph_formats.is_tgf, graph_formats.load_tgf),
    GraphFormat("graph6 or sparse6", graph_formats.is_graph6, graph_formats.load_graph6),
    GraphFormat("a graph of pyclustering", adjacency.is_grpr, adjacency.load_grpr),
    GraphFormat("a graph in JSON", graph_json.is_node_link, graph_json.load_node_link),
)
"""Those that begin with what they are."""

_EDGES, _ADJACENCY = FileKind.EDGES, FileKind.ADJACENCY

GRAPH_LISTS = tuple(
    GraphFormat(title, _untold(looks), load, kind)
    for title, looks, load, kind in (
        ("a METIS graph", adjacency.is_metis, adjacency.load_metis, _ADJACENCY),
        ("a matrix of 0 and 1", adjacency.is_matrix, adjacency.load_matrix, _ADJACENCY),
        ("adjacency lists", adjacency.is_value, adjacency.load_value, _ADJACENCY),
        ("a list of edges", edge_lists.is_value, edge_lists.load_value, _EDGES),
        ("a list of edges", edge_lists.is_counted, edge_lists.load_counted, _EDGES),
        ("a list of edges", edge_lists.is_numbers, edge_lists.load_numbers, _EDGES),
        ("adjacency lists", adjacency.is_lists, adjacency.load_lists, _ADJACENCY),
    )
)
"""Those that are seen from what they have; a file can be something else, if its user says so."""
