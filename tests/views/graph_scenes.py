"""Colorings for the views' tests, and what answers for the thread that draws them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.snapshot import PICTURE_SIZE, RunState, Trails, Wanted
from gpu.drawing.density import levels_of, sample_of
from gpu.drawing.draw import GraphArtist
from gpu.drawing.raster import paint_points, points_within
from gpu.problems.coloring.instance import GraphInstance, class_order
from tests.colonies import progress_of
from tests.graphs import greedy
from views.frame.main_window import MainWindow
from views.graph.adjacency_view import AdjacencyView
from views.graph.graph_view import GraphView


def compile_pictures() -> None:
    """Compile what draws very many edges and vertices: no thread does it after a test's end."""
    places, edges = np.zeros((2, 2)), frozen(np.array([[0, 1]], np.int32))
    frame, none = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]), np.empty(0, np.int32)
    levels_of(places, edges, frame, (1, 1), sample_of(places, edges, frame, 1, 1, 0))
    points_within(places, frame, 1.0, 1.0, none)
    looks, colours = np.zeros(2, np.int32), np.zeros(1, np.uint32)
    paint_points(
        places, looks, colours, frame, np.ones((1, 1), np.bool_), -1, np.zeros((1, 1), np.uint32)
    )


def coloring_snapshot(
    graph: GraphInstance,
    iteration: int,
    coloring: NDArray[np.int32] | None = None,
    *,
    wanted: Wanted = Wanted.EVERYTHING,
) -> RunState:
    """A state of a run that has found ``coloring``, by default a greedy one."""
    best = greedy(graph) if coloring is None else coloring
    colors = int(best.max()) + 1
    random = np.random.default_rng(iteration)
    mean = colors + 2.5 + random.random()
    pairs = random.integers(0, graph.n, (2 * graph.n, 2)).astype(np.int32)
    strength = np.sort(random.random(len(pairs)))[::-1].astype(np.float32)
    return RunState(
        iteration=iteration,
        solutions_built=iteration * max(1, graph.n // 5),
        best_cost=colors,
        best_iteration=max(1, iteration - 2),
        iteration_best=colors + iteration % 3,
        iteration_mean=mean,
        best_solution=best if Wanted.SOLUTION in wanted else None,
        ants_best=best,
        iteration_solution=best if Wanted.ITERATION_SOLUTION in wanted else None,
        pheromone=trails(graph, best, iteration) if Wanted.PHEROMONE in wanted else None,
        trails=Trails(pairs, strength) if Wanted.TRAILS in wanted else None,
        phases={"choice info": 0.4, "construction": 5.1, "update": 1.2},
        progress=progress_of(
            iteration,
            iteration * 0.05,
            colors + iteration % 3,
            mean,
            [(max(1, iteration - 2), colors)],
        ),
        elapsed=iteration * 0.05,
        generation=1,
    )


def trails(graph: GraphInstance, coloring: NDArray[np.int32], seed: int) -> NDArray[np.float32]:
    """A picture of trails in the order of the classes: none between neighbours."""
    order = class_order(coloring)
    bits = np.unpackbits(graph.adjacency.view(np.uint8), axis=1, bitorder="little")
    adjacent = bits[:, : graph.n][order][:, order] > 0
    same = coloring[order][:, None] == coloring[order]
    random = np.random.default_rng(seed).random((graph.n, graph.n))
    laid = np.where(same, 40 + 60 * random, 0.5 + 4 * random**4)
    full = np.where(adjacent, 0.0, np.maximum(laid, laid.T)).astype(np.float32)
    step = -(-graph.n // PICTURE_SIZE)
    starts = np.arange(0, graph.n, step)
    picture: NDArray[np.float32] = np.maximum.reduceat(
        np.maximum.reduceat(full, starts, 0), starts, 1
    )
    return picture


def serve(window: MainWindow, graph: GraphInstance) -> None:
    """Answer what the views of ``graph`` ask for, at once."""
    artist = GraphArtist(graph)
    window.view(GraphView).drawing_wanted.connect(
        lambda how, coloring: window.view(GraphView).show_drawing(artist.draw(how, coloring))
    )
    window.view(AdjacencyView).picture_wanted.connect(
        lambda coloring: window.view(AdjacencyView).show_picture(artist.adjacency(coloring))
    )
