"""A framed part of the setup panel."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout

from views.widgets.controls import make_button
from views.widgets.labels import make_label
from views.widgets.layouts import fill


class Card(QFrame):
    """A frame with a heading, small buttons beside it, and contents below, in ``column``."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._top = fill(QHBoxLayout(), (make_label("heading", title), 1), spacing=4)
        self.column = fill(QVBoxLayout(self), self._top, margins=(10, 5, 10, 7), spacing=4)

    def add_button(self, text: str, tip: str, menu: QMenu | None = None) -> QToolButton:
        """Add a small button beside the heading, which may open a menu."""
        button = make_button("segment", text, tip)
        if menu is not None:
            button.setPopupMode(button.ToolButtonPopupMode.InstantPopup)
            button.setMenu(menu)
        self._top.addWidget(button)
        return button
