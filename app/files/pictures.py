"""Reads a picture that is to be traced into cities, and writes pictures as files.

Pictures are read by Pillow and not by Qt, whose readers of some formats end the process if a file
is damaged.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer
from PySide6.QtGui import QImage

from app.files.writing import write_whole
from gpu.core.errors import FormicariumError
from gpu.core.files import read_regular

if TYPE_CHECKING:
    from PIL import Image  # slow to import, and few trace pictures

PICTURE_FORMATS = ("png", "jpg", "jpeg", "bmp", "gif", "webp", "tif", "tiff", "pbm", "pgm", "ppm")
MOST_MEGAPIXELS = 100  # of the file
PICTURE_LARGEST = 1_600  # pixels of the longer side that are kept

_READERS = ("PNG", "JPEG", "BMP", "GIF", "WEBP", "TIFF", "PPM")  # as Pillow calls them
_DEEPEST_SHADE = 65_535.0  # the lightest shade where a pixel has 16 bits


class PictureError(FormicariumError):
    """A picture that cannot be read; the message names it."""


def darkness_of(path: Path, *, inverted: bool = False) -> NDArray[np.float32]:
    """Return how dark the picture at ``path`` is: 0 for white to 1 for black, or the other way.

    Where it is transparent, it counts as white. A large picture is made smaller. Any thread may
    call this. PictureError if it is no picture, or an enormous one.
    """
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # _checked says it in our words
    data = read_regular(path, PictureError, "it is empty; choose a picture")
    try:
        with Image.open(io.BytesIO(data), formats=_READERS) as image:
            shades = _shades(_checked(path, image))
    except PictureError:
        raise
    except UnidentifiedImageError as error:
        raise PictureError(
            f"{path}: it is no picture that can be read; choose a PNG or a JPEG"
        ) from error
    except Exception as error:  # what a reader raises for a damaged file may be anything
        raise PictureError(
            f"{path}: the picture cannot be read: it is damaged, or cut off"
        ) from error
    return shades if inverted else 1.0 - shades


def _checked(path: Path, image: Image.Image) -> Image.Image:
    width, height = image.size
    if width * height > MOST_MEGAPIXELS * 1_000_000:
        raise PictureError(
            f"{path}: it has {width:,} × {height:,} pixels, but at most "
            f"{MOST_MEGAPIXELS} million can be traced; make it smaller"
        )
    return image


def _shades(image: Image.Image) -> NDArray[np.float32]:
    """Return the shades of ``image`` on white paper: 0 for black to 1 for white."""
    from PIL import Image, ImageOps

    image.draft("RGB", (PICTURE_LARGEST, PICTURE_LARGEST))  # a JPEG may be read smaller at once
    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):  # shades of 16 bits
        deep = np.asarray(image, np.float32) / _DEEPEST_SHADE
        image = Image.fromarray((255.0 * np.clip(deep, 0.0, 1.0)).astype(np.uint8))
    if image.mode != "L":
        image = image.convert("RGBA")
    image.thumbnail((PICTURE_LARGEST, PICTURE_LARGEST))
    if image.mode == "RGBA":
        paper = Image.new("RGBA", image.size, "white")
        paper.alpha_composite(image)
        image = paper.convert("L")
    return np.asarray(image, np.float32) / np.float32(255.0)


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
