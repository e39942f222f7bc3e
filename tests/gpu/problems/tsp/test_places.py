"""Tables of places: what they may look like, and what is said of those that cannot be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.problems.loading import load_instance
from gpu.problems.tsp.distances import degrees
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.metric import Metric
from gpu.problems.tsp.places import load_places, may_be_degrees

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
        "52.5,13.5,Berlin,3500000\r41.5,12.25,Rome,2800000\r59.75,10.5,Oslo,700000\r",
    ],
)
def test_names_and_coordinates_are_found(tmp_path: Path, text: str) -> None:
    instance = table(tmp_path, text)
    assert instance.names == ("Berlin", "Rome", "Oslo")
    assert instance.display.tolist() == [[52.5, 13.5], [41.5, 12.25], [59.75, 10.5]]
    assert (instance.metric, instance.read_as) == (Metric.EUC_2D, "plane")
    assert instance.name == "t"


def test_rows_as_in_a_tsplib_file_begin_with_a_number(tmp_path: Path) -> None:
    instance = table(tmp_path, "1 565 575\n2 25 185\n3 345 750\n")
    assert instance.display.tolist() == [[565, 575], [25, 185], [345, 750]]
    assert instance.names == ()


@pytest.mark.parametrize(
    ("points", "length", "unit"),
    [
        ("0,0\n0,3000\n4000,0", 12_000, ""),
        ("0,0\n0,3\n4,0", 12_000, "0.001 of the table's unit"),
        ("0,0\n0,0.3\n0.4,0", 12_000, "0.0001 of the table's unit"),
        ("0,0\n0,3000.25\n4000,0", 1_200_040, "0.01 of the table's unit"),
        ("0,0\n0,0\n0,0", 0, ""),
    ],
)
def test_rounding_loses_little(tmp_path: Path, points: str, length: int, unit: str) -> None:
    instance = table(tmp_path, points)
    assert instance.unit == unit
    assert abs(instance.tour_length(np.arange(3)) - length) <= 1


def test_far_places_on_the_globe_are_measured_by_tsplibs_rule(tmp_path: Path) -> None:
    instance = table(tmp_path, CITIES)
    assert (instance.metric, instance.unit, instance.read_as) == (Metric.GEO, "km", "degrees")
    assert instance.geographic
    assert instance.coordinates is not None
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
    assert (geo.metric, geo.unit, geo.read_as) == (Metric.GEO, "km", "geo")
    assert int(geo.distances(np.array([0]), np.array([1]))[0]) == 2
    plane = table(tmp_path, near, "plane")
    assert not plane.geographic
    assert len({instance.sha256, geo.sha256, plane.sha256}) == 1


def test_degrees_without_a_header_are_noticed(tmp_path: Path) -> None:
    cities = CITIES.partition("\n")[2]
    plane = table(tmp_path, cities)
    assert may_be_degrees(plane)
    asked = table(tmp_path, cities, "degrees")
    assert asked.display[0].tolist() == [13.405, 52.52]
    assert not may_be_degrees(asked)
    turned = table(tmp_path, "151.2093,-33.8688\n144.9631,-37.8136\n153.0251,-27.4698", "degrees")
    assert turned.display[0].tolist() == [151.2093, -33.8688]
    for text in ("0.123,0.456\n0.5,0.25\n0.3,0.7", "1,2\n3,4\n5,6", "1.2345,200.5\n3,4\n5,6"):
        assert not may_be_degrees(table(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("a,b\n", "it has a header but no places"),
        (",,\n;;\n", "it has no rows|no two columns"),
        ("x,y\n1,2\n", "it has 1 place; a tour needs at least 3"),
        ("x,y\n1,2\n3,4\n", "it has 2 places; a tour needs at least 3"),
        ("x,y\n1,2\n3,four\n5,6\n", "line 3: 'four' in column 2 is no number; each place needs"),
        ("Berlin,52.5,east\nRome,41,12\nOslo,59,10\n", "line 1: 'east' in column 3 is no number"),
        ("x,y\n1,2\n\n3\n5,6\n", "line 4: there is nothing in column 2"),
        ("x,y\n1,2\n3,nan\n5,6\n", "line 3: 'nan'"),
        ("x,y\n1,2\n3,1e400\n5,6\n", "line 3: '1e400'|beyond"),
        ("x,y\n1,2\n3,1e13\n5,6\n", "line 3: a coordinate is beyond 1e"),
        ("x,y\n1,2\n3,1_0\n5,6\n", "line 3: '1_0'"),
        ("x,y\n1,2\n3,٣\n5,6\n", "line 3"),
        ("x,y,x\n1,2,3\n3,4,3\n5,6,3\n", "its columns 'x' and 'x' mean the same; keep one"),
        ("name,size\nA,1\nB,2\nC,3\n", "it has no two columns of numbers"),
        ('x,y\n1,2\n3,"4\n5,6\n', "line 4 is no row of a table: unexpected end of data"),
        (f"x,y,name\n1,2,{'n' * 200_000}\n3,4,b\n5,6,c\n", "is no row of a table: field larger"),
        ("lat,lon\n52,13\n95,14\n53,15\n", "line 3: the latitude 95 is beyond 90 degrees"),
        ("lat,lon\n52,13\n45,181\n53,15\n", "line 3: the longitude 181 is beyond 180 degrees"),
        (CITIES.encode("utf-16"), "binary file or UTF-16 text"),
        (b"\x89PNG\r\n\x1a\n\0\0", "it is a picture, not an instance"),
    ],
)
def test_hostile_tables(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(InstanceError, match=said) as refused:
        table(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path / 't.csv'}: ")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < len(str(tmp_path)) + 300


def test_names_do_nothing_to_a_terminal_or_a_label(tmp_path: Path) -> None:
    instance = table(tmp_path, "\x1b[31mred,1,2\n<b>bold</b>,3,4\n" + "n" * 500 + ",5,6\n")
    assert instance.names[0] == "\\x1b[31mred"
    assert len(instance.names[2]) <= 80


@settings(max_examples=200)
@given(
    text=st.text(
        alphabet=st.sampled_from([*"0123456789.,;|-+eE\t\n\r \"'xyab:°\0\u2028"]), max_size=80
    )
)
def test_any_text_is_a_sound_table_or_refused(text: str) -> None:
    try:
        instance = load_places("t.csv", text.encode())
    except InstanceError as error:
        refused = str(error)
        assert refused.startswith("t.csv: ")
        assert "\n" not in refused
        return
    assert instance.n >= 3
    assert np.isfinite(instance.display).all()
    assert instance.all_distances().min() >= 0
    assert not instance.names or len(instance.names) == instance.n
