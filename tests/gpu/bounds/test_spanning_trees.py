"""Spanning trees of all pairs: both rules give the tree that SciPy does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree

from gpu.bounds import spanning_trees
from gpu.bounds.spanning_trees import Lengths, spanning_tree
from gpu.cpu.geometry import geometry_of
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu import makers

PLACES = {
    "uniform": makers.uniform(300, 1).display,
    "line": np.column_stack((np.arange(200), np.zeros(200))),
    "crowded": makers.crowded(250).display,
    "far": makers.far_cluster(150).display,
    "lattice": makers.grid(12, 15).display,
}
NONE = np.empty(0, np.int32), np.empty(0, np.int32)


def long_of(instance: TspInstance, penalties: np.ndarray) -> np.ndarray:
    away: np.ndarray = instance.all_distances().astype(np.int64) * 10
    away += penalties + penalties[:, None]
    return away


@pytest.mark.parametrize("spread", [0, 30, 5000])
@pytest.mark.parametrize("metric", [Metric.EUC_2D, Metric.CEIL_2D, Metric.MAN_2D, Metric.ATT])
@pytest.mark.parametrize("name", PLACES)
def test_trees_are_minimal(
    name: str, metric: Metric, spread: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = makers.points(PLACES[name], metric)
    rng = np.random.default_rng(spread)
    penalties = rng.integers(-spread, spread + 1, instance.n)
    lengths = Lengths(geometry_of(instance, 0.0), 10, 0, penalties)
    near = np.arange(instance.n - 1, dtype=np.int32)
    by_boxes = spanning_tree(lengths, (near, near + 1))
    assert by_boxes is not None
    away = long_of(instance, penalties)
    least = away.min() - 1  # SciPy takes 0 for no edge
    total = minimum_spanning_tree(away - least).sum() + (instance.n - 1) * least
    assert by_boxes.length == total
    check(by_boxes, away)
    assert spanning_tree(lengths, NONE).length == total
    monkeypatch.setattr(spanning_trees, "BOXED", ())
    by_pairs = spanning_tree(lengths, NONE)
    assert by_pairs is not None
    assert by_pairs.length == total
    check(by_pairs, away)


def check(tree: spanning_trees.SpanningTree, away: np.ndarray) -> None:
    """Check the further edge, and that the tree has the length that it says."""
    assert away[tree.start, tree.end].sum() == tree.length
    degrees = np.bincount(np.concatenate((tree.start, tree.end)), minlength=len(away))
    further = []
    for leaf in np.flatnonzero(degrees == 1):
        beside = tree.end[tree.start == leaf].tolist() + tree.start[tree.end == leaf].tolist()
        further.append(np.delete(away[leaf], [leaf, *beside]).min())
    assert tree.further == max(further)
    assert away[tree.leaf, tree.other] == tree.further


def test_it_stops() -> None:
    for instance in (makers.uniform(100), makers.symmetric(100)):
        lengths = Lengths(geometry_of(instance, 0.0), 1, 0, np.zeros(100, np.int64))
        assert spanning_tree(lengths, NONE, lambda: True) is None
