"""A choice between a few options, all of them visible."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from views.widgets.buttons import make_button
from views.widgets.layouts import fill


class OptionButtons(QWidget):
    """Buttons side by side, of which exactly one is pressed; the text of each by its key."""

    chosen = Signal(str)  # key of the button that the user pressed

    def __init__(self, options: dict[str, str], tip: str) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        layout = fill(QHBoxLayout(self), spacing=0)
        for key, text in options.items():
            button = make_button("segment", text, tip)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self.buttons[key] = button
            layout.addWidget(button)
        next(iter(self.buttons.values())).setChecked(True)

    @property
    def value(self) -> str:
        """Key of the pressed button."""
        return next(key for key, button in self.buttons.items() if button.isChecked())
