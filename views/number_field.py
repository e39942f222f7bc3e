"""A field for one number that says itself what is wrong with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget


class NumberField(QWidget):
    """An entry with its problem, if there is one, below it.

    Attributes
    ----------
    changed : Signal
        The user changed the text.
    """

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = _Entry(self)
        self.entry.setAcceptDrops(False)  # a dropped file belongs to the window
        self.entry.setAccessibleName(name)
        self.entry.textEdited.connect(lambda _: self.changed.emit())
        self.entry.setMinimumWidth(64)
        self.problem_label = QLabel()
        self.problem_label.setProperty("role", "problem")
        self.problem_label.setWordWrap(True)
        self.problem_label.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        layout.addWidget(self.entry)
        layout.addWidget(self.problem_label)
        self.setFocusProxy(self.entry)

    @property
    def text(self) -> str:
        """What stands in the entry, without blanks around it."""
        return self.entry.text().strip()

    @text.setter
    def text(self, text: str) -> None:
        self.entry.setText(text)
        self.entry.setCursorPosition(0)  # of a number too long for the entry, show the beginning

    @property
    def problem(self) -> str:
        """What is wrong, or nothing."""
        return self.problem_label.text()

    @problem.setter
    def problem(self, text: str) -> None:
        if text == self.problem_label.text():
            return
        self.problem_label.setText(text)
        self.problem_label.setVisible(bool(text))
        self.entry.setProperty("valid", not text)
        self.entry.style().unpolish(self.entry)
        self.entry.style().polish(self.entry)


class _Entry(QLineEdit):
    """A line whose number the arrow keys raise and lower."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step by one unit of the second significant digit, at least by one of a whole number."""
        direction = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if direction is None or not self.text():
            super().keyPressEvent(event)
            return
        stepped = step(self.text(), direction)
        if stepped != self.text():
            self.setText(stepped)
            self.textEdited.emit(stepped)


def step(text: str, direction: int) -> str:
    """Return the number of ``text`` raised or lowered by one in its last written place."""
    text = text.strip()
    try:
        value = float(text)
    except ValueError:
        return text
    if "e" in text.lower() or "n" in text.lower():
        return text
    decimals = len(text.partition(".")[2])
    return f"{value + direction * 10.0**-decimals:.{decimals}f}"
