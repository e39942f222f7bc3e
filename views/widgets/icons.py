"""The project's icons, drawn in the colours of a theme."""

from __future__ import annotations

from functools import lru_cache
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
    for mode, colour in (
        (QIcon.Mode.Normal, str(getattr(theme, role))),
        (QIcon.Mode.Disabled, disabled),
    ):
        for picture in _draw(name, colour, _SIZES):
            result.addPixmap(QPixmap.fromImage(picture), mode)
    return result


def application_icon() -> QIcon:
    """Return the ant."""
    result = QIcon()
    for picture in _draw("ant", "#000000", (16, 24, 32, 48, 64, 128, 256)):
        result.addPixmap(QPixmap.fromImage(picture))
    return result


@lru_cache(maxsize=128)
def _draw(name: str, colour: str, sizes: tuple[int, ...]) -> list[QImage]:
    """Draw an icon in every one of ``sizes``, in pixels."""
    paint = QColor(colour)
    source = (files("resources") / "icons" / f"{name}.svg").read_text("utf-8")
    drawing = QSvgRenderer(QByteArray(source.replace("currentColor", paint.name()).encode()))
    pictures = []
    for size in sizes:
        picture = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            painter.setOpacity(paint.alphaF())
            drawing.render(painter, QRectF(0, 0, size, size))
        pictures.append(picture)
    return pictures
