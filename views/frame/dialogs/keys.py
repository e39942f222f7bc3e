"""The list of all keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from views.widgets.labels import make_label
from views.widgets.layouts import fill, resize_within_screen

_PLOTS = (
    "In a plot: drag to move, turn the wheel to zoom, double-click to see all. "
    "In a number's field: ↑ and ↓ change it."
)
_SIZE = 520, 620  # pixels at most


class KeysDialog(QDialog):
    """What each key does, as a table: quick to open, however many keys there are."""

    def __init__(self, parent: QWidget, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.rows = list(keys)  # each key with what it does
        self.table = table = QTableWidget(len(keys), 2)
        table.setAccessibleName("Keys, and what they do")
        table.setHorizontalHeaderLabels(["Key", "What it does"])
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(2 * self.fontMetrics().height() - 6)
        table.setShowGrid(False)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        bold = self.font()
        bold.setBold(True)
        for row, (key, text) in enumerate(keys):
            item = QTableWidgetItem(key)
            item.setFont(bold)
            table.setItem(row, 0, item)
            table.setItem(row, 1, QTableWidgetItem(text))
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        note = make_label("note", _PLOTS, wrap=True)
        fill(QVBoxLayout(self), (table, 1), note, buttons, margins=(12, 12, 12, 12), spacing=8)
        wide, tall = _SIZE
        resize_within_screen(self, min(wide, parent.width() - 40), min(tall, parent.height() - 40))
