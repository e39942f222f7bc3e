"""Layouts: rows and columns in one call, and a row that breaks where there is no room."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QBoxLayout, QFrame, QLayout, QLayoutItem, QScrollArea, QWidget

Box = TypeVar("Box", bound=QBoxLayout)

Part = QWidget | QLayout  # what a layout holds

_FRAME = QMargins(8, 32, 8, 8)  # pixels that a window's frame and title may take
_FLOW_GAP = 5  # pixels between the widgets of a flow layout, and between its rows


def fill(
    box: Box,
    *parts: Part | tuple[Part, int] | int,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    spacing: int | None = None,
) -> Box:
    """Add ``parts`` to a row or column, and return it.

    With a part, a number is its share of the free room, by default 0; alone it is a gap in pixels.
    ``margins`` are pixels at the left, at the top, at the right and at the bottom.
    """
    box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            box.addSpacing(part)
            continue
        item, share = part if isinstance(part, tuple) else (part, 0)
        if isinstance(item, QLayout):
            box.addLayout(item, share)
        else:
            box.addWidget(item, share)
    return box


def rows_for(widths: Sequence[int], room: int) -> int:
    """Return how many rows a flow layout of this width needs for widgets of these ``widths``."""
    rows, x = 1, 0
    for width in widths:
        if x and x + width > room:
            rows, x = rows + 1, 0
        x += width + _FLOW_GAP
    return rows


def put_in_order(*widgets: QWidget) -> None:
    """Let Tab go from each of these widgets to the next one."""
    for before, after in itertools.pairwise(widgets):
        QWidget.setTabOrder(before, after)


def resize_within_screen(window: QWidget, width: int, height: int) -> None:
    """Give a window this size, or as much of it as its screen has room for.

    It can be made no larger by its least size. A dialog comes over its parent; where the desktop
    has several screens, another window may come on any of them.
    """
    screens = [window.screen()] if window.parentWidget() else QGuiApplication.screens()
    size = QSize(width, height)
    for screen in screens:
        size = size.boundedTo(screen.availableGeometry().marginsRemoved(_FRAME).size())
    window.setMinimumSize(window.minimumSize().boundedTo(size))
    window.resize(size)


def keep_within_screen(window: QWidget) -> None:
    """Make a window that is not shown yet no larger than its screen has room for, and move it."""
    room, inner = window.screen().availableGeometry().marginsRemoved(_FRAME), window.geometry()
    inner.setSize(inner.size().boundedTo(room.size()))
    inner.moveRight(min(inner.right(), room.right()))
    inner.moveBottom(min(inner.bottom(), room.bottom()))
    inner.moveLeft(max(inner.left(), room.left()))
    inner.moveTop(max(inner.top(), room.top()))
    window.setGeometry(inner)


class Wrapping(QWidget):
    """A part of a splitter or a scrolled page, which do not see that lines wrap.

    It asks for the height of its lines here.
    """

    def heightForWidth(self, width: int) -> int:
        """Return the least height: a scrolled page would get what its parts would like."""
        layout = self.layout()
        return layout.minimumHeightForWidth(width) if layout else -1

    def event(self, event: QEvent) -> bool:
        """Ask for the height that the layout needs at this width, and with these texts."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setMinimumHeight(max(0, self.heightForWidth(self.width())))
        return super().event(event)


def scrolled(page: QWidget) -> QScrollArea:
    """Return an area without a frame that scrolls ``page`` up and down, and takes no keys."""
    page.setProperty("role", "page")
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area


class FlowLayout(QLayout):
    """Places its widgets from left to right, in as many rows as they need.

    Those that ``stretch`` fill the rows; they are as wide in a row that is not full.
    """

    def __init__(self, *widgets: QWidget, stretch: bool = False) -> None:
        super().__init__()
        self._stretch = stretch
        self._items: list[QLayoutItem] = []
        self._heights: dict[int, int] = {}  # by width; layouts around ask again and again
        self.setContentsMargins(0, 0, 0, 0)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        """Append ``item``."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return item ``index``, or None beyond the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return item ``index``, or None beyond the last."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return no direction: rows take what they need."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: a narrow layout is a tall one."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all rows at ``width``."""
        if width not in self._heights:
            self._heights[width] = self._place(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def invalidate(self) -> None:
        """Forget what was computed of the widgets."""
        self._heights.clear()
        super().invalidate()

    def setGeometry(self, rectangle: QRect) -> None:
        """Place the items in ``rectangle``."""
        super().setGeometry(rectangle)
        self._place(rectangle, move=True)

    def sizeHint(self) -> QSize:
        """Return the size of all items in one row."""
        sizes = [item.sizeHint() for item in self._items]
        width = sum(size.width() for size in sizes) + _FLOW_GAP * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        """Return the size of the widest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, area: QRect, *, move: bool) -> int:
        """Return the height of all rows; with ``move`` put each item in the middle of its row."""
        y, rows = area.y(), self._rows(area.width())
        wider = 0
        if self._stretch and rows:
            usual = max(size.width() for row in rows for _, size in row) + _FLOW_GAP
            columns = max(1, (area.width() + _FLOW_GAP) // usual)
            wider = max(0, (area.width() + _FLOW_GAP - columns * usual) // columns)
        for row in rows:
            x, height = area.x(), max(size.height() for _, size in row)
            for item, hint in row:
                size = hint + QSize(wider, 0)
                if move:
                    item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                x += size.width() + _FLOW_GAP
            y += height + _FLOW_GAP
        return max(0, y - _FLOW_GAP - area.y())

    def _rows(self, width: int) -> list[list[tuple[QLayoutItem, QSize]]]:
        """Return what is in each row, and how large it is."""
        rows: list[list[tuple[QLayoutItem, QSize]]] = []
        x = 0
        for item in self._items:
            widget = item.widget()
            if widget is not None and widget.isHidden():
                continue
            size = item.sizeHint()
            if not rows or x + size.width() > width:
                rows.append([])
                x = 0
            rows[-1].append((item, size))
            x += size.width() + _FLOW_GAP
        return rows
