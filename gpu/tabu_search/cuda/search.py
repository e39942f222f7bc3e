"""Tabu searches on a GPU, by the rule of :mod:`gpu.tabu_search.cpu`: a block a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.core.errors import DeviceError
from gpu.cuda.instances import DeviceGraph
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Arrays, Buffer, Launch, Machine
from gpu.problems.coloring.instance import GraphInstance, greedy_colors
from gpu.tabu_search.cuda.kernels import TABU_SEARCH, TABU_SHAPES, TABU_STATIC, SearchState

_BLOCK = 256


class TabuSearches:
    """Tabu searches that recolor the best ants' colorings with fewer colors than any before.

    Of the ``ants`` colorings of an iteration, the best are searched from, with so many ``moves``.

    Raises
    ------
    DeviceError
        If the device cannot run a block for so many vertices.
    """

    def __init__(
        self,
        machine: Machine,
        instance: GraphInstance,
        graph: DeviceGraph,
        ants: int,
        searches: int,
        moves: int,
        seed: int,
    ) -> None:
        self._graph, self._ants, self._searches = graph, ants, searches
        self._most = greedy_colors(instance)
        longest = int(instance.degrees.max()) + 1
        self._width = -(-self._most // LANES) * LANES
        own, threads = shape_of(graph.words)
        self._kernel = f"search_colorings<{own}, {threads}>"
        self._threads = LANES * -(-graph.words // own)
        n, words = graph.n, graph.words
        # What is in shared memory before the counts: ``SharedTables`` in search.cu.
        header = 4 * words + 4 * longest + 2 * (longest + longest % 2) + 2 * (n + n % 2)
        # Numbers from one row of counts to the next: ``stride_of`` in search.cu.
        stride = self._most + (2 - self._most) % 4
        self._all_counts = n * stride
        room = (machine.shared_limit - TABU_STATIC - header) // 2
        near = max(0, min(self._all_counts, room))
        self._shared = header + 2 * near
        self._numbers = {
            **{"n": n, "row": graph.row, "ants": ants, "most": self._most, "longest": longest},
            **{"width": self._width, "moves": moves, "near": near, "seed": Seed.of(seed)},
        }
        if not machine.resident(TABU_SEARCH, self._kernel, self._threads, self._shared):
            raise DeviceError(
                f"the device holds no block of {self._threads} threads of tabu search for "
                f"{graph.n} vertices and {longest} colors; choose another colony"
            )

    def buffers(self) -> list[Buffer]:
        """6 bytes a search, vertex and color that a greedy coloring needs, and 4 n a search."""
        each, state = (self._searches, self._graph.n), SearchState.dtype.itemsize // 4
        return [
            Buffer("ant_of", (self._searches,), np.int32),
            Buffer("searches", (self._searches, state), np.uint32, zeroed=True),
            Buffer("search_colors", each, np.uint16),
            Buffer("search_counts", (self._searches, self._all_counts), np.uint16),
            Buffer("search_expiries", (*each, self._width), np.uint32),
            Buffer("kept_colorings", each, np.uint16),
        ]

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that rank the ants, search, and replace colorings by what was found."""
        given, searches = {**arrays, **self._numbers}, self._searches
        blocks, shared = -(-self._ants // _BLOCK), self._shared
        return (
            TABU_SEARCH.launch("rank_ants", blocks, _BLOCK, given, searches=searches),
            TABU_SEARCH.launch(self._kernel, searches, self._threads, given, shared),
            TABU_SEARCH.launch("take_over", searches, _BLOCK, given),
        )


def shape_of(words: int) -> tuple[int, int]:
    """Words of vertices of a warp, and threads of the largest block."""
    return next(shape for shape in TABU_SHAPES if words * LANES <= shape[0] * shape[1])
