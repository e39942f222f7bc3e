"""The log of the run, in words or as in the file."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QToolButton, QVBoxLayout

from views.widgets.formats import duration, percent, whole
from views.widgets.icons import icon
from views.widgets.labels import ElidedLabel
from views.widgets.layouts import fill
from views.widgets.option_buttons import OptionButtons
from views.widgets.theme import Theme
from views.widgets.view import View

MOST_LINES = 1000  # lines that are shown; the file has all


class LogView(View):
    """The last lines of the log."""

    key = "log"
    title = "Log"
    folder_requested = Signal()  # the user wants to see the log's folder

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=MOST_LINES)
        self._drawn = 0
        self._taken = 0
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setMaximumBlockCount(MOST_LINES)
        self.text.setPlaceholderText("A run writes its log here, line by line.")
        self.form = OptionButtons(
            {"words": "In words", "file": "As in the file"}, "How lines are shown"
        )
        self.form.chosen.connect(lambda _: self._redraw())
        self.path = ElidedLabel("note")
        self.copy_button, self.folder_button = QToolButton(), QToolButton()
        self.copy_button.setToolTip("Copy what is shown")
        self.copy_button.clicked.connect(self._copy)
        self.folder_button.setToolTip("Open the folder of the log")
        self.folder_button.clicked.connect(self.folder_requested)
        buttons = self.copy_button, self.folder_button
        for button in buttons:
            button.setProperty("role", "plain")
        top = fill(QHBoxLayout(), self.form, (self.path, 1), *buttons)
        fill(QVBoxLayout(self), top, (self.text, 1), margins=(8, 6, 8, 8))
        self.apply_theme(self.theme)
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the former run's lines."""
        self._lines.clear()
        self._taken = self._drawn = 0
        self.text.clear()
        self.show_path("")

    def show_path(self, path: str) -> None:
        """Show where the log is; an empty path if there is none."""
        self.path.setText(path.rpartition("/")[2])
        self.path.setToolTip(path)
        self.folder_button.setEnabled(bool(path))

    def add_lines(self, lines: Sequence[str]) -> None:
        """Append lines of the log, each one JSON object."""
        self._lines.extend(lines)
        self._taken += len(lines)
        if self.isVisible():
            self.draw()
        else:
            self._stale = True

    def draw(self) -> None:
        """Show the lines that were added since the last call."""
        new = min(self._taken - self._drawn, len(self._lines))
        self._drawn = self._taken
        if new:
            form = in_words if self.form.value == "words" else str
            lines = list(self._lines)[-new:]
            self.text.appendPlainText("\n".join(form(line) for line in lines))

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        super().apply_theme(theme)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self.text.setStyleSheet(
            f"font-family: '{font.family()}', monospace; font-size: {theme.points(0.88)}pt;"
        )
        self.copy_button.setIcon(icon("copy", theme, "muted"))
        self.folder_button.setIcon(icon("open", theme, "muted"))

    def _redraw(self) -> None:
        self.text.clear()
        self._drawn = self._taken - len(self._lines)
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
            return (
                f"{_local(values['started'])}  {session['colony']} on {session['device']}, "
                f"{values['instance']['name']}, seed {session['seed']}"
            )
        if kind == "outcome":
            end = f"{values['ending']}: {values['reason']}"
            return f"{duration(values['seconds']):>8}  {end}  {_best(values)}"
        mark = "↓" if kind == "improvement" else " "
        return (
            f"{duration(values['seconds']):>8}  {mark} iteration {whole(values['iteration'])}"
            f"  {_best(values)}"
        )
    except (ValueError, KeyError, TypeError):
        return line


def _local(time: str) -> str:
    """Return an ISO time in UTC as local time."""
    return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M:%S}"


def _best(values: dict[str, Any]) -> str:
    if values.get("best") is None:
        return ""
    gap = values.get("gap_percent")
    return f"best {whole(values['best'])}" + (f" ({percent(gap)})" if gap is not None else "")
