"""A field for one number."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from views.setup.field import Field


class NumberField(Field):
    """A line to write a number in."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self.entry = _Entry()
        super().__init__(name, self.entry, parent)
        self.entry.setAcceptDrops(False)  # a dropped file belongs to the window
        self.entry.textEdited.connect(lambda _: self.changed.emit())
        self.entry.setMinimumWidth(64)

    @property
    def text(self) -> str:
        """The text of the entry, without blanks around it."""
        return self.entry.text().strip()

    @text.setter
    def text(self, text: str) -> None:
        self.entry.setText(text)
        self.entry.setCursorPosition(0)  # shows the beginning of a long number

    def show_automatic(self, text: str) -> None:
        """Show the automatic value in the empty entry."""
        self.entry.setPlaceholderText(text)


class _Entry(QLineEdit):
    """A line whose number can be changed with the arrow keys."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Change the number with the keys ↑ and ↓."""
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
