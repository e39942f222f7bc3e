"""Shows what a study has found, and writes it: table, plots, report."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QSize, QTimer, Signal, Slot
from PySide6.QtGui import QImage

from app.window.controllers.batch import study_work as work
from app.window.controllers.batch.study_work import StudyFindings
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.errors import sentence_for
from gpu.core.tables import texts
from gpu.papers.verdicts import CLAIM_COLUMNS, verdicts_text
from gpu.studies.results.pivot import StudyRun, runs_of
from gpu.studies.study_runs import place_of
from views.batch.plot_choice import PlotPlace
from views.batch.study_results import PlotPoint
from views.batch.study_view import PLOT_EXPORTS, StudyView

_log = logging.getLogger(__name__)

REST = 4.0  # times as long as reading the results took, nothing reads them again
_READ = "The results are being read …"


class _PlotPlace(NamedTuple):
    """What the picture of a plot depends on, beside the results."""

    plot: str  # its name; empty for the first one
    size: QSize
    ratio: float
    dark: bool


class _DrawnFindings(NamedTuple):
    """Results with the picture of a plot."""

    found: StudyFindings
    place: _PlotPlace | None  # None if the place of the plot is out of sight
    picture: QImage | None
    points: Mapping[str, tuple[float, float]]  # of single runs in it, by their keys
    why_not: str  # why there is no picture


class StudyFindingsController(Controller):
    """Reads, draws and writes in threads; one at most reads and draws.

    Results that have been read are shown as soon as their plot is drawn, so that table and plot
    never have different rows.
    """

    run_wanted = Signal(
        object, bool
    )  # place of a run that is to be shown; whether to make it again

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._view = parts.window.view(StudyView)
        self._part = self._view.results
        self._path: Path | None = None  # the file in sight
        self._found: StudyFindings | None = None  # what was in it, as it is shown
        self._grown = False  # whether there may be more in it
        self._drawn: tuple[StudyFindings, _PlotPlace] | None = (
            None  # what the picture in sight shows
        )
        self._task: Task[_DrawnFindings] | None = None
        self._rest = 0.0  # seconds to wait before the file is read again
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._read)
        self._window.closing.connect(self._soon.stop)
        self._part.plot_wanted.connect(self._update)
        self._part.run_wanted.connect(self._show_run)
        self._part.file_wanted.connect(self._window.dialogs.ask_for_export)
        self._window.dialogs.to_export.connect(self._export)

    @Slot(object)
    def show(self, path: Path | None) -> None:
        """Have the results in the file at ``path`` in sight; :meth:`refresh` reads them.

        Without one, there are none.
        """
        if path != self._path:
            self._path, self._rest, self._grown = path, 0.0, False
            self._found = self._drawn = None
            self._part.show_nothing()
            self._view.show_claims("", "", ())
            self._view.show_found(found=False)
            self._view.show_rest(0, 0)

    @Slot()
    def refresh(self) -> None:
        """Read the results, soon, and now if the study has ended."""
        if not self._runs.batch.busy:
            self._rest = 0.0
        if not self._soon.isActive() or not self._rest:
            self._soon.start(round(1000 * self._rest))

    @Slot(str, bool)
    def _show_run(self, key: str, again: bool) -> None:
        if self._path is not None:
            self.run_wanted.emit(place_of(self._path, key), again)

    @Slot()
    def _read(self) -> None:
        self._grown = True
        self._update()

    @Slot()
    def _update(self) -> None:
        """Read what may be new, and draw what is to be seen, once no thread is about it."""
        path, part = self._path, self._part
        if self._drawn is not None and self._drawn[1].plot != part.plot:
            self._drawn = None  # another plot was chosen, and nothing is shown in its place
        known, place = None if self._grown else self._found, self._place
        if path is None or self._task is not None or not (known or self._grown):
            return
        if known is not None and (place is None or (known, place) == self._drawn):
            return
        self._grown = False
        if self._found is None and not self._runs.batch.busy:
            part.show_nothing(_READ)

        def shown(_: object) -> _DrawnFindings:
            return _drawn_findings(known or work.find_results(path), place)

        self._task = self._background.start(Task(shown, partial(self._show, path), self._refuse))

    @property
    def _place(self) -> _PlotPlace | None:
        part = self._part
        if not part.picture.isVisible():
            return None
        size, ratio = part.picture.size(), part.picture.devicePixelRatioF()
        return _PlotPlace(part.plot, size, ratio, self._view.theme.dark)

    def _show(self, path: Path, shown: _DrawnFindings) -> None:
        self._task = None
        found, place, picture, points, why_not = shown
        part, self._rest = self._part, REST * found.seconds
        if path == self._path:
            if found is not self._found:
                self._found = found
                if place is None:
                    part.forget_plot()
                places = {
                    name: PlotPlace(one.title, one.instance, one.kind or one.title, one.axis)
                    for name, one in found.plots.items()
                }
                part.show_results(found.analysis, places, found.importances)
                part.show_origin(found.origin)
                self._show_claims(found)
                self._view.show_found(found=True)
                self._view.show_rest(found.left, found.failed)
            if why_not:
                self._window.tell(why_not)
            if place is not None and part.plot == place.plot:
                self._drawn = found, place
                if picture is not None:
                    plot, spots = found.plots[place.plot], _spots(found, points)
                    part.show_plot(picture, plot.text, work.table_of(plot), spots)
        self._update()

    def _show_claims(self, found: StudyFindings) -> None:
        """Show what a paper says of the results, if the study reproduces a part of one."""
        item, claims = found.item, found.claims
        title = f"{item.item}: {item.shows}. {item.paper}" if item else ""
        self._view.show_claims(
            title, verdicts_text(claims), [texts(CLAIM_COLUMNS, one) for one in claims]
        )

    def _refuse(self, sentence: str) -> None:
        self._task = None
        if not self._runs.batch.busy:  # else it may be read a moment later
            self._window.tell(sentence)
            if self._found is None:
                self._part.show_nothing()
        self._update()

    @Slot(str, object)
    def _export(self, name: str, path: Path) -> None:
        """Write what is asked for, in the background."""
        found, results, tell = self._found, self._path, self._window.tell
        if found is None or results is None:
            return
        plot, table = found.plots.get(self._part.plot), self._part.tables.shown
        look = self._part.print_size.text(), self._part.colours.currentText()

        def write(task: Task[None]) -> None:
            if name == "study-report":
                work.write_report(path, results, *look, lambda: task.cancelled)
            elif name == "study-table":
                work.write_table(path, *table)
            elif plot is not None:
                work.write_plot(path, plot, name.removeprefix("study-"), *look)

        if name not in ("study-report", "study-table") and (
            name not in PLOT_EXPORTS or plot is None
        ):
            return
        if name == "study-report":
            tell("The report is being written …", "working")
        self._background.start(Task(write, lambda _: self._window.tell_written(path), tell))


def _drawn_findings(found: StudyFindings, place: _PlotPlace | None) -> _DrawnFindings:
    """Draw what of ``found`` is to be seen."""
    if place is None or not found.plots:
        return _DrawnFindings(found, None, None, {}, "")
    if place.plot not in found.plots:
        place = place._replace(plot=next(iter(found.plots)))
    try:
        plot = found.plots[place.plot]
        picture, points = work.drawn(plot, place.size, place.ratio, dark=place.dark)
        return _DrawnFindings(found, place, picture, points, "")
    except Exception as error:
        _log.info("the plot %s cannot be drawn", place.plot, exc_info=error)
        return _DrawnFindings(found, place, None, {}, sentence_for(error))


def _spots(found: StudyFindings, points: Mapping[str, tuple[float, float]]) -> Sequence[PlotPoint]:
    """Return the points of single runs, with what is said of each."""
    runs = {run.row.key: run for run in runs_of(found.analysis)}
    return [
        PlotPoint(x, y, key, _said_of(runs[key])) for key, (x, y) in points.items() if key in runs
    ]


def _said_of(run: StudyRun) -> str:
    cost = "" if run.row.best is None else f": {run.row.cost_unit.amount(run.row.best)}"
    return f"{run.sample.label}, seed {run.row.seed}{cost}"
