"""Routes for other programs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from app.files.exports import ExportError
from app.files.routes import export_geojson, export_route
from gpu.problems.bundled import bundled
from gpu.problems.tsp.places import load_places
from gpu.problems.tsp.tsplib import load

CITIES = load_places(
    "c.csv",
    b'name,lat,lon\n=1+1,52.52,13.405\n"Rome, Italy",41.9028,12.4964\nOslo,59.91,10.75\n',
)
TOUR = np.array([2, 0, 1])


def test_a_table_has_a_row_for_each_stop(tmp_path: Path) -> None:
    path = tmp_path / "route.csv"
    export_route(path, CITIES, TOUR)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [*rows[0]] == ["order", "city", "name", "latitude", "longitude", "leg_length"]
    assert [row["name"] for row in rows] == ["Oslo", "'=1+1", "Rome, Italy"]
    assert (rows[0]["latitude"], rows[0]["longitude"]) == ("59.91", "10.75")
    assert sum(int(row["leg_length"]) for row in rows) == CITIES.tour_length(TOUR)
    again = load_places(path, path.read_bytes())  # what was written can be read
    assert again.geographic
    assert again.names[0] == "Oslo"


def test_the_table_of_any_other_instance(tmp_path: Path) -> None:
    grid = load(next(one.path for one in bundled() if one.name == "grid-100"))
    export_route(tmp_path / "grid.csv", grid, np.arange(100))
    lines = (tmp_path / "grid.csv").read_text().splitlines()
    assert lines[0] == "order,city,x,y,leg_length"
    x, y = grid.display[0]
    assert lines[1].startswith(f"1,1,{x},{y},")
    with pytest.raises(ExportError, match="no places on the globe; export CSV instead"):
        export_geojson(tmp_path / "grid.geojson", grid, np.arange(100))
    assert not (tmp_path / "grid.geojson").exists()


def test_geojson_has_a_closed_line_and_its_places(tmp_path: Path) -> None:
    path = tmp_path / "route.geojson"
    export_geojson(path, CITIES, TOUR)
    whole = json.loads(path.read_text("utf-8"))
    assert whole["type"] == "FeatureCollection"
    line, *places = whole["features"]
    assert line["geometry"]["type"] == "LineString"
    assert line["geometry"]["coordinates"][0] == [10.75, 59.91]  # the longitude comes first
    assert line["geometry"]["coordinates"][0] == line["geometry"]["coordinates"][-1]
    assert len(line["geometry"]["coordinates"]) == 4
    length = CITIES.tour_length(TOUR)
    assert line["properties"] == {"name": "c", "length": length, "unit": "km"}
    assert [one["properties"]["name"] for one in places] == ["Oslo", "=1+1", "Rome, Italy"]
    assert [one["properties"]["order"] for one in places] == [1, 2, 3]
