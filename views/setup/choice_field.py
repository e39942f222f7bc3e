"""A field for one of a few named options, with the same face as a number's."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget

from views.setup.field import Field


class ChoiceField(Field):
    """A list to choose from."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self.entry = _Box()
        super().__init__(name, self.entry, parent)
        self.entry.activated.connect(lambda _: self.changed.emit())

    def offer(self, options: Mapping[str, str], automatic: str) -> None:
        """Offer ``options``, each with what it means, and first of all the automatic choice.

        Parameters
        ----------
        options : mapping of str to str
            Name of each option to its meaning, which becomes its tool tip; empty for none.
        automatic : str
            What the automatic choice is; empty where there is none.
        """
        chosen = self.text
        self.entry.clear()
        if automatic:
            self._add("", f"Chosen {automatic}.", f"auto: {automatic}")
        for name, meaning in options.items():
            self._add(name, f"{meaning[:1].upper()}{meaning[1:]}." if meaning else "", name)
        self.text = chosen

    def show_automatic(self, text: str) -> None:
        """Say what the automatic choice comes to."""
        place = self.entry.findData("")
        if place >= 0:
            self.entry.setItemText(place, text)

    @property
    def text(self) -> str:
        """Name of the chosen option; empty where the choice is automatic, or none was made."""
        return str(self.entry.currentData() or "")

    @text.setter
    def text(self, text: str) -> None:
        self.entry.setCurrentIndex(self.entry.findData(text))

    def _add(self, name: str, tip: str, text: str) -> None:
        self.entry.addItem(text, name)
        self.entry.setItemData(self.entry.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)


class _Box(QComboBox):
    """A list as narrow as its place, which leaves the wheel to the panel that it scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Let no choice change on the way."""
        event.ignore()
