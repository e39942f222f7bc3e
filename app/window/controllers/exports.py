"""What the window's user takes away: pictures, tours, logs, sessions, measurements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QImage
from PySide6.QtWidgets import QWidget

from app.files.exports import (
    ExportError,
    export_csv,
    export_log,
    export_session,
    export_solution,
    write_whole,
)
from app.files.measurements import export_comparison, export_speedup
from app.window.threads.tasks import Task
from gpu.run.run_log import read_log
from views.widgets.pictures import as_image, as_svg

if TYPE_CHECKING:
    from app.window.controller import WindowController
    from app.window.current_run import CurrentRun


_FORMS: dict[str, Literal["csv", "jsonl"]] = {"comparison": "csv", "comparison-lines": "jsonl"}


class WindowExports(QObject):
    """Writes files in the background and tells how that went."""

    def __init__(self, controller: WindowController) -> None:
        super().__init__(controller)
        self._controller = controller
        window = controller.window
        window.export_requested.connect(self.export)
        window.picture_requested.connect(self.export_picture)
        window.log.folder_requested.connect(self.open_log_folder)

    @property
    def caption(self) -> str:
        """What a picture of the run in sight shows, in one line."""
        run, instance = self._controller.run, self._controller.instance
        if run is not None:
            return run.caption
        return instance.name if instance else ""

    @Slot(str, object)
    def export(self, name: str, path: Path) -> None:
        """Write what a name in ``views.frame.actions.EXPORTS`` stands for to ``path``."""
        if name == "window":
            self._write_image(path, self._controller.window, "")
            return
        if name == "speedup":
            reports = list(self._controller.window.speedup.reports)
            self._write(path, lambda: export_speedup(path, reports, "json"))
            return
        report = self._controller.window.comparison.report
        if form := _FORMS.get(name):
            if report is not None:
                self._write(path, lambda: export_comparison(path, report, form))
            return
        run = self._controller.run
        if run is not None:
            self._write(path, self._writer_of(name, run, path))

    @Slot(str, str, object)
    def export_picture(self, key: str, form: str, path: Path) -> None:
        """Write a picture of the view ``key``, as "png" or "svg"."""
        window = self._controller.window
        view = window.dashboard.views[key]
        view.draw_all()
        if form == "png":
            self._write_image(path, view, self.caption)
        else:
            document = as_svg(view, window.theme, f"{view.title}: {self.caption}", self.caption)
            self._write(path, lambda: write_whole(path, lambda part: part.write_bytes(document)))

    @Slot()
    def open_log_folder(self) -> None:
        """Show the folder with the log of the run in sight, as the desktop shows folders."""
        run = self._controller.run
        if run is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(run.recorder.path.parent)))

    def _write_image(self, path: Path, widget: QWidget, caption: str) -> None:
        image = as_image(widget, self._controller.window.theme, caption)
        self._write(path, lambda: write_whole(path, lambda part: _save(image, part)))

    def _write(self, path: Path, work: Callable[[], object]) -> None:
        window = self._controller.window
        self._controller.background.start(
            Task(
                lambda _: work(),
                lambda _: window.tell(f"{path.name} is written", "done"),
                window.tell,
            )
        )

    def _writer_of(self, name: str, run: CurrentRun, path: Path) -> Callable[[], object]:
        state = run.snapshot
        words = run.instance.problem.words
        if name == words.solution:
            best = None if state is None else state.best_solution
            if state is None or best is None:
                raise ExportError(f"{path}: there is no {name} yet")
            cost = f"{words.cost.capitalize()} {state.best_cost}"
            comment = f"{cost}, {run.session.colony}, seed {run.session.seed}"
            return lambda: export_solution(path, run.instance, best, comment)
        if name == "session":
            return lambda: export_session(path, run.session, run.instance, run.outcome)
        log = run.recorder.path
        if name == "log":
            return lambda: export_log(path, log)
        return lambda: export_csv(path, read_log(log))


def _save(image: QImage, path: Path) -> None:
    if not image.save(str(path), "PNG"):  # type: ignore[call-overload]
        raise OSError(f"{path.name} cannot be written as PNG")
