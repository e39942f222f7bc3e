"""Draws the cells of the list of runs: one line of text each, quickly."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from views.runs.run_columns import COLUMNS
from views.runs.run_model import RunTableModel

PADDING = 9  # pixels at the left and at the right of a text

_ELIDED = Qt.TextElideMode.ElideRight
# Looked up once: a table has hundreds of cells, and an enumeration is slow to ask.
_SELECTED, _FOCUSED = QStyle.StateFlag.State_Selected, QStyle.StateFlag.State_HasFocus


class RunCells(QStyledItemDelegate):
    """Draws a cell itself: a style sheet takes several times as long."""

    def __init__(self, model: RunTableModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._lines: dict[tuple[str, int], tuple[str, int]] = {}  # text that fits, and its width

    def forget(self) -> None:
        """Measure all texts anew: the type is another one."""
        self._lines.clear()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw one cell; the table has drawn what is below it."""
        state = option.state
        place = index.column()
        area: QRect = option.rect
        x, y, width, height = area.x(), area.y(), area.width(), area.height()
        metrics = option.fontMetrics
        text, advance = self._line(self._model.text(index.row(), place), width, metrics)
        if state & _SELECTED:
            painter.fillRect(area, option.palette.highlight())
            painter.setPen(option.palette.color(QPalette.ColorRole.HighlightedText))
        else:
            painter.setPen(self._model.colour(index.row(), place))
        if state & _FOCUSED:
            painter.drawRect(area.adjusted(0, 0, -1, -1))
        if text:
            left = x + (width - PADDING - advance if COLUMNS[place].number else PADDING)
            painter.drawText(left, y + (height + metrics.ascent() - metrics.descent()) // 2, text)

    def _line(self, text: str, width: int, metrics: QFontMetrics) -> tuple[str, int]:
        """Return as much of ``text`` as fits into a cell of this ``width``, and how wide it is."""
        known = self._lines.get((text, width))
        if known is None:
            line = metrics.elidedText(text, _ELIDED, width - 2 * PADDING)
            known = self._lines[text, width] = line, metrics.horizontalAdvance(line)
        return known
