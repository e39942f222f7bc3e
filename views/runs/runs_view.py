"""All runs, of this window and of earlier ones, in a list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from gpu.core.formats import number_of, whole
from gpu.run.log.rows import RunRow
from views.runs.run_table import RunTable, RunTableModel, can
from views.widgets.controls import fit_texts, make_button
from views.widgets.labels import ElidedLabel, make_label
from views.widgets.layouts import fill
from views.widgets.theme import Theme, icon
from views.widgets.view import View

_NO_RUNS_YET = (
    "Every run is kept and listed here, with all that decided it and what it found. "
    "Start one (Space)."
)
MOST_STUDIES = 50  # whose files are remembered
_WAY_TO_CURVES = "Select runs with Ctrl or Shift: Convergence lays their curves over each other."
_NO_RUN_MATCHES = "No run matches the filter."

_RUN_BUTTONS = {  # name of the command: text, icon, tip
    "open": ("Open", "open", "Show the run's curve, its solution and its choices (Enter)"),
    "again": ("Run again", "reset", "Run it once more and compare the results (R)"),
    "delete": ("Delete…", "close", "Delete the logs of the selected runs (Del)"),
}


class RunsView(View):
    """The list with its filter; the selected runs are overlaid in Convergence."""

    key = "runs"
    title = "Runs"
    of_run = False
    shortcut = "Ctrl+L"
    keys = (
        ("Enter, R, S", "In the list of runs: open, run again, star"),
        ("F2, Ctrl+F2", "In the list of runs: write a name, a note"),
    )
    looked_at = Signal()  # the view has come into sight
    selection_changed = Signal()  # other runs are selected

    def __init__(self) -> None:
        super().__init__()
        self._next: list[RunRow] | None = None  # came while the user was writing
        self.studies: Sequence[Path] = ()  # files of studies outside their usual folder
        self.model = RunTableModel()
        self.table = RunTable(self.model)
        self.filter = QLineEdit(placeholderText="Filter")
        self.filter.setAccessibleName("Filter of the runs")
        self.filter.setToolTip(
            "Words that are anywhere in a row: an instance, a colony, a state, a parameter with "
            "its value, your own names and notes, or the word starred"
        )
        self.filter.textChanged.connect(self._filter)
        self.count = ElidedLabel("note")
        self.hint = make_label("note", _NO_RUNS_YET, wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.way = make_label("note", _WAY_TO_CURVES, wrap=True)
        self.buttons = {
            name: make_button("", text, tip) for name, (text, _, tip) in _RUN_BUTTONS.items()
        }
        for name, button in self.buttons.items():
            button.clicked.connect(lambda _=False, name=name: self.table.do(name))
        self.table.chosen.connect(self._selected)
        self.table.written.connect(self._show_next)
        self.model.modelReset.connect(self._describe)
        self._top = QWidget()
        buttons = self.buttons.values()
        fill(QHBoxLayout(self._top), (self.filter, 2), (self.count, 3), *buttons, spacing=6)
        parts = self._top, (self.table, 1), (self.hint, 1), self.way
        fill(QVBoxLayout(self), *parts, margins=(8, 8, 8, 8))
        self.apply_theme(self.theme)
        self._selected()
        self._describe()

    @property
    def kept(self) -> str:
        """The files of studies, the latest last."""
        return json.dumps([str(path) for path in self.studies[-MOST_STUDIES:]])

    def keep(self, kept: str) -> None:
        """List the runs of these studies again."""
        with suppress(ValueError, RecursionError):
            found = json.loads(kept)
            if isinstance(found, list) and all(isinstance(text, str) for text in found):
                self.studies = [Path(text) for text in found[-MOST_STUDIES:]]

    @property
    def selected(self) -> list[RunRow]:
        """The selected runs, from top to bottom."""
        return self.table.selected

    def show_rows(self, rows: Sequence[RunRow]) -> None:
        """Show other rows, as soon as the user has written what he is writing."""
        if self.table.edited:
            self._next = list(rows)
        else:
            self.model.show_rows(rows)

    def update_row(self, row: RunRow) -> None:
        """Show the new state of a run, or a new run."""
        if self._next is not None:  # those rows come soon; this one comes again
            return
        if self.model.row_of(row.run.path) is not None or not self.table.edited:
            self.model.update_row(row)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        super().apply_theme(theme)
        for name, button in self.buttons.items():
            button.setIcon(icon(_RUN_BUTTONS[name][1], theme, "muted"))

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that the list is looked at."""
        super().showEvent(event)
        self.looked_at.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the texts of the buttons where there is room for them."""
        super().resizeEvent(event)
        fit_texts(self._top, list(self.buttons.values()))

    def _show_next(self) -> None:
        if self._next is not None:
            rows, self._next = self._next, None
            self.model.show_rows(rows)

    def _filter(self, words: str) -> None:
        self.model.filter((lambda row: row.matches(words)) if words.strip() else None)

    def _selected(self) -> None:
        chosen = len(self.selected)
        for name, button in self.buttons.items():
            one = chosen == 1 or (chosen > 1 and name == "delete")
            button.setEnabled(one and can(name, self.selected))
        self._describe()
        self.selection_changed.emit()

    def _describe(self) -> None:
        """Say how many runs there are, and how many are shown and selected."""
        every, found, shown = self.model.runs, self.model.found, len(self.model.rows)
        chosen = sum(row.run.members is None for row in self.selected)
        text = number_of(every, "run")
        if found != every:
            text = f"{whole(found)} of {text}"
        if chosen:
            text = f"{whole(chosen)} of {whole(found)} selected"
        self.count.setText(text if every else " ")
        self.table.setVisible(shown > 0)
        self.way.setVisible(shown > 1)
        # Tab would never leave what is before a view that passes the focus on to a hidden table.
        self.setFocusProxy(self.table if shown else self.filter)
        self.hint.setVisible(shown == 0)
        self.hint.setText(_NO_RUN_MATCHES if every else _NO_RUNS_YET)
