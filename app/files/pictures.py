"""Reads a picture that is to be traced into cities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QByteArray, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter

from gpu.core.errors import FormicariumError
from gpu.core.files import read_regular

FORMATS = ("png", "jpg", "jpeg", "bmp", "gif", "webp", "tif", "tiff", "pbm", "pgm", "ppm")
MOST_MEGAPIXELS = 100  # of the file
LARGEST = 1_600  # pixels of the longer side that are kept


class PictureError(FormicariumError):
    """A picture that cannot be read; the message names it."""


def darkness_of(path: Path, *, inverted: bool = False) -> NDArray[np.float32]:
    """Return how dark the picture at ``path`` is: 0 for white to 1 for black, or the other way.

    Where it is transparent, it counts as white. A large picture is made smaller. Any thread may
    call this. PictureError if it is no picture, or an enormous one.
    """
    data = QByteArray(read_regular(path, PictureError, "it is empty; choose a picture"))
    buffer = QBuffer(data)
    buffer.open(QBuffer.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    if bytes(reader.format().data()).decode() not in FORMATS:
        raise PictureError(f"{path}: it is no picture that can be read; choose a PNG or a JPEG")
    size = reader.size()
    if not size.isValid():
        size = QSize(1, 1)  # the limit on memory holds for a format that does not say its size
    if size.width() * size.height() > MOST_MEGAPIXELS * 1_000_000:
        raise PictureError(
            f"{path}: it has {size.width():,} × {size.height():,} pixels, but at most "
            f"{MOST_MEGAPIXELS} million can be traced; make it smaller"
        )
    if max(size.width(), size.height()) > LARGEST:
        small = size.scaled(LARGEST, LARGEST, Qt.AspectRatioMode.KeepAspectRatio)
        reader.setScaledSize(small.expandedTo(QSize(1, 1)))
    image = reader.read()
    if image.isNull():
        raise PictureError(f"{path}: the picture cannot be read: {reader.errorString()}")
    shades = _on_white(image)
    return shades / 255.0 if inverted else 1.0 - shades / 255.0


def _on_white(image: QImage) -> NDArray[np.float32]:
    """Return the shades of ``image``: 0 for black to 255 for white."""
    page = QImage(image.size(), QImage.Format.Format_RGB32)
    page.fill(Qt.GlobalColor.white)
    with QPainter(page) as painter:
        painter.drawImage(0, 0, image)
    grey = page.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(grey.constBits(), np.uint8).reshape(grey.height(), grey.bytesPerLine())
    return rows[:, : grey.width()].astype(np.float32)
