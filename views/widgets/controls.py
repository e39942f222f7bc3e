"""Qt's slider and boxes of numbers, as users expect them."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractSpinBox, QSlider, QStyle, QStyleOptionSlider

_INDENT = 6  # pixels: no style sheet moves this text to where that of other entries begins

SpinBox = TypeVar("SpinBox", bound=QAbstractSpinBox)


class Slider(QSlider):
    """A level slider that goes to where it is clicked, as that of a film does."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to where the mouse is; from there the handle can be dragged."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, style = QStyle.ComplexControl.CC_Slider, self.style()
        part = style.subControlRect(control, option, QStyle.SubControl.SC_SliderHandle, self)
        at = event.position().toPoint()
        if event.button() is Qt.MouseButton.LeftButton and not part.contains(at):
            groove = style.subControlRect(control, option, QStyle.SubControl.SC_SliderGroove, self)
            place = at.x() - groove.x() - part.width() // 2
            room = groove.width() - part.width()
            low, high = self.minimum(), self.maximum()
            self.setValue(style.sliderValueFromPosition(low, high, place, room, option.upsideDown))
        super().mousePressEvent(event)


def indented(box: SpinBox) -> SpinBox:
    """Return ``box`` with its text as far from the border as that of other entries."""
    box.lineEdit().setTextMargins(_INDENT, 0, 0, 0)
    return box
