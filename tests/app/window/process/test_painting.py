"""A window paints without threads of Qt's own."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
from pathlib import Path
from PySide6.QtCore import QLineF
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from app.window.application import qt_application
qt_application()
image = QImage(2000, 1000, QImage.Format.Format_ARGB32_Premultiplied)
with QPainter(image) as painter:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(0, 0, 255, 120), 3))
    for step in range(100):
        painter.drawLine(QLineF(20 * step, 0, 2000 - 20 * step, 1000))
print([one.read_text().strip() for one in Path("/proc/self/task").glob("*/comm")])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it looks at threads as Linux shows them")
def test_no_thread_helps_to_paint() -> None:
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    ).stdout
    assert "Thread (pooled)" not in told
    assert "python" in told
