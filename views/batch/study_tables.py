"""The tables of what a study has found: configurations, runs, a pivot table, and importances."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.table_filter import filter_of, term
from gpu.core.tables import Column
from gpu.studies.results.importance import IMPORTANCE_COLUMNS, Importance
from gpu.studies.results.pivot import (
    EVERYTHING,
    STATISTICS,
    VALUES,
    Field,
    PivotRow,
    StudyRun,
    fields_of,
    pivot,
    runs_of,
    shown_value,
)
from views.batch.study_columns import MARKS_TIP, RESULT_COLUMNS, RUN_COLUMNS
from views.setup.fields import ChoiceBox, make_line
from views.widgets.controls import OptionButtons, make_button
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import FlowLayout, Wrapping, fill
from views.widgets.table import ColumnTable, TableModel

if TYPE_CHECKING:
    from gpu.studies.results.analysis import Analysis, ResultRow

PAGES = {
    "configurations": "Summary",
    "runs": "Runs",
    "pivot": "Pivot",
    "importance": "Importance",
}
_NO_IMPORTANCE = (
    "Here stands which parameters matter most, as soon as runs of a colony with several values "
    "of a parameter have ended."
)
_NO_GRID = (
    "These runs are no full grid with equally many of each: parameters may have changed together, "
    "and their shares overlap."
)
_SPARE = {  # columns that matter less
    "configurations": (["Deviation"], ["Median"], ["Runs"], ["Best"]),
    "runs": (["Found after"], ["Iterations"], ["Time"], ["State"]),
    "pivot": (),
    "importance": (["Worst − best"], ["p"], ["Colony"]),
}
_FILTER_TIP = (
    "Words that are anywhere in a row, or the value of a column or of a parameter: seed=3, "
    'ants=10, configuration="ACS, ants 2"'
)


class RunsTable(ColumnTable[StudyRun]):
    """The runs of a study; R makes the selected one again."""

    again = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Make the run again, or do what any table does."""
        if event.key() == Qt.Key.Key_R and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.again.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Ignore letters: the filter finds more."""


class StudyTables(Wrapping):
    """One of the tables, with a filter for it, and buttons for what is selected in it."""

    run_wanted = Signal(str, bool)  # key of a run that is to be shown; whether to make it again

    def __init__(self) -> None:
        super().__init__()
        self._runs: Sequence[StudyRun] = ()
        self._fields: dict[str, Field] = {}
        self._keys: Sequence[object] = ()  # of the columns of the pivot table
        self._words = dict.fromkeys(PAGES, "")  # the filter of each table
        self.pages = OptionButtons(PAGES, "Which table of the results is shown")
        self.pages.chosen.connect(self.show_page)
        self.filter = make_line("Filter of the table", _FILTER_TIP, empty="Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(150)
        self.filter.textChanged.connect(self._filter)
        self.configurations: ColumnTable[ResultRow] = _table("Results of the study", _place_of)
        self.runs = RunsTable("Runs of the study", TableModel(_key_of))
        self.pivot: ColumnTable[PivotRow] = _table("Pivot table of the study", lambda row: row.key)
        self.importance: ColumnTable[Importance] = _table(
            "Importance of parameters", lambda one: (one.colony, one.factors)
        )
        self.tables: dict[str, ColumnTable[Any]] = {
            "configurations": self.configurations,
            "runs": self.runs,
            "pivot": self.pivot,
            "importance": self.importance,
        }
        self.note = make_label("note", _NO_IMPORTANCE, wrap=True)
        tip = "Show the run's solution, its curve and its choices (Enter)"
        self.open = make_button("", "Open run", tip, lambda: self._want(again=False))
        tip = "Make the run once more, with the same seed, and compare the results (R)"
        self.again = make_button("", "Run again", tip, lambda: self._want(again=True))
        self._make_choices()
        self.stack = QStackedWidget()
        for name, table in self.tables.items():
            table.spare = _SPARE[name]
            table.setMinimumHeight(110)
            self.stack.addWidget(table)
        self.configurations.show_rows(RESULT_COLUMNS, ())
        self.configurations.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.configurations.setToolTip(plain_tip(MARKS_TIP))
        top = FlowLayout(self.pages, self.filter, self.open, self.again)
        parts = top, self._choices, self.note, (self.stack, 1)
        fill(QVBoxLayout(self), *parts, spacing=4)
        for table in (self.configurations, self.runs, self.pivot):
            table.entered.connect(self._entered)
            table.doubleClicked.connect(self._double_clicked)
        self.runs.chosen.connect(self._enable)
        self.runs.again.connect(lambda: self._want(again=True))
        self.show_page("configurations")

    def _make_choices(self) -> None:
        """Make what a pivot table is by: rows, columns, the number, and what is said of it."""
        self._choices = QWidget()
        self.rows_by = ChoiceBox(8, "Rows by", "Each row has the runs with one value of this")
        self.columns_by = ChoiceBox(
            8, "Columns by", "Each column has the runs with one value of this"
        )
        self.value = ChoiceBox(7, "Value", "The number of each run that cells are made of")
        self.statistic = ChoiceBox(6, "Statistic", "What a cell says of its runs")
        for name, value in VALUES.items():
            self.value.addItem(value.title, name)
        for name in STATISTICS:
            self.statistic.addItem(name, name)
        parts: list[QWidget] = []
        for text, box in (
            ("", self.rows_by),
            ("by", self.columns_by),
            ("", self.statistic),
            ("of", self.value),
        ):
            box.activated.connect(self._show_pivot)
            pair, label = QWidget(), [make_label("note", text)] if text else []
            parts.append(pair)
            fill(QHBoxLayout(pair), *label, box, spacing=5)
        self._choices.setLayout(FlowLayout(*parts))

    @property
    def page(self) -> str:
        """Which table is in sight: a key of ``PAGES``."""
        return self.pages.value

    @property
    def shown(self) -> tuple[Sequence[Column[Any]], Sequence[Any]]:
        """The columns and the rows of the table in sight, filtered and sorted as it is."""
        content = self.tables[self.page].content
        return content.columns, content.rows

    def show_results(self, analysis: Analysis, importances: Sequence[Importance]) -> None:
        """Show other results, in each table as the user has chosen."""
        self._runs = runs_of(analysis)
        self._fields = fields_of(self._runs)
        self.configurations.show_rows(RESULT_COLUMNS, analysis.rows)
        self.runs.show_rows(RUN_COLUMNS, self._runs)
        self.importance.show_rows(IMPORTANCE_COLUMNS, importances)
        usual = _usual_fields(self._fields)
        for box, first in ((self.rows_by, usual[0]), (self.columns_by, usual[1])):
            _offer(box, list(self._fields), first)
        self._show_pivot()
        self._enable()

    @Slot(str)
    def show_page(self, key: str) -> None:
        """Bring a table into sight, with its own filter."""
        self.pages.choose(key)
        self.stack.setCurrentWidget(self.tables[key])
        self.filter.setText(self._words[key])
        self._filter()  # the text may be the same as that of the table before
        self._enable()

    def show_runs(self, words: str) -> None:
        """Show the runs that match a filter."""
        self._words["runs"] = words
        self.show_page("runs")
        self.runs.setFocus()

    @Slot()
    def _show_pivot(self) -> None:
        if not self._fields:
            return
        table = pivot(
            self._runs,
            self._fields,
            str(self.rows_by.currentData()),
            str(self.columns_by.currentData()),
            str(self.value.currentData()),
            str(self.statistic.currentData()),
        )
        self._keys = table.keys
        self.pivot.show_rows(table.columns, table.rows)

    @Slot()
    def _filter(self) -> None:
        """Let only those rows be seen in the table in sight that match."""
        self._words[self.page] = words = self.filter.text()
        matches, table = filter_of(words), self.tables[self.page]
        content, extra = table.content, self._parameters if self.page == "runs" else _nothing

        def shown(row: Any) -> bool:
            assert matches is not None
            titles = (column.title.casefold() for column in content.columns)
            cells = zip(titles, content.texts(row), strict=True)
            return matches({**extra(row), **dict(cells)})

        content.filter(None if matches is None else shown)

    def _parameters(self, run: StudyRun) -> dict[str, str]:
        return {name: shown_value(field(run)) for name, field in self._fields.items()}

    @Slot()
    def _entered(self) -> None:
        if (table := self.tables[self.page]).selected:
            self._follow(table.selected[0], None)

    @Slot(QModelIndex)
    def _double_clicked(self, place: QModelIndex) -> None:
        content = self.tables[self.page].content
        self._follow(content.rows[place.row()], place.column())

    def _follow(self, row: Any, column: int | None) -> None:
        """Go from a row, or from a cell of the pivot table, to its runs; from a run to itself."""
        if self.page == "runs":
            self._want(again=False)
        elif self.page == "configurations":
            place = {"instance": row.sample.instance, "configuration": row.sample.label}
            self.show_runs(" ".join(term(*one) for one in place.items()))
        else:
            by = {str(self.rows_by.currentData()): row.key}
            if column:
                by[str(self.columns_by.currentData())] = self._keys[column - 1]
            by.pop(EVERYTHING, None)
            self.show_runs(" ".join(term(name, shown_value(key)) for name, key in by.items()))

    def _want(self, *, again: bool) -> None:
        run = self._chosen
        if run is not None:
            self.run_wanted.emit(run.row.key, again)

    @property
    def _chosen(self) -> StudyRun | None:
        """The one run that is selected, if it has ended."""
        several = self.runs.selected
        return several[0] if len(several) == 1 and several[0].ended and several[0].row.key else None

    @Slot()
    def _enable(self) -> None:
        page = self.page
        self._choices.setVisible(page == "pivot")
        for button in (self.open, self.again):
            button.setVisible(page == "runs")
            button.setEnabled(self._chosen is not None)
        found = self.importance.content.all
        overlap = any(not one.full_grid for one in found)
        self.note.setText(_NO_GRID if found else _NO_IMPORTANCE)
        self.note.setVisible(page == "importance" and (overlap or not found))


def _table(name: str, key: Callable[[Any], Hashable]) -> ColumnTable[Any]:
    return ColumnTable(name, TableModel(key))


def _place_of(row: ResultRow) -> tuple[str, str]:
    return row.sample.instance, row.sample.label


def _key_of(run: StudyRun) -> Hashable:
    return run.row.key or id(run.row)


def _nothing(_: object) -> dict[str, str]:
    return {}


def _usual_fields(fields: Mapping[str, Field]) -> tuple[str, str]:
    """Return by what a pivot table is at first: a parameter that varies, or configurations."""
    known = ("instance", "configuration", "colony", "device", "seed", EVERYTHING)
    return next((name for name in fields if name not in known), "configuration"), "instance"


def _offer(box: ChoiceBox, names: Sequence[str], first: str) -> None:
    """Offer these names; what was chosen stays, if it is still one of them."""
    chosen = str(box.currentData() or first)
    if [str(box.itemData(at)) for at in range(box.count())] == names:
        return
    box.clear()
    for name in names:
        box.addItem(name, name)
    box.setCurrentIndex(names.index(chosen if chosen in names else first))
