"""The widget in which plots and maps are drawn."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsView, QWidget


def graphics_in(parent: QWidget) -> Any:
    """Return a widget of pyqtgraph's, which fills all its pixels with its own background.

    Its background is neither a picture nor drawn over that of the window: in a file of vectors,
    whose colours may be others, the window's would be seen around the picture.
    """
    graphics: Any = pg.GraphicsView(parent)
    graphics.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
    graphics.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
    return graphics
