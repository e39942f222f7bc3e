"""The project's icons, drawn in the colours of a theme."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from views.widgets.theme import Theme


def icon(name: str, theme: Theme, role: str = "text") -> QIcon:
    """Return the icon ``resources/icons/NAME.svg`` in the colour of ``role``."""
    result = QIcon()
    disabled = theme.colour("muted", 0.4).name(QColor.NameFormat.HexArgb)
    for mode, colour in ((QIcon.Mode.Normal, theme[role]), (QIcon.Mode.Disabled, disabled)):
        for size in (16, 20, 24, 32, 48):
            result.addPixmap(QPixmap.fromImage(_draw(name, colour, size)), mode)
    return result


def application_icon() -> QIcon:
    """Return the ant."""
    result = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        result.addPixmap(QPixmap.fromImage(_draw("ant", "#000000", size)))
    return result


@lru_cache(maxsize=512)
def _draw(name: str, colour: str, size: int) -> QImage:
    source = (files("resources") / "icons" / f"{name}.svg").read_text("utf-8")
    paint = QColor(colour)
    picture = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setOpacity(paint.alphaF())
        text = source.replace("currentColor", paint.name())
        QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(0, 0, size, size))
    return picture
