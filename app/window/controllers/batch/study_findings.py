"""Shows what a study has found, and writes it: table, plots, report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSize, QTimer, Slot
from PySide6.QtGui import QImage

from app.window.controllers.batch import study_work as work
from app.window.controllers.batch.study_work import Found
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from views.batch.study_view import PLOT_EXPORTS, StudyView

REST = 4.0  # times as long as reading the results took, nothing reads them again
_READ = "The results are being read …"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the picture of a plot depends on."""

    found: Found
    plot: str  # its name
    size: QSize
    ratio: float
    dark: bool


class StudyFindingsController(Controller):
    """Reads, draws and writes in threads, one piece of each kind at a time.

    Results that have been read are shown as soon as their plot is drawn, so that table and plot
    never have different rows.
    """

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._view = parts.window.view(StudyView)
        self._part = self._view.results
        self._path: Path | None = None  # the file in sight
        self._found: Found | None = None  # what was in it, as it is shown
        self._newest: Found | None = None  # what was in it when it was last read
        self._reading: Task[Found] | None = None
        self._drawing: Task[QImage] | None = None
        self._drawn: _Wanted | None = None  # what the picture in sight was made for
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
            self._path, self._rest = path, 0.0
            self._found = self._newest = self._drawn = None
            self._part.show_nothing()
            self._view.show_found(found=False)
            self._view.show_rest(0, 0)

    @Slot()
    def refresh(self) -> None:
        """Read the results, soon, and now if the study has ended."""
        if not self._runs.batch.busy:
            self._rest = 0.0
        if not self._soon.isActive() or not self._rest:
            self._soon.start(round(1000 * self._rest))

    @Slot()
    def _read(self) -> None:
        path = self._path
        if path is None:
            return
        if self._reading is not None:
            self._soon.start(100)
            return

        def show(found: Found) -> None:
            self._reading = None
            self._rest = REST * found.seconds
            if path == self._path:
                self._newest = found
                self._draw()

        def refuse(sentence: str) -> None:
            self._reading = None
            if not self._runs.batch.busy:  # else it may be read a moment later
                self._window.tell(sentence)
                if self._found is None:
                    self._part.show_nothing()

        if self._found is None and not self._runs.batch.busy:
            self._part.show_nothing(_READ)
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
        """Show the newest results, as soon as their plot is drawn if one is in sight."""
        newest, path, part = self._newest, self._path, self._part
        if self._drawn is not None and self._drawn.plot != part.plot:
            self._drawn = None  # another plot was chosen, and nothing is shown in its place
        if newest is None or self._drawing is not None:
            return  # what is being drawn looks at the end what else is to be drawn
        wanted = self._wanted(newest)
        if wanted is None:
            if newest is not self._found:
                self._drawn = None
                part.forget_plot()
                self._show_found(newest)
            return
        if wanted == self._drawn:
            return

        def over(picture: QImage | None) -> None:
            self._drawing = None
            if path == self._path:
                if newest is not self._found:
                    self._show_found(newest)
                if part.plot == wanted.plot:
                    self._drawn = wanted
                    if picture is not None:
                        part.show_plot(picture, plot.text)
            self._draw()

        def refuse(sentence: str) -> None:
            self._window.tell(sentence)
            over(None)

        plot = newest.plots[wanted.plot]
        draw = partial(work.drawn, plot, wanted.size, wanted.ratio, dark=wanted.dark)
        self._drawing = self._background.start(Task(lambda _: draw(), over, refuse))

    def _wanted(self, found: Found) -> _Wanted | None:
        """What is to be drawn of ``found``; None if the place of the plot is out of sight."""
        part = self._part
        if not part.picture.isVisible() or not found.plots:
            return None
        plot = part.plot if part.plot in found.plots else next(iter(found.plots))
        size, ratio = part.picture.size(), part.picture.devicePixelRatioF()
        return _Wanted(found, plot, size, ratio, self._view.theme.dark)

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
