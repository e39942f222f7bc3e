"""Graphs in XML: GraphML and GEXF."""

from __future__ import annotations

import re
from xml.parsers import expat

from gpu.core.errors import InstanceError
from gpu.problems.coloring.building import NamedGraph
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.input_file import InputFile

_ROOT = re.compile(
    rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!doctype[^>\[]*(?:\[.*?\]\s*)?>\s*)*"
    rb"<(?:\w+:)?(graphml|gexf)\b",
    re.I | re.S,
)
_LABEL_KEYS = {"label", "name"}
_WEIGHT_KEYS = {"weight", "d_weight"}
_TEXT_MOST = 1_000  # characters of a label that are looked at


def is_graph_xml(file: InputFile) -> bool:
    """Whether ``file`` is GraphML or GEXF."""
    return _ROOT.match(file.start) is not None


class _Reader:
    """Takes in the elements of a file, one after the other."""

    def __init__(self, file: InputFile, what: str) -> None:
        self.found = NamedGraph(file, what)
        self.edges: list[tuple[str, str]] = []
        self._file = file
        self._vertex: list[str] = []  # those whose elements are open
        self._in_edge = False
        self._directed = False
        self._keys: dict[str, str] = {}  # GraphML's: what data with this key are called
        self._text: str | None = None  # of a label, while its element is open

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in the beginning of an element."""
        name = tag.rpartition(":")[2].lower()
        if name == "node":
            key = attributes.get("id")
            if key is None:
                raise self._file.error("a node of it has no id")
            self._vertex.append(key)
            self.found.vertex(key, attributes.get("label", ""))
        elif name == "edge":
            ends = attributes.get("source"), attributes.get("target")
            if ends[0] is None or ends[1] is None:
                raise self._file.error("an edge of it has no source and target")
            self.edges.append((ends[0], ends[1]))
            own = attributes.get("directed", attributes.get("type", ""))
            self.found.directed |= own in ("true", "directed") or (self._directed and not own)
            self.found.weighted |= attributes.get("weight", "1") not in ("1", "1.0")
            self._in_edge = True
        elif name == "hyperedge":
            raise self._file.error("it has edges between more than two nodes, which are not read")
        elif name == "graph":
            kind = attributes.get("edgedefault", attributes.get("defaultedgetype", ""))
            self._directed = kind == "directed"
        elif name == "key" and "id" in attributes:
            self._keys[attributes["id"]] = attributes.get("attr.name", "").lower()
        elif name == "data":
            called = self._keys.get(attributes.get("key", ""), "")
            if self._in_edge:
                self.found.weighted |= called in _WEIGHT_KEYS
            elif self._vertex and called in _LABEL_KEYS:
                self._text = ""
        elif name == "nodelabel" and self._vertex and self._text is None:  # yEd's
            self._text = ""

    def take_text(self, text: str) -> None:
        """Take in a part of a text."""
        if self._text is not None and len(self._text) < _TEXT_MOST:
            self._text += text

    def end(self, tag: str) -> None:
        """Take in the end of an element."""
        name = tag.rpartition(":")[2].lower()
        if name in ("data", "nodelabel") and self._text is not None:
            if self._vertex and (label := " ".join(self._text.split())):
                self.found.vertex(self._vertex[-1], label)
            self._text = None
        elif name == "node" and self._vertex:
            self._vertex.pop()
        elif name == "edge":
            self._in_edge = False


def load_graph_xml(file: InputFile) -> GraphInstance:
    """Load a graph in GraphML or GEXF. Files with entities of their own are refused."""
    root = _ROOT.match(file.start)
    kind = {b"gexf": "a GEXF graph"}.get(root[1].lower() if root else b"", "a GraphML graph")
    reader = _Reader(file, kind)

    def refuse(*_: object) -> None:
        raise file.error("it declares entities, which a graph has no use for; take these out")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.take_text
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(file.data, True)
    except InstanceError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise file.error(f"it is no whole XML ({error})") from error
    reader.found.joined(reader.edges)
    return reader.found.graph()
