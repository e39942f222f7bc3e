"""A tour of a window: a sentence beside one part after the other, and all else is dimmed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMainWindow, QScrollArea, QVBoxLayout, QWidget

from views.widgets.controls import make_button
from views.widgets.labels import make_label, native_keys
from views.widgets.layouts import fill

_WIDTH = 320  # pixels of the sentence
_GAP, _AROUND, _ROUND = 10, 3, 8  # pixels from a part to its sentence and frame; a corner's radius
_DIMMED = 0.62


@dataclass(frozen=True, slots=True)
class WindowStep:
    """A part of the window, and a sentence on it."""

    part: QWidget
    sentence: str
    show: Callable[[], object]  # brings the part into sight


class WindowTour(QWidget):
    """Lies over a window until it is left: by its end, Esc, a click elsewhere or a button.

    Keys do nothing else meanwhile. A part that is not in sight has its sentence in the middle.
    """

    left = Signal()

    def __init__(self, window: QMainWindow, steps: Sequence[WindowStep]) -> None:
        super().__init__(window)
        self._window, self._steps = window, steps
        self.place = 0  # the step in sight, counted from 0
        self._focus = window.focusWidget()
        self.bubble = _Bubble()
        self.bubble.setParent(self)
        self.count = make_label("heading")
        self.sentence = make_label("", wrap=True)
        self.leave_button = make_button("", "Leave", "Leave the tour (Esc)", self.leave)
        self.back_button = make_button("", "Back", "The step before (←)", lambda: self.go(-1))
        self.next_button = make_button("", "Next", "The next step (→)", lambda: self.go(1))
        self._buttons = self.leave_button, self.back_button, self.next_button
        for button in self._buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.installEventFilter(self)
        row = fill(QHBoxLayout(), self.leave_button, (QWidget(), 1), *self._buttons[1:], spacing=6)
        parts = self.count, self.sentence, row
        fill(QVBoxLayout(self.bubble), *parts, margins=(14, 10, 14, 12), spacing=8)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._put)
        window.installEventFilter(self)

    def begin(self) -> None:
        """Show the first step."""
        self.show()
        self.raise_()
        self._show_step()

    def go(self, steps: int) -> None:
        """Go on by so many steps; the end follows the last one."""
        if self.place + steps >= len(self._steps):
            self.leave()
        else:
            self.place = max(0, self.place + steps)
            self._show_step()

    def leave(self) -> None:
        """End the tour."""
        self._window.removeEventFilter(self)
        self.hide()
        self.deleteLater()
        self.left.emit()
        if self._focus is not None and self._focus.isVisible():
            self._focus.setFocus()

    def _show_step(self) -> None:
        step = self._steps[self.place]
        step.show()
        inside = step.part.parentWidget()
        while inside is not None:
            if isinstance(inside, QScrollArea):
                inside.ensureWidgetVisible(step.part)
            inside = inside.parentWidget()
        last = self.place + 1 == len(self._steps)
        self.count.setText(f"{self.place + 1} OF {len(self._steps)}")
        self.sentence.setText(native_keys(step.sentence))
        self.next_button.setText("Done" if last else "Next")
        self.next_button.setToolTip("Leave the tour" if last else "The next step (→)")
        self.next_button.setAccessibleDescription(self.sentence.text())
        self.back_button.setEnabled(self.place > 0)
        self.next_button.setFocus()
        self._put()
        self._soon.start()  # layouts that are due may move the part

    @property
    def target(self) -> QRect:
        """Where the part of this step is in the window; empty while it is out of sight."""
        part = self._steps[self.place].part
        if not part.isVisibleTo(self._window):
            return QRect()
        area = QRect(part.mapTo(self._window, QPoint(0, 0)), part.size())
        return area.intersected(self.rect())

    def _put(self) -> None:
        """Cover the window, and put the sentence where there is room beside its part."""
        self.setGeometry(self._window.rect())
        room = self.rect().adjusted(_GAP, _GAP, -_GAP, -_GAP)
        width = min(_WIDTH * self.fontMetrics().height() // 14, room.width())
        layout = self.bubble.layout()
        assert layout is not None
        size = QRect(0, 0, width, layout.totalHeightForWidth(width))
        part = self.target
        size.moveCenter(part.center() if not part.isEmpty() else room.center())
        if not part.isEmpty():
            below, above = part.bottom() + _GAP + size.height(), part.top() - _GAP - size.height()
            right, before = part.right() + _GAP + width, part.left() - _GAP - width
            if below <= room.bottom():
                size.moveTop(part.bottom() + _GAP)
            elif right <= room.right():
                size.moveLeft(part.right() + _GAP)
            elif before >= room.left():
                size.moveRight(part.left() - _GAP)
            elif above >= room.top():
                size.moveBottom(part.top() - _GAP)
        size.moveLeft(max(room.left(), min(size.left(), room.right() - width)))
        size.moveTop(max(room.top(), min(size.top(), room.bottom() - size.height())))
        self.bubble.setGeometry(size)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim all but the part."""
        frame = QRectF(self.target.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND))
        dimmed, bright = QPainterPath(), QPainterPath()
        dimmed.addRect(QRectF(self.rect()))
        if not self.target.isEmpty():
            bright.addRoundedRect(frame, _ROUND, _ROUND)
        shade = self.palette().window().color().darker(160)
        shade.setAlphaF(_DIMMED)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillPath(dimmed.subtracted(bright), shade)
            painter.setPen(QPen(self.palette().highlight().color(), 2))
            painter.drawPath(bright)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Leave by a click elsewhere."""
        self.leave()

    def event(self, event: QEvent) -> bool:
        """Let no key of the window do anything."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by the arrows, leave by Esc."""
        self._take_key(event.key())

    def _take_key(self, key: int) -> bool:
        """Do what a key says; return whether it says anything."""
        if key == Qt.Key.Key_Escape:
            self.leave()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.go(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = [one for one in self._buttons if one.hasFocus()]
            (focused or [self.next_button])[0].click()
        else:
            return False
        return True

    def focusNextPrevChild(self, next: bool) -> bool:
        """Stay among the tour's own buttons."""
        able = [one for one in self._buttons if one.isEnabled()]
        focused = [place for place, one in enumerate(able) if one.hasFocus()]
        place = focused[0] + (1 if next else -1) if focused else 0
        able[place % len(able)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size; take keys that a button would take."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return watched is not self._window and self._take_key(event.key())
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._soon.start()
        return False


class _Bubble(QFrame):
    """What a step says. A click on it does not leave the tour."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "explanation")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the click."""
        event.accept()
