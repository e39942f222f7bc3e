"""The spring layout of large graphs: a first one from a few pivots, and then better ones.

Memory and time are O(n + e) for each pivot and for each round.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached
from gpu.problems.coloring.instance import GraphInstance

MOST_PIVOTS = 24  # of a component
STRESS_ROUNDS = 12
_PIVOTS_AT_ONCE = 4  # whose paths are counted in one go
_AT_ONCE = 1 << 16  # vertices of which so much is computed in one go
_LEAST_WITH_PIVOTS = 64
"""Fewest vertices of a component with pivots; smaller ones are wound into a spiral."""

_MOST_WITH_PIVOTS = 500  # components with pivots, the largest ones
_COMPONENT_GAP = 2.0  # between two components, as a multiple of the distance of two vertices
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))

Places = NDArray[np.float64]  # (n, 2)
Wholes = NDArray[np.int32]


class StressLayout:
    """The layout of one large graph, which gets better and better.

    The first places are those of PivotMDS (Brandes and Pich 2006): of the paths to a few vertices
    that lie far from each other, classical scaling takes the two principal axes. Rounds of
    localized majorization follow, on a sparse stress (Ortmann, Klimenta and Brandes 2016): that of
    the edges and of the paths to the pivots, each of which stands for the vertices around it.

    Each component is laid out by itself, as large as its number of vertices; they lie beside each
    other in rows, the largest first. A graph always gets the same places.

    Inside, vertices are numbered by components, each breadth first: so neighbours lie near each
    other in memory, too.
    """

    def __init__(self, graph: GraphInstance) -> None:
        n = graph.n
        self._order, starts = np.empty(n, np.int32), np.empty(n + 1, np.int64)
        number = np.full(n, -1, np.int32)
        count = _walk(graph.offsets, graph.adjacent, self._order, number, starts)
        self._starts = starts[: count + 1]
        self._sizes = np.diff(self._starts)
        self._by_size = np.argsort(-self._sizes, kind="stable")
        self._offsets = np.zeros(n + 1, np.int64)
        np.cumsum(graph.degrees[self._order], out=self._offsets[1:])
        self._adjacent = np.empty_like(graph.adjacent)
        _renumber(graph.offsets, graph.adjacent, self._order, number, self._offsets, self._adjacent)
        large = self._by_size[:_MOST_WITH_PIVOTS]
        self._large = [self._part(one) for one in large[self._sizes[large] >= _LEAST_WITH_PIVOTS]]
        self._places = _wound(self._starts)
        self._work = self._improve()
        self.longest = 0
        """Edges on the longest of the shortest paths from one vertex of the largest component."""

        self.settled = False  # whether the places will not get better
        first, last = self._part(self._by_size[0])
        path, queue = np.empty((2, last - first), np.int32)
        _reach(self._offsets, self._adjacent, first, first, path, queue)
        self.longest = int(path.max())

    def improve(self) -> bool:
        """Compute for about a second at most; return whether there are other places now."""
        found = next(self._work, None)
        self.settled = found is None
        return bool(found)

    def places(self) -> Places:
        """Return the places by the graph's own numbers, all components beside each other."""
        low = np.minimum.reduceat(self._places, self._starts[:-1])
        extent = np.maximum.reduceat(self._places, self._starts[:-1]) - low
        factor = np.ones(len(self._sizes))
        with_pivots = self._by_size[: len(self._large)]
        area = np.maximum(extent[with_pivots].prod(axis=1), 1e-9)
        factor[with_pivots] = np.sqrt(self._sizes[with_pivots] / area)
        extent = extent * factor[:, None] + _COMPONENT_GAP
        width = max(float(extent[:, 0].max()), math.sqrt(float(extent.prod(axis=1).sum())))
        corner = np.empty_like(extent)
        _fill_rows(extent, self._by_size, width, corner)
        each = np.repeat(np.arange(len(self._sizes)), self._sizes)
        result = np.empty_like(self._places)
        result[self._order] = (self._places - low[each]) * factor[each, None] + corner[each]
        return result

    def _part(self, component: Whole) -> tuple[int, int]:
        """Return the first vertex of a component, and the first one after it."""
        return int(self._starts[component]), int(self._starts[component + 1])

    def _improve(self) -> Iterator[bool]:
        """Yield whether there are other places."""
        stresses = []
        for first, last in self._large:
            paths = np.empty((last - first, min(MOST_PIVOTS, last - first)), np.int32)
            pivots = np.empty(paths.shape[1], np.int32)
            for at in range(len(pivots)):
                self._find_pivot(first, at, pivots, paths)
                if at % _PIVOTS_AT_ONCE == 0 and last - first > _AT_ONCE:
                    yield False
            self._places[first:last] = scaled(paths, pivots - first)
            stresses.append((first, last, pivots, paths, shares_of(paths)))
        yield True
        for _ in range(STRESS_ROUNDS):
            for first, last, pivots, paths, shares in stresses:
                _majorize(
                    self._places,
                    self._offsets,
                    self._adjacent,
                    first,
                    last,
                    pivots,
                    paths,
                    shares,
                )
            yield True

    def _find_pivot(self, first: int, at: int, pivots: Wholes, paths: Wholes) -> None:
        """Choose the vertex farthest from the former pivots, and count the paths from it."""
        nearest = paths[:, :at].min(axis=1) if at else np.zeros(1)
        pivots[at] = first + int(nearest.argmax())
        path, queue = np.empty((2, len(paths)), np.int32)
        _reach(self._offsets, self._adjacent, int(pivots[at]), first, path, queue)
        paths[:, at] = path


def _wound(starts: NDArray[np.int64]) -> Places:
    """Place each component's vertices like seeds of a sunflower, in their order."""
    seed = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    radius = np.sqrt(seed / math.pi)
    return np.column_stack([np.cos(_GOLDEN * seed) * radius, np.sin(_GOLDEN * seed) * radius])


def shares_of(paths: Wholes) -> Wholes:
    """Return of each pivot how many vertices it stands for, to one so many edges away.

    These are the vertices to which it is the nearest pivot, at most half as far away.
    """
    longest = int(paths.max())
    found = np.zeros((paths.shape[1], longest + 1), np.int32)
    _count_nearest(paths, found)
    half = np.arange(longest + 1) // 2
    shares: Wholes = np.maximum(1, np.cumsum(found, axis=1, dtype=np.int32)[:, half])
    return shares


def scaled(paths: Wholes, pivots: Wholes) -> Places:
    """Return places whose distances from the ``pivots`` are about these ``paths``, (n, pivots)."""
    n, count = paths.shape
    step = -(-n // _AT_ONCE)
    parts = [slice(first, first + _AT_ONCE) for first in range(0, n, _AT_ONCE)]

    def squares(part: slice) -> Places:
        found: Places = paths[part].astype(np.float64) ** 2
        return found

    of_pivot = sum((squares(part).sum(axis=0) for part in parts), np.zeros(count)) / n
    whole = of_pivot.mean()

    def centred(part: slice) -> Places:
        found = squares(part)
        found -= found.mean(axis=1, keepdims=True) + of_pivot - whole
        return -0.5 * found

    product = sum(((one := centred(part)).T @ one for part in parts), np.zeros((count, count)))
    _, vectors = np.linalg.eigh(product)
    axes = vectors[:, :-3:-1]
    # The sign of an eigenvector is arbitrary. Choose it so that the map is always the same.
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    places: Places = np.concatenate([centred(part) @ axes for part in parts])
    return places * _least_stress(places[::step], places[pivots], paths[::step])


def _least_stress(places: Places, ends: Places, paths: Wholes) -> float:
    """Return by which factor distances from the ``ends`` fit the ``paths`` best."""
    ratio = np.hypot(*(places[:, None] - ends).transpose(2, 0, 1)) / np.maximum(paths, 1)
    return float(ratio.sum() / max((ratio**2).sum(), 1e-9))


@cached
def _walk(
    offsets: NDArray[np.int64],
    adjacent: Wholes,
    order: Wholes,
    number: Wholes,
    starts: NDArray[np.int64],
) -> int:
    """List the vertices component by component, each breadth first; return how many there are."""
    count = done = end = 0
    for first in range(number.size):
        if number[first] >= 0:
            continue
        starts[count] = end
        count += 1
        order[end], number[first] = first, end
        end += 1
        while done < end:
            vertex = order[done]
            done += 1
            for at in range(offsets[vertex], offsets[vertex + 1]):
                other = adjacent[at]
                if number[other] < 0:
                    order[end], number[other] = other, end
                    end += 1
    starts[count] = end
    return count


@cached
def _renumber(
    offsets: NDArray[np.int64],
    adjacent: Wholes,
    order: Wholes,
    number: Wholes,
    new_offsets: NDArray[np.int64],
    new_adjacent: Wholes,
) -> None:
    """Write the neighbours by their new numbers."""
    for vertex in range(order.size):
        old = offsets[order[vertex]]
        for at in range(new_offsets[vertex + 1] - new_offsets[vertex]):
            new_adjacent[new_offsets[vertex] + at] = number[adjacent[old + at]]


@cached
def _reach(
    offsets: NDArray[np.int64],
    adjacent: Wholes,
    source: Whole,
    first: Whole,
    path: Wholes,
    queue: Wholes,
) -> None:
    """Count the edges on the shortest path from ``source`` to each vertex from ``first`` on."""
    path[:] = -1
    path[source - first] = 0
    queue[0] = source
    done, end = 0, 1
    while done < end:
        vertex = queue[done]
        done += 1
        length = path[vertex - first] + 1
        for at in range(offsets[vertex], offsets[vertex + 1]):
            other = adjacent[at]
            if path[other - first] < 0:
                path[other - first] = length
                queue[end] = other
                end += 1


@cached
def _majorize(
    places: Places,
    offsets: NDArray[np.int64],
    adjacent: Wholes,
    first: Whole,
    last: Whole,
    pivots: Wholes,
    paths: Wholes,
    shares: Wholes,
) -> None:
    """Put each vertex where the stress of its edges, and of its paths to pivots, is less."""
    for vertex in range(first, last):
        x, y = places[vertex, 0], places[vertex, 1]
        across = down = weights = 0.0
        for at in range(offsets[vertex], offsets[vertex + 1]):
            to_x, to_y = places[adjacent[at], 0], places[adjacent[at], 1]
            right, up = x - to_x, y - to_y
            stretch = 1.0 / max(np.sqrt(right * right + up * up), 1e-9)
            across += to_x + right * stretch
            down += to_y + up * stretch
            weights += 1.0
        for at in range(pivots.size):
            path = paths[vertex - first, at]
            if path < 2:  # itself, or a neighbour
                continue
            to_x, to_y = places[pivots[at], 0], places[pivots[at], 1]
            right, up = x - to_x, y - to_y
            stretch = path / max(np.sqrt(right * right + up * up), 1e-9)
            weight = shares[at, path] / (np.float64(path) * path)
            across += weight * (to_x + right * stretch)
            down += weight * (to_y + up * stretch)
            weights += weight
        if weights > 0.0:
            places[vertex, 0], places[vertex, 1] = across / weights, down / weights


@cached
def _count_nearest(paths: Wholes, found: Wholes) -> None:
    """Count the vertices by their nearest pivot, and by how far away it is."""
    for vertex in range(paths.shape[0]):
        nearest = 0
        for at in range(1, paths.shape[1]):
            if paths[vertex, at] < paths[vertex, nearest]:
                nearest = at
        found[nearest, paths[vertex, nearest]] += 1


@cached
def _fill_rows(extent: Places, by_size: NDArray[np.intp], width: float, corner: Places) -> None:
    """Put boxes into rows, from the top down; find the lower left corner of each."""
    x = y = height = 0.0
    for box in by_size:
        if x > 0.0 and x + extent[box, 0] > width:
            x, y, height = 0.0, y + height, 0.0
        corner[box, 0], corner[box, 1] = x, -y - extent[box, 1]
        x += extent[box, 0]
        height = max(height, extent[box, 1])
