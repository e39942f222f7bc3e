"""DIMACS graphs: ``.col`` files (text) and ``.col.b`` files (a bit for every pair of vertices).

The text has lines of one letter and its words: ``c`` a comment, ``p edge N M`` the sizes, ``e U V``
an edge. It is taken as it is found: letters in capitals, comments of other programs, sizes that are
missing or wrong, weights, vertices from 0, and the forms of shortest paths (``p sp``, ``a U V W``),
of treewidth (``p tw``, ``U V``) and of Steiner trees (SteinLib's sections). The other form is the
length of such a text, the text without its edges, and the lower triangle of the adjacency matrix
with its diagonal: a row a vertex, in whole bytes, first bit high.
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

from gpu.core.arrays import frozen
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
    why_not_whole,
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
_EDGE_KINDS = ("e", "a")
_NOT_KEPT = {
    "n": "values of vertices",
    **dict.fromkeys("dvx", "descriptors"),
    **dict.fromkeys(("terminals", "t", "root", "rootp", "tp"), "terminals"),
}
"""Lines that DIMACS and SteinLib know, and a coloring has no use for."""

_STEINER = ("section", "end", "eof", "name", "remark", "problem", "date", "33d32945", "dd")
_WORDS_OF_COMMENTS = ("comment", "comments", "creator")
_SIZE_WORDS = ("nodes", "edges", "arcs")
_SIZE_WORDS_LEAST = 3  # of a line p: its problem, vertices and edges
_PROBLEM_KINDS = frozenset(
    ("edge", "edges", "col", "color", "coloring", "graph", "sp", "tw", "td", "max", "min", "clq")
)
_WEIGHT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WORDS_MOST = 3  # of an edge: both vertices and a weight
_VERTEX_LARGEST = 2**31 - 2

_COMMENT = rb"(?>[ \t]*(?:[c#%][^\r\n]*)?[\r\n]+)*+[ \t]*"
_NUMBERS = rb"[ \t]+[0-9]+[ \t]+[0-9]+[ \t\r\n]"
_GRAPH_TEXT = re.compile(
    rb"(?i)(?:\s*[cp](?:\s|\Z)|"  # what others hardly begin with, or what they have not
    + _COMMENT
    + rb"(?:p[ \t]+[a-z]+"
    + _NUMBERS
    + rb"|[ea]"
    + _NUMBERS
    + rb")|\s*33D32945|\s*SECTION[ \t]+(?:Comment|Graph)\s)"
)
_EDGE_BEGINS = re.compile(rb"[ \t]*([eEaA]?)[ \t0-9]")
_LOOKED_AT = 2_000  # bytes at the beginning
_BARE = re.compile(rb"[ \t0-9\r\n]*\Z")
_BINARY = re.compile(rb"\s*([0-9]{1,9})[ \t]*\r?\n(?=[cp\s])")
_SIZES = re.compile(rb"(?m)^[ \t]*p[^\n]*\n")
_CHROMATIC = re.compile(r"chromatic number[\s:=]*([0-9]{1,9})\b", re.IGNORECASE)


@dataclass
class _Lines:
    """What the lines of one file say."""

    path: Path
    comments: list[str] = field(default_factory=list)
    n: int = 0  # as it is said; 0 while it is not
    announced: int = -1
    ends: array[int] = field(default_factory=lambda: array("i"))  # as the file numbers vertices
    loops: array[int] = field(default_factory=lambda: array("i"))  # vertices joined to themselves
    lowest: int = 1  # vertex that is named, or 1
    unused: dict[str, None] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)  # what was assumed, for the user

    def error(self, what: str) -> InstanceError:
        return InstanceError(f"{self.path}: {what}")

    def read(self, data: bytes) -> None:
        """Take in all lines of ``data``, those with nothing but edges many at once."""
        number, encoding = 0, encoding_of(self.path, data)
        for piece in _pieces(data):
            if (rows := edges_in(piece, self.n or _VERTEX_LARGEST)) is not None:
                pairs = rows[:, :2]
                loops = pairs[:, 0] == pairs[:, 1]
                self.loops.extend(pairs[loops, 0].tolist())
                self.lowest = min(self.lowest, int(pairs.min(initial=1)))
                self.ends.frombytes((pairs[~loops] if loops.any() else pairs).tobytes())
                if rows.shape[1] == _WORDS_MOST:
                    self.unused["weights of edges"] = None
                number += len(pairs)
                continue
            for raw in decoded_lines(piece, encoding):
                number += 1
                if wrong := self._wrong_with(raw.strip()):
                    raise self.error(f"line {number}, {shortened(raw.strip())}, {wrong}")
            encoding = encoding.removesuffix("-sig")  # that is for the beginning alone
        self.check_numbers()

    def _wrong_with(self, line: str) -> str:
        """Take in one line; return what is wrong with it, or an empty text."""
        kind, *words = line.split() or [""]
        kind = kind.lower()
        if kind in _EDGE_KINDS or kind.isdecimal():
            return self._wrong_with_edge(words if kind in _EDGE_KINDS else [kind, *words])
        if kind == "p":
            return self._wrong_with_sizes(words)
        if kind in _NOT_KEPT:
            self.unused[_NOT_KEPT[kind]] = None
        elif kind in _SIZE_WORDS and len(words) == 1 and _is_whole(words[0]):
            if kind == "nodes":
                return self._wrong_with_count(words[0])
            self.announced = int(words[0])
        elif kind in ("s", "l"):
            return "is one of a coloring, not of a graph: name the file of its graph"
        elif kind[:1] in ("c", "#", "%"):
            self.comments.append(line if kind in _WORDS_OF_COMMENTS else line[1:].strip())
        elif kind and kind not in _STEINER:
            return "is no line of a DIMACS graph"
        return ""

    def _wrong_with_edge(self, words: list[str]) -> str:
        if not 2 <= len(words) <= _WORDS_MOST or not all(map(_is_whole, words[:2])):
            return "is not e and two vertices"
        if len(words) == _WORDS_MOST:
            if not _WEIGHT.fullmatch(words[2]):
                return "is not e, two vertices and a weight"
            self.unused["weights of edges"] = None
        u, v = int(words[0]), int(words[1])
        if (highest := max(u, v)) > (self.n or _VERTEX_LARGEST):
            there = f"; there are 1 to {self.n}" if self.n else ", which is no number of one"
            return f"names vertex {highest}{there}"
        self.lowest = min(self.lowest, u, v)
        if u == v:
            self.loops.append(u)
            return ""
        self.ends.append(u)
        self.ends.append(v)
        return ""

    def _wrong_with_sizes(self, words: list[str]) -> str:
        """Take in the number of vertices, that of edges, and numbers that mean something else."""
        if self.n:
            return "is the second line of its kind"
        known = bool(words) and words[0].lower() in _PROBLEM_KINDS
        if not known or len(words) < _SIZE_WORDS_LEAST or not all(map(_is_whole, words[1:])):
            return "is not p edge, then vertices and edges"
        self.announced = int(words[2])
        return self._wrong_with_count(words[1])

    def _wrong_with_count(self, n: str) -> str:
        self.n = int(n)
        if not 1 <= self.n <= LARGEST_GRAPH:
            return f"has {n} vertices; graphs of 1 to {LARGEST_GRAPH:,} can be colored"
        return ""

    def check_numbers(self) -> None:
        """Find out how many vertices there are, and from where they are counted.

        InstanceError if an edge names one that there cannot be.
        """
        named = [np.frombuffer(some, np.int32) for some in (self.ends, self.loops) if some]
        highest = max((int(some.max()) for some in named), default=0)
        from_zero = self.lowest == 0
        if not self.n and not named:
            raise self.error("it has neither a line p edge nor edges: it is no whole DIMACS graph")
        if not self.n:
            self.n = highest + from_zero
            self.odd.append("it does not say how many vertices it has: the highest one counts")
            if not 1 <= self.n <= LARGEST_GRAPH:
                raise self.error(
                    f"it has {self.n:,} vertices; graphs of 1 to {LARGEST_GRAPH:,} can be colored"
                )
        elif highest > self.n or (from_zero and highest == self.n):
            there = f"{1 - from_zero} to {self.n - from_zero}"
            raise self.error(f"it names vertex {highest}; there are {there}")
        if from_zero:
            self.odd.append("it counts vertices from 0")

    def edges(self) -> NDArray[np.int32]:
        """Return the edges, 0-based, each once."""
        ends = np.frombuffer(self.ends, np.int32)
        return unique_edges(ends if self.lowest == 0 else ends - np.int32(1))

    def check_memory(self, edges: int, an_edge: int) -> None:
        """Raise InstanceError if so many bytes an edge, and those of vertices, are not free."""
        if why := why_not_whole(self.n, edges):
            raise self.error(why)
        needed, free = edges * an_edge + self.n * BYTES_OF_VERTEX, free_memory()
        if needed > free - SPARE:
            raise self.error(
                f"its {edges:,} edges need {needed / 2**20:,.1f} MiB of memory, but only "
                f"{max(free - SPARE, 0) / 2**20:,.1f} MiB are free: close other programs"
            )

    def instance(self, edges: NDArray[np.int32], listed: int, sha256: str) -> GraphInstance:
        name = name_of(re.sub(r"\.col(\.b)?$", "", plain_name(self.path)))
        comment = "\n".join(self.comments).strip()
        notes = list(self.odd)
        if self.loops:
            loops = counted(len(self.loops), "edge")
            notes.append(f"{loops} from a vertex to itself left out, first at {self.loops[0]}")
        listed += len(self.loops)
        # Some of DIMACS' files count an edge once for each of its ends, and list it once.
        counts = (-1, len(edges), 2 * len(edges), listed, 2 * listed)
        if self.announced not in counts:
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
            numbers=frozen(np.arange(-1, self.n - 1, dtype=np.int32)) if self.lowest == 0 else None,
            path=self.path,
            sha256=sha256,
        )


def _pieces(data: bytes) -> Iterator[bytes]:
    """Yield the lines up to the one with the sizes, then many at once."""
    sizes = _SIZES.search(data)
    begin = sizes.end() if sizes else 0
    if begin:
        yield data[:begin]
    yield from pieces(data, begin)


def edges_in(lines: bytes, highest: int) -> NDArray[np.int32] | None:
    """Return the edges in ``lines``, (k, 2), also those from a vertex to itself; or with weights.

    None if anything else is in them than edges of one form with vertices up to the ``highest``:
    they must be read one by one, which takes some forty times as long.
    """
    first = _EDGE_BEGINS.match(lines)
    if first is None:
        return None
    rows = rows_in(lines, first[1].decode())
    if rows is None or not len(rows.counts):
        return None
    width = int(rows.counts[0])
    if width not in (2, _WORDS_MOST) or (rows.counts != width).any():
        return None
    table = rows.values.reshape(-1, width)
    if table[:, :2].max(initial=0) > highest or b"," in lines or b";" in lines:
        return None
    table[:, 2:] = 1  # weights, which may be longer than vertices
    return table.astype(np.int32)


def _is_whole(word: str) -> bool:
    """Whether ``word`` writes a whole number that is not absurdly long."""
    return word.isascii() and word.isdigit() and len(word) <= 18


def is_graph(path: Path, data: bytes) -> bool:
    """Whether the file ``data`` at ``path`` is a DIMACS graph, or means to be one."""
    known = _GRAPH_TEXT.match(data.removeprefix(b"\xef\xbb\xbf")) is not None
    if known or _binary_text(data) is not None:
        return True
    # Numbers alone are a list of edges, whatever its name.
    named = plain_name(path).lower().endswith(GRAPH_SUFFIXES)
    return named and not (data.strip() and _BARE.match(data[:_LOOKED_AT]))


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
        if preamble is not None:
            if found.ends:
                raise found.error("it has edges both in its text and in its bits")
            edges = _edges_of_bits(found, data[preamble.stop :])
            return found.instance(edges, len(edges), sha256)
        found.check_memory(len(found.ends) // 2, _LISTED_BYTES)
        edges = found.edges()
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
