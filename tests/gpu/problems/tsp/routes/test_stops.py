from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpu.core.errors import SolutionError
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.tsp.places.place_tables import load_places
from gpu.problems.tsp.routes.closed_tours import restricted
from gpu.problems.tsp.routes.route_instance import RouteInstance
from gpu.problems.tsp.routes.stops import Stop, stops
from gpu.problems.tsp.tsplib.tsplib_files import load

SQUARE = b"name,x,y\nDepot,0,0\nB,300,0\nC,300,400\nD,0,400\n"


def test_a_route_begins_at_the_first_city_and_ends_there() -> None:
    instance = load_places("square.csv", SQUARE)
    assert stops(instance, np.array([2, 3, 0, 1]))[0] == Stop(1, 0, 1, "Depot", 0, 0)
    found = stops(instance, np.array([2, 1, 0, 3]))
    assert [stop.name for stop in found] == ["Depot", "D", "C", "B", "Depot"]
    assert found.closed
    assert found[-1].total == instance.tour_length(np.array([2, 1, 0, 3]))
    assert found[1:3] == [found[1], found[2]]
    with pytest.raises(IndexError):
        found[5]
    with pytest.raises(SolutionError, match="does not visit each city once"):
        stops(instance, np.array([0, 0, 1, 2]))


def test_open_routes_and_fixed_edges_have_the_legs_of_the_file() -> None:
    base = load_places("square.csv", SQUARE)
    wanted = restricted(base, start=2, closed=False, fixed=[(0, 2)])
    assert isinstance(wanted, RouteInstance)
    tour = wanted.tour_of(np.array([2, 0, 1, 3]))
    found = stops(wanted, tour)
    assert [stop.name for stop in found] == ["C", "Depot", "B", "D"]
    assert [stop.leg for stop in found] == [0, 5 * found[2].leg // 3, found[2].leg, found[1].leg]
    assert found[-1].total == wanted.cost_of(tour)
    assert not found.closed
    closed = restricted(base, start=3)
    assert [one.name for one in stops(closed, np.array([0, 1, 2, 3]))] == [*"D", "Depot", *"BCD"]


def test_cities_keep_the_numbers_of_their_file(tmp_path: Path) -> None:
    path = tmp_path / "five.tsp"
    path.write_text(
        "NAME: five\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
        "10 0 0\n20 3 4\n30 0 4\nEOF\n"
    )
    found = stops(load(path), np.array([1, 2, 0]))
    assert [(one.number, one.name, one.leg, one.total) for one in found] == [
        (10, "", 0, 0),
        (20, "", 5, 5),
        (30, "", 3, 8),
        (10, "", 4, 12),
    ]


def test_totals_add_up_on_every_metric() -> None:
    for item in bundled():
        instance = load_instance(item.path)
        if item.n <= 200 and instance.problem.value == "tsp":
            tour = np.random.default_rng(1).permutation(item.n).astype(np.int32)
            found = stops(instance, tour)  # type: ignore[arg-type]
            assert found[-1].total == instance.cost_of(tour)
