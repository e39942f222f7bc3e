"""Shows what a study has found, and writes it: table, plots, report."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QImage

from app.window.controllers.comparing import study_work as work
from app.window.controllers.comparing.study_work import Found
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from views.study.study_view import PLOT_EXPORTS, StudyView

REST = 4.0  # times as long as reading the results took, nothing reads them again


class StudyFindingsController(Controller):
    """Reads, draws and writes in threads, one piece of each kind at a time."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._view = parts.window.view(StudyView)
        self._part = self._view.results
        self._path: Path | None = None  # the file in sight
        self._found: Found | None = None  # what was in it
        self._reading: Task[Found] | None = None
        self._drawing: Task[QImage] | None = None
        self._draw_again = False
        self._rest = 0.0  # seconds to wait before the file is read again
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._read)
        self._window.closing.connect(self._soon.stop)
        self._part.plot_wanted.connect(self._draw)
        self._part.file_wanted.connect(self._window.dialogs.ask_for_export)
        self._window.dialogs.to_export.connect(self._export)

    @Slot(object)
    def show(self, path: Path) -> None:
        """Have the results in the file at ``path`` in sight; :meth:`refresh` reads them."""
        if path != self._path:
            self._path, self._found, self._rest = path, None, 0.0
            self._part.show_nothing()
            self._view.show_found(found=False)
            self._view.show_rest(0, 0)

    @Slot()
    def refresh(self) -> None:
        """Read the results, soon, and now if the study has ended."""
        if not self._runs.study.busy:
            self._rest = 0.0
        if not self._soon.isActive() or not self._rest:
            self._soon.start(round(1000 * self._rest))

    @Slot()
    def _read(self) -> None:
        path, began = self._path, time.monotonic()
        if path is None:
            return
        if self._reading is not None:
            self._soon.start(100)
            return

        def show(found: Found) -> None:
            self._reading = None
            self._rest = REST * (time.monotonic() - began)
            if path == self._path:
                self._show_found(found)

        def refuse(sentence: str) -> None:
            self._reading = None
            if not self._runs.study.busy:  # else it may be read a moment later
                self._window.tell(sentence)

        task = Task(lambda _: work.find_results(path), show, refuse)
        self._reading = self._background.start(task)

    def _show_found(self, found: Found) -> None:
        self._found = found
        titles = {name: plot.title for name, plot in found.plots.items()}
        self._part.show_results(found.analysis, titles)
        self._view.show_found(found=True)
        self._view.show_rest(found.left, found.failed)

    @Slot()
    def _draw(self) -> None:
        """Draw the chosen plot in the size and the colours of its place."""
        found, part = self._found, self._part
        if found is None or part.plot not in found.plots or not part.picture.isVisible():
            return
        if self._drawing is not None:
            self._draw_again = True
            return
        self._draw_again = False
        plot, size, dark = found.plots[part.plot], part.picture.size(), self._view.theme.dark

        def over() -> None:
            self._drawing = None
            if self._draw_again:
                self._draw()

        def show(picture: QImage) -> None:
            if part.plot == plot.name:
                part.show_plot(picture, plot.text)
            over()

        def refuse(sentence: str) -> None:
            self._window.tell(sentence)
            over()

        draw = partial(work.drawn, plot, size, part.picture.devicePixelRatioF(), dark=dark)
        self._drawing = self._background.start(Task(lambda _: draw(), show, refuse))

    @Slot(str, object)
    def _export(self, name: str, path: Path) -> None:
        """Write what is asked for, in the background."""
        found, results, tell = self._found, self._path, self._window.tell
        if found is None or results is None:
            return
        analysis, plot = found.analysis, found.plots.get(self._part.plot)
        look = self._part.print_size.text(), self._part.colours.currentText()

        def write(task: Task[None]) -> None:
            if name == "study-report":
                work.write_report(path, results, *look, lambda: task.cancelled)
            elif name == "study-table":
                work.write_table(path, analysis)
            elif plot is not None:
                work.write_plot(path, plot, name.removeprefix("study-"), *look)

        if name not in ("study-report", "study-table") and (
            name not in PLOT_EXPORTS or plot is None
        ):
            return
        if name == "study-report":
            tell("The report is being written …", "working")
        written = f"{path.name} is written"
        self._background.start(Task(write, lambda _: tell(written, "done"), tell))
