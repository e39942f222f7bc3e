"""Pictures that are painted in bands: to paint a large one at once would hold up the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter

from views.widgets.steps import Steps

_BAND = 250_000  # pixels that are painted at a time


def in_bands(
    pixels: QSize,
    ratio: float,
    draw: Callable[[QPainter], object],
    kind: QImage.Format = QImage.Format.Format_RGB32,
) -> Steps[QImage]:
    """Make an image of ``pixels``, a band a step.

    ``draw`` paints all of it, once a band, in units of ``ratio`` pixels; no unit of the image is
    transparent.
    """
    image, rows = QImage(pixels, kind), max(1, _BAND // pixels.width())
    for top in range(0, pixels.height(), rows):
        band = QImage(pixels.width(), min(rows, pixels.height() - top), kind)
        band.setDevicePixelRatio(ratio)
        with QPainter(band) as painter:
            painter.translate(0, -top / ratio)
            draw(painter)
        band.setDevicePixelRatio(1.0)
        with QPainter(image) as painter:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
            painter.drawImage(0, top, band)
        yield
    return image
