"""The small pictures in the cache folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.files import thumbnails
from app.files.thumbnails import Thumbnail, keep

SMALL = Thumbnail(QImage(2, 2, QImage.Format.Format_RGB32), "x", "5 cities", None)


def test_old_pictures_go_and_other_files_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thumbnails, "folder", lambda: tmp_path)
    monkeypatch.setattr(thumbnails, "MOST", 2)
    for number, name in enumerate(("holiday", "1" * 40, "2" * 40)):
        path = tmp_path / f"{name}.png"
        path.write_bytes(b"x")
        os.utime(path, (number, number))
    keep("3" * 40, SMALL)
    found = {path.stem for path in tmp_path.iterdir()}
    assert found == {"holiday", "2" * 40, "3" * 40}
