"""Distances that come as a matrix: by the formulas, and in files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gpu.core.errors import InstanceError
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.tsplib import tsplib_files
from gpu.problems.tsp.tsplib.tabled import TABLED, table_of
from tests.gpu.problems.texts import load_text, points_text

BERLIN, PARIS, ROME = (52.52, 13.405), (48.8566, 2.3522), (41.9028, 12.4964)
PARIS_OBSERVATORY, WASHINGTON = (48.836389, 2.337222), (38.921389, -77.065556)


def test_the_example_of_the_book() -> None:
    """Meeus, Astronomical Algorithms, example 11.c: 6181.63 km, on an ellipsoid alike."""
    places = np.array([PARIS_OBSERVATORY, WASHINGTON])
    assert table_of("GEOM_MEEUS", places)[0, 1] == pytest.approx(6_181_630, abs=60)


def test_degrees_and_minutes_are_those_of_geo() -> None:
    decimal = np.array([(50.5, 13.25), (48.0, 2.75), (41.25, 12.0)])
    minutes = np.array([(50.30, 13.15), (48.0, 2.45), (41.15, 12.0)])
    metres, kilometres = table_of("GEOM_MEEUS", decimal), table_of("GEO_MEEUS", minutes)
    assert np.abs(metres / 1000 - kilometres).max() <= 0.51


def test_metres_on_a_sphere_are_great_circles() -> None:
    places = np.radians(np.array([BERLIN, PARIS, ROME, (-33.9, 151.2), (52.52, 13.4051)]))
    table = table_of("GEOM", np.degrees(places))
    for i, (lat, lon) in enumerate(places):
        for j, (other_lat, other_lon) in enumerate(places):
            halves = math.sin((lat - other_lat) / 2) ** 2
            halves += math.cos(lat) * math.cos(other_lat) * math.sin((lon - other_lon) / 2) ** 2
            way = 2 * 6_378_388.0 * math.asin(math.sqrt(halves))
            assert table[i, j] == (0 if i == j else pytest.approx(way + 0.5, abs=0.6))


def test_a_torus_is_left_at_one_side_and_entered_at_the_other() -> None:
    places = np.array([(0.0, 0.0), (97.0, 4.0), (50.0, 50.0)])
    assert table_of("TOR_2D", places, 100.0).tolist() == [[0, 5, 71], [5, 0, 66], [71, 66, 0]]
    solid = np.array([(0.0, 0.0, 1.0), (97.0, 4.0, 1.0), (0.0, 0.0, 99.0)])
    assert table_of("TOR_3D", solid, 100.0)[0].tolist() == [0, 5, 2]


@pytest.mark.parametrize("name", TABLED)
def test_it_is_symmetric_also_beyond_a_block(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.problems.tsp.distances.BLOCK_PAIRS", 90)
    places = np.random.default_rng(1).uniform(-80, 80, (40, 3 if name.endswith("3D") else 2))
    places[7] = places[3]
    table = table_of(name, places, 1000.0)
    assert np.array_equal(table, table.T)
    assert not table.diagonal().any()
    assert table.min() >= 0
    assert table[0, 1] == table_of(name, places[:2], 1000.0)[0, 1]


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [BERLIN, PARIS, ROME]
    instance = load_text(tmp_path, points_text("GEOM", places))
    assert (instance.metric, instance.unit, instance.note) == (Metric.EXPLICIT, "m", "")
    assert instance.geographic
    assert instance.display[0].tolist() == [13.405, 52.52]
    assert np.array_equal(instance.matrix, table_of("GEOM", np.array(places)))
    text = points_text("TOR_2D", [(0, 0), (97, 4), (50, 50)])
    assert load_text(tmp_path, text).note == "it says no GRID_SIZE: its torus is 1,000,000 wide"
    sized = load_text(tmp_path, text.replace("NODE_", "GRID_SIZE : 100\nNODE_"))
    assert (sized.matrix[0].tolist(), sized.note) == ([0, 5, 71], "")
    with pytest.raises(InstanceError, match="lie farther apart than its torus is wide, 90"):
        load_text(tmp_path, text.replace("NODE_", "GRID_SIZE : 90\nNODE_"))
    with pytest.raises(InstanceError, match=r"the latitude 134\.2 is beyond 90 degrees"):
        load_text(tmp_path, points_text("GEO_MEEUS", [*places, (134.2, 58.2)]))
    monkeypatch.setattr(tsplib_files, "LARGEST_TABLE", 2)
    with pytest.raises(InstanceError, match=r"GEOM is computed as a matrix .* up to 2 cities, and"):
        load_text(tmp_path, points_text("GEOM", places))
