"""Draws the runs that are selected in the list over the live one."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.errors import FormicariumError
from gpu.core.files import exists
from gpu.core.words import counted
from gpu.run.log.archive import Archive
from gpu.run.log.recorded import Recorded
from gpu.run.log.rows import UNREADABLE, RunRow
from gpu.studies.study_runs import curves_of, study_of
from views.plots.convergence_view import ConvergenceView
from views.plots.overlays import Overlay
from views.runs.runs_view import RunsView

SOON = 120  # milliseconds after the last change of the selection
MOST_DRAWN = 100  # runs that are drawn at once


class OverlayController(Controller):
    """Reads the curves of the selected runs in the background, and shows them."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._view = self._window.view(RunsView)
        self._archive = Archive([])  # it remembers curves
        self._reading: Task[tuple[list[Overlay], str]] | None = None
        self._asked: list[RunRow] = []
        self._opened: Path | None = None  # the log that the window shows, if it shows one
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self._read)
        self._window.closing.connect(self._soon.stop)
        self._view.selection_changed.connect(self._selected)
        self._runs.ended.connect(self._ended)

    @Slot(object)
    def note_opened(self, recorded: Recorded) -> None:
        """Note that the window shows a recorded run: alone, it is not drawn twice."""
        self._opened = recorded.log.path
        self._soon.stop()
        self._read()

    @property
    def _in_sight(self) -> Path | None:
        """The log of the run whose curves the window shows anyway."""
        run = self._runs.current
        return self._opened if run is None else run.recorder.path

    @Slot()
    def _selected(self) -> None:
        chosen = [
            row
            for row in self._view.selected
            if row.run.state != UNREADABLE and row.run.members is None
        ]
        chosen.sort(key=lambda row: row.run.path.name)  # the same, in whatever order they are
        if [_known_by(row) for row in chosen] != [_known_by(row) for row in self._asked]:
            self._asked = chosen
            self._soon.start()

    @Slot()
    def _ended(self) -> None:
        """Draw a selected run to its end."""
        if self._asked:
            self._soon.start()

    @Slot()
    def _read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        rows, archive = self._asked[:MOST_DRAWN], self._archive
        if len(rows) == 1 and _shows(self._in_sight, rows[0].run.path):
            rows = []
        if not rows:
            self._reading = None
            self._window.view(ConvergenceView).show_overlays([])
            return
        task = Task[tuple[list[Overlay], str]](
            lambda task: _overlays(archive, rows, task), self._show, self._window.tell
        )
        self._reading = self._background.start(task)

    def _show(self, found: tuple[list[Overlay], str]) -> None:
        self._reading = None
        overlays, wrong = found
        self._window.view(ConvergenceView).show_overlays(overlays)
        if wrong:
            self._window.tell(wrong, "warning")
        elif len(self._asked) > MOST_DRAWN:
            self._window.tell(f"Only the first {MOST_DRAWN} runs are drawn", "info")


def _overlays(
    archive: Archive, rows: list[RunRow], task: Task[tuple[list[Overlay], str]]
) -> tuple[list[Overlay], str]:
    """Return the curves of ``rows``, and a sentence about those that cannot be read."""
    found, wrong = [], []
    for row in rows:
        if task.cancelled:
            break
        run = row.run
        study = study_of(run.path)
        if not exists(study or run.path):  # just deleted, or never written: the list says so
            continue
        try:
            curve = archive.curve(run.path) if study is None else curves_of(run.path)
        except FormicariumError as error:
            wrong.append(str(error))
            continue
        label = row.note.name or f"{run.colony}, seed {run.seed}"
        group = run.changed if study else f"{run.colony} {run.changed}".strip()
        found.append(Overlay(label, group, run.alike, run.instance, curve, run.cost_unit))
    if len(wrong) > 1:
        return found, f"{counted(len(wrong), 'log')} cannot be read. The first: {wrong[0]}"
    return found, "".join(wrong)


def _shows(log: Path | None, path: Path) -> bool:
    """Whether ``log`` is that of the run at ``path``: of a run of a study, it ends in its key."""
    same = log is not None and study_of(path) is not None and log.stem.endswith(path.name)
    return log == path or same


def _known_by(row: RunRow) -> tuple[Path, str, str]:
    return row.run.path, row.note.name, row.run.state
