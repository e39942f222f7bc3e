"""Asks what a presentation shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from views.setup.fields import ChoiceBox
from views.widgets.labels import Label
from views.widgets.layouts import fill

_PLACES = "Large", "Upper right", "Lower right"
MOST = len(_PLACES)  # views that are shown at once
_PARTS = {"buttons": "Buttons of the run", "numbers": "Numbers"}


class PresentationDialog(QDialog):
    """One to three views, and what is shown above them; each choice takes effect at once."""

    picked = Signal(list)  # keys of the views
    part_shown = Signal(str, bool)  # "buttons" or "numbers"

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("What the presentation shows")
        self.places = [ChoiceBox(16) for _ in _PLACES]
        self.parts = {name: QCheckBox(text) for name, text in _PARTS.items()}
        self.close_button = QPushButton("Close")
        grid = QGridLayout()
        for row, (name, box) in enumerate(zip(_PLACES, self.places, strict=True)):
            label = Label(name)
            label.setBuddy(box)
            box.setAccessibleName(f"{name} view")
            grid.addWidget(label, row, 0)
            grid.addWidget(box, row, 1)
            box.currentIndexChanged.connect(lambda _: self._pick())
        for name, switch in self.parts.items():
            switch.toggled.connect(lambda on, name=name: self.part_shown.emit(name, on))
        self.close_button.clicked.connect(self.reject)
        self.close_button.setDefault(True)
        last = fill(QHBoxLayout())
        last.addStretch(1)
        last.addWidget(self.close_button)
        column = fill(QVBoxLayout(self), grid, margins=(16, 16, 16, 16), spacing=12)
        for switch in self.parts.values():
            column.addWidget(switch)
        column.addLayout(last)

    def offer(
        self, titles: Mapping[str, str], picked: Sequence[str], parts: Mapping[str, bool]
    ) -> None:
        """Offer the views by key and title; say which are ``picked`` and which parts are shown."""
        for place, box in enumerate(self.places):
            with QSignalBlocker(box):
                box.clear()
                if place:  # one view is always shown
                    box.addItem("Nothing", "")
                for key, title in titles.items():
                    box.addItem(title, key)
                key = picked[place] if place < len(picked) else ""
                box.setCurrentIndex(max(0, box.findData(key)))
        for name, shown in parts.items():
            with QSignalBlocker(self.parts[name]):
                self.parts[name].setChecked(shown)

    def _pick(self) -> None:
        keys = [str(box.currentData()) for box in self.places if box.currentData()]
        self.picked.emit(list(dict.fromkeys(keys)))  # a view can be shown once
