"""Labels in the styles of the window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption


def make_label(role: str, text: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label. ``role`` is its style in ``resources/style/window.qss``, say "heading"."""
    result = QLabel(text, wordWrap=wrap)
    result.setProperty("role", role)
    return result


class ElidedLabel(QLabel):
    """One line of plain text, which ends with an ellipsis if there is no room for all of it."""

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setProperty("role", role)

    def minimumSizeHint(self) -> QSize:
        """Return room for a few letters."""
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw as much as there is room for."""
        option = QStyleOption()
        option.initFrom(self)
        area = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, area.width())
        look = int(self.alignment()), option.palette, self.isEnabled(), text, self.foregroundRole()
        with QPainter(self) as painter:
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
            self.style().drawItemText(painter, area, *look)
