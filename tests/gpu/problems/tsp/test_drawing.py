"""What is pasted, taken from an instance, and written as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

from gpu.core.errors import InstanceError
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.drawing import (
    PASTED_LONGEST,
    StipplingError,
    cities_of,
    pasted,
    stipple,
    text_of_drawing,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load


@pytest.mark.parametrize(
    "text", ["1 2\n3.5 -4\n", "x,y\n1,2\n3.5,-4\n", "n;y;x\nA;2;1\nB;-4;3,5\n"]
)
def test_places_that_are_pasted(text: str) -> None:
    found = pasted(text)
    assert found.plane.points.tolist() == [[1.0, 2.0], [3.5, -4.0]]
    assert (found.plane.note, found.named, found.likely) == ("", False, False)


def test_latitudes_and_longitudes_become_metres() -> None:
    found = pasted("lat,lon\n52.52,13.405\n52.52,13.415\n52.53,13.405\n")
    assert (found.named, found.likely) == (True, True)
    places = found.plane
    east, north = (np.hypot(*(places.points[at] - places.points[0])) for at in (1, 2))
    assert east == pytest.approx(678, abs=2)  # 0.01° of longitude at Berlin
    assert north == pytest.approx(1113, abs=2)
    assert "metres" in places.note


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("lon;lat\n13,405;52,52\n12,4964;41,9028\n", True),
        ("52.52 13.405\n41.9028 12.4964\n", True),  # the latitude is first
        ("lat,lon\n52.52,13.405\n41.9028,12.4964\n", True),
    ],
)
def test_places_on_the_globe(text: str, likely: bool) -> None:
    found = pasted(text)
    assert found.likely == likely
    assert found.globe.globe
    assert found.globe.points.tolist() == [[13.405, 52.52], [12.4964, 41.9028]]


def test_places_of_an_instance() -> None:
    """Its text, or its file."""
    text = "NAME: three\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: {}\n{}\nEOF\n"
    section = "NODE_COORD_SECTION\n1 52.31 13.24\n2 41.54 12.30\n3 40.0 10.0"
    found = pasted(text.format("EUC_2D", section))
    assert found.plane.points.tolist() == [[52.31, 13.24], [41.54, 12.3], [40.0, 10.0]]
    assert (found.globe, found.named, found.likely) == (None, False, False)
    found = pasted(text.format("GEO", section))
    assert (found.named, found.likely) == (True, True)
    assert found.globe.points[2].tolist() == [10.0, 40.0]
    assert np.ptp(found.plane.points, axis=0).min() > 100_000  # metres
    matrix = "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0"
    with pytest.raises(InstanceError, match="its cities have no places that could be drawn"):
        pasted(text.format("EXPLICIT", matrix))


def test_numbers_that_cannot_be_degrees() -> None:
    assert pasted("500.25 1.75\n1.125 2.5\n").globe is None
    assert not pasted("52 13\n41 12\n").likely  # but they may be, on a drawing on the globe
    assert pasted("52 13\n41 12\n").globe is not None


def written(tmp_path: Path, points: list[list[float]]) -> TspInstance:
    path = tmp_path / "mine.tsp"
    path.write_text(text_of_drawing("mine", np.array(points, np.float64)))
    return load(path)


def test_a_drawing_becomes_an_instance(tmp_path: Path) -> None:
    whole = written(tmp_path, [[0, 0], [3, 0], [3, 4]])
    assert (whole.name, whole.metric) == ("mine", Metric.EUC_2D)
    assert whole.tour_length(np.arange(3)) == 12
    # Lengths of fractions are rounded after the drawing was enlarged.
    fine = written(tmp_path, [[0, 0], [0.3, 0], [0.3, 0.4]])
    assert fine.tour_length(np.arange(3)) == 12_000
    assert "10000 units are one of the drawing" in fine.comment
    with pytest.raises(InstanceError, match="at least 3"):
        text_of_drawing("two", np.zeros((2, 2)))


def test_a_drawing_on_the_globe(tmp_path: Path) -> None:
    path = tmp_path / "towns.tsp"
    points = np.array([[13.405, 52.52], [12.4964, 41.9028], [-70.6693, -33.4489]])
    path.write_text(text_of_drawing("towns", points, globe=True))
    instance = load(path)
    assert (instance.metric, instance.geographic) == (Metric.GEO, True)
    assert instance.display == pytest.approx(points)
    assert instance.distances(np.array([0]), np.array([1])) == pytest.approx(1184, abs=3)
    again = cities_of(instance)
    assert again.globe
    assert text_of_drawing("towns", again.points, globe=True) == path.read_text()


def test_cities_of_instances() -> None:
    ring, graph = (
        load_instance(next(one.path for one in bundled() if one.problem.value == problem))
        for problem in ("tsp", "coloring")
    )
    assert isinstance(ring, TspInstance)
    taken = cities_of(ring)
    assert np.array_equal(taken.points, ring.display)
    assert cities_of(graph) is None


def test_a_text_too_long_is_not_pasted() -> None:
    with pytest.raises(InstanceError, match="save it as a CSV file"):
        pasted("1 2\n" * (PASTED_LONGEST // 3))


PICTURE = np.zeros((60, 90), np.float32)
PICTURE[:30, :30] = 1.0  # black, at the top
PICTURE[30:, 60:] = 0.25  # grey, at the bottom


def test_cities_lie_where_it_is_dark() -> None:
    cities = stipple(PICTURE, 200, seed=3)
    assert cities.shape == (200, 2)
    assert np.array_equal(cities, cities.round())
    assert len(np.unique(cities, axis=0)) == 200
    unit = 10_000 / 90
    black = (cities[:, 0] < 30 * unit) & (cities[:, 1] > 30 * unit)
    grey = (cities[:, 0] > 60 * unit) & (cities[:, 1] < 30 * unit)
    assert (black | grey).mean() > 0.97
    assert 2.5 < black.sum() / grey.sum() < 6.5  # four times as dark
    # Evenly: no city is much nearer to its neighbour than the others.
    nearest = np.asarray(cKDTree(cities[black]).query(cities[black], k=2)[0])[:, 1]
    assert nearest.min() > 0.4 * nearest.mean()


def test_the_seed_decides() -> None:
    first, same, other = (stipple(PICTURE, 40, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_small_and_large_pictures() -> None:
    assert len(stipple(np.ones((4, 4), np.float32), 500, seed=1)) == 500
    assert len(stipple(np.ones((700, 700), np.float32), 5, seed=1)) == 5


def test_it_ends_when_it_is_told_to() -> None:
    shares: list[float] = []

    def goes_on(share: float) -> bool:
        shares.append(share)
        return len(shares) < 2

    stipple(PICTURE, 40, seed=1, goes_on=goes_on)
    assert shares == sorted(shares)
    assert len(shares) == 2


def test_pictures_with_too_little() -> None:
    with pytest.raises(StipplingError, match="all white"):
        stipple(np.zeros((9, 9), np.float32), 5, seed=1)
    dot = np.zeros((2500, 2500), np.float32)
    dot[7, 7] = 1.0
    with pytest.raises(StipplingError, match="too little that is dark for 100 cities"):
        stipple(dot, 100, seed=1)
