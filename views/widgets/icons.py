"""The project's icons, drawn in the colours of a theme."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from views.widgets.theme import Theme

_SIZES = (16, 20, 24, 32, 48)


def icon(name: str, theme: Theme, role: str = "text") -> QIcon:
    """Return the icon ``resources/icons/NAME.svg`` in the colour of ``role``."""
    disabled = theme.colour("muted", 0.4).name(QColor.NameFormat.HexArgb)
    result = QIcon()
    for mode, colour in ((QIcon.Mode.Normal, theme[role]), (QIcon.Mode.Disabled, disabled)):
        for picture in _draw(name, colour, _SIZES):
            result.addPixmap(QPixmap.fromImage(picture), mode)
    return result


def application_icon() -> QIcon:
    """Return the ant."""
    result = QIcon()
    for picture in _shapes("ant", (16, 24, 32, 48, 64, 128, 256)):  # it has its own colours
        result.addPixmap(QPixmap.fromImage(picture))
    return result


@lru_cache(maxsize=512)
def _draw(name: str, colour: str, sizes: tuple[int, ...]) -> list[QImage]:
    """Return the icon in one colour. Of all that a change of the theme needs, this is quick."""
    paint, pictures = QColor(colour), []
    for shape in _shapes(name, sizes):
        picture = QImage(shape)
        with QPainter(picture) as painter:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
            painter.fillRect(picture.rect(), paint)
        pictures.append(picture)
    return pictures


@cache
def _shapes(name: str, sizes: tuple[int, ...]) -> list[QImage]:
    """Return the icon in black, or in its own colours."""
    source = (files("resources") / "icons" / f"{name}.svg").read_text("utf-8")
    renderer = QSvgRenderer(QByteArray(source.replace("currentColor", "#000000").encode()))
    shapes = [QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied) for size in sizes]
    for shape in shapes:
        shape.fill(Qt.GlobalColor.transparent)
        with QPainter(shape) as painter:
            renderer.render(painter, QRectF(shape.rect()))
    return shapes
