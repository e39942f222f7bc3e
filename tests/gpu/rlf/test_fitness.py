"""What all coloring colonies share: powers, greedy bounds, orders, and the check of a coloring."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.core.errors import WrongSolutionError
from gpu.problems.coloring.instance import GraphInstance, class_order, greedy_colors, unique_edges
from gpu.rlf.parameters import degree_powers


def complete(n: int) -> GraphInstance:
    """Every two vertices are neighbours."""
    return GraphInstance("complete", "", n, unique_edges(np.argwhere(np.triu(np.ones((n, n)), 1))))


STAR = GraphInstance("star", "", 5, unique_edges([(0, leaf) for leaf in range(1, 5)]))


def test_powers_of_degrees() -> None:
    assert degree_powers(4, 2.0).tolist() == [0, 1, 4, 9, 16]
    assert degree_powers(4, 0.5).tolist() == np.sqrt(np.arange(5, dtype=np.float32)).tolist()
    assert degree_powers(4096, 20.0)[-1] == np.float32(2.0**100), "beyond it wheels cannot scale"


@pytest.mark.parametrize(
    ("graph", "colors"),
    [(STAR, 2), (complete(6), 6), (GraphInstance("none", "", 3, unique_edges([])), 1)],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_greedy_coloring_needs(graph: GraphInstance, colors: int) -> None:
    assert greedy_colors(graph) == colors


def test_the_order_of_classes() -> None:
    assert class_order(np.array([1, 0, 2, 0, 1])).tolist() == [1, 3, 0, 4, 2]


@pytest.mark.parametrize(
    ("colors", "count", "complaint"),
    [
        ([0, 0, 1, 1, 1], 2, "the same color"),
        ([0, 1, 1, 1], 2, "does not color each vertex once"),
        ([0, 2, 2, 2, 2], 3, "skips a color"),
        ([0, 1, 1, 1, 1], 3, "says 3 of a coloring that costs 2"),
    ],
)
def test_what_is_no_such_coloring_is_not_shown(
    colors: list[int], count: int, complaint: str
) -> None:
    with pytest.raises(WrongSolutionError, match=complaint):
        STAR.checked(np.array(colors), count)


def test_a_proper_coloring_is_copied_and_frozen() -> None:
    colors = np.array([0, 1, 1, 1, 1], np.uint16)
    checked = STAR.checked(colors, 2)
    colors[0] = 1
    assert checked.tolist() == [0, 1, 1, 1, 1]
    assert not checked.flags.writeable
