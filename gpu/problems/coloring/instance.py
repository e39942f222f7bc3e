"""The graph whose vertices are to be colored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.core.arguments import described, is_whole, numbers_in, path_of
from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError, SolutionError
from gpu.core.instance import Instance, chosen_evenly
from gpu.core.problem import Problem
from gpu.core.words import counted

LARGEST_GRAPH = 1 << 15
"""Vertices; the adjacency of more would take more than 128 MiB, and their trails 4 GiB."""

_VERTEX_MOST = 2**31 - 1  # no number of a vertex is greater
WORD = 32  # bits of a word of the adjacency
_EDGES_AT_ONCE = 1 << 18  # edges, so that what is computed for each takes little memory


@dataclass(frozen=True, slots=True, eq=False)
class GraphInstance(Instance):
    """An undirected graph without loops; arrays are read-only."""

    problem: ClassVar[Problem] = Problem.COLORING

    n: int  # number of vertices
    # (e, 2): each edge once, lower vertex first, 0-based, ascending; see :func:`unique_edges`
    edges: NDArray[np.int32]
    # (n, (n + 31) // 32): a set of neighbours a row: vertex j is bit ``j & 31`` of word ``j >> 5``
    adjacency: NDArray[np.uint32] = field(init=False, repr=False)
    degrees: NDArray[np.int32] = field(init=False, repr=False)  # (n,): number of neighbours

    def __post_init__(self) -> None:
        self.check_fields()
        if not (is_whole(self.n) and 1 <= self.n <= LARGEST_GRAPH):
            raise InstanceError(
                f"n = {described(self.n)} is not a number of vertices from 1 to {LARGEST_GRAPH}"
            )
        edges = numbers_in(self.edges, "iu")
        if edges is None or edges.ndim != 2 or edges.shape[1] != 2:
            raise InstanceError("edges is not an array of whole numbers, shape (e, 2)")
        if edges.min(initial=0) < 0 or edges.max(initial=0) >= self.n:
            raise InstanceError(f"edges name a vertex that is not from 0 to {self.n - 1}")
        object.__setattr__(self, "edges", edges.astype(np.int32, copy=False))
        words = -(-self.n // WORD)
        bits = np.zeros(self.n * words, np.uint32)
        degrees = np.zeros(self.n, np.int32)
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
            rows, others = ends.ravel(), ends[:, ::-1].ravel()
            place = rows * words + (others >> 5)
            # As each edge is there once, a sum is what "or" is, and five times as fast.
            np.add.at(bits, place, np.uint32(1) << (others & 31).astype(np.uint32))
            degrees += np.bincount(rows, minlength=self.n).astype(np.int32)
        object.__setattr__(self, "adjacency", bits.reshape(self.n, words))
        object.__setattr__(self, "degrees", degrees)
        for array in (self.edges, self.adjacency, self.degrees):
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

    def neighbours(self, vertex: int) -> NDArray[np.int64]:
        """Neighbours of a vertex, ascending."""
        row = self.adjacency[vertex].astype("<u4").view(np.uint8)
        return np.flatnonzero(np.unpackbits(row, bitorder="little"))

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
            u, v = wrong[0] + 1
            raise SolutionError(
                f"a coloring of {self.name} gives the neighbours {u} and {v} the same color"
            )
        return int(colors.max()) + 1

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
        lines += [f"l {vertex} {color}" for vertex, color in enumerate(self.written(solution), 1)]
        path.write_text("\n".join([*lines, ""]), encoding="utf-8", newline="\n")

    def part(self, size: int) -> Self:
        """Choose ``size`` vertices evenly, with the edges between them."""
        number = np.full(self.n, -1)
        number[chosen_evenly(self.n, size)] = np.arange(size)
        ends = number[self.edges]
        return type(self)(self.name, "", size, unique_edges(ends[(ends >= 0).all(axis=1)]))


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
    ends = found.astype(np.int64, copy=False).reshape(-1, 2)
    order = int(ends.max(initial=0)) + 1
    code = np.sort(np.minimum(ends[:, 0], ends[:, 1]) * order + np.maximum(ends[:, 0], ends[:, 1]))
    code = code[np.diff(code, prepend=-1) > 0]  # as np.unique, and ten times as fast
    return np.column_stack((code // order, code % order)).astype(np.int32)


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
