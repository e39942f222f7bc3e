"""Pictures that are to be traced: read as shades, or refused in one sentence."""

from __future__ import annotations

import random
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from app.files.pictures import PictureError, darkness_of, save_png
from tests.systems import make_pipe


def test_shades_of_a_picture(tmp_path: Path) -> None:
    image = QImage(3, 2, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)  # counts as white
    image.setPixelColor(2, 0, QColor("black"))
    path = tmp_path / "picture.png"
    image.save(str(path))
    assert darkness_of(path).tolist() == [[0, 0, 1], [0, 0, 0]]
    assert np.array_equal(darkness_of(path, inverted=True), 1 - darkness_of(path))


def test_a_large_picture_is_made_smaller(tmp_path: Path) -> None:
    path = tmp_path / "wide.png"
    QImage(3200, 20, QImage.Format.Format_Mono).save(str(path))
    assert darkness_of(path).shape == (10, 1600)


def png_of(width: int, height: int) -> bytes:
    """The beginning of a PNG file of this size."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    check = struct.pack(">I", zlib.crc32(head))
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + check + b"\0\0\0\1IDAT"


def test_pictures_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "picture.pbm"
    for data, why in (
        (b"", "it is empty"),
        (b"hello", "no picture that can be read"),
        (png_of(20_000, 9_000), "20,000 × 9,000 pixels"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no picture that can be read"),
    ):
        path.write_bytes(data)
        with pytest.raises(PictureError, match=why):
            darkness_of(path)
    pipe = tmp_path / "pipe.png"
    make_pipe(pipe)
    with pytest.raises(PictureError, match="device or a pipe"):
        darkness_of(pipe)
    whole = tmp_path / "whole.png"
    QImage(90, 90, QImage.Format.Format_RGB32).save(str(whole))
    path.write_bytes(whole.read_bytes()[:100])
    with pytest.raises(PictureError, match="cannot be read"):
        darkness_of(path)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "BMP", "GIF", "WEBP", "TIFF", "PPM"])
def test_a_damaged_picture_is_read_or_refused(form: str, tmp_path: Path) -> None:
    path = tmp_path / "picture"
    shades = np.random.default_rng(1).integers(0, 256, (40, 50, 3), np.uint8)
    Image.fromarray(shades).save(path, form)
    whole = path.read_bytes()
    draws = random.Random(2)
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(draws.choice((1, 8))):
            data[draws.randrange(draws.choice((40, len(data))))] = draws.randrange(256)
        path.write_bytes(data[: draws.choice((len(data), draws.randrange(8, len(data))))])
        with suppress(PictureError):
            found = darkness_of(path)
            assert (found >= 0).all()
            assert (found <= 1).all()


def test_shades_of_sixteen_bits(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    Image.fromarray(np.array([[0, 0x8000, 0xFFFF]], np.uint16)).save(path)
    assert np.allclose(darkness_of(path), [[1, 0.5, 0]], atol=0.01)


def test_a_picture_that_cannot_be_written_says_why() -> None:
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    with pytest.raises(OSError, match="No space left"):
        save_png(image, Path("/dev/full"))
    with pytest.raises(OSError, match="cannot be made a PNG"):
        save_png(QImage(), Path("/dev/null"))
