"""Routes for other programs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from app.files.exports import ExportError, export_geojson, export_route
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


@pytest.mark.parametrize(
    "name", ["Bad\nIschl", "Bad\r\nIschl", "Bad\tIschl", 'a "b"; c, d', "\x07"]
)
def test_every_row_is_a_line_whatever_a_place_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad\nname.csv"
    quoted = name.replace('"', '""')
    table = f'name,lat,lon\nRome,41.9,12.5\n"{quoted}",47.7,13.6\nOslo,59.9,10.7\n'
    cities = load_places(path, table.encode())
    export_route(tmp_path / "route.csv", cities, TOUR)
    assert len((tmp_path / "route.csv").read_bytes().splitlines()) == 4
    export_geojson(tmp_path / "route.geojson", cities, TOUR)
    places = json.loads((tmp_path / "route.geojson").read_text("utf-8"))["features"][1:]
    with (tmp_path / "route.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [one["properties"]["name"] for one in places]
    assert "\n" not in rows[2]["name"]
    cities.write(tmp_path / "best.tour", TOUR)
    assert np.array_equal(cities.load_solution(tmp_path / "best.tour"), TOUR)
    assert (tmp_path / "best.tour").read_text().splitlines()[0] == "NAME: bad name.tour"


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


@pytest.mark.parametrize(
    ("places", "parts"),
    [
        (  # Suva, Apia and Auckland: 178.4, -171.8 and 174.8 degrees
            [(-18, 178), (-14, -172), (-37, 175)],
            [
                [[178, -18], [180, -17.2]],
                [[-180, -17.2], [-172, -14], [-180, pytest.approx(-28.153846)]],
                [[180, pytest.approx(-28.153846)], [175, -37], [178, -18]],
            ],
        ),
        (  # places on the meridian itself
            [(0, 180), (10, -170), (20, -180)],
            [[[-180, 0], [-170, 10], [-180, 20]], [[180, 20], [180, 0]]],
        ),
        (
            [(0, -180), (10, 180), (20, 180)],
            [[[180, 0], [180, 10], [180, 20]], [[-180, 20], [-180, 0]]],
        ),
    ],
)
def test_a_line_is_cut_where_it_crosses_the_date_line(
    tmp_path: Path, places: list[tuple[float, float]], parts: list[list[list[float]]]
) -> None:
    rows = "".join(f"{latitude},{longitude}\n" for latitude, longitude in places)
    cities = load_places("c.csv", f"lat,lon\n{rows}".encode())
    export_geojson(tmp_path / "route.geojson", cities, np.arange(3))
    line, *_ = json.loads((tmp_path / "route.geojson").read_text("utf-8"))["features"]
    assert line["geometry"] == {"type": "MultiLineString", "coordinates": parts}


def test_longitudes_beyond_180_degrees_are_counted_from_the_other_side(tmp_path: Path) -> None:
    path = tmp_path / "pacific.tsp"
    rows = "1 10.30 190.30\n2 20.00 200.00\n3 15.00 -190.00\nEOF\n"
    head = "NAME: pacific\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n"
    path.write_text(head + rows)
    export_geojson(tmp_path / "route.geojson", load(path), np.arange(3))
    line, *cities = json.loads((tmp_path / "route.geojson").read_text("utf-8"))["features"]
    found = [one["geometry"]["coordinates"][0] for one in cities]
    assert found == pytest.approx([-169.5, -160, 170])
    assert line["geometry"]["type"] == "MultiLineString"
