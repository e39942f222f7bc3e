"""Files of a route: a table in the dialect of the instance's own, GPX, KML and GeoJSON.

Each can be opened again, as places in the order of the route, or as a route of the same instance.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.files.writing import ExportError, write_text, write_whole
from gpu import APPLICATION
from gpu.core.tables import Column, csv_of
from gpu.problems.tables.dialect import dialect_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.places.place_tables import look_like_degrees
from gpu.problems.tsp.routes.stops import Stop, Stops, stops

_NOT_DEGREES = ("easting", "northing")  # what says so of numbers that look like degrees


def export_route(path: Path, instance: TspInstance, tour: NDArray[np.integer]) -> None:
    """Write ``tour`` (0-based) as a table, as the instance's own is written; raises ExportError.

    There is a row for each stop from the start on, and one for the way back of a closed route: with
    its place in the order, the city's number, its name where there is one, its coordinates unless
    its file has none, the way from the stop before, and that from the start.
    """
    found = stops(instance, tour)
    dialect = dialect_of(instance.path, instance.read_as)
    unit, given = instance.cost_unit, found.instance
    inside = f" ({unit.name})" if unit.name else ""
    points = given.display
    heads = dialect.globe if given.geographic else dialect.plane
    if not given.geographic and look_like_degrees(points):
        heads = _NOT_DEGREES
    numbers = dialect.number
    axes = (1, 0) if given.geographic else (0, 1)  # people say the latitude first
    columns: list[Column[Stop]] = [
        Column("order", lambda stop: stop.order),
        Column("number", lambda stop: stop.number),
    ]
    if given.names:
        columns.append(Column(dialect.name, lambda stop: stop.name))
    if not given.computed_layout:
        columns += [
            Column(head, partial(_coordinate, points, axis, numbers))
            for head, axis in zip(heads, axes, strict=True)
        ]
    columns += [
        Column(f"leg{inside}", lambda stop: numbers(unit.text(stop.leg, ""))),
        Column(f"total{inside}", lambda stop: numbers(unit.text(stop.total, ""))),
    ]
    data = dialect.bytes_of(csv_of(columns, found, dialect.separator))
    write_whole(path, lambda part: part.write_bytes(data))


def _coordinate(
    points: NDArray[np.float64], axis: int, number: Callable[[object], str], stop: Stop
) -> str | int:
    value = float(points[stop.city, axis])
    return int(value) if value.is_integer() else number(value)


def export_gpx(path: Path, instance: TspInstance, tour: NDArray[np.integer]) -> None:
    """Write ``tour`` (0-based) as the route of a GPX file; raises ExportError.

    Only places on the globe can be written.
    """
    found, points = _on_globe(path, instance, tour)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<gpx version="1.1" creator="{APPLICATION}" xmlns="http://www.topografix.com/GPX/1/1">',
        f"<rte><name>{_xml(instance.name)}</name>",
    ]
    for stop in found:
        longitude, latitude = points[stop.city]
        name = f"<name>{_xml(stop.name)}</name>" if stop.name else ""
        lines.append(f'<rtept lat="{latitude!r}" lon="{longitude!r}">{name}</rtept>')
    write_text(path, "\n".join([*lines, "</rte>", "</gpx>", ""]))


def export_kml(path: Path, instance: TspInstance, tour: NDArray[np.integer]) -> None:
    """Write ``tour`` (0-based) as KML: its stops in their order, and a line; raises ExportError.

    Only places on the globe can be written.
    """
    found, points = _on_globe(path, instance, tour)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<kml xmlns="http://www.opengis.net/kml/2.2">',
        f"<Document><name>{_xml(instance.name)}</name>",
    ]
    for stop in _once(found):
        where = ",".join(map(repr, points[stop.city]))
        lines.append(
            f"<Placemark><name>{_xml(stop.name or str(stop.number))}</name>"
            f"<Point><coordinates>{where}</coordinates></Point></Placemark>"
        )
    way = " ".join(",".join(map(repr, points[stop.city])) for stop in found)
    lines += [
        f"<Placemark><name>{_xml(instance.name)}</name><LineString><tessellate>1</tessellate>",
        f"<coordinates>{way}</coordinates></LineString></Placemark>",
    ]
    write_text(path, "\n".join([*lines, "</Document>", "</kml>", ""]))


def export_geojson(path: Path, instance: TspInstance, tour: NDArray[np.integer]) -> None:
    """Write ``tour`` (0-based) as GeoJSON: a line and its places; raises ExportError.

    Only places on the globe can be written. Where the line crosses the meridian of 180°, it is cut,
    as RFC 7946 (3.1.9) has it: maps would draw it around the world.
    """
    found, points = _on_globe(path, instance, tour)
    unit = instance.cost_unit
    route: dict[str, object] = {"name": instance.name, "length": unit.value(found[-1].total)}
    if unit.name:
        route["unit"] = unit.name
    lines = _cut([points[stop.city] for stop in found])
    cut = len(lines) > 1
    kind = "MultiLineString" if cut else "LineString"
    features = [_feature(kind, lines if cut else lines[0], route)]
    for stop in _once(found):
        about: dict[str, object] = {"order": stop.order, "city": stop.number}
        if stop.name:
            about["name"] = stop.name
        features.append(_feature("Point", points[stop.city], about))
    text = ",\n".join(json.dumps(one, ensure_ascii=False) for one in features)
    write_text(path, f'{{"type": "FeatureCollection", "features": [\n{text}\n]}}\n')


ROUTE_WRITERS: Mapping[str, Callable[[Path, Any, NDArray[np.integer]], None]] = {
    "route": export_route,
    "gpx": export_gpx,
    "kml": export_kml,
    "geojson": export_geojson,
}
"""What writes a route, by the name of the export."""

GLOBE_FORMATS = ("gpx", "kml", "geojson")
"""Those that need places on the globe; their names are the endings of their files, too."""


def _on_globe(
    path: Path, instance: TspInstance, tour: NDArray[np.integer]
) -> tuple[Stops, list[list[float]]]:
    """Return the stops, and longitude and latitude of each city."""
    if not instance.geographic:
        raise ExportError(f"{path}: {instance.name} has no places on the globe; export CSV instead")
    found = stops(instance, tour)
    longitude, latitude = found.instance.display.T
    around = np.where(np.abs(longitude) > 180.0, (longitude + 180.0) % 360.0 - 180.0, longitude)
    return found, np.column_stack((around, latitude)).tolist()


def _once(found: Stops) -> Iterable[Stop]:
    """Return each stop once: not the start again."""
    return itertools.islice(found, len(found) - found.closed)


def _xml(text: str) -> str:
    return escape("".join(one for one in text if one.isprintable()), quote=False)


def _cut(line: list[list[float]]) -> list[list[list[float]]]:
    """Return the parts of a line of longitudes and latitudes between the meridian of 180°."""
    parts = [[line[0]]]
    for (x, y), (next_x, next_y) in itertools.pairwise(line):
        if abs(next_x - x) > 180.0:
            way = 360.0 - abs(next_x - x)
            share = (180.0 - abs(x)) / way if way else 0.0
            crossing = y + share * (next_y - y)
            parts[-1].append([math.copysign(180.0, x), crossing])
            parts.append([[math.copysign(180.0, next_x), crossing]])
        parts[-1].append([next_x, next_y])
    single = ([point for point, _ in itertools.groupby(part)] for part in parts)
    return [part for part in single if len(part) > 1] or [line]


def _feature(kind: str, coordinates: object, properties: dict[str, object]) -> dict[str, object]:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": properties}
