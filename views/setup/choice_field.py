"""A field for one of a few named options, used like the field of a number."""

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
        """Offer ``options``, with the automatic choice at the front.

        Parameters
        ----------
        options : mapping of str to str
            The meaning of each option by its name; it becomes the tool tip. May be empty.
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
        """Show what the automatic choice is."""
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
    """A list as narrow as its place, which ignores the mouse wheel."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel: scrolling must not change a choice."""
        event.ignore()
