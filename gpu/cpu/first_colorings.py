"""The colorings that are made at once, of graphs of any size: greedily, in three orders.

Each vertex gets the first color that no neighbour has. The order is

- largest first: by degree (Welsh and Powell 1967), in O(n + m) time;
- smallest last (Matula and Beck 1983): each vertex has the fewest neighbours among those that come
  no later. No more colors are needed than the degeneracy and one. O(n + m) time, too;
- by saturation (DSATUR, Brélaz 1979): as :mod:`gpu.problems.coloring.dsatur` has it, to the same
  colors. O((n + m) log n) time, and less where the neighbours of a vertex have few colors.

All take O(n + m) memory for n vertices and m edges. A million vertices with five million edges take
0.3 s, 0.8 s and 1.8 s on one core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.graphs import GraphArrays, degeneracy_order, graph_arrays
from gpu.cpu.structures import allocated
from gpu.problems.coloring.dsatur import MADE, dsatur_coloring, is_small
from gpu.problems.coloring.instance import GraphInstance

Ints = NDArray[np.int32]

NO_COLOR = -1
_VERTICES_AT_ONCE = 1 << 15  # that are colored before it is asked whether to go on


def first_fit_coloring(graph: GraphInstance, order: NDArray[np.integer]) -> Ints:
    """Give each vertex, in this ``order`` of all, the first color that no neighbour has; (n,)."""
    colors = np.full(graph.n, NO_COLOR, np.int32)
    taken = np.full(int(graph.degrees.max()) + 2, -1, np.int32)
    _color_in_order(graph_arrays(graph), np.ascontiguousarray(order, np.int32), taken, colors)
    return colors


def largest_first_order(graph: GraphInstance) -> Ints:
    """Vertices by degree, the largest first; of equals the lowest first; (n,)."""
    return np.argsort(-graph.degrees, kind="stable").astype(np.int32)


def largest_first_coloring(graph: GraphInstance) -> Ints:
    """Color the vertices of the largest degree first; read-only, (n,)."""
    return frozen(first_fit_coloring(graph, largest_first_order(graph)))


def smallest_last_coloring(graph: GraphInstance) -> Ints:
    """Color the vertices smallest last; read-only, (n,)."""
    return frozen(first_fit_coloring(graph, degeneracy_order(graph).order[::-1]))


def saturation_coloring(graph: GraphInstance, over: Callable[[], bool] = never) -> Ints | None:
    """Color by saturation; read-only, (n,). None if it is ``over()`` before all have a color.

    The coloring of a graph is made once. Of a graph that :func:`is_small`, it is
    :func:`dsatur_coloring`, which needs no compiler.
    """
    if is_small(graph):
        return dsatur_coloring(graph)
    if graph not in MADE:
        state = _saturation_of(graph)
        while _color_by_saturation(graph_arrays(graph), state, _VERTICES_AT_ONCE):
            if over():
                return None
        MADE[graph] = frozen(state.colors)
    return MADE[graph]


_found: WeakKeyDictionary[GraphInstance, tuple[Ints, ...]] = WeakKeyDictionary()


def greedy_colorings(graph: GraphInstance, over: Callable[[], bool] = never) -> Iterator[Ints]:
    """Yield greedy colorings, read-only: the first one at once, each with fewer colors than before.

    They end when it is ``over()``. Of a graph that :func:`is_small`, it is DSATUR's alone. They are
    made once.
    """
    if graph in _found:
        yield from _found[graph]
        return
    found: list[Ints] = []
    by_saturation = partial(saturation_coloring, over=over)
    makers = (largest_first_coloring, smallest_last_coloring, by_saturation)
    for make in (by_saturation,) if is_small(graph) else makers:
        made = None if found and over() else make(graph)
        if made is None:
            return
        if not found or made.max() < found[-1].max():
            found.append(made)
            yield made
    _found[graph] = tuple(found)


def best_greedy_coloring(graph: GraphInstance) -> Ints:
    """Return the last one of :func:`greedy_colorings`, with the fewest colors."""
    *_, best = greedy_colorings(graph)
    return best


def compile_colorings(graph: GraphInstance) -> None:
    """Compile what colors larger graphs, by coloring a small one."""
    largest_first_coloring(graph)
    smallest_last_coloring(graph)
    _color_by_saturation(graph_arrays(graph), _saturation_of(graph), _VERTICES_AT_ONCE)


@cached
def _color_in_order(graph: GraphArrays, order: Ints, taken: Ints, colors: Ints) -> None:
    """Color the vertices; ``taken`` has the last vertex of which a neighbour has each color."""
    for place in range(order.size):
        vertex = order[place]
        for at in range(graph.offsets[vertex], graph.offsets[vertex + 1]):
            color = colors[graph.adjacent[at]]
            if color != NO_COLOR:
                taken[color] = vertex
        color = np.int32(0)
        while taken[color] == vertex:
            color += np.int32(1)
        colors[vertex] = color


class _Saturation(NamedTuple):
    """Where the coloring by saturation stands."""

    colors: Ints  # (n,)
    free: Ints  # (n,): neighbours of each vertex without a color
    seen: NDArray[np.uint8]  # (2 e,): 1 where a neighbour of a vertex has color 0, 1 .. degree - 1
    # Vertices without a color of which a neighbour has one, as a heap: each has up to four below
    # it, none of which comes before it. Only what is first must have its right key; that of another
    # one may say that it has more neighbours without a color than there are.
    heap: Ints  # (n,): vertices
    keys: NDArray[np.int64]  # (n,): of them: saturation, and neighbours without a color
    places: Ints  # (n,): where each vertex is in the heap; -1 if it is not
    order: Ints  # (n,): in which vertices come of which no neighbour has a color
    numbers: NDArray[np.int64]  # (3,): see the constants below


_IN_HEAP, _PASSED, _LEFT = range(3)
"""Vertices in the heap; vertices of ``order`` that have passed; vertices without a color."""

_SATURATION_BIT = 32  # of a key: above are the colors of the neighbours, below those without one
_ARITY = 4


def _saturation_of(graph: GraphInstance) -> _Saturation:
    return allocated(
        _Saturation,
        graph.n,
        colors=np.full(graph.n, NO_COLOR, np.int32),
        free=np.array(graph.degrees),
        seen=graph.adjacent.size,
        places=np.full(graph.n, -1, np.int32),
        order=largest_first_order(graph),
        numbers=np.array([0, 0, graph.n], np.int64),
    )


@cached
def _color_by_saturation(graph: GraphArrays, state: _Saturation, count: int) -> Any:
    """Color so many vertices at most; return how many are left."""
    numbers, colors = state.numbers, state.colors
    for _ in range(min(np.int64(count), numbers[_LEFT])):
        vertex = _next(state)
        begin, end = graph.offsets[vertex], graph.offsets[vertex + 1]
        color = np.int32(0)
        while color < end - begin and state.seen[begin + color]:
            color += np.int32(1)
        colors[vertex] = color
        numbers[_LEFT] -= 1
        for at in range(begin, end):
            other = graph.adjacent[at]
            if colors[other] != NO_COLOR:
                continue
            state.free[other] -= np.int32(1)
            if _is_new(graph, state, other, color, vertex):
                _raise(state, other)
    return numbers[_LEFT]


@inlined
def _is_new(
    graph: GraphArrays, state: _Saturation, vertex: Whole, color: Whole, by: Whole
) -> np.bool_:
    """Note a ``color`` of the neighbour ``by``; return whether no other neighbour has it.

    Whether there is a color above a vertex' degree, ``seen`` does not say: it is of no use to it.
    Then its neighbours are looked at. They are fewer than those of ``by``, so that over all edges
    they are few (Chiba and Nishizeki 1985).
    """
    begin, end = graph.offsets[vertex], graph.offsets[vertex + 1]
    if color < end - begin:
        seen = state.seen[begin + color]
        state.seen[begin + color] = 1
        return np.bool_(seen == 0)
    for at in range(begin, end):
        other = graph.adjacent[at]
        if other != by and state.colors[other] == color:
            return np.bool_(False)
    return np.bool_(True)


@inlined
def _raise(state: _Saturation, vertex: Whole) -> None:
    """Let the neighbours of ``vertex`` have one color more."""
    place = np.int64(state.places[vertex])
    key = np.int64(state.free[vertex]) + (np.int64(1) << _SATURATION_BIT)
    if place < 0:
        place = state.numbers[_IN_HEAP]
        state.numbers[_IN_HEAP] += 1
    else:
        key += state.keys[place] >> _SATURATION_BIT << _SATURATION_BIT
    while place > 0:
        above = (place - 1) // _ARITY
        if not _before(key, vertex, state.keys[above], state.heap[above]):
            break
        _put(state, place, state.heap[above], state.keys[above])
        place = above
    _put(state, place, vertex, key)


@compiled
def _next(state: _Saturation) -> Any:
    """Take out the vertex that comes next."""
    numbers, heap, keys = state.numbers, state.heap, state.keys
    while numbers[_IN_HEAP] > 0:
        vertex = heap[0]
        key = keys[0] >> _SATURATION_BIT << _SATURATION_BIT | np.int64(state.free[vertex])
        if key == keys[0]:
            numbers[_IN_HEAP] -= 1
            last = numbers[_IN_HEAP]
            if last > 0:
                _sink(state, heap[last], keys[last])
            return vertex
        _sink(state, vertex, key)
    while state.colors[state.order[numbers[_PASSED]]] != NO_COLOR:
        numbers[_PASSED] += 1
    return state.order[numbers[_PASSED]]


@inlined
def _sink(state: _Saturation, vertex: Whole, key: np.int64) -> None:
    """Put ``vertex`` at the top of the heap, or as far below as it must be."""
    heap, keys, count = state.heap, state.keys, state.numbers[_IN_HEAP]
    place: Whole = np.int64(0)
    while True:
        below = place * _ARITY + 1
        if below >= count:
            break
        first = below
        for other in range(below + 1, min(below + _ARITY, count)):
            if _before(keys[other], heap[other], keys[first], heap[first]):
                first = other
        if not _before(keys[first], heap[first], key, vertex):
            break
        _put(state, place, heap[first], keys[first])
        place = first
    _put(state, place, vertex, key)


@inlined
def _before(key: np.int64, vertex: Whole, other_key: np.int64, other: Whole) -> np.bool_:
    return np.bool_(key > other_key or (key == other_key and vertex < other))


@inlined
def _put(state: _Saturation, place: Whole, vertex: Whole, key: np.int64) -> None:
    state.heap[place] = vertex
    state.keys[place] = key
    state.places[vertex] = place
