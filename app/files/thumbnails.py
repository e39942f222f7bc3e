"""Small pictures of instances, kept in the cache folder so that each is drawn only once."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageReader

from app.files.picture_files import write_picture
from gpu import APPLICATION
from gpu.core.errors import FormicariumError
from gpu.core.files import exists, read_regular
from gpu.core.instance import Instance, Solution
from views.gallery.thumbnail import SIZE, draw_graph, draw_places
from views.widgets.theme import Theme

MOST = 400  # pictures that are kept; those that were not used for longest go
LOOK = 1  # of the pictures: a new one makes all of them anew
_END = b"IEND\xaeB`\x82"  # of a whole PNG file
_NAME = re.compile(r"[0-9a-f]{40}\.png")  # of a picture; see key_of
_LONGEST = 200  # characters of a text in a picture


@dataclass(frozen=True, slots=True, eq=False)
class Thumbnail:
    """A picture, and what the file of the instance says."""

    picture: QImage
    name: str
    size: str  # in words
    known: int | None  # best known cost, but not the user's own


def folder() -> Path:
    """Return the folder of the pictures."""
    return platformdirs.user_cache_path(APPLICATION, appauthor=False) / "thumbnails"


def key_of(digest: str, best: int | None, theme: Theme, ratio: float) -> str:
    """Return the name of the picture of an instance, with a solution that costs ``best``."""
    parts = LOOK, digest, best, theme.dark, SIZE.width(), SIZE.height(), ratio
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]


def kept(key: str, ratio: float) -> Thumbnail | None:
    """Return the picture of this name; None if it is not there, or damaged."""
    path = folder() / f"{key}.png"
    if not exists(path):
        return None
    try:
        content = read_regular(path, FormicariumError)
    except FormicariumError:
        return None
    if not content.endswith(_END):
        return None
    data = QByteArray(content)  # the buffer does not own it
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(b"png"))
    if reader.size() != SIZE * ratio:
        return None
    picture = reader.read()
    known = picture.text("known")
    if picture.isNull() or not picture.text("size") or not (known.isdecimal() or not known):
        return None
    picture.setDevicePixelRatio(ratio)
    with suppress(OSError):
        os.utime(path)  # it was used
    name, size = (picture.text(text)[:_LONGEST] for text in ("name", "size"))
    return Thumbnail(picture, name, size, int(known[:18]) if known else None)


def keep(key: str, thumbnail: Thumbnail) -> None:
    """Keep a picture; where that is impossible, it is drawn anew the next time."""
    picture = thumbnail.picture.copy()
    known = "" if thumbnail.known is None else str(thumbnail.known)
    for name, text in (("name", thumbnail.name), ("size", thumbnail.size), ("known", known)):
        picture.setText(name, text)
    with suppress(FormicariumError):
        write_picture(folder() / f"{key}.png", picture)
    _forget_old()


def draw(instance: Instance, solution: Solution | None, theme: Theme, ratio: float) -> QImage:
    """Draw an instance of any problem with a solution, if there is one."""
    if (places := instance.map_places) is not None:
        return draw_places(places, solution, theme, ratio)
    from gpu.drawing.draw import GraphArtist  # imports SciPy and Numba

    graph: Any = instance  # what has no map is a graph
    return draw_graph(graph, GraphArtist(graph).draw(None, solution), theme, ratio)


def _forget_old() -> None:
    """Remove the pictures that were not used for longest, beyond ``MOST``; other files stay."""
    with suppress(OSError):
        found = [path for path in folder().glob("*.png") if _NAME.fullmatch(path.name)]
        if len(found) > MOST:
            found.sort(key=lambda path: path.stat().st_mtime)
            for path in found[: len(found) - MOST]:
                path.unlink(missing_ok=True)
