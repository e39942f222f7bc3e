"""The tree of boxes: every city in it once, and no city nearer than its box allows."""

from typing import Any

import numpy as np
import pytest

from gpu.acs.cpu import choice as box_tree
from gpu.acs.cpu.choice import box_tree_of
from gpu.acs.cpu.state import BOX_LEVELS, BoxTree
from gpu.cpu.geometry import BOXED, geometry_of
from gpu.problems.tsp.distances import Metric
from tests.gpu.cpu import makers
from tests.gpu.cpu.compiling import caller
from tests.gpu.cpu.test_geometry import instance_of


@caller
def call_nearest_possible(boxes: Any, geometry: Any, u: int, result: Any) -> None:
    for box in range(result.size):
        result[box] = box_tree.nearest_possible(boxes, geometry, box, u)


@pytest.mark.parametrize("metric", Metric)
def test_no_city_is_nearer_than_its_box_allows(metric: Metric) -> None:
    instance = instance_of(metric)
    geometry = geometry_of(instance, 3.0)
    boxes = box_tree_of(geometry)
    if geometry.rule not in BOXED:
        assert metric in (Metric.GEO, Metric.XRAY1, Metric.XRAY2, Metric.EXPLICIT)
        assert len(boxes.spans) == 0
        return
    lowest = np.empty(len(boxes.spans), np.int64)
    tight = 0
    for u in range(0, instance.n, 20):
        call_nearest_possible(boxes, geometry, u, lowest)
        distances = instance.distances(np.array(u), boxes.cities.astype(np.int64))
        for box, (begin, end) in enumerate(boxes.spans):
            nearest = distances[begin:end].min()
            assert lowest[box] <= nearest
            tight += 2 * lowest[box] >= nearest
    assert tight > len(boxes.spans)  # the bounds say something


def check_tree(boxes: BoxTree, n: int) -> None:
    assert np.array_equal(np.sort(boxes.cities), np.arange(n))
    assert boxes.spans[0].tolist() == [0, n]
    for (begin, end), (first, second) in zip(boxes.spans, boxes.parts, strict=True):
        assert begin < end
        if first >= 0:
            assert boxes.spans[first].tolist()[0] == begin
            assert boxes.spans[first].tolist()[1] == boxes.spans[second].tolist()[0]
            assert boxes.spans[second].tolist()[1] == end


@pytest.mark.parametrize("n", [3, 24, 25, 1000, 5000])
def test_every_city_is_in_one_box_of_each_level(n: int) -> None:
    check_tree(box_tree_of(geometry_of(makers.uniform(n), 3.0)), n)


def test_cities_at_one_place_need_one_box() -> None:
    boxes = box_tree_of(geometry_of(makers.points(np.full((500, 2), 7.0)), 3.0))
    check_tree(boxes, 500)
    assert len(boxes.spans) == 1


def test_a_tree_too_deep_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(box_tree_of(geometry_of(makers.uniform(1000), 3.0)).spans) < 2**BOX_LEVELS
    monkeypatch.setattr(box_tree, "BOX_LEVELS", 3)
    assert len(box_tree_of(geometry_of(makers.uniform(1000), 3.0)).spans) == 0
