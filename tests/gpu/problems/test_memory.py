"""Instances of what a script has in memory."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest

from gpu.core.errors import InstanceError, SolutionError
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.run import (
    from_coordinates,
    from_matrix,
    from_networkx,
    from_weighted_edges,
    graph_from_edges,
    open_route,
    tour_from,
    tour_length,
)

SQUARE = [(0.0, 0.0), (0.0, 1.5), (2.0, 1.5), (2.0, 0.0)]


def test_coordinates_make_the_instance_of_their_table(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in SQUARE))
    of_table, made = load_instance(table), from_coordinates(SQUARE)
    assert isinstance(of_table, TspInstance)
    assert made.digest() == of_table.digest()
    assert (made.unit, made.cost_unit) == (of_table.unit, of_table.cost_unit)
    metres = from_coordinates(SQUARE, unit="m")
    assert (metres.unit, metres.decimals) == ("m", made.decimals)
    whole = from_coordinates(np.array(SQUARE), metric="CEIL_2D", names="ABCD", unit="m")
    assert whole.cost_unit.amount(8) == "8 m"
    assert whole.metric is Metric.CEIL_2D
    assert whole.names == ("A", "B", "C", "D")
    assert tour_length(whole, [0, 1, 2, 3]) == 2 + 2 + 2 + 2
    assert tour_length(whole, ["A", "C", "B", "D"]) == 3 + 2 + 3 + 2


def test_degrees_are_latitude_and_longitude() -> None:
    made = from_coordinates([(52.5, 13.4), (48.8, 2.3), (41.9, 12.5)], degrees=True)
    with pytest.raises(InstanceError, match="none of degrees"):
        from_coordinates([(52.5, 13.4), (48.8, 2.3), (41.9, 12.5)], degrees=True, unit="m")
    assert made.geographic
    assert made.unit == "km"
    assert 3000 < tour_length(made, [0, 1, 2]) < 3300
    with pytest.raises(InstanceError, match=r"latitude 113\.4 is beyond 90"):
        from_coordinates([(113.4, 52.5), (2.3, 48.8), (12.5, 41.9)], degrees=True)


def test_a_matrix_may_have_fractions_and_ways_that_there_are_not() -> None:
    inf = float("inf")
    made = from_matrix(
        [[0, 1.5, inf, 9], [2, 0, 1.5, inf], [inf, 9, 0, 1.5], [1.5, inf, 9, 0]],
        names=["a", "b", "c", "d"],
        unit="min",
    )
    assert made.directed
    assert made.unit == "min"
    assert tour_length(made, ["a", "b", "c", "d"]) == 6.0
    with pytest.raises(SolutionError, match="forbidden"):
        tour_length(made, ["a", "c", "b", "d"])
    with pytest.raises(InstanceError, match=r"shape \(2, 3\)"):
        from_matrix([[0, 1, 2], [1, 0, 3]])
    with pytest.raises(InstanceError, match="the rows of distances have 1 to 2 numbers"):
        from_matrix([[0, 1], [1]])
    with pytest.raises(InstanceError, match="not numbers alone"):
        from_matrix([["a", "b"], ["c", "d"]])


def test_weighted_edges_are_all_ways_that_there_are() -> None:
    ring = [("a", "b", 1), ("b", "c", 2), ("c", "d", 3), ("d", "a", 4), ("b", "a", 7)]
    made = from_weighted_edges(ring, unit="km")
    assert made.names == ("a", "b", "c", "d")
    assert tour_length(made, "abcd") == 10
    with pytest.raises(SolutionError):
        tour_length(made, "acbd")
    with pytest.raises(InstanceError, match="it has no tour"):
        from_weighted_edges(ring[:3])
    with pytest.raises(InstanceError, match="is no edge"):
        from_weighted_edges([("a", "b")])  # type: ignore[list-item]


def test_edges_make_a_graph_to_color() -> None:
    array = graph_from_edges(np.array([[0, 1], [1, 2], [2, 0]]))
    assert (array.n, len(array.edges)) == (3, 3)
    named = graph_from_edges([("x", "y"), ("y", "z"), ("y", "x"), ("z", "z")], vertices=["w"])
    assert named.names == ("w", "x", "y", "z")
    assert named.edges.tolist() == [[1, 2], [2, 3]]


def test_graphs_of_networkx() -> None:
    graph = networkx.petersen_graph()
    colored = from_networkx(graph)
    assert isinstance(colored, GraphInstance)
    assert (colored.n, len(colored.edges)) == (10, 15)
    weighted = networkx.Graph()
    weighted.add_weighted_edges_from([("a", "b", 1.5), ("b", "c", 2.5), ("c", "a", 3)])
    tour = from_networkx(weighted, "weight")
    assert isinstance(tour, TspInstance)
    assert tour_length(tour, ["a", "b", "c"]) == 7.0
    one_way = networkx.DiGraph()
    one_way.add_weighted_edges_from([("a", "b", 1), ("b", "c", 2), ("c", "a", 3)])
    made = from_networkx(one_way, "weight")
    assert isinstance(made, TspInstance)
    assert made.directed
    with pytest.raises(SolutionError):
        tour_length(made, ["a", "c", "b"])
    with pytest.raises(InstanceError, match="has no cost"):
        from_networkx(weighted, "cost")


def test_open_routes_by_name_or_number() -> None:
    made = from_coordinates(SQUARE, metric="EUC_2D", names=["A", "B", "C", "D"])
    route = open_route(made, "B", 3)
    assert route.wish == "an open route from B to D"
    assert tour_length(route, ["B", "A", "C", "D"]) == 2 + 3 + 2
    with pytest.raises(SolutionError, match="is not an open route from B to D"):
        tour_length(route, ["B", "D", "A", "C"])
    back = tour_from(made, "C")
    assert back.written(np.array([0, 1, 2, 3])) == [3, 4, 1, 2]
    with pytest.raises(SolutionError, match="9 is no city"):
        open_route(made, 9)


def test_a_bundled_instance_has_a_name() -> None:
    assert load_instance("ring-50").n == 50
