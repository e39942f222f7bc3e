"""The values of a view's pictures as tables, in a window beside it."""

from __future__ import annotations

from operator import itemgetter

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from gpu.core.formats import number_of
from views.setup.fields import ChoiceBox
from views.widgets.controls import make_button
from views.widgets.labels import make_label
from views.widgets.layouts import fill, resize_within_screen
from views.widgets.table import ColumnTable, TableModel
from views.widgets.theme import Theme
from views.widgets.values import Row, ValueTable
from views.widgets.view import View

_SIZE = 560, 480  # pixels at most
_NOTHING = "There are no values yet: start a run (Space), then press Newest values."


class ValueCells(ColumnTable[tuple[int, Row]]):
    """The table. What is copied of it are the numbers as they are, to go on with."""

    def __init__(self) -> None:
        super().__init__("Values", TableModel(itemgetter(0)))
        self.source: ValueTable | None = None

    def show_table(self, table: ValueTable | None) -> None:
        """Show another table, or none."""
        self.source = table
        self.setAccessibleName("Values" if table is None else table.title)
        if table is None:
            self.show_rows((), ())
        else:
            self.show_rows(table.columns(), list(enumerate(table.rows)))

    def copy(self) -> None:
        """Copy the selected rows, or all if none is selected, as lines with tabs."""
        if self.source is not None:
            rows = [row for _, row in self.selected or self.content.rows]
            text = ValueTable("", self.source.headings, rows, ()).text()
            QGuiApplication.clipboard().setText(text)


class ValuesDialog(QDialog):
    """A table for each picture of a view. It stays as it is until the newest values are wanted."""

    def __init__(self, parent: QWidget, view: View, theme: Theme) -> None:
        super().__init__(parent)
        self._view = view
        self.setWindowTitle(f"Values of {view.title}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.choice = ChoiceBox(24, "Table", "Which of the view's pictures")
        self.cells = ValueCells()
        self.cells.apply_theme(theme)
        self.note = make_label("note", wrap=True)
        self.newest = make_button("", "Newest values", "Show what the view shows now", self.refresh)
        self.copy_button = make_button(
            "", "Copy", "Copy the table, to paste it into a spreadsheet", self.cells.copy
        )
        self.close_button = make_button("", "Close", "Close this window (Esc)", self.reject)
        self.choice.currentIndexChanged.connect(lambda _: self._show())
        row = fill(QHBoxLayout())
        row.addStretch(1)
        fill(row, self.newest, self.copy_button, self.close_button)
        parts = self.choice, (self.cells, 1), self.note, row
        fill(QVBoxLayout(self), *parts, margins=(12, 12, 12, 12), spacing=8)
        self._tables: list[ValueTable] = []
        self.refresh()
        wide, tall = _SIZE
        resize_within_screen(self, min(wide, parent.width() - 40), min(tall, parent.height() - 40))
        self.cells.setFocus()

    def refresh(self) -> None:
        """Take the values that the view shows now."""
        chosen = self.choice.currentText()
        self._tables = self._view.values()
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItems([table.title for table in self._tables])
            self.choice.setCurrentIndex(max(0, self.choice.findText(chosen)))
        self.choice.setVisible(len(self._tables) > 1)
        self._show()

    def _show(self) -> None:
        at = self.choice.currentIndex()
        table = self._tables[at] if 0 <= at < len(self._tables) else None
        self.cells.show_table(table)
        self.copy_button.setEnabled(table is not None)
        said = _NOTHING
        if table is not None:
            said = f"{table.title}: {number_of(len(table.rows), 'value')}"
        self.note.setText(said)
