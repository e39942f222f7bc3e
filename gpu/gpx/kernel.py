"""Colonies that color the kernel of a graph, shown as colonies that color all of it.

What :mod:`gpu.bounds.reduction` removes is colored after all others, whenever a coloring is shown.
Ants know the kernel alone, and its own numbers of vertices; nobody else sees these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gpu.bounds.coloring import coloring_bound
from gpu.bounds.reduction import Reduction, reduced
from gpu.core.arrays import frozen
from gpu.core.colony import Colony, Foreseeing, never
from gpu.core.decisions import Picture, Replay, Rule, Step, TrailSource, Unanswered
from gpu.core.instance import Solution
from gpu.core.legacy import Adjustable
from gpu.core.parameters import Parameters
from gpu.core.snapshot import PICTURE_SIZE, Snapshot, Trails, Wanted
from gpu.cpu.first_colorings import best_greedy_coloring
from gpu.gpx.parameters import MOST_SEARCHED
from gpu.gpx.replay import GpxRule
from gpu.problems.coloring.instance import GraphInstance, class_order

WORTH_REMOVING = 20  # a kernel is colored if it leaves out one vertex in so many, or more

# None where the kernel is not worth it. What is kept must not hold the graph itself.
_reductions: WeakKeyDictionary[GraphInstance, Reduction | None] = WeakKeyDictionary()


def kernel_of(graph: GraphInstance) -> Reduction | None:
    """Return what is to be colored of ``graph``; None if that is all of it.

    A vertex goes if it can be colored last, with any number of colors that the graph may need.
    """
    if graph.n > MOST_SEARCHED:
        return None
    if graph not in _reductions:
        bound = coloring_bound(graph)
        assert bound is not None
        found = reduced(graph, bound.cost, bound.witness)
        worth = len(found.removed) * WORTH_REMOVING >= graph.n
        _reductions[graph] = found if worth else None
    return _reductions[graph]


def colony_on_kernel(
    graph: GraphInstance,
    start: Solution | None,
    build: Callable[[GraphInstance, Solution | None], Colony],
) -> Colony:
    """Build a colony on the kernel of ``graph``, or on all of it; it may begin with ``start``."""
    found = kernel_of(graph)
    if found is None:
        return build(graph, start)
    begin = found.restricted(best_greedy_coloring(graph) if start is None else start)
    return KernelColony(build(found.kernel, begin), found)


class KernelColony:
    """A colony on a kernel, as one on the whole graph; see :class:`gpu.core.colony.Colony`."""

    def __init__(self, colony: Colony, reduction: Reduction) -> None:
        self.colony, self._reduction = colony, reduction
        self._number = np.full(reduction.n, -1, np.int32)  # of each vertex in the kernel
        self._number[reduction.vertices] = np.arange(reduction.kernel.n)

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`."""
        self.colony.iterate(count, stop)

    def timed_iteration(self) -> Mapping[str, float]:
        """Run one iteration to its end; see :meth:`gpu.core.colony.Colony.timed_iteration`."""
        return self.colony.timed_iteration()

    def expected_seconds(self) -> float:
        """Return how long an iteration takes; see :class:`gpu.core.colony.Foreseeing`."""
        return self.colony.expected_seconds() if isinstance(self.colony, Foreseeing) else 0.0

    def adjust(self, parameters: Parameters) -> bool:
        """Work with other numbers; see :class:`gpu.core.legacy.Adjustable`."""
        return isinstance(self.colony, Adjustable) and self.colony.adjust(parameters)

    def close(self) -> None:
        """Free the colony's memory."""
        self.colony.close()

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state, with colorings, trails and their picture of the whole graph."""
        painted = Wanted.PHEROMONE in wanted
        shown = self.colony.snapshot(wanted | Wanted.SOLUTION if painted else wanted)
        trails, picture = shown.trails, shown.pheromone
        if trails is not None:
            trails = Trails(frozen(self._reduction.vertices[trails.edges]), trails.strength)
        best = self._whole(shown.best_solution)
        if picture is not None:
            picture = self._picture(picture, best)
        return replace(
            shown,
            best_solution=best,
            iteration_solution=self._whole(shown.iteration_solution),
            pheromone=picture,
            trails=trails,
            kernel=self._reduction.kernel.n,
        )

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails of a vertex; those of vertices that no ant colors are the initial ones."""
        trails = np.ones(self._reduction.n, np.float32)
        if self._number[city] >= 0:
            trails[self._reduction.vertices] = self.colony.trails_from(int(self._number[city]))
        return trails

    def _whole(self, coloring: Solution | None) -> Solution | None:
        return None if coloring is None else self._reduction.extended(coloring)

    def _picture(self, picture: NDArray[np.float32], best: Solution | None) -> NDArray[np.float32]:
        """Return the picture of the trails among all vertices: a pixel is the largest in it."""
        n, left = self._reduction.n, self._reduction.kernel.n
        order = np.arange(n) if best is None else class_order(best)
        place = np.flatnonzero(self._number[order] >= 0)  # of the kernel's vertices, in their order
        p = min(n, PICTURE_SIZE)
        first = -(-np.arange(p + 1, dtype=np.int64) * n // p)  # the first place of each pixel
        begin, end = np.searchsorted(place, first[:-1]), np.searchsorted(place, first[1:])
        whole = np.ones((p, p), np.float32)
        some = np.flatnonzero(end > begin)
        low, high = begin[some] * len(picture) // left, (end[some] - 1) * len(picture) // left
        rows = _largest_rows(picture, low, high)
        whole[np.ix_(some, some)] = _largest_rows(rows.T, low, high).T
        return frozen(whole)


def _largest_rows(
    picture: NDArray[np.float32], low: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the largest of the rows from ``low[i]`` to ``high[i]``, column by column."""
    largest: NDArray[np.float32] = picture[low]
    for k in range(1, int((high - low).max(initial=0)) + 1):
        largest = np.maximum(largest, picture[np.minimum(low + k, high)])
    return largest


def rule_on_kernel(graph: GraphInstance) -> Rule:
    """Return what the ants of a colony on the kernel of ``graph`` do, or on all of it."""
    found = kernel_of(graph)
    return GpxRule(graph) if found is None else KernelRule(GpxRule(found.kernel), found)


@dataclass
class KernelRule:
    """What the ants of a colony on a kernel do, in the numbers of the whole graph."""

    rule: Rule  # of a colony on the kernel
    reduction: Reduction
    caveat: str = ""

    def replay(self, trails: TrailSource, iteration: int, caveat: str = "") -> Replay:
        """Start to replay an iteration; see :class:`gpu.core.decisions.Rule`."""
        own = trails.colony if isinstance(trails, KernelColony) else trails
        return _KernelReplay(self.rule.replay(own, iteration, caveat), self.reduction)


@dataclass(frozen=True)
class _KernelReplay:
    """An ant that is followed on a kernel."""

    replay: Replay
    reduction: Reduction

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> Step | Unanswered | None:
        """Return a step; see :class:`gpu.core.decisions.Replay`."""
        found = self.replay.decision(ant, step, cancelled)
        return self._of_whole(found) if isinstance(found, Step) else found

    def _of_whole(self, step: Step) -> Step:
        """Return the step with the numbers that vertices have in the whole graph.

        Its texts have them already; see :attr:`GraphInstance.numbers`.
        """
        vertices = self.reduction.vertices
        told = tuple(
            option._replace(places=tuple(vertices[list(option.places)].tolist()))
            for option in step.options.told
        )
        return replace(
            step, options=replace(step.options, told=told), picture=self._picture(step.picture)
        )

    def _picture(self, picture: Picture) -> Picture:
        """Return the picture of the whole graph; what is not in the kernel has no color."""
        n, vertices = self.reduction.n, self.reduction.vertices
        marks = tuple(mark._replace(places=vertices[mark.places]) for mark in picture.marks)
        colors, plain = picture.colors, picture.plain
        if colors is not None:
            whole = np.full(n, -1, np.int32)
            whole[vertices] = colors
            colors = frozen(whole)
        if plain is not None:
            all_plain = np.zeros(n, np.bool_)
            all_plain[vertices] = plain
            plain = frozen(all_plain)
        named = vertices[picture.named]
        around = None if picture.around is None else vertices[picture.around]
        return Picture(marks, named, around, colors, plain)
