"""The table of all runs, of this window and of earlier ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QHeaderView, QMenu, QWidget

from gpu.core.formats import duration, number_of, percent, whole
from gpu.core.tables import Column
from gpu.run.log.rows import GOES_ON, LONGEST_NOTE, UNREADABLE, Note, RunRow
from views.widgets.table import ColumnTable, Index, TableModel
from views.widgets.theme import Theme

STAR, NAME, NOTE = "★", "Name", "Note"  # the columns that the user writes


def _started(row: RunRow) -> float | None:
    return None if row.run.started is None else row.run.started.timestamp()


def _instance(row: RunRow) -> str:
    run = row.run
    if run.members is not None:
        return f"{run.study} ({whole(run.members)})"
    return run.path.name if run.state == UNREADABLE else run.instance


def _instance_tip(row: RunRow) -> str:
    run = row.run
    if run.members is not None:
        runs = number_of(run.members, "run")
        return f"{run.study}: {runs}. Click, or press → or ←, to show or hide them\n{run.path}"
    if run.problem is None or run.n is None:
        return str(run.path)
    return f"{run.instance}, {number_of(run.n, run.problem.words.place)}\n{run.path}"


def _parameters_tip(row: RunRow) -> str:
    return "\n".join(f"{name} {value}" for name, value in row.run.parameters.items())


def _built(row: RunRow) -> str:
    run = row.run
    if run.problem is None or run.solutions is None:
        return ""
    return number_of(run.solutions, run.problem.words.solution)


def _state_tip(row: RunRow) -> str:
    reason = row.run.reason
    return reason[:1].upper() + reason[1:]


def _started_tip(row: RunRow) -> str:
    return "" if row.run.started is None else f"{row.run.started:%Y-%m-%d %H:%M:%S}"


def _state(row: RunRow) -> str:
    return {"failed": "danger", GOES_ON: "good"}.get(row.run.state, "")


def _group_mark(row: RunRow) -> str:
    return "" if row.run.members is None else "bold"


RUN_COLUMNS: Sequence[Column[RunRow]] = (
    Column(
        STAR,
        lambda row: "★" if row.note.starred else "☆",
        order=lambda row: not row.note.starred,
        mark=lambda row: "best" if row.note.starred else "muted",
    ),
    Column("Instance", _instance, tip=_instance_tip, mark=_group_mark),
    Column("Colony", lambda row: row.run.colony),
    Column("Seed", lambda row: row.run.seed, number=True),
    Column(
        "Best",
        lambda row: None if row.run.best is None else row.run.cost_unit.text(row.run.best),
        number=True,
        order=lambda row: row.run.best_value,
    ),
    Column("Gap", lambda row: row.run.gap_percent, percent, number=True),
    Column("Time", lambda row: row.run.seconds, duration, number=True),
    Column("Parameters", lambda row: row.run.changed, tip=_parameters_tip),
    Column(NAME, lambda row: row.note.name),
    Column("Iterations", lambda row: row.run.iterations, whole, _built, number=True),
    Column(
        "State",
        lambda row: "proved" if row.run.proved else row.run.state,
        tip=_state_tip,
        mark=_state,
    ),
    Column(NOTE, lambda row: row.note.note),
    Column("Device", lambda row: row.run.device),
    Column(
        "Started",
        lambda row: row.run.started,
        "{:%Y-%m-%d %H:%M}".format,
        _started_tip,
        order=_started,
    ),
)

RUN_PLACES = {column.title: at for at, column in enumerate(RUN_COLUMNS)}


_ROWS_MEASURED = 60  # rows that decide how wide the columns are
_WIDEST_CELL = 22  # characters; longer texts are cut, and their tip has all
_NARROW_TABLE = 60  # letters: in a table that is not as wide, colony and seed are hidden
_DISPLAY, _EDIT = int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.EditRole)
_SPOKEN = int(Qt.ItemDataRole.AccessibleTextRole)
_PLAIN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_FLAGS = [
    _PLAIN | Qt.ItemFlag.ItemIsEditable if column.title in (NAME, NOTE) else _PLAIN
    for column in RUN_COLUMNS
]

_RUN_MENU = (  # name of the command, its text with the key, and whether it is for one run alone
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


def can(name: str, rows: Sequence[RunRow]) -> bool:
    """Whether a command is for these rows: a study's runs are in its file, and it is no run."""
    if name == "delete":
        return not any(row.run.study for row in rows)
    return name != "again" or all(row.run.members is None for row in rows)


class RunTableModel(TableModel[RunRow]):
    """The rows of runs; the user writes their stars, names and notes."""

    noted = Signal(object)  # a RunRow with what the user has written about it

    def __init__(self) -> None:
        super().__init__(lambda row: row.run.path, unknown="")
        self.columns = RUN_COLUMNS
        self.unfolded: set[Path] = set()  # files of studies whose runs are shown
        self.found = 0  # runs that match, also those that are folded away

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return sum(row.run.members is None for row in self.all)

    def texts(self, row: RunRow) -> list[str]:
        """Return what the cells of a row say; runs of a study are indented below it."""
        texts, at = super().texts(row), RUN_PLACES["Instance"]
        if row.run.study:
            sign = "    " if row.run.members is None else "▾ " if self.shows(row) else "▸ "
            texts = [*texts[:at], sign + texts[at], *texts[at + 1 :]]
        return texts

    def shows(self, row: RunRow) -> bool:
        """Whether the runs of the study that ``row`` stands for are shown below it."""
        return row.run.path in self.unfolded or self._matches is not None

    def fold(self, row: RunRow, *, unfolded: bool) -> None:
        """Show the runs of the study that ``row`` stands for, or hide them."""
        (self.unfolded.add if unfolded else self.unfolded.discard)(row.run.path)
        self._arrange()

    def _order_rows(self) -> None:
        """Filter and sort anew: runs of a study are below the row that stands for it."""
        matching = self._matching()
        self.found = sum(row.run.members is None for row in matching)
        within: dict[Path, list[RunRow]] = defaultdict(list)
        for row in matching:
            if row.run.study and row.run.members is None:
                within[row.run.path.parent].append(row)
        named = {row.run.path for row in matching}
        tops = [
            row
            for row in self.all
            if (row.run.members is not None and row.run.path in within)
            or (row.run.path in named and (not row.run.study or row.run.members is not None))
        ]
        rows: list[RunRow] = []
        for row in self._sorted(tops):
            rows.append(row)
            if row.run.members is not None and self.shows(row):
                rows += self._sorted(within[row.run.path])
        self.rows = rows

    def row_of(self, path: Path) -> RunRow | None:
        """Return the row of the log at ``path``, shown or not."""
        return next((row for row in self.all if row.run.path == path), None)

    def toggle_stars(self, rows: Sequence[RunRow]) -> None:
        """Star ``rows``, or take the stars away if all of them have one."""
        starred = not all(row.note.starred for row in rows)
        for row in rows:
            self._note(row, replace(row.note, starred=starred))

    def mark(self, row: RunRow, column: Column[RunRow]) -> str:
        """Return how a cell stands out; a log that cannot be read does so as a whole."""
        unreadable = row.run.state == UNREADABLE and column.title != STAR
        return "danger" if unreadable else super().mark(row, column)

    def tip(self, row: RunRow, place: int) -> str:
        """Return more about a cell, or its whole text."""
        return super().tip(row, place) or self.texts(row)[place]

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """Return what a cell says, also to those who cannot see the star."""
        if role == _SPOKEN and RUN_COLUMNS[index.column()].title == STAR:
            return "starred" if self.rows[index.row()].note.starred else "not starred"
        return super().data(index, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the user write names and notes."""
        return _FLAGS[index.column()] if index.isValid() else _PLAIN

    def setData(self, index: Index, value: Any, role: int = _EDIT) -> bool:
        """Take what the user has written."""
        row, title = self.rows[index.row()], RUN_COLUMNS[index.column()].title
        if role != _EDIT or title not in (NAME, NOTE):
            return False
        text = " ".join(str(value).split())[:LONGEST_NOTE]
        changed = replace(row.note, name=text) if title == NAME else replace(row.note, note=text)
        if changed != row.note:
            self._note(row, changed)
        return True

    def _note(self, row: RunRow, note: Note) -> None:
        changed = RunRow(row.run, note)
        self.update_row(changed)
        self.noted.emit(changed)


class RunTable(ColumnTable[RunRow]):
    """Rows of runs, several of which may be selected."""

    opened = Signal(object)  # the RunRow that the user wants to see
    repeated = Signal(object)  # the RunRow that is to be run again
    deleted = Signal(object)  # a list of RunRow
    written = Signal()  # the user writes no more in a cell

    def __init__(self, model: RunTableModel) -> None:
        self.runs = model
        self._widths: dict[int, int] = {}  # that were chosen here, by column
        self._pressed: Path | None = None  # the run that the mouse was pressed on last
        super().__init__("Runs", model)
        self.copied_from = 1  # without the stars
        header = self.horizontalHeader()
        header.setMinimumSectionSize(20)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.sortByColumn(RUN_PLACES["Started"], Qt.SortOrder.DescendingOrder)

    @property
    def edited(self) -> bool:
        """Whether the user is writing in a cell now; other rows would close it."""
        return self.state() is QAbstractItemView.State.EditingState

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._widths.clear()
        super().apply_theme(theme)

    def do(self, name: str) -> None:
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
            if rows[0].run.members is None:
                self.repeated.emit(rows[0])
        else:
            at = self.runs.place_of(rows[0].run.path)
            assert at is not None  # a selected row is shown
            place = self.runs.index(at, RUN_PLACES[NAME if name == "name" else NOTE])
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
        ways = {Qt.Key.Key_Right: True, Qt.Key.Key_Left: False}
        if (way := ways.get(Qt.Key(event.key()))) is not None and self._fold(way):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            name = "copy"
        elif name == "name" and held == Qt.KeyboardModifier.ControlModifier:
            name = "note"
        elif held != Qt.KeyboardModifier.NoModifier:
            name = None
        if name is None:
            super().keyPressEvent(event)
        else:
            self.do(name)

    def keyboardSearch(self, search: str) -> None:
        """Ignore letters: the filter finds more."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let a click on a star toggle it."""
        super().mouseReleaseEvent(event)
        place = self.indexAt(event.position().toPoint())
        left = event.button() is Qt.MouseButton.LeftButton
        if not left or not place.isValid():
            return
        row, title = self.runs.rows[place.row()], RUN_COLUMNS[place.column()].title
        if title == STAR:
            self.runs.toggle_stars([row])
        elif title == "Instance" and row.run.members is not None:
            self.runs.fold(row, unfolded=not self.runs.shows(row))

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

    def _fold(self, unfolded: bool) -> bool:
        """Show or hide the runs of the one study that is selected; return whether one is."""
        rows = self.selected
        if len(rows) != 1 or not rows[0].run.study:
            return False
        at = rows[0].run.path if rows[0].run.members is not None else rows[0].run.path.parent
        if (row := self.runs.row_of(at)) is None:
            return False
        self.runs.fold(row, unfolded=unfolded)
        if (place := self.runs.place_of(at)) is not None and not unfolded:
            self.selectRow(place)
        return True

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
        for name, text, single in _RUN_MENU:
            if not name:
                menu.addSeparator()
                continue
            if name == "star" and all(row.note.starred for row in rows):
                text = f"Un{text.lower()}"
            action = menu.addAction(text)
            action.setEnabled((not single or len(rows) == 1) and can(name, rows))
            action.triggered.connect(lambda _=False, name=name: self.do(name))
        return menu

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Tell that the user writes no more."""
        super().closeEditor(editor, hint)
        self.written.emit()

    def _double_clicked(self, place: QModelIndex) -> None:
        title = RUN_COLUMNS[place.column()].title
        if title in (NAME, NOTE):
            self.edit(place)
        elif title != STAR:
            self.opened.emit(self.runs.rows[place.row()])

    def fit(self) -> None:
        """Leave a narrow table to what was found: hide colony and seed."""
        room = _NARROW_TABLE * QFontMetricsF(self.theme.font()).averageCharWidth()
        narrow = self.viewport().width() < room
        for title in ("Colony", "Seed"):
            self.setColumnHidden(RUN_PLACES[title], narrow)

    def measure(self) -> None:
        """Make the columns as wide as their texts, but for those that the user has moved."""
        self.fit_height()
        if not self.runs.rows:
            return
        metrics = QFontMetricsF(self.theme.font())
        texts = [self.runs.texts(row) for row in self.runs.rows[:_ROWS_MEASURED]]
        widest = metrics.averageCharWidth() * _WIDEST_CELL
        for at, column in enumerate(RUN_COLUMNS):
            different = {cells[at] for cells in texts}
            needed = max(metrics.horizontalAdvance(text) for text in different)
            head = metrics.horizontalAdvance(column.title) + 22  # with the arrow of the order
            least = {STAR: 20.0, NAME: 70.0, NOTE: 90.0}.get(column.title, head)
            before = self._widths.get(at, 0)
            if before in (0, self.columnWidth(at)):
                self._widths[at] = max(before, round(max(min(needed, widest) + 20, least)))
                self.setColumnWidth(at, self._widths[at])
