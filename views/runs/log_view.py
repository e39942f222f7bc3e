"""The log of the run, in words or as in the file."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout

from gpu.core.formats import duration, percent, whole
from views.widgets.controls import OptionButtons, make_button
from views.widgets.labels import ElidedLabel, plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import Theme, icon
from views.widgets.view import View

MOST_LOG_LINES = 1000  # lines that are shown; the file has all


class LogView(View):
    """The last lines of the log."""

    key = "log"
    title = "Log"
    folder_requested = Signal()  # the user wants to see the log's folder

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=MOST_LOG_LINES)
        self._new: deque[str] = deque(maxlen=MOST_LOG_LINES)  # lines that are not drawn yet
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Lines of the log")
        self.text.setProperty("role", "log")
        self.text.setReadOnly(True)
        self.text.setMaximumBlockCount(MOST_LOG_LINES)
        self.text.setPlaceholderText("A run writes its log here, line by line.")
        forms = {"words": "In words", "file": "As in the file"}
        self.form = OptionButtons(forms, "How lines are shown")
        self.form.chosen.connect(lambda _: self._redraw())
        self.path = ElidedLabel("note")
        self.copy_button = make_button("plain", tip="Copy what is shown")
        self.folder_button = make_button("plain", tip="Open the folder of the log")
        self.copy_button.clicked.connect(self._copy)
        self.folder_button.clicked.connect(self.folder_requested)
        buttons = self.copy_button, self.folder_button
        top = fill(QHBoxLayout(), self.form, (self.path, 1), *buttons)
        fill(QVBoxLayout(self), top, (self.text, 1), margins=(8, 6, 8, 8))
        self.apply_theme(self.theme)
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the former run's lines."""
        self._lines.clear()
        self._new.clear()
        self.text.clear()
        self.show_path("")

    def show_path(self, path: str) -> None:
        """Show where the log is; an empty path if there is none."""
        self.path.setText(PurePath(path).name)
        self.path.setToolTip(plain_tip(path))
        self.folder_button.setEnabled(bool(path))

    def add_lines(self, lines: Sequence[str]) -> None:
        """Append lines of the log, each one JSON object."""
        self._lines.extend(lines)
        self._new.extend(lines)
        self.catch_up()

    def draw(self) -> None:
        """Show the lines that were added since the last call."""
        if self._new:
            form = in_words if self.form.value == "words" else str
            self.text.appendPlainText("\n".join(map(form, self._new)))
            self._new.clear()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        super().apply_theme(theme)
        self.copy_button.setIcon(icon("copy", theme, "muted"))
        self.folder_button.setIcon(icon("open", theme, "muted"))

    def _redraw(self) -> None:
        self.text.clear()
        self._new = self._lines.copy()
        self.draw()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


def in_words(line: str) -> str:
    """Return one line of a log in words; a line of an unknown kind as it is."""
    try:
        values: dict[str, Any] = json.loads(line)
        kind = values["kind"]
        if kind == "session":
            session = values["session"]
            started = datetime.fromisoformat(values["started"]).astimezone()
            return (
                f"{started:%Y-%m-%d %H:%M:%S}  {session['colony']} on {session['device']}, "
                f"{values['instance']['name']}, seed {session['seed']}"
            )
        if kind == "outcome":
            what = f"{values['ending']}: {values['reason']}"
        elif kind == "bound":
            what = f"  lower bound {whole(values['lower_bound'])}: {values['by']}"
        else:
            mark = "↓" if kind == "improvement" else " "
            what = f"{mark} iteration {whole(values['iteration'])}"
            if kind == "improvement" and not values["iteration"]:
                what = f"{mark} the run begins"
        return f"{duration(values['seconds']):>8}  {what}  {_best(values)}"
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return line


def _best(values: dict[str, Any]) -> str:
    if values.get("best") is None:
        return ""
    gap = values.get("gap_percent")
    by = values.get("found_by")
    gaps = f" ({percent(gap)})" if gap is not None else ""
    return f"best {whole(values['best'])}{gaps}{f' by {by}' if by else ''}"
