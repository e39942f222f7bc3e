"""Buttons that leave their texts out where there is no room for them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget


def fit_texts(row: QWidget, buttons: Sequence[QToolButton]) -> None:
    """Show ``buttons`` with their texts if all of ``row`` fits into its width, else as icons.

    A text of which nothing but "…" is left says less than the icon alone.
    """
    layout = row.layout()
    assert layout is not None
    for style in (
        Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
        Qt.ToolButtonStyle.ToolButtonIconOnly,
    ):
        for button in buttons:
            button.setToolButtonStyle(style)
        layout.invalidate()
        if layout.minimumSize().width() <= row.width():
            return
