"""Graphs in JSON with nodes and edges: of networkx, D3, Cytoscape, sigma.js, vis.js and others."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from gpu.problems.coloring.building import NamedGraph
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.input_file import InputFile

_NODES, _EDGES = ("nodes", "vertices"), ("edges", "links", "arcs")
_IDS, _LABELS = ("id", "key", "name", "label"), ("label", "name", "title", "caption")
_ENDS = (("source", "target"), ("from", "to"), ("u", "v"), ("start", "end"), ("tail", "head"))
_WEIGHTS = ("weight", "value", "length", "distance", "cost")


def is_node_link(file: InputFile) -> bool:
    """Whether ``file`` has nodes and edges in JSON."""
    return _parts(file.value) is not None


def _parts(value: Any) -> tuple[Mapping[str, Any], Sequence[Any] | int, Sequence[Any]] | None:
    """Return what says how the graph is, its nodes or their number, and its edges; None if none."""
    if not isinstance(value, Mapping):
        return None
    for inner in ("graph", "elements", "data"):
        part = value.get(inner)
        if isinstance(part, Mapping) and _parts(part) is not None:
            return _parts(part)
        if inner == "elements" and isinstance(part, list) and (found := _elements(part)):
            return value, *found
    nodes = next((value[key] for key in _NODES if key in value), None)
    if isinstance(nodes, list) and isinstance(value.get("adjacency"), list):
        return value, nodes, _adjacent(nodes, value["adjacency"])
    edges = next((value[key] for key in _EDGES if key in value), None)
    if not isinstance(edges, list) or not all(map(_ends, edges)):
        return None
    if nodes is None:
        nodes = next((value[key] for key in ("n", "order") if key in value), [])
    if isinstance(nodes, Mapping):  # JSON Graph Format: by id
        nodes = [
            {**(one if isinstance(one, Mapping) else {}), "id": key} for key, one in nodes.items()
        ]
    if isinstance(nodes, bool) or not isinstance(nodes, list | int):
        return None
    return value, nodes, edges


def _elements(found: list[Any]) -> tuple[list[Any], list[Any]] | None:
    """Return nodes and edges of Cytoscape's list of both; None if it is none."""
    data = [one.get("data") if isinstance(one, Mapping) else None for one in found]
    if not data or not all(isinstance(one, Mapping) for one in data):
        return None
    edges = [one for one in data if _ends(one)]
    return [one for one in data if not _ends(one)], edges


def _adjacent(nodes: Sequence[Any], lists: Sequence[Any]) -> list[Any]:
    """Return the edges of networkx' adjacency_data."""
    return [
        (_id(node), _id(other))
        for node, others in zip(nodes, lists, strict=False)
        if isinstance(others, list)
        for other in others
    ]


def _inner(one: Any) -> Any:
    data = one.get("data") if isinstance(one, Mapping) else None
    return data if isinstance(data, Mapping) else one


def _ends(edge: Any) -> tuple[Any, Any] | None:
    """Return both ends of ``edge``; None if it is none."""
    edge = _inner(edge)
    if isinstance(edge, Mapping):
        keys = next((two for two in _ENDS if two[0] in edge and two[1] in edge), None)
        found = None if keys is None else (edge[keys[0]], edge[keys[1]])
    else:
        found = tuple(edge[:2]) if isinstance(edge, list | tuple) and len(edge) in (2, 3) else None
    if found is None:
        return None
    one, other = (_id(end) if isinstance(end, Mapping) else end for end in found)
    return (one, other) if isinstance(one, str | int) and isinstance(other, str | int) else None


def _id(node: Any) -> Any:
    node = _inner(node)
    if not isinstance(node, Mapping):
        return node
    return next((node[key] for key in _IDS if key in node), None)


def load_node_link(file: InputFile) -> GraphInstance:
    """Load a graph with nodes and edges in JSON. Edges name the ids of nodes, or count them."""
    parts = _parts(file.value)
    if parts is None:
        raise file.error("it has no nodes and edges in JSON")
    about, nodes, edges = parts
    what = "a graph in JSON"
    found = NamedGraph(file, what, directed=about.get("directed") is True)
    if isinstance(nodes, int):
        if not 0 <= nodes <= 10 * len(file.data):  # else it is a number that means nothing
            raise file.error(f"it announces {nodes} nodes")
        ends = [end for edge in edges for end in _ends(edge) or ()]
        first = int(0 not in ends)
        nodes = list(range(first, nodes + first))
    keys = list(map(_id, nodes))
    if not all(isinstance(key, str | int) for key in keys):
        raise file.error("a node of it has no id")
    if len(set(keys)) < len(keys):
        raise file.error("two nodes of it have the same id")
    for key, node in zip(keys, map(_inner, nodes), strict=True):
        found.vertex(key, _label(node, key))
    found.joined(_known(found.vertices, edges))
    found.weighted = any(
        isinstance(edge, Mapping) and any(one in edge for one in _WEIGHTS)
        for edge in map(_inner, edges)
    )
    return found.graph()


def _label(node: Any, key: object) -> str:
    if not isinstance(node, Mapping):
        return ""
    return next((str(node[one]) for one in _LABELS if node.get(one) not in (None, "")), "")


def _known(
    vertices: dict[Hashable, int], edges: Sequence[Any]
) -> Iterable[tuple[Hashable, Hashable]]:
    """Return the ends of ``edges`` as keys of ``vertices``, or make these of all ends."""
    pairs = [both for edge in edges if (both := _ends(edge))]
    if not vertices:
        for pair in pairs:
            for end in pair:
                vertices.setdefault(end, len(vertices))
    ends = {end for pair in pairs for end in pair}
    if ends <= vertices.keys():
        return pairs
    by_text = {str(key): key for key in vertices}
    if all(str(end) in by_text for end in ends):
        return [(by_text[str(one)], by_text[str(other)]) for one, other in pairs]
    keys = list(vertices)
    if all(isinstance(end, int) and 0 <= end < len(keys) for end in ends):
        return [(keys[one], keys[other]) for one, other in pairs]  # as D3 counted them
    return pairs
