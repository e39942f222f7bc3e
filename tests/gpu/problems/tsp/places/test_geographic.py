"""GPX, KML, GeoJSON and OpenStreetMap: which places count, and what is said of broken files."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.problems.loading import load_instance
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.problems.texts import is_one_sentence

PLACES = [("Berlin", 52.52, 13.405), ("Rome", 41.9028, 12.4964), ("Oslo", 59.91, 10.75)]
NAMES = ("Berlin", "Rome", "Oslo")
Places = Sequence[tuple[str, float, float]]


def gpx(tag: str, places: Places = PLACES) -> str:
    marks = (
        f'<{tag} lat="{lat}" lon="{lon}"><ele>3</ele><name>{name}</name><desc>x</desc></{tag}>'
        for name, lat, lon in places
    )
    around = {"wpt": "{}", "rtept": "<rte><name>way</name>{}</rte>"}
    inner = around.get(tag, "<trk><name>way</name><trkseg>{}</trkseg></trk>").format("".join(marks))
    begin = '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">'
    return f"<?xml version='1.0' encoding='UTF-8'?>{begin}<metadata/>{inner}</gpx>"


def kml(inner: str) -> str:
    begin = (
        '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">'
    )
    return f"<?xml version='1.0'?>{begin}<Document><name>doc</name>{inner}</Document></kml>"


def marks(places: Places = PLACES) -> str:
    return "".join(
        f"<Placemark><name>{name}</name><Point><coordinates> {lon},{lat},0 </coordinates></Point>"
        "</Placemark>"
        for name, lat, lon in places
    )


KML_LINE = (
    "<Placemark><name>way</name><LineString><coordinates>13.405,52.52,0 12.4964,41.9028,0\n"
    "10.75,59.91,0 13.405,52.52</coordinates></LineString></Placemark>"
)


def osm(places: Places = PLACES) -> str:
    nodes = (
        f'<node id="{i}" lat="{lat}" lon="{lon}"><tag k="amenity" v="x"/>'
        f'<tag k="name" v="{name}"/></node>'
        for i, (name, lat, lon) in enumerate(places)
    )
    shape = '<node id="-7" lat="1" lon="2"/><node id="-8" lat="1" lon="3" action="delete"/>'
    way = '<way id="9"><nd ref="-7"/><nd ref="0"/></way>'
    return f'<osm version="0.6"><bounds minlat="1"/>{shape}{"".join(nodes)}{way}</osm>'


def feature(kind: str, coordinates: object, **about: object) -> dict[str, object]:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": about or None}


POINTS = [feature("Point", [lon, lat, 3], name=name) for name, lat, lon in PLACES]
LINE = [[lon, lat] for _, lat, lon in [*PLACES, PLACES[0]]]


def collection(features: Sequence[object]) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


def loaded(text: str | bytes, read_as: str = "") -> TspInstance:
    data = text if isinstance(text, bytes) else text.encode()
    instance = load_instance("some.xml", data, read_as)
    assert isinstance(instance, TspInstance)
    return instance


FILES = {
    "wpt": gpx("wpt"),
    "rtept": gpx("rtept"),
    "trkpt": gpx("trkpt"),
    "kml": kml(f"<Folder>{marks()}</Folder>"),
    "osm": osm(),
    "geojson": collection(POINTS),
    "lines": "\n".join(map(json.dumps, POINTS)),
}


@pytest.mark.parametrize("name", FILES)
def test_places_and_their_names(name: str) -> None:
    instance = loaded(FILES[name])
    assert instance.names == NAMES
    assert instance.display.tolist() == [[lon, lat] for _, lat, lon in PLACES]
    assert (instance.metric, instance.unit, instance.geographic) == (Metric.GEO, "km", True)
    assert instance.read_as == "places degrees"
    assert instance.seen.endswith("s, with names")
    assert loaded(FILES[name], instance.read_as).digest() == instance.digest()
    assert loaded(FILES[name], "geo").read_as == "places geo"
    with pytest.raises(InstanceError, match="its format has latitudes and longitudes"):
        loaded(FILES[name], "plane")


@pytest.mark.parametrize(
    ("text", "seen", "note"),
    [
        (gpx("wpt").replace("</gpx>", gpx("trkpt").partition("/>")[2]), "waypoints", "3 track poi"),
        (
            gpx("trkpt", [*PLACES, PLACES[0]]),
            "track points",
            "each point of its track is a stop",
        ),
        (gpx("rtept", [*PLACES, PLACES[0]]), "route points", "its last place is the first one on"),
        (kml(KML_LINE), "line points", "each point of its line is a stop; its last place is the f"),
        (kml(marks() + KML_LINE), "placemarks", "4 line points left out"),
        (kml(f"{marks()}<Polygon/>"), "placemarks", "1 area left out"),
        (osm(), "nodes", "1 node without tags on ways left out"),
        (collection([feature("LineString", LINE)]), "line points", "its last place is the first"),
        (collection([feature("LineString", LINE), *POINTS]), "points", "4 line points left out"),
        (collection([feature("Polygon", [LINE]), *POINTS]), "points", "1 area left out"),
        (json.dumps(feature("MultiPoint", LINE[:3])), "points", ""),
        (
            json.dumps(
                {"type": "GeometryCollection", "geometries": [one["geometry"] for one in POINTS]}
            ),
            "points",
            "",
        ),
        (
            kml(
                "<gx:Track>"
                + "".join(f"<gx:coord>{x} {y} 0</gx:coord>" for x, y in LINE)
                + "</gx:Track>"
            ),
            "line points",
            "",
        ),
    ],
)
def test_which_places_count(text: str, seen: str, note: str) -> None:
    instance = loaded(text)
    assert instance.display.tolist() == [[lon, lat] for _, lat, lon in PLACES]
    assert f": 3 {seen}" in instance.seen
    assert note in instance.note
    assert bool(note) is bool(instance.note) or "line" in seen


def test_points_with_an_order_are_in_it() -> None:
    ordered = [{**one, "properties": {"order": 3 - i}} for i, one in enumerate(POINTS)]
    assert loaded(collection(ordered)).display[:, 0].tolist() == [10.75, 12.4964, 13.405]


def test_a_packed_kml_and_any_encoding() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("doc.kml", FILES["kml"])
        archive.writestr("files/icon.png", b"x")
    assert loaded(made.getvalue()).names == NAMES
    text = FILES["wpt"].replace("Berlin", "Köln")
    for declared, used in (("UTF-8", "utf-8"), ("ISO-8859-1", "latin-1"), ("UTF-16", "utf-16")):
        assert loaded(text.replace("UTF-8", declared).encode(used)).names[0] == "Köln"
    assert loaded(text.encode("cp1250"), "encoding=cp1250").names[0] == "Köln"


BOMB = """<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>
<gpx><wpt lat="1" lon="2"><name>&b;&c;</name></wpt></gpx>"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BOMB, "it declares entities, which no such file needs"),
        (gpx("wpt")[:-40], "it is no whole XML: "),
        (gpx("wpt").replace('lat="52.52"', ""), "line 1: a place has no latitude"),
        (gpx("wpt").replace("52.52", "nan"), "line 1: 'nan' is no latitude"),
        (gpx("wpt").replace("52.52", "95"), "line 1: the latitude 95 is beyond 90 degrees"),
        (gpx("wpt").replace("52.52", "1e308"), "line 1: the latitude 1e+308 is beyond 90 degrees"),
        (gpx("wpt", PLACES[:2]), "it has 2 waypoints; a tour needs at least 3"),
        ("<gpx></gpx>", "it is GPX without waypoints or route points or track points"),
        ("<gpx>" * 5000, "line 1: its elements are too deep in each other"),
        (kml("<Placemark><Point><coordinates>1</coordinates></Point></Placemark>"), "no latitude"),
        ("<osm><node id='1' lat='1'/></osm>", "line 1: a place has no longitude"),
        (collection([]), "it is GeoJSON without points or line points"),
        (collection([1]), "'None' is no type of GeoJSON"),
        (collection([feature("Point", [])]), "feature 1: '[]' is no longitude and latitude"),
        (collection([feature("Point", [None, 3])]), "feature 1: '[None, 3]' is no longitude"),
        (collection([feature("LineString", 3)]), "feature 1: its coordinates are no list"),
        (collection([feature("Point", [1, 95])] * 3), "feature 1: the latitude 95 is beyond"),
        ('{"type": "FeatureCollection", "features": 3}', "its FeatureCollection has no list"),
        (collection(POINTS)[:-3], "it is no whole JSON"),
        ('{"type":"GeometryCollection","geometries":[' * 30, "it is no whole JSON"),
    ],
)
def test_what_is_wrong_is_said(text: str, why: str) -> None:
    with pytest.raises(InstanceError) as caught:
        loaded(text)
    assert why in is_one_sentence("some.xml", str(caught.value))


def test_a_deep_geojson_is_refused() -> None:
    one: dict[str, object] = {"type": "Point", "coordinates": [1, 2]}
    for _ in range(50):
        one = {"type": "GeometryCollection", "geometries": [one]}
    with pytest.raises(InstanceError, match="is no type of GeoJSON"):
        loaded(json.dumps(one))


HOSTILE = ["", "<", ">", "&", "&x;", "\0", "nan", "1e999", "9" * 400, "<gpx>", "]]>", '"', "[", "{"]
HOSTILE += ["null", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "\ufffe", "-", "<wpt/>", "</gpx>", '"type"']


@settings(max_examples=400)
@given(data=st.data())
def test_mutated_files_are_sound_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([*FILES.values(), kml(KML_LINE), BOMB]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 20))
        text = text[:start] + data.draw(st.sampled_from(HOSTILE)) + text[start + length :]
    try:
        instance = load_instance("some.xml", text.encode())
    except InstanceError as error:
        is_one_sentence("some.xml", str(error), 325)
    else:
        assert instance.n >= 3
        assert instance.map_places is not None
        assert np.isfinite(instance.map_places).all()
