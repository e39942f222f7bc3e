"""Graphs as programs write them: GML, Graphviz' DOT, Pajek, TGF, graph6 and sparse6.

Each names its vertices, and may have directions and weights, which a coloring has no use for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gpu.problems.coloring.building import NamedGraph, check_size, made_graph
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.document import plain_name, shortened
from gpu.problems.input_file import InputFile

_MOST_EDGES = 1 << 27  # that a short text of Graphviz may make of two groups of vertices


def _text_of(file: InputFile, what: str) -> str:
    if file.text is None:
        raise file.error(f"it begins as {what}, but is no text")
    return file.text


# GML

_GML = re.compile(rb"\s*(?:#[^\n]*\n\s*|(?:creator|version|comment)\b[^\n]*\n\s*)*graph\s*\[", re.I)
_GML_TOKEN = re.compile(r'"([^"]*)"|([\[\]])|#[^\n]*|([^\s\[\]"]+)')
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|(amp|quot|lt|gt|apos));")
_ENTITIES = {"amp": "&", "quot": '"', "lt": "<", "gt": ">", "apos": "'"}


def is_gml(file: InputFile) -> bool:
    """Whether ``file`` is GML."""
    return _GML.match(file.start) is not None


def load_gml(file: InputFile) -> GraphInstance:
    """Load a graph in GML: ``graph [ node [ id 1 label "a" ] edge [ source 1 target 2 ] ]``."""
    what = "a GML graph"
    found, edges = NamedGraph(file, what), list[tuple[str, str]]()
    within: list[tuple[str, dict[str, str]]] = []  # the lists that are open: key and values
    key = ""
    graphs = 0
    for match in _GML_TOKEN.finditer(_text_of(file, what)):
        quoted, bracket, word = match.groups()
        if bracket == "[":
            within.append((key.lower(), {}))
            key = ""
            continue
        if bracket == "]":
            if not within or key:
                raise file.error(f"it is {what}, but a bracket of it closes nothing")
            name, values = within.pop()
            graphs += name == "graph"
            if name == "node":
                if "id" not in values:
                    raise file.error(f"it is {what}, but a node of it has no id")
                found.vertex(values["id"], values.get("label", ""))
            elif name == "edge":
                edges.append((values.get("source", ""), values.get("target", "")))
                found.weighted |= any(one in values for one in ("weight", "value"))
            continue
        if quoted is None and word is None:
            continue  # a comment
        if not key:
            key = word or ""
            if not key:
                raise file.error(f"it is {what}, but {shortened(quoted)} has no key")
            continue
        value = _ENTITY.sub(_plain, quoted) if quoted is not None else word
        if within:
            within[-1][1].setdefault(key.lower(), value)
            if within[-1][0] == "graph" and key.lower() == "directed":
                found.directed = value == "1"
        key = ""
    if within or not graphs:
        raise file.error(f"it is {what}, but ends before its brackets are closed; is it whole?")
    if graphs > 1:
        raise file.error(f"it has {graphs} graphs in GML; keep one")
    found.joined(edges)
    return found.graph()


def _plain(match: re.Match[str]) -> str:
    number, name = match.groups()
    return chr(int(number)) if number and int(number) < 0x110000 else _ENTITIES.get(name, match[0])


# DOT

_DOT = re.compile(
    rb"(?:\s|//[^\n]*\n|#[^\n]*\n|/\*.*?\*/)*(?:strict\s+)?(?:di)?graph\b\s*"
    rb"(?:\"[^\"]*\"|[\w.-]+)?\s*\{",
    re.I | re.S,
)
_DOT_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?m:^)\#[^\n]*|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<markup><)'
    r"|(?P<sign>--|->|[{}\[\];,=:+])|(?P<word>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)|[^\W0-9]\w*)",
    re.S,
)
_ESCAPED = re.compile(r"\\(.)", re.S)


def is_dot(file: InputFile) -> bool:
    """Whether ``file`` is Graphviz' DOT."""
    return _DOT.match(file.start) is not None


def _dot_tokens(file: InputFile, text: str) -> Iterator[tuple[str, bool]]:
    """Yield the tokens of ``text``, and whether each is quoted; InstanceError if one is none."""
    at = 0
    while at < len(text):
        match = _DOT_TOKEN.match(text, at)
        if match is None:
            raise file.error(f"it is DOT, but {shortened(text[at : at + 20])} is nothing of it")
        at = match.end()
        if match.lastgroup == "markup":
            depth = 1
            while depth and at < len(text):
                depth += {"<": 1, ">": -1}.get(text[at], 0)
                at += 1
            yield text[match.start() : at], True
        elif match.lastgroup == "quoted":
            yield _ESCAPED.sub(r"\1", match["quoted"][1:-1].replace("\\\n", "")), True
        elif match.lastgroup:
            yield match[match.lastgroup], False


@dataclass
class _DotGroup:
    """The statements in a pair of braces."""

    vertices: list[int] = field(default_factory=list)  # all that are named there
    last: list[int] = field(default_factory=list)  # the last one of a statement, or several
    joins: bool = False  # whether an edge has begun there, and has no second end yet


class _DotReader:
    """Takes in the tokens of a file, one after the other."""

    def __init__(self, file: InputFile) -> None:
        self.found = NamedGraph(file, "a graph in DOT")
        self._file = file
        self._open: list[_DotGroup] = []
        self._graphs = 0
        self._labels: dict[int, str] = {}

    def read(self, tokens: list[tuple[str, bool]]) -> NamedGraph:
        """Take in all tokens; InstanceError if they are no graph."""
        at, count = 0, len(tokens)

        def token(place: int) -> str:
            return tokens[place][0] if place < count and not tokens[place][1] else ""

        while at < count:
            text, quoted = tokens[at]
            sign = "" if quoted else text
            if not self._open:
                if sign == "{":
                    self._graphs += 1
                    self._open.append(_DotGroup())
                elif sign.lower() == "digraph":
                    self.found.directed = True
            elif sign in ("--", "->"):
                self._begin_edge()
            elif sign == "{":
                self._open.append(_DotGroup())
            elif sign == "}":
                self._close()
            elif sign == "[":
                at = self._attributes(tokens, at)
            elif sign in (";", ","):
                self._end_statement()
            elif sign in ("=", "+", "]"):
                raise self._wrong(f"{sign!r} stands alone in it")
            elif sign == ":":
                at += 1  # a port of a vertex, which is no vertex
            elif token(at + 1) == "=":
                self._end_statement()
                at += 2
            elif sign.lower() == "subgraph":
                at += token(at + 1) != "{"
            elif sign.lower() in ("node", "edge", "graph") and token(at + 1) == "[":
                self._end_statement()
                at = self._attributes(tokens, at + 1)
            else:
                while token(at + 1) == "+" and at + 2 < count:  # "a" + "b" is one name
                    text += tokens[at + 2][0]
                    at += 2
                self._vertex(text)
            at += 1
        if self._open or not self._graphs:
            raise self._wrong("it ends before its braces are closed; is it whole?")
        if self._graphs > 1:
            raise self._file.error(f"it has {self._graphs} graphs in DOT; keep one")
        keys = list(self.found.vertices)
        self.found.labels.update((keys[one], label) for one, label in self._labels.items())
        return self.found

    def _wrong(self, what: str) -> Exception:
        return self._file.error(f"it is a graph in DOT, but {what}")

    def _vertex(self, name: str) -> None:
        self._operand([self.found.vertex(name)])

    def _operand(self, vertices: list[int]) -> None:
        group = self._open[-1]
        if group.joins:
            ends = self.found.ends
            if len(ends) // 2 + len(group.last) * len(vertices) > _MOST_EDGES:
                raise self._wrong(f"it has more than {_MOST_EDGES:,} edges")
            for one in group.last:
                for other in vertices:
                    ends += (one, other)
        group.joins, group.last = False, vertices
        group.vertices += vertices

    def _begin_edge(self) -> None:
        group = self._open[-1]
        if not group.last or group.joins:
            raise self._wrong("an edge of it has no first vertex")
        group.joins = True

    def _end_statement(self) -> None:
        group = self._open[-1]
        if group.joins:
            raise self._wrong("an edge of it has no second vertex")
        group.last = []

    def _close(self) -> None:
        self._end_statement()
        inner = self._open.pop()
        if self._open:
            self._operand(list(dict.fromkeys(inner.vertices)))

    def _attributes(self, tokens: list[tuple[str, bool]], at: int) -> int:
        """Take in what stands in brackets from ``at`` on; return where they are closed."""
        group = self._open[-1]
        end = next((i for i in range(at, len(tokens)) if tokens[i] == ("]", False)), None)
        if end is None:
            raise self._wrong("a bracket of it is not closed")
        inside = tokens[at + 1 : end]
        for place in range(len(inside) - 2):
            if inside[place + 1] != ("=", False):
                continue
            name, value = inside[place][0].lower(), inside[place + 2][0]
            if name == "weight":
                self.found.weighted = True
            elif name == "label" and len(group.last) == 1 and not value.startswith("<"):
                self._labels[group.last[0]] = value
        return end


def load_dot(file: InputFile) -> GraphInstance:
    """Load a graph in DOT: ``graph { a -- b; b -- {c d} }``, with subgraphs and any attributes."""
    tokens = list(_dot_tokens(file, _text_of(file, "a graph in DOT")))
    return _DotReader(file).read(tokens).graph()


# Pajek and TGF

_PAJEK = re.compile(rb"\s*(?:%[^\n]*\n\s*)*\*(?:network|vertices)\b", re.I)
_PAJEK_VERTEX = re.compile(r'\s*([0-9]{1,9})(?:\s+(?:"([^"]*)"|(\S+)))?')
_QUOTED = re.compile(r'"[^"]*"')


def is_pajek(file: InputFile) -> bool:
    """Whether ``file`` is a network of Pajek."""
    return _PAJEK.match(file.start) is not None


def load_pajek(file: InputFile) -> GraphInstance:
    """Load a network of Pajek: vertices, then edges, arcs, lists of them, or a matrix."""
    what = "a Pajek network"
    section, n, row = "", 0, 0
    labels, edges = dict[int, str](), list[int]()
    directed = weighted = False

    def end(word: str, number: int) -> int:
        vertex = int(word) if word.isascii() and word.isdigit() and len(word) < 10 else 0
        if not 1 <= vertex <= n:
            raise file.error(f"line {number}: {shortened(word)} is none of its vertices 1 to {n:,}")
        return vertex - 1

    for number, line in enumerate(_text_of(file, what).splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("%"):
            continue
        if words[0].startswith("*"):
            section = words[0].lower().rstrip(":")
            if section == "*vertices":
                if len(words) < 2 or not re.fullmatch("[0-9]{1,9}", words[1]) or n:
                    raise file.error(f"line {number}, {shortened(line)}, is not *Vertices N")
                n = int(words[1])
                check_size(file, n, 0)
            elif section in ("*arcs", "*arcslist"):
                directed = True
        elif section == "*vertices":
            match = _PAJEK_VERTEX.match(line)
            if match is None:
                raise file.error(f"line {number}, {shortened(line)}, is no vertex")
            labels[end(match[1], number)] = match[2] or match[3] or ""
        elif section in ("*edges", "*arcs"):
            if len(words) < 2:
                raise file.error(f"line {number}, {shortened(line)}, has no second vertex")
            edges += (end(words[0], number), end(words[1], number))
            weighted |= len(words) > 2 and words[2] not in ("1", "1.0")
        elif section in ("*edgeslist", "*arcslist"):
            first, *others = (end(word, number) for word in words)
            for other in others:
                edges += (first, other)
        elif section == "*matrix":
            if len(words) != n or row >= n:
                raise file.error(f"line {number} is no row of a matrix of {n:,} vertices")
            for column, word in enumerate(words):
                if word.strip("0."):
                    edges += (row, column)
            row += 1
    found = NamedGraph(file, what, directed=directed, weighted=weighted)
    for vertex in range(n):
        found.vertex(str(vertex + 1), labels.get(vertex, ""))
    found.ends = edges
    return found.graph()


_TGF_SPLIT = re.compile(r"\s+")


def is_tgf(file: InputFile) -> bool:
    """Whether ``file`` is called a graph in TGF."""
    return plain_name(file.path).lower().endswith(".tgf")


def load_tgf(file: InputFile) -> GraphInstance:
    """Load a graph in TGF: vertices with labels, a line with ``#``, and edges."""
    what = "a graph in TGF"
    vertices, hash_, edges = _text_of(file, what).partition("\n#")
    if not hash_:
        raise file.error(f"it is called {what}, but has no line # between vertices and edges")
    found = NamedGraph(file, what)
    for line in filter(str.strip, vertices.splitlines()):
        key, *label = line.strip().split(maxsplit=1)
        found.vertex(key, label[0] if label else "")
    pairs = []
    for line in filter(str.strip, edges.splitlines()):
        words = line.split()
        if len(words) < 2:
            raise file.error(f"it is {what}, but {shortened(line)} is no edge")
        pairs.append((words[0], words[1]))
    found.joined(pairs)
    return found.graph()


# graph6 and sparse6

_SIX_SUFFIXES = (".g6", ".s6", ".graph6", ".sparse6")
_SIX = re.compile(rb"(?:>>(?:graph6|sparse6)<<)?:?[?-~]+\s*")
_HEADERS = (b">>graph6<<", b">>sparse6<<")


def is_graph6(file: InputFile) -> bool:
    """Whether ``file`` is graph6 or sparse6, or is called so."""
    if plain_name(file.path).lower().endswith(_SIX_SUFFIXES) or file.start.startswith(_HEADERS):
        return True
    data = file.data.strip() if len(file.data) < 10_000 else b""
    if len(data) < 2 or _SIX.fullmatch(data) is None or data.isalpha():
        return False
    n, rest = _six_size(data.removeprefix(b":"))
    return n > 1 and not data.startswith(b":") and len(rest) == -(-n * (n - 1) // 12)


def _six_size(data: bytes) -> tuple[int, bytes]:
    """Return the number of vertices that ``data`` begins with, and what follows; -1 if none."""
    values = [byte - 63 for byte in data[:8]]
    for mark, first, count in ((2, 2, 6), (1, 1, 3), (0, 0, 1)):
        if data[:mark] == b"~" * mark:
            if len(values) < first + count:
                break
            n = 0
            for value in values[first : first + count]:
                n = n << 6 | value
            return n, data[first + count :]
    return -1, b""


def load_graph6(file: InputFile) -> GraphInstance:
    """Load a graph in graph6 or sparse6."""
    what = "a graph6 graph"
    lines = file.data.split()
    if len(lines) != 1:
        raise file.error(f"it has {len(lines)} graphs in graph6 or sparse6; keep one line")
    data = lines[0]
    for header in _HEADERS:
        data = data.removeprefix(header)
    sparse = data.startswith(b":")
    n, rest = _six_size(data[sparse:])
    if n < 0 or any(not 63 <= byte <= 126 for byte in data[sparse:]):
        raise file.error("it is no graph in graph6 or sparse6")
    check_size(file, n, 0)
    if sparse:
        import networkx  # it takes a while, and few files need it

        graph = networkx.from_sparse6_bytes(data)
        ends = np.array([edge[:2] for edge in graph.edges], np.int64).reshape(-1, 2)
        return made_graph(file, "a sparse6 graph", n, ends, called=np.arange(n))
    if len(rest) != -(-n * (n - 1) // 12):
        raise file.error(
            f"it is {what} of {n:,} vertices, and has {len(rest):,} bytes for its edges, not "
            f"{-(-n * (n - 1) // 12):,}; is it whole?"
        )
    bits = np.unpackbits(np.frombuffer(rest, np.uint8)[:, None] - 63, axis=1)[:, 2:].ravel()
    place = np.flatnonzero(bits[: n * (n - 1) // 2])
    # Bits are columns of the upper triangle: column j has j of them, and begins at j (j - 1) / 2.
    begins = np.arange(n + 1) * (np.arange(n + 1) - 1) // 2
    column = np.searchsorted(begins, place, side="right") - 1
    ends = np.column_stack((place - begins[column], column))
    return made_graph(file, what, n, ends, called=np.arange(n))
