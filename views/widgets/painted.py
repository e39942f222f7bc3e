"""The base of widgets that paint themselves."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from views.widgets.theme import DARK, Theme


class PaintedWidget(QWidget):
    """A widget whose ``paintEvent`` uses the colours and the type of a theme."""

    _theme = DARK

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        self.updateGeometry()
        self.update()
