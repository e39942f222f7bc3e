"""The list of all keys."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QVBoxLayout,
    QWidget,
)

from gpu.core.tables import Column
from views.widgets.labels import make_label
from views.widgets.layouts import fill, resize_within_screen
from views.widgets.table import Table, TableModel

_PLOTS = (
    "In a plot: drag to move, turn the wheel to zoom, double-click to see all. "
    "In a number's field: ↑ and ↓ change it."
)
_SIZE = 520, 620  # pixels at most

COLUMNS: Sequence[Column[tuple[str, str]]] = (
    Column("Key", itemgetter(0), mark=lambda _: "bold"),
    Column("What it does", itemgetter(1)),
)


class KeysDialog(QDialog):
    """What each key does, as a table: quick to open, however many keys there are."""

    def __init__(self, parent: QWidget, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.rows = list(keys)  # each key with what it does
        self.table: Table[tuple[str, str]] = Table(
            "Keys, and what they do", TableModel(itemgetter(0, 1))
        )
        self.table.show_rows(COLUMNS, self.rows)
        self.table.horizontalHeader().setStretchLastSection(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        note = make_label("note", _PLOTS, wrap=True)
        fill(QVBoxLayout(self), (self.table, 1), note, buttons, margins=(12, 12, 12, 12), spacing=8)
        wide, tall = _SIZE
        resize_within_screen(self, min(wide, parent.width() - 40), min(tall, parent.height() - 40))
