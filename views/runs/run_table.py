"""The table of runs: selecting, starring, writing in place, and keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QTableView,
    QWidget,
)

from gpu.run.log.archive import RunRow
from views.runs.run_cells import RunCells
from views.runs.run_columns import COLUMNS, NAME, NOTE, PLACES, STAR
from views.runs.run_model import RunTableModel
from views.widgets.theme import Theme

_MEASURED = 60  # rows that decide how wide the columns are
_NARROW = 60  # letters: in a table that is not as wide, colony and seed are hidden

_MENU = (  # name of the wish, its text with the key, and whether it is for one run alone
    ("open", "Open\tEnter", True),
    ("again", "Run again\tR", True),
    ("", "", False),
    ("star", "Star\tS", False),
    ("name", "Rename\tF2", True),
    ("note", "Write a note\tCtrl+F2", True),
    ("copy", "Copy\tCtrl+C", False),
    ("", "", False),
    ("delete", "Delete…\tDel", False),
)


class RunTable(QTableView):
    """Rows of runs, several of which may be selected."""

    opened = Signal(object)  # the RunRow that the user wants to see
    repeated = Signal(object)  # the RunRow that is to be run again
    deleted = Signal(object)  # a list of RunRow
    chosen = Signal()  # other rows are selected
    written = Signal()  # the user writes no more in a cell

    def __init__(self, model: RunTableModel) -> None:
        super().__init__()
        self.runs = model
        self._widths: dict[int, int] = {}  # that were chosen here, by column
        self.setModel(model)
        self._cells = RunCells(model, self)
        self.setItemDelegate(self._cells)
        self.setAccessibleName("Runs")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setMinimumSectionSize(20)
        header.setToolTip("Click to sort")
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setSortingEnabled(True)
        self.sortByColumn(PLACES["Started"], Qt.SortOrder.DescendingOrder)
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._restore)
        model.dataChanged.connect(lambda *_: self._fit())
        self._pressed: Path | None = None  # the run that the mouse was pressed on last
        self._kept: list[Path] = []
        self._at: Path | None = None

    @property
    def edited(self) -> bool:
        """Whether the user is writing in a cell now; other rows would close it."""
        return self.state() is QAbstractItemView.State.EditingState

    @property
    def selected(self) -> list[RunRow]:
        """The selected rows, from top to bottom."""
        chosen = self.selectionModel().selection()  # selectedRows asks for the flags of each cell
        ranges = [chosen.at(number) for number in range(chosen.count())]
        places = {at for one in ranges for at in range(one.top(), one.bottom() + 1)}
        return [self.runs.rows[at] for at in sorted(places)]

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._cells.forget()
        self.runs.apply_theme(theme)
        height = round(QFontMetricsF(theme.font()).height() * 1.5)
        self.verticalHeader().setMinimumSectionSize(height)
        self.verticalHeader().setDefaultSectionSize(height)
        self._widths.clear()
        self._fit()

    def copy(self) -> None:
        """Copy the selected rows, or all if none is selected, as lines with tabs."""
        lines = [[column.title for column in COLUMNS[1:]]]
        lines += [self.runs.texts(row)[1:] for row in self.selected or self.runs.rows]
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in lines))

    def wish(self, name: str) -> None:
        """Do what an entry of the menu stands for, with the selected rows."""
        rows = self.selected
        if name == "copy":
            self.copy()
        elif not rows:
            return
        elif name == "delete":
            self.deleted.emit(rows)
        elif name == "star":
            self.runs.toggle_stars(rows)
        elif name == "open":
            self.opened.emit(rows[0])
        elif name == "again":
            self.repeated.emit(rows[0])
        else:
            at = self.runs.place_of(rows[0].run.path)
            assert at is not None  # a selected row is shown
            place = self.runs.index(at, PLACES[NAME if name == "name" else NOTE])
            self.scrollTo(place)
            self.edit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do what a key stands for."""
        if self.edited:  # the Enter that ends writing comes here too
            return
        keys = {
            Qt.Key.Key_Return: "open",
            Qt.Key.Key_Enter: "open",
            Qt.Key.Key_S: "star",
            Qt.Key.Key_R: "again",
            Qt.Key.Key_F2: "name",
            Qt.Key.Key_Delete: "delete",
        }
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        name = keys.get(Qt.Key(event.key()))
        if event.matches(QKeySequence.StandardKey.Copy):
            name = "copy"
        elif name == "name" and held == Qt.KeyboardModifier.ControlModifier:
            name = "note"
        elif held != Qt.KeyboardModifier.NoModifier:
            name = None
        if name is None:
            super().keyPressEvent(event)
        else:
            self.wish(name)

    def keyboardSearch(self, search: str) -> None:
        """Ignore letters: the filter finds more."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let a click on a star toggle it."""
        super().mouseReleaseEvent(event)
        place = self.indexAt(event.position().toPoint())
        left = event.button() is Qt.MouseButton.LeftButton
        if left and place.isValid() and COLUMNS[place.column()].title == STAR:
            self.runs.toggle_stars([self.runs.rows[place.row()]])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember the run."""
        super().mousePressEvent(event)
        self._pressed = self._run_at(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the run, also if the rows were read anew between the two clicks.

        Qt takes the second click for a first one then. And another run may be below the mouse.
        """
        pressed, column = self._pressed, self.columnAt(round(event.position().x()))
        super().mouseDoubleClickEvent(event)
        at = None if pressed is None else self.runs.place_of(pressed)
        if event.button() is Qt.MouseButton.LeftButton and at is not None and column >= 0:
            self._double_clicked(self.runs.index(at, column))

    def _run_at(self, event: QMouseEvent) -> Path | None:
        place = self.indexAt(event.position().toPoint())
        return self.runs.rows[place.row()].run.path if place.isValid() else None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the selected rows."""
        if rows := self.selected:
            self.menu_for(rows).popup(event.globalPos())

    def menu_for(self, rows: Sequence[RunRow]) -> QMenu:
        """Return the menu for ``rows``."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, text, single in _MENU:
            if not name:
                menu.addSeparator()
                continue
            if name == "star" and all(row.note.starred for row in rows):
                text = f"Un{text.lower()}"
            action = menu.addAction(text)
            action.setEnabled(not single or len(rows) == 1)
            action.triggered.connect(lambda _=False, name=name: self.wish(name))
        return menu

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell that other rows are selected."""
        super().selectionChanged(selected, deselected)
        self.chosen.emit()

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Tell that the user writes no more."""
        super().closeEditor(editor, hint)
        self.written.emit()

    def _double_clicked(self, place: QModelIndex) -> None:
        title = COLUMNS[place.column()].title
        if title in (NAME, NOTE):
            self.edit(place)
        elif title != STAR:
            self.opened.emit(self.runs.rows[place.row()])

    def _remember(self) -> None:
        """Keep which runs are selected while rows come, go or change their order."""
        self._kept = [row.run.path for row in self.selected]
        current = self.currentIndex()
        rows = self.runs.rows
        self._at = rows[current.row()].run.path if 0 <= current.row() < len(rows) else None

    def _restore(self) -> None:
        places = {row.run.path: at for at, row in enumerate(self.runs.rows)}
        model, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        chosen = QItemSelection()
        last = len(COLUMNS) - 1
        for path in self._kept:
            if (at := places.get(path)) is not None:
                chosen.select(self.runs.index(at, 0), self.runs.index(at, last))
        if self._at is not None and (at := places.get(self._at)) is not None:
            model.setCurrentIndex(self.runs.index(at, 0), flags.NoUpdate)
        model.select(chosen, flags.ClearAndSelect)
        self._fit()
        self.chosen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave a narrow table to what was found: hide colony and seed."""
        super().resizeEvent(event)
        narrow = self.viewport().width() < _NARROW * QFontMetricsF(self.font()).averageCharWidth()
        for title in ("Colony", "Seed"):
            self.setColumnHidden(PLACES[title], narrow)

    def _fit(self) -> None:
        """Make the columns as wide as their texts, but for those that the user has moved."""
        if not self.runs.rows:
            return
        metrics = QFontMetricsF(self.font())
        texts = [self.runs.texts(row) for row in self.runs.rows[:_MEASURED]]
        for at, column in enumerate(COLUMNS):
            widest = metrics.averageCharWidth() * column.widest
            different = {cells[at] for cells in texts}
            needed = max(metrics.horizontalAdvance(text) for text in different)
            head = metrics.horizontalAdvance(column.title) + 22  # with the arrow of the order
            least = {STAR: 20.0, NAME: 70.0, NOTE: 90.0}.get(column.title, head)
            before = self._widths.get(at, 0)
            if before in (0, self.columnWidth(at)):
                self._widths[at] = max(before, round(max(min(needed, widest) + 20, least)))
                self.setColumnWidth(at, self._widths[at])
