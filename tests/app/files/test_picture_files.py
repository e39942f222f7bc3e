from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.files.picture_files import save_png


def test_a_picture_that_cannot_be_written_says_why() -> None:
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    with pytest.raises(OSError, match="No space left"):
        save_png(image, Path("/dev/full"))
    with pytest.raises(OSError, match="cannot be made a PNG"):
        save_png(QImage(), Path("/dev/null"))
