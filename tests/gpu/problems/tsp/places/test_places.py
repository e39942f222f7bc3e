"""Tables of places: what they may look like, and what is said of those that cannot be used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.problems.loading import load_instance
from gpu.problems.reading import ReadAs, UnsureError
from gpu.problems.tsp.distances import Metric, degrees
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.places import place_rows
from gpu.problems.tsp.places.place_tables import load_places
from tests.gpu.problems.texts import is_one_sentence

CITIES = "name,latitude,longitude\nBerlin,52.52,13.405\nRome,41.9028,12.4964\nOslo,59.91,10.75\n"


def table(folder: Path, text: str | bytes, read_as: str = "", name: str = "t.csv") -> TspInstance:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    instance = load_instance(path, read_as=read_as)
    assert isinstance(instance, TspInstance)
    return instance


@pytest.mark.parametrize(
    "text",
    [
        "Berlin,52.5,13.5\nRome,41.5,12.25\nOslo,59.75,10.5\n",
        "\ufeffname;y;x\r\nBerlin;13,5;52,5\r\nRome;12,25;41,5\r\nOslo;10,5;59,75\r\n",
        "sep=;\nBerlin;52,5;13,5\n\n;;\nRome;41,5;12,25\nOslo;59,75;10,5",
        "X\tY\tCity\n52.5\t13.5\tBerlin\n41.5\t12.25\tRome\n59.75\t10.5\tOslo\n",
        "id|title|x coord|y coord\n7|Berlin|52.5|13.5\n8|Rome|41.5|12.25\n9|Oslo|59.75|10.5\n",
        '"Berlin", "52,5", "13,5"\n"Rome", "41,5", "12,25"\n"Oslo", "59,75", "10,5"\n',
        "Berlin 52.5 13.5\nRome 41.5 12.25\nOslo 59.75 10.5\n",
        "52.5,13.5,Berlin\r41.5,12.25,Rome\r59.75,10.5,Oslo\r",
        "# made by hand\n# in 2020\nname,x,y\nBerlin,52.5,13.5\nRome,41.5,12.25\nOslo,59.75,10.5\n",
        "#name,x,y\nBerlin,52.5,13.5\nRome,41.5,12.25\nOslo,59.75,10.5\n",
    ],
)
def test_names_and_coordinates_are_found(tmp_path: Path, text: str) -> None:
    instance = table(tmp_path, text, "plane")
    assert instance.names == ("Berlin", "Rome", "Oslo")
    assert instance.display.tolist() == [[52.5, 13.5], [41.5, 12.25], [59.75, 10.5]]
    assert (instance.metric, instance.read_as) == (Metric.EUC_2D, "places plane")
    assert instance.name == "t"


def test_rows_as_in_a_tsplib_file_begin_with_a_number(tmp_path: Path) -> None:
    instance = table(tmp_path, "1 565 575\n2 25 185\n3 345 750\n")
    assert instance.display.tolist() == [[565, 575], [25, 185], [345, 750]]
    assert instance.names == ()


@pytest.mark.parametrize(
    ("points", "length", "decimals"),
    [
        ("0,0\n0,3000\n4000,0", 12_000, 0),
        ("0,0\n0,3\n4,0", 12_000, 3),
        ("0,0\n0,0.3\n0.4,0", 12_000, 4),
        ("0,0\n0,3000.25\n4000,0", 1_200_040, 2),
        ("0,0\n0,0\n0,0", 0, 0),
    ],
)
def test_rounding_loses_little(tmp_path: Path, points: str, length: int, decimals: int) -> None:
    instance = table(tmp_path, points)
    assert (instance.unit, instance.decimals) == ("", decimals)
    assert abs(instance.tour_length(np.arange(3)) - length) <= 1


def test_far_places_on_the_globe_are_measured_by_tsplibs_rule(tmp_path: Path) -> None:
    instance = table(tmp_path, CITIES)
    assert (instance.metric, instance.unit, instance.read_as) == (
        Metric.GEO,
        "km",
        "places degrees",
    )
    assert instance.geographic
    # 52.52 degrees are 52 degrees and 31.2 minutes.
    assert instance.coordinates[0] == pytest.approx([52.312, 13.243])
    assert degrees(instance.coordinates) == pytest.approx(instance.display[:, ::-1])
    assert instance.distances(np.array([0]), np.array([1])) == pytest.approx(1184, abs=3)


def test_near_places_on_the_globe_are_measured_in_metres(tmp_path: Path) -> None:
    near = "lon;lat;place\n-0,1276;-51,5072;A\n-0,1276;-51,5162;B\n-0,1133;-51,5072;C\n"
    instance = table(tmp_path, near)
    assert (instance.metric, instance.unit) == (Metric.EUC_3D, "m")
    assert instance.display[0].tolist() == [-0.1276, -51.5072]
    north, east = instance.distances(np.array([0, 0]), np.array([1, 2]))
    radius = 6_378_388.0
    assert north == pytest.approx(radius * np.radians(0.009), rel=1e-3)
    assert east == pytest.approx(
        radius * np.cos(np.radians(51.5072)) * np.radians(0.0143), rel=1e-3
    )
    geo = table(tmp_path, near, "geo")
    assert (geo.metric, geo.unit, geo.read_as) == (Metric.GEO, "km", "places geo")
    assert int(geo.distances(np.array([0]), np.array([1]))[0]) == 2
    plane = table(tmp_path, near, "plane")
    assert not plane.geographic
    assert len({instance.sha256, geo.sha256, plane.sha256}) == 1


def test_numbers_that_may_be_degrees_are_not_guessed(tmp_path: Path) -> None:
    rows = CITIES.partition("\n")[2]
    for text in (rows, f"name,x,y\n{rows}", f"name,y,x\n{rows}"):
        with pytest.raises(
            UnsureError, match="may be latitudes and longitudes: say --coord"
        ) as why:
            table(tmp_path, text)
        assert (why.value.doubt.taken[1], why.value.doubt.other[1]) == (
            "places plane",
            "places degrees",
        )
        assert not table(tmp_path, text, "plane").geographic
    sure = ("0.123,0.456\n0.5,0.25\n0.3,0.7", "7,2\n30,4\n5,6", "1.2345,200.5\n3,4\n5,6")
    for text in (*sure, f"name,easting,northing\n{rows}"):
        assert table(tmp_path, text).read_as == "places plane"


NEAR = "A,52.5200,13.4050\nB,52.5310,13.3850\nC,52.5002,13.4200\nD,52.5163,13.3777\n"


def test_which_column_is_the_latitude_is_asked_where_nothing_says_it(tmp_path: Path) -> None:
    with pytest.raises(
        UnsureError, match=r"--columns 2,3 if it is column 2, or --columns 3,2$"
    ) as why:
        table(tmp_path, NEAR, "degrees")
    doubt = why.value.doubt
    assert (doubt.taken[1], doubt.other[1]) == (
        "places degrees columns=2,3",
        "places degrees columns=3,2",
    )
    one, other = (table(tmp_path, NEAR, read_as) for _, read_as in (doubt.taken, doubt.other))
    assert one.display[0].tolist() == [13.405, 52.52]
    assert other.display[0].tolist() == [52.52, 13.405]
    assert (one.read_as, other.read_as) == (
        "places degrees columns=2,3",
        "places degrees columns=3,2",
    )
    assert "latitude is column 3, longitude column 2" in other.seen
    turned = table(tmp_path, "151.2093,-33.8688\n144.9631,-37.8136\n153.0251,-27.4698", "degrees")
    assert turned.display[0].tolist() == [151.2093, -33.8688]
    assert turned.read_as == "places degrees"


FAR = [("Berlin", 52.52, 13.405), ("Paris", 48.8566, 2.3522), ("Oslo", 59.9139, 10.7522)]
FAR += [("Prague", 50.0755, 14.4378), ("Budapest", 47.4979, 19.0402), ("Madrid", 40.4168, -3.7038)]


@pytest.mark.parametrize("turn", [False, True])
@pytest.mark.parametrize("form", ["{0},{1},{2}", "{1},{2}", "{1} {2}", "{0};{1};{2}"])
def test_places_where_people_live_tell_which_column_is_the_latitude(
    tmp_path: Path, form: str, turn: bool
) -> None:
    rows = [(name, *((b, a) if turn else (a, b))) for name, a, b in FAR]
    text = "\n".join(form.format(*row) for row in rows)
    instance = table(tmp_path, text)
    assert instance.display.tolist() == [[b, a] for _, a, b in FAR]
    assert instance.seen.endswith("taken for degrees, as they lie where people live")
    again = table(tmp_path, text, instance.read_as)
    assert "columns=" in again.read_as
    assert again.digest() == instance.digest()
    assert table(tmp_path, text, "degrees").digest() == instance.digest()
    assert not table(tmp_path, text, "plane").geographic


def test_x_and_y_may_be_degrees_by_where_they_lie(tmp_path: Path) -> None:
    rows = "\n".join(f"{name},{b},{a}" for name, a, b in FAR)
    assert table(tmp_path, f"name,x,y\n{rows}").display[0].tolist() == [13.405, 52.52]
    with pytest.raises(UnsureError, match="may be latitudes and longitudes"):
        table(tmp_path, f"name,y,x\n{rows}")  # in the sea
    with pytest.raises(UnsureError, match="may be latitudes and longitudes"):
        table(tmp_path, f"name,x,y\n{NEAR}")  # in one town, so that it may be chance


def test_headings_that_are_swapped_are_told(tmp_path: Path) -> None:
    rows = "\n".join(f"{name},{b},{a}" for name, a, b in FAR)
    instance = table(tmp_path, f"name,lat,lon\n{rows}")
    assert instance.note.startswith("latitude and longitude may have changed places")
    with pytest.raises(InstanceError, match=r"are the headings of latitude and longitude swapped"):
        table(tmp_path, "lat,lon\n151.2,-33.9\n145,-37.8\n153,-27.5\n")


@settings(max_examples=100)
@given(seed=st.integers(0, 10_000), n=st.integers(30, 60))
def test_numbers_without_a_meaning_are_no_degrees(seed: int, n: int) -> None:
    points = np.random.default_rng(seed).uniform(0, 90, (n, 2)).round(4)
    text = "\n".join(f"{a},{b}" for a, b in points.tolist())
    with pytest.raises(UnsureError, match="may be latitudes and longitudes"):
        load_places("t.csv", text.encode())


LAT_LON = [[13.405, 52.52], [2.3522, 48.8566], [-3.7038, 40.4168]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name;lat;lon\nA;52°31'12\"N;13°24'18\"E\nB;48°51'23.76\"N;2°21'7.92\"E\n"
         "C;40°25'0.48\"N;3°42'13.68\"W\n", "ABC"),
        ("name;a;b\nA;52° 31,2' N;13° 24,3' O\nB;48° 51,396' N;2° 21,132' O\n"
         "C;40° 25,008' N;3° 42,228' W\n", "ABC"),
        ("A,N52.52,E13.405\nB,N48.8566,E2.3522\nC,N40.4168,W3.7038\n", "ABC"),
        ("A,13.405 E,52.52 N\nB,2.3522 E,48.8566 N\nC,3.7038 W,40.4168 N\n", "ABC"),
        ("name,latitude,longitude\nA,52.52°,13.405°\nB,48.8566°,2.3522°\nC,40.4168°,−3.7038°\n",
         "ABC"),
        ("lat,lon\n52:31:12N,13:24:18E\n48:51:23.76N,2:21:7.92E\n40:25:0.48N,3:42:13.68W", ""),
        ('name,"lat, lon"\nA,"52.52, 13.405"\nB,"48.8566, 2.3522"\nC,"40.4168, -3.7038"\n', "ABC"),
        ('name,lonlat\nA,"13.405, 52.52"\nB,"2.3522, 48.8566"\nC,"-3.7038, 40.4168"\n', "ABC"),
        ("name;lat/lng\nA;52,52, 13,405\nB;48,8566, 2,3522\nC;40,4168, -3,7038\n", "ABC"),
        ("name\tlat lon\nA\t52.52 13.405\nB\t48.8566 2.3522\nC\t40.4168 -3.7038\n", "ABC"),
        ("id,geom\nA,POINT (13.405 52.52)\nB,POINT(2.3522 48.8566)\nC,POINT Z(-3.7038 40.4168 3)\n",
         "ABC"),
        ("A: 52.52° N, 13.405° E\nB: 48.8566° N, 2.3522° E\nC: 40.4168° N, 3.7038° W\n", "ABC"),
        ("A (52.52°, 13.405° E)\nB (48.8566°, 2.3522° E)\nC (40.4168°, 3.7038° W)\n", "ABC"),
        ("52° 31' 12\" N 13° 24' 18\" E\n48° 51' 23.76\" N 2° 21' 7.92\" E\n"
         "40° 25' 0.48\" N 3° 42' 13.68\" W\n", ""),
        ("town lat lon\nA 52.52 13.405\nB 48.8566 2.3522\nC 40.4168 -3.7038\n", "ABC"),
        ("town;geogr. Breite;geogr. Länge\nA;52 31.2;13 24.3\nB;48:51:23.76;2:21:7.92\n"
         "C;40 25 0.48;-3 42 13.68\n", "ABC"),
        ("name,lat,NS,lon,EW\nA,52.52,N,13.405,E\nB,48.8566,N,2.3522,E\nC,40.4168,N,3.7038,W\n",
         "ABC"),
        ('"LatD", "LatM", "LatS", "NS", "LonD", "LonM", "LonS", "EW", "City"\n'
         ' 52, 31, 12, "N", 13, 24, 18, "E", "A"\n 48, 51, 23.76, "N", 2, 21, 7.92, "E", "B"\n'
         ' 40, 25, 0.48, "N", 3, 42, 13.68, "W", "C"\n', "ABC"),
        ("name,lat_deg,lat_min,lon_deg,lon_min\nA,52,31.2,13,24.3\nB,48,51.396,2,21.132\n"
         "C,40,25.008,-3,42.228\n", "ABC"),
        ("Trip,,\nname,lat,lon\n-,deg,deg\nA,52.52,13.405\nB,48.8566,2.3522\nC,40.4168,-3.7038\n",
         "ABC"),
        ("| name | lat | lon |\n|---|---|---|\n| A | 52.52 | 13.405 |\n| B | 48.8566 | 2.3522 |\n"
         "| C | 40.4168 | -3.7038 |\n", "ABC"),
        ("52.52, 13.405 A\n48.8566, 2.3522 B\n40.4168, -3.7038 C\n", "ABC"),
        ("N52.52 E13.405\nN48.8566 E2.3522\nN40.4168 W3.7038\n", ""),
        ("[52.52, 13.405],\n[48.8566, 2.3522],\n[40.4168, -3.7038],\n", ""),
        ("A 52.52 13.405\nNew York 48.8566 2.3522\nC 40.4168 -3.7038\n", ["A", "New York", "C"]),
    ],
)  # fmt: skip
def test_coordinates_as_people_write_them(
    tmp_path: Path, text: str, names: str | list[str]
) -> None:
    degrees = (
        "" if "lat" in text or "N" in text.replace("New", "") or "POINT" in text else "degrees"
    )
    instance = table(tmp_path, text, degrees, "t.txt")
    assert instance.display == pytest.approx(np.array(LAT_LON), abs=1e-6)
    assert instance.names == tuple(names)
    assert instance.geographic
    assert table(tmp_path, text, instance.read_as, "t.txt").digest() == instance.digest()


@pytest.mark.parametrize(
    ("cell", "x"),
    [
        ("1.250.000,5", 1250000.5),
        ("1,250,000.5", 1250000.5),
        ("1 250 000,5", 1250000.5),
        ("1'250'000.5", 1250000.5),
        ("(1250000.5", 1250000.5),
    ],
)
def test_thousands_with_decimals(tmp_path: Path, cell: str, x: float) -> None:
    rows = "\n".join(f"{name};{cell};{y}" for name, y in zip("ABC", (1, 20, 300), strict=True))
    for text in (f"name;x;y\n{rows}\n", f"{rows}\n"):
        assert table(tmp_path, text, "plane").display[0].tolist() == [x, 1.0]


@pytest.mark.parametrize(
    "text",
    [
        'address\n"Main street 1, Alpha"\n"Main street 2, Beta"\n"Main street 3, Gamma"\n',
        "Main street 1, Alpha\nMain street 2, Beta\nMain street 3, Gamma\n",
        "name,opens\nA,12:30\nB,13:45\nC,9:15\n",
        "name,lat,lon\nA,52°61'N,13°E\nB,52°61'N,13°E\nC,52°61'N,13°E\n",
        "name,lat,lon\nA,52°N,13°O\nB,52°N,13°O\nC,51°N,13°O\n",  # Ost or Oeste
    ],
)
def test_what_is_no_coordinate_is_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(InstanceError, match=r"no coordinates|is no number"):
        table(tmp_path, text)


def test_a_dump_of_a_gazetteer_has_no_header(tmp_path: Path) -> None:
    row = "29{0}\tTown{0}\tTown{0}\tA,B\t52.0{0}\t13.0{0}\tP\tPPL\tDE\t\t16\t00\t11000\t0\t7\t43\t3"
    text = "\n".join(f"{row}\tEurope/Berlin\t2020-01-01".format(i) for i in range(1, 5))
    instance = table(tmp_path, text, name="places.txt")
    assert instance.names == ("Town1", "Town2", "Town3", "Town4")
    assert instance.display[0].tolist() == [13.01, 52.01]
    some = "\n".join(f"{i}\t{i * 7 % 5}\tT{i}\t4.10{i}\t100.13{i}\t{i * 3}" for i in range(1, 7))
    assert table(tmp_path, some, "degrees", "p.txt").display[0].tolist() == [100.131, 4.101]


def test_names_with_commas_and_no_quotes(tmp_path: Path) -> None:
    text = "name,lat,lon\nShop, A,52.52,13.405\nShop,52.531,13.385\nShop, C, D,52.5,13.42\n"
    instance = table(tmp_path, text)
    assert instance.names == ("Shop, A", "Shop", "Shop, C, D")
    assert "names with commas" in instance.note
    with pytest.raises(InstanceError, match=r"line 2: 'x' in column 2 is no number"):
        table(tmp_path, "name,lat,lon\nA,x,1,2\nB,5\nC,1,2\n")
    text = "lat,lon,name\n52.52,13.405,Shop, A\n52.531,13.385,Shop\n52.5,13.42,Shop, C, D\n"
    instance = table(tmp_path, text)
    assert instance.names == ("Shop, A", "Shop", "Shop, C, D")
    assert "2 rows with more cells than the header" in instance.note
    with pytest.raises(InstanceError, match=r"line 4: there is nothing in column 3"):
        table(tmp_path, "name,Y,X\nAlpha,52.5,13.4\nBeta,41.9028,12,5\n.4964\nC,41.2,12.4\n")


@pytest.mark.parametrize("odd", ["", "1,250", "1e3", "7", "0.123456", "x", "-1.5", "1.500.000"])
def test_many_rows_are_read_as_a_few_are(tmp_path: Path, odd: str) -> None:
    for number in ("{0}", "{0}.25", "{0}.125"):
        rows = [f"{number.format(i)};{number.format(i * i % 997)};p{i}" for i in range(2500)]
        for at in (0, 1500, 2499):
            text = "\n".join(["x;y;name", *rows[:at], f"{odd or 5};3;odd", *rows[at:]])
            found: list[object] = []
            for size in (1, 1000):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(place_rows, "_ROWS_AT_ONCE", size)
                    if size == 1:
                        patch.setattr(place_rows.PlaceRows, "_add_plain", lambda *_: False)
                    try:
                        instance = table(tmp_path, text, "plane")
                        found.append((instance.digest(), instance.names, instance.said))
                    except InstanceError as error:
                        found.append(str(error))
            assert found[0] == found[1]


def test_longitudes_may_be_counted_to_360(tmp_path: Path) -> None:
    instance = table(tmp_path, "name,lat,lon\nA,10,350\nB,10,355\nC,12,2\nD,8,0\n")
    assert instance.display[:, 0].tolist() == [-10, -5, 2, 0]
    assert "2 longitudes of more than 180 degrees" in instance.note
    with pytest.raises(InstanceError, match="longitude 350 is beyond 180"):
        table(tmp_path, "name,lat,lon\nA,10,350\nB,10,-5\nC,12,2\n")


@pytest.mark.parametrize("header", ["breddegrad,længdegrad", "enlem,boylam", "INTPTLAT,INTPTLONG"])
def test_headings_of_latitude_and_longitude(tmp_path: Path, header: str) -> None:
    instance = table(tmp_path, f"{header}\n1,2\n2,3\n4,4\n")
    assert instance.display[0].tolist() == [2, 1]


def test_thousands_in_a_few_numbers(tmp_path: Path) -> None:
    for mark in "' ’":
        instance = table(tmp_path, f"name,x,y\nA,0,0\nB,3{mark}000,0\nC,3{mark}000,4{mark}000\n")
        assert instance.display.tolist() == [[0, 0], [3000, 0], [3000, 4000]]


def test_what_stands_above_or_below_a_header_is_said_or_read(tmp_path: Path) -> None:
    text = "My trip 2020\n\nname,lat,lon\nA,52.52,13.405\nB,48.8566,2.3522\nC,40.4168,−3.7038\n"
    assert table(tmp_path, text).display == pytest.approx(np.array(LAT_LON))
    with pytest.raises(InstanceError, match=r"line 3: there is nothing in column 2"):
        table(tmp_path, "Trip\nname,lat,lon\nA,,\nB,48.8,2.3\nC,40.4,-3.7\nD,1,2\n")
    with pytest.raises(InstanceError, match="is no number"):
        table(tmp_path, "x,y\n1.5 km,2.5 km\n3.5 km,2.5 km\n3.5 km,9.5 km\n")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("order,number,name,leg (min),total (min)\n1,1,A,0,0\n2,3,B,5,5\n3,2,C,5,10\n", "a route"),
        ("order,number,leg,total\n1,1,0,0\n2,3,5,5\n3,2,5,10\n4,1,5,15\n", "a route"),
        ("vertex,class\n1,1\n2,2\n3,1\n", "a coloring"),
        ("vertex,class\nart,1\nmusic,2\n", "a coloring"),
    ],
)
def test_a_solution_is_no_instance(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(InstanceError, match=f"it is {what}, not an instance; .* --start"):
        table(tmp_path, text)


def test_places_in_space(tmp_path: Path) -> None:
    text = "name,x,y,z\nA,0,0,0\nB,3,0,0\nC,3,4,0\nD,0,0,12\n"
    instance = table(tmp_path, text)
    assert instance.metric is Metric.EUC_3D
    assert instance.names == tuple("ABCD")
    assert instance.cost_unit.value(instance.cost_of(np.arange(4))) == 32.0
    assert "z column 4 (z)" in instance.seen
    assert table(tmp_path, text, instance.read_as).digest() == instance.digest()
    assert table(tmp_path, text, "columns=x,y").metric is Metric.EUC_2D
    with pytest.raises(InstanceError, match=r"line 3: there is nothing in column 4; .* three"):
        table(tmp_path, text.replace("3,0,0", "3,0,"))


SOLOMON = """R101

VEHICLE
NUMBER     CAPACITY
  25         200

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME

    0      35         35          0          0       230          0
    1      41         49         10        161       171         10
    2      35         17          7         50        60         10
"""


def test_places_of_vehicle_routing(tmp_path: Path) -> None:
    instance = table(tmp_path, SOLOMON, name="r101.txt")
    assert instance.display.tolist() == [[35, 35], [41, 49], [35, 17]]
    assert instance.names == ("0", "1", "2")
    assert instance.note.startswith("one tour through all: vehicles, demands and times are left")
    assert table(tmp_path, SOLOMON, instance.read_as, "r101.txt").digest() == instance.digest()
    head = SOLOMON.partition("CUST NO")[0]
    for wrong, why in ((head, "no customers"), (f"{SOLOMON}9 9\n", "no row of a customer")):
        with pytest.raises(InstanceError, match=why):
            table(tmp_path, wrong, name="r101.txt")


def _json(form: str) -> str:
    objects = [{"name": name, "lat": a, "lon": b} for name, a, b in FAR]
    inside = [{"name": name, "at": {"location": {"lat": a, "lng": b}}} for name, a, b in FAR]
    values: dict[str, object] = {
        "lines": objects,
        "in an object": {"status": "OK", "places": objects},
        "by name": {name: {"lat": a, "lon": b} for name, a, b in FAR},
        "inside": inside,
        "pairs": [{"name": name, "coordinates": [b, a, 3]} for name, a, b in FAR],
        "columns": {key: [one[key] for one in objects] for key in objects[0]},
        "tags": {"elements": [{"lat": a, "lon": b, "tags": {"name": name}} for name, a, b in FAR]},
        "texts": [f"{name}: {a}, {b}" for name, a, b in FAR],
        "split": {"columns": [*objects[0]], "data": [[*one.values()] for one in objects]},
        "by row": {key: {i: one[key] for i, one in enumerate(objects)} for key in objects[0]},
        "depot": {"depot": objects[0], "vehicles": [{"start": [1, 2]}], "stops": objects[1:]},
    }
    if form == "lines":
        return "\n".join(map(json.dumps, objects))
    return json.dumps(values[form])


@pytest.mark.parametrize(
    "form",
    [
        "lines",
        "in an object",
        "by name",
        "inside",
        "pairs",
        "columns",
        "tags",
        "texts",
        "split",
        "by row",
    ],
)
def test_places_in_json(tmp_path: Path, form: str) -> None:
    text = _json(form)
    instance = table(tmp_path, text, name="p.json")
    assert instance.names == tuple(name for name, _, _ in FAR)
    assert instance.display.tolist() == [[b, a] for _, a, b in FAR]
    assert table(tmp_path, text, instance.read_as, "p.json").digest() == instance.digest()


def test_the_depot_beside_a_list_in_json_is_a_place(tmp_path: Path) -> None:
    (_, a, b), *others = FAR
    stops = [{"name": name, "lat": a, "lng": b} for name, a, b in others]
    jobs = [{"id": i, "location": [b, a], "description": c} for i, (c, a, b) in enumerate(others)]
    vehicle = {"id": 1, "start": [b, a], "end": [b, a]}
    same = {**vehicle, "id": 2}
    good: list[dict[str, object]] = [
        {"center": {"lat": 1, "lng": 2}, "depot": {"lat": a, "lng": b}, "stops": stops},
        {"vehicles": [vehicle, same], "jobs": jobs},
    ]
    for value in good:
        instance = table(tmp_path, json.dumps(value), name="p.json")
        assert instance.display.tolist() == [[b, a] for _, a, b in FAR]
        assert instance.names[1:] == tuple(name for name, _, _ in others)
        assert instance.names[0] in ("depot", "start")
    bad: list[tuple[dict[str, object], str]] = [
        ({"vehicles": [{**vehicle, "end": [1.5, 48]}], "jobs": jobs}, "2 others"),
        ({"depot": {"at": [b, a]}, "stops": stops}, "written otherwise"),
    ]
    for value, why in bad:
        with pytest.raises(InstanceError, match=why):
            table(tmp_path, json.dumps(value), name="p.json")


@settings(max_examples=200)
@given(data=st.data())
def test_mutated_json_is_sound_or_refused(data: st.DataObject) -> None:
    forms = [
        "in an object",
        "by name",
        "inside",
        "pairs",
        "columns",
        "tags",
        "texts",
        "split",
        "by row",
        "depot",
    ]
    text = _json(data.draw(st.sampled_from(forms)))
    hostile = ["null", "[]", "{}", '"', "[", "]", "1e999", "NaN", "true", ",", "-", "9" * 400]
    for _ in range(data.draw(st.integers(1, 3))):
        start, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 15))
        text = text[:start] + data.draw(st.sampled_from(hostile)) + text[start + length :]
    try:
        instance = load_instance("p.json", text.encode())
    except InstanceError as error:
        is_one_sentence("p.json", str(error), 325)
    else:
        assert instance.n >= 3


def test_zones_of_eastings_are_not_mixed(tmp_path: Path) -> None:
    text = "name,zone,easting,northing\nA,{},500000,1\nB,33,500000,2\nC,33,400000,3\n"
    assert not table(tmp_path, text.format(33)).geographic
    with pytest.raises(InstanceError, match=r"in 2 zones \(32, 33\).* convert them to latitude"):
        table(tmp_path, text.format(32))


def test_the_way_back_is_no_place_of_its_own(tmp_path: Path) -> None:
    near = f"name,lat,lon\n{NEAR}A,52.5200,13.4050\n"
    instance = table(tmp_path, near)
    assert (instance.n, instance.note) == (4, "its last place is the first one once more")
    plain = table(tmp_path, "name,x,y\nA,1,2\nB,3,4\nC,5,8\nA,1,2\n")
    assert (plain.n, plain.note) == (3, "its last place is the first one once more")
    assert table(tmp_path, "x,y\n1,2\n3,4\n5,8\n1,2\n").n == 4


@pytest.mark.parametrize("header", ["name,y,x", "name,lat,lon", "town,GeoLat,geo_lon (WGS84)"])
def test_the_header_says_which_column_is_the_latitude(tmp_path: Path, header: str) -> None:
    rows = CITIES.partition("\n")[2]
    instance = table(tmp_path, f"{header}\n{rows}", "degrees")
    assert instance.display[0].tolist() == [13.405, 52.52]
    first, second, third = header.split(",")
    assert instance.seen == (
        f"a table of 3 places: latitude is column 2 ({second}), longitude column 3 ({third}), the "
        f"name column 1 ({first})"
    )


@pytest.mark.parametrize(
    ("columns", "x"),
    [
        ("2,4", [52.5, 41.5, 59.75]),
        ("4,2", [13.5, 12.25, 10.5]),
        ("a,b", [52.5, 41.5, 59.75]),
        ("b, a", [13.5, 12.25, 10.5]),
    ],
)
def test_the_user_says_which_columns_count(tmp_path: Path, columns: str, x: list[float]) -> None:
    text = "name,a,people,b\nBerlin,52.5,3,13.5\nRome,41.5,2,12.25\nOslo,59.75,1,10.5\n"
    with pytest.raises(
        InstanceError, match=r"none of its columns is called x and y.*'people', 'b'"
    ):
        table(tmp_path, text)
    instance = table(tmp_path, text, str(ReadAs(coordinates="plane", columns=columns)))
    assert instance.display[:, 0].tolist() == x
    again = table(tmp_path, text, instance.read_as)  # as a log has it
    assert again.display.tolist() == instance.display.tolist()
    for wrong in ("a", "a,c", "a,a", "0,2", "2,9", "1,2,3,4", "9" * 5000):
        with pytest.raises(InstanceError, match="does not name two of its 4 columns"):
            table(tmp_path, text, str(ReadAs(coordinates="plane", columns=wrong)))


def test_names_of_columns_go_before_their_order(tmp_path: Path) -> None:
    text = CITIES.replace("latitude,longitude", "gps_lat,gps_lon")
    for columns in ("2,3", "3,2", "gps_lon,gps_lat"):
        assert table(tmp_path, text, f"degrees {columns}").display[0].tolist() == [13.405, 52.52]


@pytest.mark.parametrize(
    ("text", "x", "note"),
    [
        ("n;x;y\np;987;12\nq;1,250;300\nr;640;2,200\n", [987, 1250, 640], "commas .* separate"),
        ('x,y\n"1,000","2,000"\n"2,234","2,777"\n"3,468","5,108"', [1000, 2234, 3468], "separate"),
        ("x;y\n1,234;2,777\n2,250;5,125\n3,250;1,125", [1.234, 2.25, 3.25], "stand before decim"),
        ("x;y\n987;12\n1.250;300\n640;2.200", [987, 1250, 640], "points .* separate"),
        ("x;y\n7;12\n1.234;300\n6;2.205", [7, 1.234, 6], "points .* stand before decimals"),
        ("x;y\n7;12\n1,250,000;300\n6;2,205", [7, 1_250_000, 6], "separate thousands"),
        ("x;y\n0,125;12\n1,250;300\n6;2,205", [0.125, 1.25, 6], ""),
        ("x;y\n1250;12\n1,250;300\n6;2,205", [1250, 1.25, 6], "stand before decimals"),
        ("x,y\n7,12\n1.234,300\n6,2.205", [7, 1.234, 6], ""),
    ],
)
def test_marks_between_thousands(tmp_path: Path, text: str, x: list[float], note: str) -> None:
    instance = table(tmp_path, text, "plane")
    assert instance.display[:, 0].tolist() == x
    assert re.search(note, instance.note) if note else not instance.note


def test_equal_places_far_from_others_are_one_stop(tmp_path: Path) -> None:
    """TSPLIB's GEO would count a kilometre between them."""
    instance = table(tmp_path, f"{CITIES}Mitte,52.52,13.405\nRome,41.9028,12.4964\n")
    assert instance.names == ("Berlin / Mitte", "Rome", "Oslo")
    assert instance.note == "2 rows with the place of an earlier one: each place is one stop"
    plain = table(tmp_path, CITIES)
    tour = np.arange(3)
    assert instance.tour_length(tour) == plain.tour_length(tour)
    rule = table(tmp_path, f"{CITIES}Mitte,52.52,13.405\n", "geo")
    assert (rule.n, rule.note) == (4, "1 place at the same spot as another one")
    with pytest.raises(InstanceError, match="it has 2 different places; a tour needs at least 3"):
        table(tmp_path, "lat,lon\n52,13\n-52,13\n52,13\n")


def test_a_table_of_very_many_columns_is_refused(tmp_path: Path) -> None:
    text = "\n".join([",".join(map(str, range(40_000)))] * 3)
    with pytest.raises(InstanceError, match="it has 40,000 columns of numbers, and no header"):
        table(tmp_path, text)


def test_names_do_nothing_to_a_terminal_or_a_label(tmp_path: Path) -> None:
    instance = table(tmp_path, "\x1b[31mred,1,2\n<b>bold</b>,3,4\n" + "n" * 500 + ",5,6\n")
    assert instance.names[0] == "\\x1b[31mred"
    assert len(instance.names[2]) <= 80


@settings(max_examples=200)
@given(
    text=st.text(
        alphabet=st.sampled_from([*"0123456789.,;|-+eE\t\n\r \"'xyab:°NSEWO()/\0\u2028"]),
        max_size=80,
    )
)
def test_any_text_is_a_sound_table_or_refused(text: str) -> None:
    try:
        instance = load_places("t.csv", text.encode())
    except InstanceError as error:
        is_one_sentence("t.csv", str(error))
        return
    assert instance.n >= 3
    assert np.isfinite(instance.display).all()
    assert instance.all_distances().min() >= 0
    assert not instance.names or len(instance.names) == instance.n


def test_a_third_column_has_the_names(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("nr;customer;x;y;street\n1;A;0;0;P\n2;B;3;4;Q\n3;C;6;8;R\n")
    found = load_instance(table)
    assert isinstance(found, TspInstance)
    assert found.names == ("A", "B", "C")  # a number is a name for want of one
    street = load_instance(table, None, "places columns=x,y,street")
    assert isinstance(street, TspInstance)
    assert street.names == ("P", "Q", "R")
    again = load_instance(table, None, street.read_as)
    assert isinstance(again, TspInstance)
    assert again.names == street.names


@pytest.mark.parametrize(
    "text",
    [
        "A: 5.1" + " " * 300_000 + "x\n" * 3,
        "A" * 100_000 + "°" + " 5" * 50_000 + "\n",
        "name,pos\n" + ("a" * 190 + "1.5 " * 3 + "\n") * 100,
        "name,lat,lon\n" + ("N" * 150 + "5," + "1:" * 90 + ",3\n") * 100,
        "name,lat,lon\nA," + "(" * 100_000 + "5,6\n" * 5,
        "N" * 10_000 + " " * 10_000 + "5.5 5.5\n" * 3,
    ],
)
def test_no_line_takes_long(tmp_path: Path, text: str) -> None:
    """A pattern that tries all ways to read such a line would take hours."""
    with pytest.raises(InstanceError):
        table(tmp_path, text, name="t.txt")
