"""Places from files of maps: GPX, KML, GeoJSON and OpenStreetMap.

Of a file that has several kinds of places, those count that are the likeliest stops: single places
before the points of a route, and these before the points of a track or another line.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from gpu.core.words import counted
from gpu.problems.document import in_memory, name_of, shortened
from gpu.problems.input_file import InputFile
from gpu.problems.tsp.distances import Reals
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.places.place_instances import (
    check_count,
    check_degrees,
    globe_instance,
    refuse_plane,
    without_return,
)
from gpu.problems.xml_reader import XmlReader

_NUMBER = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?\s*")
_DECLARED_WIDE = re.compile(rb"\s*<\?xml[^>]*encoding=.(utf-?16|ucs|utf-?32)", re.IGNORECASE)
_TURN = 360.0  # degrees


@dataclass
class _Spots:
    """Places of one kind in a file."""

    what: str  # one of them, in words: "waypoint"
    is_line: bool = False  # whether they follow each other, so that the last may be the first
    note: str = ""  # what to say where these are taken
    latitudes: array[float] = field(default_factory=lambda: array("d"))
    longitudes: array[float] = field(default_factory=lambda: array("d"))
    names: list[str] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))  # where in the file they are

    def add(self, latitude: float, longitude: float, name: str, line: int) -> None:
        self.latitudes.append(latitude)
        self.longitudes.append(longitude)
        self.names.append(name_of(name.strip()))
        self.lines.append(line)

    @property
    def degrees(self) -> Reals:
        return np.column_stack([np.frombuffer(self.latitudes), np.frombuffer(self.longitudes)])

    def without(self, left_out: Callable[[int], bool]) -> _Spots:
        """Return those of which ``left_out`` is not true, by their places in the list."""
        kept = [at for at in range(len(self.names)) if not left_out(at)]
        found = _Spots(self.what, self.is_line, self.note)
        for at in kept:
            found.add(self.latitudes[at], self.longitudes[at], self.names[at], self.lines[at])
        return found


def _instance(
    file: InputFile,
    title: str,
    kinds: Sequence[_Spots],
    notes: Sequence[str] = (),
    at: str = "line",
) -> TspInstance:
    """Return the instance of the first of these ``kinds`` of places that the file has."""
    refuse_plane(file)
    spots = next((one for one in kinds if one.names), None)
    if spots is None:
        raise file.error(f"it is {title} without {' or '.join(f'{one.what}s' for one in kinds)}")

    def where(row: int) -> str:
        return f"{at} {spots.lines[row]}"

    degrees, names = spots.degrees, spots.names
    projected = np.abs(degrees).max() > _TURN
    way_out = "; they seem to be projected: write longitude and latitude" if projected else ""
    check_degrees(file, degrees, where, way_out)
    said = [*notes, *([spots.note] if spots.note else [])]
    n, again = without_return(degrees, names, unnamed=spots.is_line)
    check_count(file, spots.what, n)
    others = [counted(len(one.names), one.what) for one in kinds if one is not spots and one.names]
    if others:
        said.append(f"{' and '.join(others)} left out")
    named = sum(map(bool, names[:n]))
    names_said = ", with names" if named == n else f", {named:,} with names" if named else ""
    return globe_instance(
        file,
        degrees[:n],
        names[:n],
        where,
        seen=f"{title}: {counted(n, spots.what, f'{n:,}')}{names_said}",
        notes=[*said, *again],
    )


class _Xml(XmlReader):
    """What is read of a file of a map."""

    def degree(self, text: str | None, what: str) -> float:
        """Return a latitude or longitude; InstanceError if it is none."""
        if text is None or not _NUMBER.fullmatch(text):
            said = f"{shortened(text)} is no {what}" if text else f"a place has no {what}"
            raise self.file.error(f"line {self.line}: {said}")
        return float(text)


class _Gpx(_Xml):
    """Waypoints, points of routes and points of tracks."""

    kept = frozenset({"name"})

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.kinds = {
            "wpt": _Spots("waypoint"),
            "rtept": _Spots("route point", is_line=True),
            "trkpt": _Spots("track point", is_line=True, note="each point of its track is a stop"),
        }
        self._place: tuple[float, float] = (0.0, 0.0)
        self._name, self._line = "", 0

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in self.kinds:
            self._place = (
                self.degree(attributes.get("lat"), "latitude"),
                self.degree(attributes.get("lon"), "longitude"),
            )
            self._name, self._line = "", self.line

    def end(self, tag: str, text: str) -> None:
        if tag == "name" and self.path and self.path[-1] in self.kinds:
            self._name = text
        elif tag in self.kinds:
            self.kinds[tag].add(*self._place, self._name, self._line)


class _Kml(_Xml):
    """Placemarks with a point, or else the points of lines."""

    kept = frozenset({"name", "coordinates", "coord"})

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.points = _Spots("placemark")
        self.lines = _Spots("line point", is_line=True, note="each point of its line is a stop")
        self.areas = 0
        self._name = ""
        self._in_mark: list[tuple[float, float, int]] = []  # points of the placemark

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "Placemark":
            self._name, self._in_mark = "", []
        elif tag == "Polygon":
            self.areas += 1

    def end(self, tag: str, text: str) -> None:
        around = self.path[-1] if self.path else ""
        if tag == "name" and around == "Placemark":
            self._name = text
        elif tag == "coordinates" and around == "Point":
            self._in_mark += self._places(text)
        elif (tag == "coordinates" and around == "LineString") or (
            tag == "coord" and around == "Track"
        ):
            for latitude, longitude, line in self._places(text, "," if tag != "coord" else " "):
                self.lines.add(latitude, longitude, "", line)
        elif tag == "Placemark":  # its name may come behind its point
            for one in self._in_mark:
                self.points.add(one[0], one[1], self._name, one[2])

    def _places(self, text: str, sign: str = ",") -> Iterator[tuple[float, float, int]]:
        """Yield the places in ``text``: longitude, latitude and perhaps height of each."""
        text = re.sub(r"\s*,\s*", ",", text.strip())
        for one in text.split() if sign == "," else [text]:
            parts = one.split(None if sign == " " else sign)
            longitude = self.degree(parts[0], "longitude")
            latitude = self.degree(parts[1] if len(parts) > 1 else None, "latitude")
            yield latitude, longitude, self.line


class _Osm(_Xml):
    """Nodes, without those that only give a way its shape."""

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.nodes = _Spots("node")
        self._ids: list[str] = []
        self._of_ways: set[str] = set()
        self._node: tuple[float, float, str, int] | None = None
        self._name = ""
        self._tagged: set[str] = set()

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "node" and not (
            attributes.get("action") == "delete" or attributes.get("visible") == "false"
        ):
            latitude = self.degree(attributes.get("lat"), "latitude")
            longitude = self.degree(attributes.get("lon"), "longitude")
            self._node, self._name = (latitude, longitude, attributes.get("id", ""), self.line), ""
        elif tag == "tag" and self._node is not None:
            self._tagged.add(self._node[2])
            if attributes.get("k") == "name":
                self._name = attributes.get("v", "")
        elif tag == "nd":
            self._of_ways.add(attributes.get("ref", ""))

    def end(self, tag: str, text: str) -> None:
        if tag == "node" and self._node is not None:
            latitude, longitude, number, line = self._node
            self.nodes.add(latitude, longitude, self._name, line)
            self._ids.append(number)
            self._node = None

    def places(self) -> tuple[_Spots, list[str]]:
        """Return the nodes that count, and what to say of the others."""
        shape = self._of_ways - self._tagged
        single = self.nodes.without(lambda at: self._ids[at] in shape)
        left = len(self.nodes.names) - len(single.names)
        if not left or not single.names:
            return self.nodes, []
        return single, [f"{counted(left, 'node')} without tags on ways left out"]


def _load_gpx(file: InputFile) -> TspInstance:
    gpx = _Gpx(file)
    gpx.read()
    return _instance(file, "GPX", [*gpx.kinds.values()])


def _load_kml(file: InputFile) -> TspInstance:
    kml = _Kml(file)
    kml.read()
    notes = [f"{counted(kml.areas, 'area')} left out"] if kml.areas else []
    return _instance(file, "KML", [kml.points, kml.lines], notes)


def _load_osm(file: InputFile) -> TspInstance:
    osm = _Osm(file)
    osm.read()
    nodes, notes = osm.places()
    return _instance(file, "OpenStreetMap's XML", [nodes], notes)


_GEOMETRIES = {"Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"}
_GEOJSON = {*_GEOMETRIES, "GeometryCollection", "Feature", "FeatureCollection"}
_GEOJSON_LISTS = {"coordinates", "features", "geometry", "geometries"}
_NAME_KEYS = ("name", "title", "label", "id")
"""What has the name of a place among its properties, the likeliest first."""


def is_geojson(file: InputFile) -> bool:
    """Whether ``file`` is GeoJSON, perhaps with an object in each line."""
    value = file.value
    if isinstance(value, list) and value:
        return all(isinstance(one, dict) and one.get("type") == "Feature" for one in value)
    return isinstance(value, dict) and (
        value.get("type") in _GEOJSON and bool(_GEOJSON_LISTS & {*value})
    )


class _GeoJson:
    """Points, or else the points of lines."""

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.points = _Spots("point")
        self.lines = _Spots("line point", is_line=True, note="each point of its line is a stop")
        self.areas = 0
        self._number = 0  # of the feature
        self._orders: list[float | None] = []

    def read(self) -> None:
        """Read the whole file; InstanceError if something in it is no GeoJSON."""
        value = self.file.value
        for one in value if isinstance(value, list) else [value]:
            self._take(one, "", None)
        self._sort()

    def _take(self, one: Any, name: str, order: float | None, depth: int = 0) -> None:
        kind = one.get("type") if isinstance(one, dict) else None
        if kind not in _GEOJSON or depth > 20:
            raise self._wrong(f"{shortened(str(kind))} is no type of GeoJSON")
        if kind in ("FeatureCollection", "GeometryCollection"):
            inner = one.get("features" if kind == "FeatureCollection" else "geometries")
            if not isinstance(inner, list):
                raise self._wrong(f"its {kind} has no list")
            for part in inner:
                self._take(part, name, order, depth + 1)
        elif kind == "Feature":
            self._number += 1
            about = one.get("properties")
            if one.get("geometry") is not None:
                self._take(one["geometry"], _name(one, about), _order(about), depth + 1)
        else:
            self._add(kind, one.get("coordinates"), name, order)

    def _add(self, kind: str, coordinates: Any, name: str, order: float | None) -> None:
        if kind in ("Polygon", "MultiPolygon"):
            self.areas += 1
        elif kind == "Point":
            self._orders.append(order)
            self.points.add(*self._place(coordinates), name, self._number)
        elif kind == "MultiPoint":
            for place in self._list(coordinates):
                self._orders.append(None)
                self.points.add(*self._place(place), name, self._number)
        else:
            lines = [coordinates] if kind == "LineString" else self._list(coordinates)
            for line in lines:
                for place in self._list(line):
                    self.lines.add(*self._place(place), "", self._number)

    def _list(self, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self._wrong("its coordinates are no list")
        return value

    def _place(self, value: Any) -> tuple[float, float]:
        """Return latitude and longitude."""
        if not isinstance(value, list) or len(value) < 2 or not all(map(_is_real, value[:2])):
            raise self._wrong(f"{shortened(str(value))} is no longitude and latitude")
        return float(value[1]), float(value[0])

    def _sort(self) -> None:
        """Put the points into the order that the file numbers, as a route of this program has."""
        orders = self._orders
        if not orders or None in orders or len({*orders}) < len(orders):
            return
        found = _Spots(self.points.what)
        for at in np.argsort(np.array(orders, np.float64), kind="stable").tolist():
            one = self.points
            found.add(one.latitudes[at], one.longitudes[at], one.names[at], one.lines[at])
        self.points = found

    def _wrong(self, what: str) -> Exception:
        return self.file.error(f"feature {self._number}: {what}" if self._number else what)


def _is_real(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def _name(feature: Mapping[str, Any], about: Any) -> str:
    known = {str(key).casefold(): value for key, value in _of(about).items()}
    for value in (*(known.get(key) for key in _NAME_KEYS), feature.get("id")):
        if isinstance(value, str | int) and str(value).strip():
            return str(value)
    return ""


def _of(about: Any) -> dict[Any, Any]:
    return about if isinstance(about, dict) else {}


def _order(about: Any) -> float | None:
    value = _of(about).get("order")
    return float(value) if _is_real(value) else None


def _load_geojson(file: InputFile) -> TspInstance:
    found = _GeoJson(file)
    with in_memory(file.path):
        found.read()
    notes = [f"{counted(found.areas, 'area')} left out"] if found.areas else []
    return _instance(file, "GeoJSON", [found.points, found.lines], notes, at="feature")


_ROOT = rb"\s*(?:(?:<[?!][^>]*|\])>\s*)*<(?:\w+:)?%s\b"  # the first element of an XML file


def _has_root(name: bytes) -> Callable[[InputFile], bool]:
    pattern = re.compile(_ROOT % name, re.IGNORECASE)
    return lambda file: pattern.match(file.start) is not None


MAP_FORMATS: tuple[
    tuple[str, Callable[[InputFile], bool], Callable[[InputFile], TspInstance]], ...
] = (
    ("a GPX file", _has_root(b"gpx"), _load_gpx),
    ("a KML file", _has_root(b"kml"), _load_kml),
    ("a file of OpenStreetMap", _has_root(b"osm"), _load_osm),
    ("a GeoJSON file", is_geojson, _load_geojson),
)
"""What such a file is, in words, whether a file is one, and its reader."""
