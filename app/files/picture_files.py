"""Writes pictures as files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer
from PySide6.QtGui import QImage

from app.files.exports import write_whole


def write_picture(path: Path, picture: QImage | bytes) -> None:
    """Write a PNG of an image, or a document as it is; raises ExportError."""
    if isinstance(picture, QImage):
        write_whole(path, lambda part: save_png(picture, part))
    else:
        write_whole(path, lambda part: part.write_bytes(picture))


def save_png(image: QImage, path: Path) -> None:
    """Write a PNG, or raise OSError with the reason, which Qt's own saving does not tell."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # its stub wants bytes
        raise OSError("the picture cannot be made a PNG")
    path.write_bytes(buffer.data().data())
