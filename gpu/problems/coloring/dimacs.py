"""DIMACS graphs: ``.col`` files (text) and ``.col.b`` files (a bit for every pair of vertices).

The text has lines of one letter and its words: ``c`` a comment, ``p edge N M`` the sizes, ``e U V``
an edge. The other form is the length of such a text, the text without its edges, and the lower
triangle of the adjacency matrix with its diagonal: a row a vertex, in whole bytes, first bit high.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.core.machine.processors import SPARE, free_memory
from gpu.core.words import counted
from gpu.problems.bundled import best_known_colors
from gpu.problems.coloring.instance import (
    BYTES_OF_EDGE,
    BYTES_OF_VERTEX,
    LARGEST_GRAPH,
    GraphInstance,
    unique_edges,
)
from gpu.problems.document import (
    comment_of,
    decoded_lines,
    encoding_of,
    in_memory,
    lines_with,
    name_of,
    plain_name,
    read_bytes,
    shortened,
)
from gpu.problems.integers import pieces, rows_in

GRAPH_SUFFIXES = (".col", ".col.b")

_LISTED_BYTES = 64  # of an edge, most while edges are sorted
_BITS_OF_BYTE = np.array([byte.bit_count() for byte in range(256)], np.uint8)  # of each byte
_WRITTEN_PIECE = 1 << 16  # edges that are written at once
_PROBLEM_KINDS = ("edge", "edges", "col")
_NOT_KEPT = {"n": "values of vertices", "d": "descriptors", "v": "descriptors", "x": "descriptors"}
"""Lines that DIMACS knows and a coloring has no use for."""

_GRAPH_TEXT = re.compile(rb"\s*[cp](\s|\Z)")
_BINARY = re.compile(rb"\s*([0-9]{1,9})[ \t]*\r?\n(?=[cp\s])")
_SIZES = re.compile(rb"(?m)^[ \t]*p[^\n]*\n")
_CHROMATIC = re.compile(r"chromatic number[\s:=]*([0-9]{1,9})\b", re.IGNORECASE)


@dataclass
class _Lines:
    """What the lines of one file say."""

    path: Path
    comments: list[str] = field(default_factory=list)
    n: int = 0
    announced: int = -1
    ends: array[int] = field(default_factory=lambda: array("i"))
    loops: array[int] = field(default_factory=lambda: array("i"))  # vertices joined to themselves
    unused: dict[str, None] = field(default_factory=dict)

    def error(self, what: str) -> InstanceError:
        return InstanceError(f"{self.path}: {what}")

    def read(self, data: bytes) -> None:
        """Take in all lines of ``data``, those with nothing but edges many at once."""
        number, encoding = 0, encoding_of(self.path, data)
        for piece in _pieces(data):
            if self.announced >= 0 and (pairs := edges_in(piece, self.n)) is not None:
                loops = pairs[:, 0] == pairs[:, 1]
                self.loops.extend((pairs[loops, 0] + 1).tolist())
                self.ends.frombytes((pairs[~loops] if loops.any() else pairs).tobytes())
                number += len(pairs)
                continue
            for raw in decoded_lines(piece, encoding):
                number += 1
                if wrong := self._wrong_with(raw.strip()):
                    raise self.error(f"line {number}, {shortened(raw.strip())}, {wrong}")
            encoding = encoding.removesuffix("-sig")  # that is for the beginning alone

    def _wrong_with(self, line: str) -> str:
        """Take in one line; return what is wrong with it, or an empty text."""
        kind, *words = line.split() or [""]
        if kind == "e":
            return self._wrong_with_edge(words)
        if kind == "p":
            return self._wrong_with_sizes(words)
        if kind == "c":
            self.comments.append(line[1:].strip())
        elif kind in _NOT_KEPT:
            self.unused[_NOT_KEPT[kind]] = None
        elif kind in ("s", "l"):
            return "is one of a coloring, not of a graph: name the file of its graph"
        elif kind:
            return "is no line of a DIMACS graph"
        return ""

    def _wrong_with_edge(self, words: list[str]) -> str:
        if self.announced < 0:
            return "comes before the line p edge"
        if len(words) != 2 or not (_is_whole(words[0]) and _is_whole(words[1])):
            return "is not e and two vertices"
        u, v = int(words[0]), int(words[1])
        if not (0 < u <= self.n and 0 < v <= self.n):
            return f"names vertex {v if 0 < u <= self.n else u}; there are 1 to {self.n}"
        if u == v:
            self.loops.append(u)
            return ""
        self.ends.append(u - 1)
        self.ends.append(v - 1)
        return ""

    def _wrong_with_sizes(self, words: list[str]) -> str:
        if self.announced >= 0:
            return "is the second line of its kind"
        if len(words) != 3 or words[0] not in _PROBLEM_KINDS or not all(map(_is_whole, words[1:])):
            return "is not p edge, then vertices and edges"
        self.n, self.announced = int(words[1]), int(words[2])
        if not 1 <= self.n <= LARGEST_GRAPH:
            return f"has {words[1]} vertices; graphs of 1 to {LARGEST_GRAPH:,} can be colored"
        return ""

    def check_memory(self, edges: int, an_edge: int) -> None:
        """Raise InstanceError if so many bytes an edge, and those of vertices, are not free."""
        needed, free = edges * an_edge + self.n * BYTES_OF_VERTEX, free_memory()
        if needed > free - SPARE:
            raise self.error(
                f"its {edges:,} edges need {needed / 2**20:,.1f} MiB of memory, but only "
                f"{max(free - SPARE, 0) / 2**20:,.1f} MiB are free: close other programs"
            )

    def instance(self, edges: NDArray[np.int32], listed: int, sha256: str) -> GraphInstance:
        name = name_of(re.sub(r"\.col(\.b)?$", "", plain_name(self.path)))
        comment = "\n".join(self.comments).strip()
        notes = []
        if self.loops:
            loops = counted(len(self.loops), "edge")
            notes.append(f"{loops} from a vertex to itself left out, first at {self.loops[0]}")
        listed += len(self.loops)
        # Some of DIMACS' files count an edge once for each of its ends, and list it once.
        if self.announced not in (len(edges), 2 * len(edges), listed, 2 * listed):
            whole = "; is the file whole?" if self.announced > listed else ""
            notes.append(f"it announces {self.announced:,} edges and has {len(edges):,}{whole}")
        notes += [f"its {what} are not kept" for what in self.unused]
        return GraphInstance(
            name=name,
            comment=comment_of(comment.split("\n")),
            n=self.n,
            edges=edges,
            optimum=best_known_colors(name, self.n, len(edges))
            or _proven(comment, self.n)
            or (None if len(edges) else 1),
            note="; ".join(notes),
            path=self.path,
            sha256=sha256,
        )


def _pieces(data: bytes) -> Iterator[bytes]:
    """Yield the lines up to the one with the sizes, then many at once."""
    sizes = _SIZES.search(data)
    begin = sizes.end() if sizes else len(data)
    if begin:
        yield data[:begin]
    yield from pieces(data, begin)


def edges_in(lines: bytes, n: int) -> NDArray[np.int32] | None:
    """Return the edges in ``lines``, 0-based, shape (k, 2), also those from a vertex to itself.

    None if anything else is in them than ``e`` and two vertices from 1 to ``n``: they must be read
    one by one, which takes some forty times as long.
    """
    rows = rows_in(lines, "e")
    if rows is None or (rows.counts != 2).any():
        return None
    if rows.values.min(initial=1) < 1 or rows.values.max(initial=1) > n:
        return None
    return (rows.values - 1).astype(np.int32).reshape(-1, 2)


def _is_whole(word: str) -> bool:
    """Whether ``word`` writes a whole number that is not absurdly long."""
    return word.isascii() and word.isdigit() and len(word) <= 18


def is_graph(path: Path, data: bytes) -> bool:
    """Whether the file ``data`` at ``path`` is a DIMACS graph, or means to be one."""
    known = _GRAPH_TEXT.match(data) is not None or _binary_text(data) is not None
    return known or plain_name(path).lower().endswith(GRAPH_SUFFIXES)


def load_graph(path: str | Path, data: bytes | None = None) -> GraphInstance:
    """Load the graph in the DIMACS file at ``path``, whose ``data`` are read unless they are given.

    Its bytes tell text from bits. Edges from a vertex to itself are left out, as the ``note``
    says. InstanceError if the file is missing or is no DIMACS graph.
    """
    path = Path(path)
    data = read_bytes(path) if data is None else data
    with in_memory(path):
        found = _Lines(path)
        sha256 = hashlib.sha256(data).hexdigest()
        preamble = _binary_text(data)
        if preamble is not None and preamble.stop > len(data):
            raise found.error("it ends before its text, whose length it begins with, does")
        found.read(data if preamble is None else data[preamble])
        if found.announced < 0:
            raise found.error("it has no line p edge, so it is not a whole DIMACS graph")
        if preamble is not None:
            if found.ends:
                raise found.error("it has edges both in its text and in its bits")
            edges = _edges_of_bits(found, data[preamble.stop :])
            return found.instance(edges, len(edges), sha256)
        found.check_memory(len(found.ends) // 2, _LISTED_BYTES)
        edges = unique_edges(np.frombuffer(found.ends, np.int32))
        return found.instance(edges, len(found.ends) // 2, sha256)


def _binary_text(data: bytes) -> slice | None:
    """Where the text of a file with a bit for every pair stands; None if it is another file."""
    match = _BINARY.match(data)
    return slice(match.end(), match.end() + int(match[1])) if match else None


def _edges_of_bits(found: _Lines, bits: bytes) -> NDArray[np.int32]:
    n = found.n
    whole, rest = divmod(n, 8)
    size = (4 * whole + rest) * (whole + 1)  # bytes: one for each of the first eight rows, then two
    if len(bits) != size:
        raise found.error(
            f"the matrix of {n} vertices is {size} bytes, but {len(bits)} follow its text; "
            "is the file whole?"
        )
    width = np.arange(n, dtype=np.int64) // 8 + 1
    ends = np.cumsum(width) - 1  # the last byte of each row: its own vertex, and what is no vertex
    matrix = np.frombuffer(bits, np.uint8).copy()
    loops = matrix[ends] & (0x80 >> (np.arange(n) & 7))
    found.loops.extend((np.flatnonzero(loops) + 1).tolist())
    matrix[ends] &= ~(0xFF >> (np.arange(n) & 7)).astype(np.uint8)
    count = int(_BITS_OF_BYTE[matrix].sum(dtype=np.int64))
    found.check_memory(count, BYTES_OF_EDGE)
    edges = np.empty((count, 2), np.int32)
    done = 0
    for byte in range(width[-1]):  # eight columns, each with the edges of one lower vertex
        rows = np.arange(8 * byte, n)
        columns = np.unpackbits(matrix[ends[rows] - width[rows] + 1 + byte, None], axis=1)
        part = np.argwhere(columns.T) + 8 * byte
        edges[done : done + len(part)] = part
        done += len(part)
    return edges


def _proven(comment: str, n: int) -> int | None:
    """Return the chromatic number that a generator has written into the comment."""
    match = _CHROMATIC.search(comment)
    return int(match[1]) if match and 1 <= int(match[1]) <= n else None


def write_graph(path: Path, graph: GraphInstance) -> None:
    """Write ``graph`` as a DIMACS text file, its comment first."""
    with path.open("wb") as file:
        file.write(_preamble(graph).encode())
        for first in range(0, len(graph.edges), _WRITTEN_PIECE):
            part = graph.edges[first : first + _WRITTEN_PIECE, ::-1]
            file.write(lines_with("e", part + np.int32(1)))


def write_bits(path: Path, graph: GraphInstance) -> None:
    """Write ``graph`` as a DIMACS file with a bit for every pair of vertices."""
    text = _preamble(graph).encode()
    matrix = np.zeros((graph.n, graph.n), bool)
    matrix[graph.edges[:, 1], graph.edges[:, 0]] = True
    rows = (np.packbits(row[: u + 1]).tobytes() for u, row in enumerate(matrix))
    path.write_bytes(b"".join([f"{len(text)}\n".encode(), text, *rows]))


def _preamble(graph: GraphInstance) -> str:
    lines = [f"c {line}".rstrip() for line in graph.comment.splitlines()]
    return "\n".join([*lines, f"p edge {graph.n} {len(graph.edges)}", ""])
