"""A tour as a route for other programs: a table, and GeoJSON for places on the globe."""

from __future__ import annotations

import itertools
import json
import math
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.files.exports import ExportError, write_text, write_whole
from gpu.core.tables import Column, csv_of
from gpu.problems.tsp.instance import TspInstance

_Leg = tuple[int, int, int]  # from a city: its place in the order, the city, the distance


def export_route(path: Path, instance: TspInstance, tour: NDArray[np.integer]) -> None:
    """Write ``tour`` (0-based) as CSV: a row for each city in its order; raises ExportError.

    A row has the place in the order, the city's number, its name where there is one, its
    coordinates unless its file has none, and the distance from it to the next city.
    """
    points, ids = instance.display.tolist(), instance.city_ids.tolist()
    legs = instance.distances(tour, np.roll(tour, -1)).tolist()
    axes: tuple[Column[_Leg], ...] = (
        Column("longitude" if instance.geographic else "x", lambda row: points[row[1]][0]),
        Column("latitude" if instance.geographic else "y", lambda row: points[row[1]][1]),
    )
    columns: tuple[Column[_Leg], ...] = (
        Column("order", itemgetter(0)),
        Column("city", lambda row: ids[row[1]]),
        *([Column("name", lambda row: instance.names[row[1]])] if instance.names else ()),
        # People say the latitude first.
        *(() if instance.computed_layout else axes[::-1] if instance.geographic else axes),
        Column("leg_length", itemgetter(2)),
    )
    write_text(path, csv_of(columns, zip(itertools.count(1), tour.tolist(), legs, strict=False)))


def export_geojson(path: Path, instance: TspInstance, tour: NDArray[np.integer]) -> None:
    """Write ``tour`` (0-based) as GeoJSON: a closed line and its places; raises ExportError.

    Only places on the globe can be written. Where the line crosses the meridian of 180°, it is cut,
    as RFC 7946 (3.1.9) has it: maps would draw it around the world.
    """
    if not instance.geographic:
        raise ExportError(f"{path}: {instance.name} has no places on the globe; export CSV instead")
    longitude, latitude = instance.display.T
    around = np.where(np.abs(longitude) > 180.0, (longitude + 180.0) % 360.0 - 180.0, longitude)
    points, ids = np.column_stack((around, latitude)).tolist(), instance.city_ids.tolist()
    cities = tour.tolist()
    route: dict[str, object] = {"name": instance.name, "length": instance.tour_length(tour)}
    if instance.unit:
        route["unit"] = instance.unit
    lines = _cut([points[city] for city in [*cities, cities[0]]])
    cut = len(lines) > 1
    kind = "MultiLineString" if cut else "LineString"
    features = [_feature(kind, lines if cut else lines[0], route)]
    for order, city in enumerate(cities, 1):
        about: dict[str, object] = {"order": order, "city": ids[city]}
        if instance.names:
            about["name"] = instance.names[city]
        features.append(_feature("Point", points[city], about))
    text = ",\n".join(json.dumps(one, ensure_ascii=False) for one in features)
    whole = f'{{"type": "FeatureCollection", "features": [\n{text}\n]}}\n'
    write_whole(path, lambda part: part.write_text(whole, "utf-8"))


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
