"""The graph whose vertices are to be colored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.core.arguments import described, is_whole, numbers_in, path_of
from gpu.core.arrays import frozen
from gpu.core.bounds import LowerBound
from gpu.core.errors import InstanceError, SolutionError
from gpu.core.instance import Instance, chosen_evenly
from gpu.core.problem import Problem
from gpu.core.words import counted
from gpu.problems.coloring.class_tables import is_class_table, read_class_table
from gpu.problems.coloring.colorings import read_coloring
from gpu.problems.document import lines_with, plain_name, read_bytes
from gpu.problems.tables.table_files import TABLE_SUFFIXES

LARGEST_GRAPH = 1 << 26
"""Vertices; a solution, and what is kept of each vertex, are some bytes for every one."""

LARGEST_MATRIX = 1 << 15
"""Vertices of a graph of which a matrix is made; a bit for every pair of more is over 128 MiB."""

BYTES_OF_EDGE, BYTES_OF_VERTEX = 32, 48
"""That a graph takes at most while it is made. It keeps 16 of each edge: both ends in the list of
edges, and each end among the neighbours of the other; and 12 of each vertex."""

SOLUTION_SUFFIX = ".sol"
_MANY_VERTICES, _JOINED_LEAST = 1_000_000, 0.1  # share of so many that edges join in any real graph
_CLASS_SUFFIXES = (*TABLE_SUFFIXES, ".txt")  # of files that may be tables of classes
_VERTEX_MOST = 2**31 - 1  # no number of a vertex is greater
_VERTEX_BITS = 31
WORD = 32  # bits of a word of the adjacency
_EDGES_AT_ONCE = 1 << 18  # edges, so that what is computed for each takes little memory


def why_not_whole(n: int, edges: int) -> str:
    """Return why a graph of ``n`` vertices with so many edges is none that anybody means, or "".

    A number that is mistaken, or made up, would take memory for vertices that nothing joins.
    """
    if n <= _MANY_VERTICES or 2 * edges >= _JOINED_LEAST * n:
        return ""
    joined = counted(2 * edges, "vertex", f"{2 * edges:,}")
    return f"it says that it has {n:,} vertices, and its edges join at most {joined}; is it whole?"


@dataclass(frozen=True, slots=True, eq=False)
class GraphInstance(Instance):
    """An undirected graph without loops, in O(n + e) memory; arrays are read-only.

    The neighbours of vertex v are ``adjacent[offsets[v] : offsets[v + 1]]``, ascending.
    """

    problem: ClassVar[Problem] = Problem.COLORING

    n: int  # number of vertices
    # (e, 2): each edge once, lower vertex first, 0-based, ascending; see :func:`unique_edges`
    edges: NDArray[np.int32]
    # (n,): the vertices' numbers in the file, less 1, where they are not 1 to n: they may count
    # from 0, have gaps, or be of a part of a graph
    numbers: NDArray[np.int32] | None = field(default=None, kw_only=True, repr=False)
    # of the vertices, all different; () where the file has none
    names: tuple[str, ...] = field(default=(), kw_only=True, repr=False)
    # (n + 1,): where the neighbours of each vertex begin in ``adjacent``, and the last ones end
    offsets: NDArray[np.int64] = field(init=False, repr=False)
    adjacent: NDArray[np.int32] = field(init=False, repr=False)  # (2 e,): neighbours of all
    degrees: NDArray[np.int32] = field(init=False, repr=False)  # (n,): number of neighbours

    def __post_init__(self) -> None:
        self.check_fields()
        if not (is_whole(self.n) and 1 <= self.n <= LARGEST_GRAPH):
            raise InstanceError(
                f"n = {described(self.n)} is not a number of vertices from 1 to {LARGEST_GRAPH:,}"
            )
        if not isinstance(self.names, tuple) or len(self.names) not in (0, self.n):
            raise InstanceError(f"names is not a tuple of {self.n} names, or an empty one")
        edges = numbers_in(self.edges, "iu")
        if edges is None or edges.ndim != 2 or edges.shape[1] != 2:
            raise InstanceError("edges is not an array of whole numbers, shape (e, 2)")
        if edges.min(initial=0) < 0 or edges.max(initial=0) >= self.n:
            raise InstanceError(f"edges name a vertex that is not from 0 to {self.n - 1}")
        object.__setattr__(self, "edges", edges.astype(np.int32, copy=False))
        last = -1
        for first in range(0, len(self.edges), _EDGES_AT_ONCE):
            ends = self.edges[first : first + _EDGES_AT_ONCE].astype(np.int64)
            code = ends[:, 0] * self.n + ends[:, 1]
            if (np.diff(code, prepend=last) <= 0).any() or (ends[:, 0] >= ends[:, 1]).any():
                raise InstanceError(
                    "edges are not each there once, the lower vertex first, in ascending order: "
                    "unique_edges makes them so"
                )
            last = int(code[-1])
        offsets, adjacent = _compressed(self.n, self.edges)
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "adjacent", adjacent)
        object.__setattr__(self, "degrees", np.diff(offsets).astype(np.int32))
        for array in (self.edges, self.offsets, self.adjacent, self.degrees):
            frozen(array)

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return (
            f"{counted(self.n, 'vertex', f'{self.n:,}')}, "
            f"{counted(len(self.edges), 'edge', f'{len(self.edges):,}')}"
        )

    @property
    def density(self) -> float:
        """Share of all pairs of vertices that are edges; 0 for a single vertex."""
        return len(self.edges) / max(1, self.n * (self.n - 1) // 2)

    def called(self, vertex: int | np.integer[Any]) -> str:
        """What a vertex is called: its name, or else its number in the file."""
        if self.names:
            return self.names[vertex]
        return str(int(vertex if self.numbers is None else self.numbers[vertex]) + 1)

    def calling(self, vertices: NDArray[np.integer]) -> Mapping[str, Any]:
        """Return ``numbers`` and ``names`` of the part that has these ``vertices``."""
        if self.names:
            return {"names": tuple(self.names[vertex] for vertex in vertices.tolist())}
        kept = vertices if self.numbers is None else self.numbers[vertices]
        return {"numbers": frozen(np.asarray(kept).astype(np.int32))}

    def neighbours(self, vertex: int) -> NDArray[np.int32]:
        """Neighbours of a vertex, ascending, read-only."""
        return self.adjacent[self.offsets[vertex] : self.offsets[vertex + 1]]

    @property
    def adjacency(self) -> NDArray[np.uint32]:
        """The adjacency matrix as bits, (n, (n + 31) // 32), read-only; it is made once.

        A row is the set of a vertex' neighbours: vertex j is bit ``j & 31`` of word ``j >> 5``.
        InstanceError if there are more than :data:`LARGEST_MATRIX` vertices: n² / 8 bytes are many.
        """
        if self not in _matrices:
            _matrices[self] = frozen(_bit_matrix(self))
        return _matrices[self]

    def conflicts(self, colors: NDArray[np.integer]) -> NDArray[np.int32]:
        """Edges whose ends have the same of these ``colors``, shape (n,): int32, shape (k, 2)."""
        ends = np.asarray(colors)[self.edges]
        wrong: NDArray[np.int32] = self.edges[ends[:, 0] == ends[:, 1]]
        return wrong

    def cost_of(self, solution: NDArray[np.integer]) -> int:
        """Number of colors of a coloring (0-based), which is checked to be proper.

        SolutionError if a vertex has no color, a color no vertex, or neighbours have the same.
        """
        colors = numbers_in(solution, "iu")
        if (
            colors is None
            or colors.shape != (self.n,)
            or colors.min() < 0
            or colors.max() >= self.n
        ):
            raise SolutionError(f"a coloring of {self.name} does not color each vertex once")
        if not np.bincount(colors.astype(np.int64, copy=False)).all():
            raise SolutionError(f"a coloring of {self.name} skips a color")
        wrong = self.conflicts(colors)
        if len(wrong):
            u, v = map(self.called, wrong[0])
            raise SolutionError(
                f"a coloring of {self.name} gives the neighbours {u} and {v} the same color"
            )
        return int(colors.max()) + 1

    def bound_by(self, witness: NDArray[np.integer]) -> LowerBound:
        """Return how many colors the vertices of a clique, or of an odd cycle in order, need."""
        wrong = f"a lower bound of {self.name} is shown by a clique, or by an odd cycle"
        vertices = numbers_in(witness, "iu")
        if (
            vertices is None
            or vertices.ndim != 1
            or not 0 < vertices.size <= self.n
            or vertices.min() < 0
            or vertices.max() >= self.n
            or len(np.unique(vertices)) < len(vertices)
        ):
            raise SolutionError(wrong)
        size, shown = len(vertices), frozen(vertices.astype(np.int32))
        # Only where there may be a clique are there few enough pairs to look at them all.
        if self.degrees[shown].min() >= size - 1 and self._joined(*shown[_pairs_of(size)]):
            why = "an edge" if size == 2 else f"a clique of {counted(size, 'vertex')}"
            return LowerBound(size, why, shown)
        if size % 2 and self._joined(shown, np.roll(shown, -1)):
            return LowerBound(3, f"an odd cycle of {size} vertices", shown)
        raise SolutionError(wrong)

    def _joined(self, some: NDArray[np.integer], others: NDArray[np.integer]) -> bool:
        """Whether there is an edge between each of these vertices and its other one."""
        low, high = np.minimum(some, others).astype(np.int64), np.maximum(some, others)
        wanted = low * self.n + high
        codes = self.edges[:, 0].astype(np.int64) * self.n + self.edges[:, 1]  # ascending
        place = np.searchsorted(codes, wanted)
        known: NDArray[np.int64] = np.append(codes, -1)[place]
        return bool((known == wanted).all())

    @property
    def facts(self) -> Mapping[str, int | str | bool]:
        """Number of edges, and whether the user gave the best known number of colors."""
        given: dict[str, bool] = {"optimum_by_user": True} if self.optimum_by_user else {}
        return {"edges": len(self.edges), **given}

    def written(self, solution: NDArray[np.integer]) -> list[int]:
        """The color of each vertex, counted from 1."""
        numbers: list[int] = (np.asarray(solution) + 1).tolist()
        return numbers

    def read(self, written: Sequence[int]) -> NDArray[np.int32]:
        """A coloring whose colors are counted from 1; see :class:`Instance`."""
        colors = self.numbers_of(written) - 1
        self.cost_of(colors)
        return frozen(colors.astype(np.int32))

    @property
    def vertex_names(self) -> list[str]:
        """What all vertices are called."""
        if self.names:
            return list(self.names)
        return list(
            map(
                str,
                (
                    self.numbers + 1 if self.numbers is not None else np.arange(1, self.n + 1)
                ).tolist(),
            )
        )

    def is_solution(self, path: Path, data: bytes) -> bool:
        """Whether the file ``data`` is a DIMACS solution, or a table of its vertices' classes."""
        name = plain_name(path).lower()
        if name.endswith(SOLUTION_SUFFIX):
            return True
        return name.endswith(_CLASS_SUFFIXES) and is_class_table(path, data, self._by_name())

    def _by_name(self) -> dict[str, int]:
        return {name: vertex for vertex, name in enumerate(self.vertex_names)}

    def load_solution(self, path: str | Path, data: bytes | None = None) -> NDArray[np.int32]:
        """Load a coloring from a DIMACS solution (``.sol``) or a table; see :class:`Instance`."""
        file = path_of(path, InstanceError, "name a file with a coloring")
        data = read_bytes(file) if data is None else data
        vertices = self._by_name()
        if plain_name(file).lower().endswith(TABLE_SUFFIXES) or is_class_table(
            file, data, vertices
        ):
            colors = read_class_table(file, data, vertices)
        else:
            colors = read_coloring(file, self.n, data)
        try:
            self.cost_of(colors)
        except SolutionError as error:
            raise InstanceError(f"{path}: {error}") from error
        return frozen(colors)

    def digest(self) -> str:
        """SHA-256 of every edge; see :class:`Instance`."""
        found = hashlib.sha256(f"graph {self.n}".encode())
        found.update(self.edges.astype("<i4").tobytes())
        return found.hexdigest()

    def write(self, path: Path, solution: NDArray[np.integer], comment: str = "") -> None:
        """Write a coloring as a DIMACS solution, counted from 1; see :class:`Instance`."""
        path = path_of(path, SolutionError, "name the file to write")
        said = (*self.name.splitlines(), *str(comment).splitlines())
        lines = [f"c {line}".rstrip() for line in said]
        lines.append(f"s col {self.cost_of(solution)}")
        colored = np.column_stack((np.arange(self.n), solution)) + 1
        path.write_bytes("\n".join([*lines, ""]).encode() + lines_with("l", colored))

    def part(self, size: int) -> Self:
        """Choose ``size`` vertices evenly, with the edges between them."""
        number = np.full(self.n, -1)
        number[chosen_evenly(self.n, size)] = np.arange(size)
        ends = number[self.edges]
        return type(self)(self.name, "", size, unique_edges(ends[(ends >= 0).all(axis=1)]))


_matrices: WeakKeyDictionary[GraphInstance, NDArray[np.uint32]] = WeakKeyDictionary()


def _bit_matrix(graph: GraphInstance) -> NDArray[np.uint32]:
    n, words = graph.n, -(-graph.n // WORD)
    if n > LARGEST_MATRIX:
        raise InstanceError(
            f"{graph.name} has {n:,} vertices: its adjacency matrix would take "
            f"{4 * n * words / 2**30:,.1f} GiB; one is made for up to {LARGEST_MATRIX:,} vertices"
        )
    bits = np.zeros(n * words, np.uint32)
    for first in range(0, len(graph.edges), _EDGES_AT_ONCE):
        ends = graph.edges[first : first + _EDGES_AT_ONCE].astype(np.int64)
        rows, others = ends.ravel(), ends[:, ::-1].ravel()
        # As each edge is there once, a sum is what "or" is, and five times as fast.
        bit = np.uint32(1) << (others & (WORD - 1)).astype(np.uint32)
        np.add.at(bits, rows * words + others // WORD, bit)
    return bits.reshape(n, words)


def _compressed(n: int, edges: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return ``offsets`` and ``adjacent`` of a :class:`GraphInstance` with these ``edges``.

    The lower neighbours of a vertex come before its higher ones. Either are in ascending order
    where edges are sorted by the one end and then by the other.
    """
    lower, higher = edges[:, 0], edges[:, 1]
    below, above = _ends_of(n, higher), _ends_of(n, lower)  # how many are lower, and higher
    offsets = below + above
    adjacent = np.empty(2 * len(edges), np.int32)
    for vertices, others, skipped in (
        (lower, higher, below[1:]),
        (higher[order := _by_number(higher)], lower[order], above[:-1]),
    ):
        for first in range(0, len(edges), _EDGES_AT_ONCE):
            part = slice(first, first + _EDGES_AT_ONCE)
            place = skipped[vertices[part]]
            place += np.arange(first, first + len(place))
            adjacent[place] = others[part]
    return offsets, adjacent


def _ends_of(n: int, vertices: NDArray[np.int32]) -> NDArray[np.int64]:
    """How many of ``vertices`` are less than 0, 1 .. n."""
    return np.concatenate(([0], np.cumsum(np.bincount(vertices, minlength=n), dtype=np.int64)))


def _by_number(vertices: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the stable order of ``vertices``: half a number at a time, NumPy counts."""
    order = np.argsort(vertices.astype(np.uint16), kind="stable")
    high = (vertices >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")] if high.any() else order


def _pairs_of(size: int) -> NDArray[np.int64]:
    """Return all pairs of so many things; int64, shape (2, size (size - 1) / 2)."""
    return np.stack(np.triu_indices(size, 1))


def unique_edges(pairs: ArrayLike) -> NDArray[np.int32]:
    """Edges as a :class:`GraphInstance` has them, of pairs of vertices (0-based) in any order.

    The ``pairs``, shape (k, 2), have each edge once or more, either way around.
    """
    found = numbers_in(pairs, "iu")
    if (
        found is None
        or found.size % 2
        or found.min(initial=0) < 0
        or found.max(initial=0) > _VERTEX_MOST
    ):
        raise InstanceError("edges are pairs of vertices, whole numbers from 0 on")
    ends = found.reshape(-1, 2)
    code = np.minimum(ends[:, 0], ends[:, 1]).astype(np.int64)
    code <<= _VERTEX_BITS
    code |= np.maximum(ends[:, 0], ends[:, 1]).astype(np.int64, copy=False)
    if (code[1:] < code[:-1]).any():
        code.sort()
    code = code[np.diff(code, prepend=-1) > 0]  # as np.unique, and ten times as fast
    edges = np.empty((len(code), 2), np.int32)
    edges[:, 0] = code >> _VERTEX_BITS
    edges[:, 1] = code & _VERTEX_MOST
    return edges


def class_order(coloring: NDArray[np.integer]) -> NDArray[np.int32]:
    """Vertices by color, those of a class in ascending order; int32, shape (n,)."""
    return np.argsort(coloring, kind="stable").astype(np.int32)


def class_sizes(coloring: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number of vertices of each color; int64, shape (k,)."""
    return np.bincount(coloring).astype(np.int64)


def greedy_colors(instance: GraphInstance) -> int:
    """Colors that suffice if each vertex gets the first free one, those of high degree first."""
    colors = np.full(instance.n, -1, np.int32)
    for vertex in np.argsort(-instance.degrees, kind="stable"):
        near = colors[instance.neighbours(vertex)]
        taken = np.zeros(len(near) + 1, np.bool_)
        taken[near[(near >= 0) & (near < len(taken))]] = True
        colors[vertex] = int(np.argmin(taken))
    return int(colors.max()) + 1
