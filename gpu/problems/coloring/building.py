"""Graphs as files tell them: vertices by name or number, edges in any order and more than once."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gpu.core.machine.processors import SPARE, free_memory
from gpu.core.words import counted
from gpu.problems.bundled import best_known_colors
from gpu.problems.coloring.instance import (
    BYTES_OF_VERTEX,
    LARGEST_GRAPH,
    GraphInstance,
    unique_edges,
    why_not_whole,
)
from gpu.problems.document import comment_of, in_memory, name_of
from gpu.problems.input_file import InputFile
from gpu.problems.reading import FileKind

NO_DIRECTIONS = "its edges have directions, which are not kept"
NO_WEIGHTS = "the weights of its edges are not kept"

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,8}")  # a number that is written as it is written here
_NUMBER_MOST = 2**31 - 2  # of a vertex
_LISTED_BYTES = 64  # of an edge, most while edges are sorted


def read_as_of(file: InputFile, kind: FileKind) -> str:
    """Return as what ``file``, of this ``kind``, was read, with what its user has said."""
    return str(replace(file.read_as, kind=kind))


def check_size(file: InputFile, n: int, edges: int) -> None:
    """Raise InstanceError if there are no vertices, or more than are colored or fit into memory."""
    if not 1 <= n <= LARGEST_GRAPH:
        raise file.error(f"it has {n:,} vertices; graphs of 1 to {LARGEST_GRAPH:,} can be colored")
    if why := why_not_whole(n, edges):
        raise file.error(why)
    needed, free = edges * _LISTED_BYTES + n * BYTES_OF_VERTEX, free_memory() - SPARE
    if needed > free:
        raise file.error(
            f"its {n:,} vertices and {edges:,} edges need {needed / 2**20:,.1f} MiB of memory, but "
            f"only {max(free, 0) / 2**20:,.1f} MiB are free: close other programs"
        )


def numbered_graph(
    file: InputFile,
    what: str,
    ends: NDArray[np.int64],
    *,
    stated: int = 0,
    notes: Iterable[str] = (),
    read_as: str = "",
) -> GraphInstance:
    """Return the graph with edges between the numbers ``ends``, shape (k, 2), which are not gone.

    There are the ``stated`` number of vertices, if that many are counted from 0 or from 1 and no
    other number occurs; else the numbers that occur.
    """
    with in_memory(file.path):
        low, high = int(ends.min(initial=1)), int(ends.max(initial=0))
        first = int(low > 0)
        if stated and high < stated + first:
            check_size(file, stated, len(ends))
            called = np.arange(first, stated + first)
            return made_graph(
                file, what, stated, ends - first, called=called, notes=notes, read_as=read_as
            )
        span = high - low + 1
        if span <= 4 * ends.size + 1_000:  # as a rule, and much quicker than to sort them
            check_size(file, span, len(ends))
            there = np.zeros(span, np.bool_)
            there[ends - low] = True
            called = np.flatnonzero(there) + low
            ends = (np.cumsum(there) - 1)[ends - low]
        else:
            called, inverse = np.unique(ends, return_inverse=True)
            ends = inverse.reshape(ends.shape)
        return made_graph(
            file, what, len(called), ends, called=called, notes=notes, read_as=read_as
        )


def made_graph(
    file: InputFile,
    what: str,
    n: int,
    ends: NDArray[np.integer],
    *,
    called: NDArray[np.int64] | Sequence[str] | None = None,
    comment: str = "",
    notes: Iterable[str] = (),
    read_as: str = "",
) -> GraphInstance:
    """Return the graph of ``n`` vertices with edges between ``ends``, 0-based, shape (k, 2).

    ``what`` says of what kind ``file`` is: "a GraphML graph". Vertices are ``called`` so: by
    numbers, or by names, which are different. Edges from a vertex to itself are left out, as the
    instance's note says after ``notes``.
    """
    check_size(file, n, len(ends))
    with in_memory(file.path):
        numbers, names = _calling(called)
        ends = np.asarray(ends).reshape(-1, 2)
        loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
        edges = unique_edges(np.delete(ends, loops, axis=0) if len(loops) else ends)
        name = name_of(file.stem)
        said = [*notes]
        if len(loops):
            first = int(ends[loops[0], 0])
            called_first = first + 1 if called is None else called[first]
            left = counted(len(loops), "edge", f"{len(loops):,}")
            said.append(f"{left} from a vertex to itself left out, first at {called_first}")
        return GraphInstance(
            name=name,
            comment=comment_of(comment.split("\n")),
            n=n,
            edges=edges,
            numbers=numbers,
            names=names,
            optimum=best_known_colors(name, n, len(edges)) or (None if len(edges) else 1),
            note="; ".join(said),
            seen=what,
            path=file.path,
            sha256=file.sha256,
            read_as=read_as,
        )


def _calling(
    called: NDArray[np.int64] | Sequence[str] | None,
) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return numbers and names of vertices that are ``called`` so, as GraphInstance has them."""
    if called is None or len(called) == 0:
        return None, ()
    if not isinstance(called, np.ndarray):
        if not all(map(_WHOLE.fullmatch, called)):
            return None, _told_apart([name_of(one) for one in called])
        called = np.array(list(map(int, called)), np.int64)
    if np.array_equal(called, np.arange(1, len(called) + 1)):
        return None, ()
    if np.abs(called).max() <= _NUMBER_MOST:
        return (called - 1).astype(np.int32), ()
    return None, tuple(map(str, called.tolist()))


def _told_apart(names: list[str]) -> tuple[str, ...]:
    """Return ``names`` so that all are different: of long ones, only the beginning was kept."""
    if len(set(names)) == len(names):
        return tuple(names)
    taken, found = set(names), []
    seen = set[str]()
    for name in names:
        number, other = 1, name
        while other in seen or (number > 1 and other in taken):
            number += 1
            other = f"{name} ({number})"
        seen.add(other)
        found.append(other)
    return tuple(found)


@dataclass
class NamedGraph:
    """What a file says of a graph whose vertices have names, piece by piece."""

    file: InputFile
    what: str  # of what kind the file is: "a GraphML graph"
    vertices: dict[Hashable, int] = field(default_factory=dict)  # by what edges name them
    labels: dict[Hashable, str] = field(default_factory=dict)  # what people call them
    ends: list[int] = field(default_factory=list)  # of edges, one after the other
    directed: bool = False
    weighted: bool = False
    notes: list[str] = field(default_factory=list)

    def vertex(self, key: Hashable, label: str = "") -> int:
        """Return the number of the vertex ``key``, which is new or known."""
        if label:
            self.labels[key] = label
        return self.vertices.setdefault(key, len(self.vertices))

    def edge(self, one: Hashable, other: Hashable) -> None:
        """Join two vertices, which are new or known."""
        self.ends += (self.vertex(one), self.vertex(other))

    def joined(self, edges: Iterable[tuple[Hashable, Hashable]]) -> None:
        """Join vertices that are known; InstanceError if one is not."""
        known = self.vertices
        for pair in edges:
            for key in pair:
                if key not in known:
                    raise self.file.error(
                        f"an edge of it ends at {str(key)[:40]!r}, which is none of its vertices"
                    )
                self.ends.append(known[key])

    def graph(self, *, read_as: str = "", comment: str = "") -> GraphInstance:
        """Return the graph. Its vertices are called by their labels, if these tell them apart."""
        notes = [*self.notes]
        notes += [NO_DIRECTIONS] if self.directed else []
        notes += [NO_WEIGHTS] if self.weighted else []
        return made_graph(
            self.file,
            self.what,
            len(self.vertices),
            np.array(self.ends, np.int64).reshape(-1, 2),
            called=_names(self.vertices, self.labels),
            notes=notes,
            read_as=read_as,
            comment=comment,
        )


def _names(vertices: Mapping[Hashable, int], labels: Mapping[Hashable, str]) -> list[str]:
    found = [labels.get(key) or str(key) for key in vertices]
    return found if len(set(found)) == len(found) else list(map(str, vertices))
