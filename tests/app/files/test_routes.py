"""Files of routes: each is written as its reader expects it, and opens again."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.files.routes import ROUTE_WRITERS, export_geojson, export_gpx, export_kml, export_route
from app.files.writing import ExportError
from gpu.core.errors import InstanceError
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.solutions import load_solution
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.places.place_tables import load_places
from gpu.problems.tsp.routes.closed_tours import restricted
from gpu.problems.tsp.routes.route_instance import RouteInstance
from gpu.problems.tsp.tsplib.tsplib_files import load

pytestmark = pytest.mark.usefixtures("windows_files")

CITIES = load_places(
    "c.csv",
    b'name,lat,lon\n=1+1,52.52,13.405\n"Rome, Italy",41.9028,12.4964\nOslo,59.91,10.75\n',
)
ROUTE = np.array([2, 0, 1])


def test_a_table_has_a_row_for_each_stop(tmp_path: Path) -> None:
    path = tmp_path / "route.csv"
    export_route(path, CITIES, ROUTE)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [*rows[0]] == [
        "order",
        "number",
        "name",
        "latitude",
        "longitude",
        "leg (km)",
        "total (km)",
    ]
    assert [row["name"] for row in rows] == ["'=1+1", "Rome, Italy", "Oslo", "'=1+1"]
    assert (rows[2]["latitude"], rows[2]["longitude"]) == ("59.91", "10.75")
    length = CITIES.tour_length(ROUTE)
    assert sum(int(row["leg (km)"]) for row in rows) == length == int(rows[-1]["total (km)"])
    again = load_places(path, path.read_bytes())  # what was written can be read
    assert again.geographic
    assert again.names == ("'=1+1", "Rome, Italy", "Oslo")
    assert np.array_equal(load_solution(CITIES, path), [0, 1, 2])


@pytest.mark.parametrize(
    "name", ["Bad\nIschl", "Bad\r\nIschl", "Bad\tIschl", 'a "b"; c, d', "\x07"]
)
def test_every_row_is_a_line_whatever_a_place_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad\nname.csv"
    quoted = name.replace('"', '""')
    table = f'name,lat,lon\nRome,41.9,12.5\n"{quoted}",47.7,13.6\nOslo,59.9,10.7\n'
    cities = load_places(path, table.encode())
    export_route(tmp_path / "route.csv", cities, ROUTE)
    assert len((tmp_path / "route.csv").read_bytes().splitlines()) == 5
    export_geojson(tmp_path / "route.geojson", cities, ROUTE)
    places = json.loads((tmp_path / "route.geojson").read_text("utf-8"))["features"][1:]
    with (tmp_path / "route.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows[:-1]] == [one["properties"]["name"] for one in places]
    assert "\n" not in rows[1]["name"]
    cities.write(tmp_path / "best.tour", ROUTE)
    assert np.array_equal(load_solution(cities, tmp_path / "best.tour"), ROUTE)
    assert (tmp_path / "best.tour").read_text().splitlines()[0] == "NAME: bad name.tour"


def test_the_table_of_any_other_instance(tmp_path: Path) -> None:
    grid = load(next(one.path for one in bundled() if one.name == "grid-100"))
    export_route(tmp_path / "grid.csv", grid, np.arange(100))
    lines = (tmp_path / "grid.csv").read_text().splitlines()
    assert lines[0] == "order,number,x,y,leg,total"
    x, y = grid.display[0]
    assert lines[1].startswith(f"1,1,{x:g},{y:g},0,0")
    with pytest.raises(ExportError, match="no places on the globe; export CSV instead"):
        export_geojson(tmp_path / "grid.geojson", grid, np.arange(100))
    assert not (tmp_path / "grid.geojson").exists()


def test_geojson_has_a_closed_line_and_its_places(tmp_path: Path) -> None:
    path = tmp_path / "route.geojson"
    export_geojson(path, CITIES, ROUTE)
    whole = json.loads(path.read_text("utf-8"))
    assert whole["type"] == "FeatureCollection"
    line, *places = whole["features"]
    assert line["geometry"]["type"] == "LineString"
    assert line["geometry"]["coordinates"][2] == [10.75, 59.91]  # the longitude comes first
    assert line["geometry"]["coordinates"][0] == line["geometry"]["coordinates"][-1]
    assert len(line["geometry"]["coordinates"]) == 4
    length = CITIES.tour_length(ROUTE)
    assert line["properties"] == {"name": "c", "length": length, "unit": "km"}
    assert [one["properties"]["name"] for one in places] == ["=1+1", "Rome, Italy", "Oslo"]
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


TOWNS = "Köln,50.94,6.96\nA & B,50.1,8.68\nŁódź <1>,51.76,19.46\nRome,41.9,12.5\nOslo,59.91,10.75\n"
WAY = np.array([3, 1, 0, 4, 2])


def opened(path: Path, read_as: str = "") -> TspInstance:
    instance = load_instance(path, read_as=read_as)
    assert isinstance(instance, TspInstance)
    return instance


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("name", ROUTE_WRITERS)
def test_what_is_written_opens_again(tmp_path: Path, name: str, near: bool) -> None:
    text = TOWNS
    if near:
        text = "".join(f"{chr(65 + i)},52.{i},13.{i * i}\n" for i in range(5))
    source = tmp_path / "towns.csv"
    source.write_text(f"name,lat,lon\n{text}", "utf-8")
    instance = opened(source)
    file = tmp_path / f"route.{'csv' if name == 'route' else name}"
    ROUTE_WRITERS[name](file, instance, WAY)
    again = opened(file)
    order = [0, 4, 2, 3, 1]  # from the first city of the file
    assert again.names == tuple(instance.names[city] for city in order)
    assert again.display == pytest.approx(instance.display[order])
    assert again.cost_of(np.arange(5)) == instance.cost_of(WAY)
    start = load_solution(instance, file)
    assert start.tolist() == order
    restricted_ = restricted(instance, start=3, closed=False)
    assert isinstance(restricted_, RouteInstance)
    ROUTE_WRITERS[name](file, restricted_, restricted_.tour_of(WAY))
    assert [*opened(file).names] == [instance.names[city] for city in WAY]
    assert np.array_equal(load_solution(restricted_, file), restricted_.tour_of(WAY))


@pytest.mark.parametrize(
    ("head", "separator", "decimal", "encoding", "line_end"),
    [
        ("Ort;Breite;Länge", ";", ",", "cp1252", "\r\n"),
        ("Ort;Breite;Länge", ";", ",", "utf-8-sig", "\r\n"),
        ("Stadt\tLatitude\tLongitude", "\t", ".", "utf-16", "\n"),
        ("Stadt\tLatitude\tLongitude", "\t", ",", "utf-8", "\n"),
        ("town|lat|lng", "|", ".", "utf-8", "\n"),
        ("town,lat,lng", ",", ".", "utf-8", "\n"),
        ("town;x;y", ";", ",", "utf-8", "\n"),
        ("town;Rechtswert;Hochwert", ";", ",", "utf-8", "\n"),
    ],
)
def test_a_table_is_in_the_dialect_that_was_read(
    tmp_path: Path, head: str, separator: str, decimal: str, encoding: str, line_end: str
) -> None:
    rows = [("Köln", "50.94", "6.96"), ("Öhringen", "49.2", "9.5"), ("Süd", "41.9", "-12.5")]
    lines = [head, *(separator.join(row).replace(".", decimal) for row in rows)]
    source = tmp_path / "places.csv"
    source.write_bytes((line_end.join(lines) + line_end).encode(encoding))
    plane = any(word in head for word in ("x;", "wert"))
    instance = opened(source, "plane" if plane else "")
    export_route(tmp_path / "route.csv", instance, np.array([0, 2, 1]))
    data = (tmp_path / "route.csv").read_bytes()
    if encoding == "utf-8-sig":
        assert data.startswith(b"\xef\xbb\xbf")
    assert data.decode(encoding).count(line_end) == 5
    text = data.decode(encoding).splitlines()
    assert text[0].split(separator)[2:5] == head.split(separator) or "x;" in head
    third = text[2].split(separator)
    assert third[:5] == ["2", "3", "Süd", f"41{decimal}9", f"-12{decimal}5"]
    again = opened(tmp_path / "route.csv")
    assert again.geographic is not plane
    assert again.names == ("Köln", "Süd", "Öhringen")
    assert load_solution(instance, tmp_path / "route.csv").tolist() == [0, 2, 1]


def test_headings_of_an_older_encoding(tmp_path: Path) -> None:
    source = tmp_path / "places.csv"
    source.write_bytes("Stra\xdfe;x;y\nA\xdf;1,5;2\nB;3;4\nC;5;9\n".encode("latin-1"))
    instance = opened(source)
    export_route(tmp_path / "route.csv", instance, np.arange(3))
    assert (tmp_path / "route.csv").read_bytes().decode("cp1252").startswith("order;number;")


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("r.csv", "order,city\n1,1\n2,9\n", "line 3: towns has no city '9'"),
        ("r.csv", "order,city\n1,1\n2,2\n", "its route has 2 cities; towns has 5"),
        ("r.csv", "order,city\n1,1\n2,2\n3,2\n4,3\n5,4\n", "visits a city more than once"),
        ("r.csv", "name,lat,lon\nX,1,2\nY,2,3\nZ,3,4\n", r"towns has no place '\(2.0, 1.0\)'"),
        ("r.gpx", "<gpx></gpx>", "it is GPX without waypoints"),
        ("r.gpx", "<gpx>", "it is no whole XML"),
        ("r.csv", "a,b\n1,2\n", "is no line of"),
    ],
)
def test_what_is_no_route_of_the_instance_is_refused(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    instance = load_places("towns.csv", f"name,lat,lon\n{TOWNS}".encode())
    (tmp_path / name).write_text(text)
    with pytest.raises(InstanceError, match=why):
        load_solution(instance, tmp_path / name)


@pytest.mark.parametrize("write", [export_gpx, export_kml, export_geojson])
def test_only_places_on_the_globe_are_written_for_maps(
    tmp_path: Path, write: Callable[[Path, TspInstance, np.ndarray], None]
) -> None:
    grid = load(next(one.path for one in bundled() if one.name == "grid-100"))
    with pytest.raises(ExportError, match="no places on the globe; export CSV instead"):
        write(tmp_path / "grid.x", grid, np.arange(100))
    assert not list(tmp_path.iterdir())
