"""A framed part of the setup panel."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget


class Card(QFrame):
    """A frame with a heading, small buttons beside it, and contents below.

    Attributes
    ----------
    column : QVBoxLayout
        Where the card's contents go.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        heading = QLabel(title)
        heading.setProperty("role", "heading")
        self._top = QHBoxLayout()
        self._top.setSpacing(4)
        self._top.addWidget(heading, 1)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(10, 5, 10, 7)
        self.column.setSpacing(4)
        self.column.addLayout(self._top)

    def add_button(self, text: str, tip: str) -> QToolButton:
        """Add a small button beside the heading."""
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setProperty("role", "segment")
        self._top.addWidget(button)
        return button


def note() -> QLabel:
    """Return a label for small print that may take several lines."""
    label = QLabel()
    label.setProperty("role", "note")
    label.setWordWrap(True)
    return label
