"""The runs as a table: sorted, filtered, and with texts that the user may write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor

from gpu.run.log.archive import RunRow
from gpu.run.log.notes import LONGEST, Note
from views.runs.run_columns import COLUMNS, NAME, NOTE, PLACES, STAR, role_of
from views.widgets.labels import plain_tip
from views.widgets.theme import DARK, Theme

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
# Looked up once: a table asks for thousands of cells, and an enumeration is slow to ask.
_DISPLAY, _EDIT = int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.EditRole)
_TIP, _ALIGNMENT = int(Qt.ItemDataRole.ToolTipRole), int(Qt.ItemDataRole.TextAlignmentRole)
_COLOUR, _SPOKEN = int(Qt.ItemDataRole.ForegroundRole), int(Qt.ItemDataRole.AccessibleTextRole)
_SHOWN = {_DISPLAY, _EDIT, _TIP, _ALIGNMENT, _COLOUR, _SPOKEN}  # a cell has nothing else
_PLAIN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_FLAGS = [
    _PLAIN | Qt.ItemFlag.ItemIsEditable if column.title in (NAME, NOTE) else _PLAIN
    for column in COLUMNS
]
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RunTableModel(QAbstractTableModel):
    """The rows that match a filter, in the order of one column."""

    noted = Signal(object)  # a RunRow with what the user has written about it

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.all: list[RunRow] = []  # the latest run first
        self.rows: list[RunRow] = []  # those that are shown, in their order
        self._words = ""
        self._column, self._order = PLACES["Started"], Qt.SortOrder.DescendingOrder
        self._theme = DARK
        self._colours: dict[str, QColor] = {}
        self._texts: dict[Path, tuple[RunRow, list[str]]] = {}  # made once: painting asks often

    def texts(self, row: RunRow) -> list[str]:
        """Return what the cells of a row say."""
        known = self._texts.get(row.run.path)
        if known is None or known[0] is not row:
            known = self._texts[row.run.path] = row, [column.text(row) for column in COLUMNS]
        return known[1]

    def text(self, at: int, place: int) -> str:
        """Return what the cell in the column ``place`` of a row that is shown says."""
        return self.texts(self.rows[at])[place]

    def colour(self, at: int, place: int) -> QColor:
        """Return the colour of that text."""
        name = role_of(self.rows[at], COLUMNS[place])
        if name not in self._colours:
            self._colours[name] = self._theme.colour(name)
        return self._colours[name]

    def show_rows(self, rows: Sequence[RunRow]) -> None:
        """Show other rows."""
        self.all = list(rows)
        self._texts.clear()
        self._arrange()

    def update_row(self, row: RunRow) -> None:
        """Show the new state of a run, where its row is now; add one for a new run."""
        path = row.run.path
        places = [at for at, one in enumerate(self.all) if one.run.path == path]
        if not places:
            self.all.insert(0, row)
            self._arrange()
            return
        self.all[places[0]] = row
        for at, one in enumerate(self.rows):
            if one.run.path == path:
                self.rows[at] = row
                self.dataChanged.emit(self.index(at, 0), self.index(at, len(COLUMNS) - 1))

    def filter(self, words: str) -> None:
        """Show only rows that match ``words``."""
        if words != self._words:
            self._words = words
            self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by ``column``."""
        self._column, self._order = column, order
        self._arrange()

    def row_of(self, path: Path) -> RunRow | None:
        """Return the row of the log at ``path``, shown or not."""
        return next((row for row in self.all if row.run.path == path), None)

    def place_of(self, path: Path) -> int | None:
        """Return the row of the log at ``path``, if it is shown."""
        return next((at for at, row in enumerate(self.rows) if row.run.path == path), None)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        self._colours.clear()
        if self.rows:
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(self.rows) - 1, len(COLUMNS) - 1)
            )

    def toggle_stars(self, rows: Sequence[RunRow]) -> None:
        """Star ``rows``, or take the stars away if all of them have one."""
        starred = not all(row.note.starred for row in rows)
        for row in rows:
            self._note(row, replace(row.note, starred=starred))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Return how many rows are shown."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """Return what a cell shows."""
        if role not in _SHOWN:
            return None
        row, place = self.rows[index.row()], index.column()
        column = COLUMNS[place]
        if role in (_DISPLAY, _EDIT):
            return self.text(index.row(), place)
        if role == _TIP:
            return plain_tip(column.tip(row) or self.texts(row)[place])
        if role == _ALIGNMENT and column.number:
            return _RIGHT
        if role == _COLOUR:
            return self.colour(index.row(), place)
        if role == _SPOKEN and column.title == STAR:
            return "starred" if row.note.starred else "not starred"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Return the heading of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        if role == _ALIGNMENT and column.number:
            return _RIGHT
        return column.title if role == _DISPLAY else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the user write names and notes."""
        return _FLAGS[index.column()] if index.isValid() else _PLAIN

    def setData(self, index: Index, value: Any, role: int = _EDIT) -> bool:
        """Take what the user has written."""
        row, title = self.rows[index.row()], COLUMNS[index.column()].title
        if role != _EDIT or title not in (NAME, NOTE):
            return False
        text = " ".join(str(value).split())[:LONGEST]
        changed = replace(row.note, name=text) if title == NAME else replace(row.note, note=text)
        if changed != row.note:
            self._note(row, changed)
        return True

    def _note(self, row: RunRow, note: Note) -> None:
        changed = RunRow(row.run, note)
        self.update_row(changed)
        self.noted.emit(changed)

    def _arrange(self) -> None:
        """Filter and sort anew."""
        self.beginResetModel()
        order = COLUMNS[self._column].order
        keyed = [(order(row), row) for row in self.all if row.matches(self._words)]
        known = [pair for pair in keyed if pair[0] is not None]
        backwards = self._order is Qt.SortOrder.DescendingOrder
        # Keys of one column are of one type, which mypy cannot know.
        known.sort(key=lambda pair: pair[0], reverse=backwards)  # type: ignore[arg-type, return-value]
        self.rows = [row for _, row in known] + [row for key, row in keyed if key is None]
        self.endResetModel()
