"""A framed part of the setup panel."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from views.widgets.labels import make_label
from views.widgets.layouts import fill


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
        self._top = fill(QHBoxLayout(), (make_label("heading", title), 1), spacing=4)
        self.column = fill(QVBoxLayout(self), self._top, margins=(10, 5, 10, 7), spacing=4)

    def add_button(self, text: str, tip: str) -> QToolButton:
        """Add a small button beside the heading."""
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setProperty("role", "segment")
        self._top.addWidget(button)
        return button
