"""The order in which the ants of an iteration colored a graph, for those who watch them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import WrongSolutionError
from gpu.core.snapshot import MOST_COLORERS, MOST_WALKED, Walks
from gpu.problems.coloring.instance import GraphInstance


def walks_of(
    graph: GraphInstance, orders: NDArray[np.integer], colors: NDArray[np.integer], ants: int
) -> Walks | None:
    """Return checked copies of the first colorings, and of the order in which they were made.

    Parameters
    ----------
    graph : GraphInstance
        What was colored.
    orders : numpy.ndarray
        The vertices in the order in which each ant gave them a color, shape (k, n).
    colors : numpy.ndarray
        The color of each vertex, shape (k, n).
    ants : int
        All ants of the iteration.

    Returns
    -------
    Walks or None
        None for a graph of more than ``MOST_WALKED`` vertices.

    Raises
    ------
    WrongSolutionError
        If an ant did not color each vertex once, class by class.
    SolutionError
        If a coloring is none.
    """
    if graph.n > MOST_WALKED:
        return None
    shown = np.array(orders[:MOST_COLORERS], np.int32)
    made = np.array(colors[:MOST_COLORERS], np.int32)
    if not np.array_equal(np.sort(shown, axis=1), np.tile(np.arange(graph.n), (len(shown), 1))):
        raise WrongSolutionError("an ant has not colored every vertex once")
    if (np.diff(np.take_along_axis(made, shown, axis=1), axis=1) < 0).any():
        raise WrongSolutionError("an ant went back to a class that it had left")
    costs = np.array([graph.cost_of(coloring) for coloring in made])
    return Walks(frozen(shown), frozen(costs), ants, frozen(made))
