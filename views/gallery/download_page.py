"""Published instances: which there are, and their way here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.core.formats import whole
from gpu.core.tables import Column
from views.widgets.controls import make_button
from views.widgets.labels import make_label, set_role
from views.widgets.layouts import fill
from views.widgets.table import ColumnTable, TableModel

_DOWNLOAD_HINT = (
    "Choose one or several. Enter or a double click fetches an instance, or opens it if here."
)


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """An instance that can be fetched."""

    name: str
    n: int | None  # cities or vertices
    places: str  # which of both
    collection: str
    here: bool  # whether it has been fetched


COLUMNS: Sequence[Column[PublishedRow]] = (
    Column("Name", lambda row: row.name),
    Column(
        "Size",
        lambda row: None if row.n is None else f"{whole(row.n)} {row.places}",
        order=lambda row: row.n,
    ),
    Column("Collection", lambda row: row.collection),
    Column("Here", lambda row: "yes" if row.here else ""),
)


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
        self.table: ColumnTable[PublishedRow] = ColumnTable(
            "Published instances", TableModel(lambda row: row.name, unknown="")
        )
        self.table.stretched = True
        self.table.show_rows(COLUMNS, ())
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.fetch_button = make_button("start", "Download", "Fetch what is chosen in the list")
        self.open_button = make_button("", "Open", "Open the chosen instance")
        self.cancel_button = make_button("", "Cancel", "Give up what is being fetched")
        self.bar = QProgressBar(maximum=1000, textVisible=False)
        self.bar.setAccessibleName("How much is downloaded")
        self.state = make_label("note", _DOWNLOAD_HINT, wrap=True)
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
        return [row.name for row in self.table.selected]

    def show_rows(self, rows: Sequence[PublishedRow]) -> None:
        """List these instances; those that are chosen stay so."""
        self.table.show_rows(COLUMNS, rows)
        self._enable()

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
        self.table.chosen.connect(self._enable)
        self.table.entered.connect(self._act)
        self.table.doubleClicked.connect(lambda _: self._act())
        self.fetch_button.clicked.connect(lambda: self.fetch_wanted.emit(self._away()))
        self.open_button.clicked.connect(self._open)
        self.cancel_button.clicked.connect(self.cancel_wanted)

    def _away(self) -> list[str]:
        return [row.name for row in self.table.selected if not row.here]

    def _filter(self) -> None:
        """Show the rows that have all words of the search."""
        words, model = self.search.text().casefold().split(), self.table.content

        def matches(row: PublishedRow) -> bool:
            text = " ".join(model.texts(row)).casefold()
            text += text.replace("\u202f", "")  # 85900 is found too
            return all(word in text for word in words)

        model.filter(matches)

    def _first(self) -> None:
        """Go from the search to the first row that it has found."""
        if self.table.content.rows:
            self.table.selectRow(0)
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
        here = [row.name for row in self.table.selected if row.here]
        if len(here) == 1:
            self.open_wanted.emit(here[0])

    def _enable(self) -> None:
        here = [row.name for row in self.table.selected if row.here]
        self.fetch_button.setEnabled(bool(self._away()) and not self._busy)
        self.open_button.setEnabled(len(here) == 1 and len(self.chosen) == 1)
        self.cancel_button.setEnabled(self._busy)
        self.bar.setVisible(self._busy)
