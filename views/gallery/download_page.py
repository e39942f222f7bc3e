"""Published instances: which there are, and their way here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QProgressBar,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from views.widgets.buttons import make_button
from views.widgets.formats import whole
from views.widgets.labels import make_label, set_role
from views.widgets.layouts import fill

_COLUMNS = "Name", "Size", "Collection", "Here"
_HINT = "Choose one or several. Enter or a double click fetches an instance, or opens it if here."


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """An instance that can be fetched."""

    name: str
    n: int | None  # cities or vertices
    places: str  # which of both
    collection: str
    here: bool  # whether it has been fetched


class _Number(QTableWidgetItem):
    """A cell that is sorted by its number."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number

    def __lt__(self, other: QTableWidgetItem) -> bool:
        return isinstance(other, _Number) and self.number < other.number


class _Table(QTableWidget):
    """A list whose Enter key acts as a double click does."""

    entered = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)


class DownloadPage(QWidget):
    """A list with a search, and the progress of what is being fetched."""

    fetch_wanted = Signal(object)  # list of names
    open_wanted = Signal(str)  # name of an instance that is here
    cancel_wanted = Signal()
    shown = Signal()  # the page has come into sight

    def __init__(self) -> None:
        super().__init__()
        self.search = QLineEdit(placeholderText="Search by name, size or collection …")
        self.search.setAccessibleName("Search for an instance")
        self.search.setClearButtonEnabled(True)
        for button in self.search.findChildren(QToolButton):
            button.setToolTip("Clear the search")
        self.table = _Table(0, len(_COLUMNS))
        self.table.setAccessibleName("Published instances")
        self.table.setHorizontalHeaderLabels(list(_COLUMNS))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.table.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.fetch_button = make_button("start", "Download", "Fetch what is chosen in the list")
        self.open_button = make_button("", "Open", "Open the chosen instance")
        self.cancel_button = make_button("", "Cancel", "Give up what is being fetched")
        self.bar = QProgressBar(maximum=1000, textVisible=False)
        self.bar.setAccessibleName("How much is downloaded")
        self.state = make_label("note", _HINT, wrap=True)
        self._busy = False
        buttons = self.fetch_button, self.open_button, self.cancel_button
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        top = fill(QHBoxLayout(), (self.search, 1), *buttons, spacing=6)
        fill(
            QVBoxLayout(self),
            top,
            (self.table, 1),
            self.bar,
            self.state,
            margins=(2, 2, 2, 6),
            spacing=6,
        )
        self._connect()
        self._enable()

    @property
    def chosen(self) -> list[str]:
        """The names of the chosen rows that are in sight."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        return [self._name(row) for row in rows if not self.table.isRowHidden(row)]

    def show_rows(self, rows: Sequence[PublishedRow]) -> None:
        """List these instances; those that are chosen stay so."""
        chosen = set(self.chosen)
        self.table.setSortingEnabled(False)
        self.table.setRowCount(len(rows))
        for at, row in enumerate(rows):
            size = "" if row.n is None else f"{whole(row.n)} {row.places}"
            cells = (
                QTableWidgetItem(row.name),
                _Number(row.n or 0, size),
                QTableWidgetItem(row.collection),
                QTableWidgetItem("yes" if row.here else ""),
            )
            for column, cell in enumerate(cells):
                self.table.setItem(at, column, cell)
        self.table.setSortingEnabled(True)
        select = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for at in range(len(rows)):
            if self._name(at) in chosen:
                self.table.selectionModel().select(self.table.model().index(at, 0), select)
        self._filter()

    def show_work(self, text: str, share: float | None = None) -> None:
        """Say what is being fetched, and which share of it is here; nothing for the end of it."""
        self._busy = bool(text)
        if text:
            self.tell(text)
        self.bar.setMaximum(0 if share is None and text else 1000)
        self.bar.setValue(round(1000 * (share or 0.0)))
        self._enable()

    def tell(self, text: str, role: Literal["note", "problem"] = "note") -> None:
        """Show one sentence below the list."""
        set_role(self.state, role)
        self.state.setText(text)

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that the list is looked at."""
        super().showEvent(event)
        self.shown.emit()

    def _connect(self) -> None:
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._first)
        self.table.itemSelectionChanged.connect(self._enable)
        self.table.entered.connect(self._act)
        self.table.itemDoubleClicked.connect(lambda _: self._act())
        self.fetch_button.clicked.connect(lambda: self.fetch_wanted.emit(self._away()))
        self.open_button.clicked.connect(self._open)
        self.cancel_button.clicked.connect(self.cancel_wanted)

    def _name(self, row: int) -> str:
        item = self.table.item(row, 0)
        return "" if item is None else item.text()

    def _is_here(self, name: str) -> bool:
        rows = range(self.table.rowCount())
        cell = next((self.table.item(row, 3) for row in rows if self._name(row) == name), None)
        return cell is not None and bool(cell.text())

    def _away(self) -> list[str]:
        return [name for name in self.chosen if not self._is_here(name)]

    def _filter(self) -> None:
        """Show the rows that have all words of the search."""
        words = self.search.text().casefold().split()
        for row in range(self.table.rowCount()):
            cells = (self.table.item(row, column) for column in range(len(_COLUMNS)))
            text = " ".join(cell.text() for cell in cells if cell is not None).casefold()
            text += text.replace("\u202f", "")  # 85900 is found too
            self.table.setRowHidden(row, not all(word in text for word in words))
        self._enable()

    def _first(self) -> None:
        """Go from the search to the first row that it has found."""
        rows = range(self.table.rowCount())
        row = next((row for row in rows if not self.table.isRowHidden(row)), None)
        if row is not None:
            self.table.selectRow(row)
            self.table.setFocus()

    def _act(self) -> None:
        """Fetch what is chosen; open it if it is here."""
        if self._busy:
            return
        if away := self._away():
            self.fetch_wanted.emit(away)
        else:
            self._open()

    def _open(self) -> None:
        here = [name for name in self.chosen if self._is_here(name)]
        if len(here) == 1:
            self.open_wanted.emit(here[0])

    def _enable(self) -> None:
        here = [name for name in self.chosen if self._is_here(name)]
        self.fetch_button.setEnabled(bool(self._away()) and not self._busy)
        self.open_button.setEnabled(len(here) == 1 and len(self.chosen) == 1)
        self.cancel_button.setEnabled(self._busy)
        self.bar.setVisible(self._busy)
