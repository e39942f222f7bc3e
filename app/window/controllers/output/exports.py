"""Writes what the user takes away: solutions, logs, sessions, measurements, the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import platformdirs
from PySide6.QtCore import QObject, QProcess, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.files import exports
from app.files.classes import CLASS_WRITERS
from app.files.desktop.entry import show_command
from app.files.measurements import export_comparison, export_speedup
from app.files.pictures import write_picture
from app.files.routes import ROUTE_WRITERS
from app.files.writing import ExportError
from app.window.controllers.controller import Controller, Parts
from app.window.models.run import RunModel
from app.window.threads.tasks import Task
from gpu import APPLICATION, catalog
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from gpu.core.stop_limits import STOP_LIMITS
from gpu.core.words import command_line
from gpu.problems.bundled import name_or_path
from gpu.problems.reading import ReadAs
from gpu.run.log.names import named, stem
from gpu.run.log.recorded import Recorded
from gpu.run.log.recorder import outcome_line
from gpu.run.log.run_log import read_log
from gpu.run.session import Session
from views.batch.comparison_view import ComparisonView
from views.batch.speedup_view import SpeedupView
from views.batch.study_view import STUDY_EXPORTS
from views.runs.log_view import LogView
from views.setup.presets import Choices
from views.widgets.picture_export import image_steps

_OWN_OPTIONS = {"ants": "--ants", "local_search": "--local-search"}  # beside --set


def command_of(instance: Instance, choices: Choices) -> str:
    """Return the command that solves ``instance`` with ``choices``, quoted for a shell."""
    file = instance.name if instance.path is None else name_or_path(instance.path)
    words = ["formicarium", "solve", file]
    words += ReadAs.parse(instance.read_as).options()
    words += ["--colony", choices.colony, "--device", choices.device]
    kind = catalog.named(choices.colony).parameters
    usual = kind().to_dict()
    for name, value in kind.from_mapping(choices.parameters).to_dict().items():
        if value != usual[name]:
            text = "auto" if value is None else str(value).removesuffix(".0")
            own = _OWN_OPTIONS.get(name)
            words += [own, text] if own else ["--set", f"{name}={text}"]
    words += ["--seed", str(choices.seed)]
    for name, limit in STOP_LIMITS.items():
        if (number := choices.stop.get(name)) is not None:
            text = f"{number}".removesuffix(".0")
            if name == "target_length":
                text = instance.cost_unit.text(number, "")
            words += [limit.option.format(instance.problem.words), text]
    if choices.stop.get("go_on"):
        words.append("--go-on")
    if not any(choices.stop.get(name) is not None for name in STOP_LIMITS):
        words.append("--no-limit")
    return command_line(*words)


_WRITERS = {**ROUTE_WRITERS, **CLASS_WRITERS}  # of solutions, for other programs
_TABLE_KINDS: dict[str, Literal["csv", "jsonl"]] = {
    "comparison": "csv",
    "comparison-lines": "jsonl",
}
_RACE_WRITERS = {"race": exports.export_race, "race-curves": exports.export_race_csv}


def own_folder(path: Path) -> Path | None:
    """Return the folder of the instance at ``path``; None for what the program keeps itself."""
    if name_or_path(path) != str(path.absolute()):
        return None  # it came with the program
    kept = platformdirs.user_data_path(APPLICATION, appauthor=False)
    return None if path.is_relative_to(kept) else path.absolute().parent


class ExportController(Controller):
    """Writes files in the background, and tells how that went."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        window = self._window
        window.dialogs.stem_of = self.stem_of
        window.dialogs.folder_of = self.folder_of
        window.dialogs.own_folder = own_folder
        window.dialogs.to_export.connect(self.export)
        self._recorded: Recorded | None = None  # the run in sight, if its log was opened
        self._instance.changed.connect(self._forget_recorded)
        self._runs.current_changed.connect(self._forget_recorded)
        window.folder_wanted.connect(self.show_in_folder)
        window.view(LogView).folder_requested.connect(self.open_log_folder)
        window.actions_.connect({"copy-command": self.copy_command})

    def stem_of(self, what: str) -> str:
        """Return how the name of a file begins: with instance, colony and seed.

        ``what`` is the key of a view, or a name in ``views.frame.actions.EXPORTS``.
        """
        for key, view in self._window.dashboard.views.items():
            if what in (key, *view.exports) and (source := view.source) is not None:
                return named(source.instance, source.colony, source.seed)
        if (run := self._run) is not None:
            return stem(run.session)
        return named(self._instance.value.name) if self._instance.value else APPLICATION

    def folder_of(self, what: str) -> Path | None:
        """Return the folder of the instance's file, if it is the user's own: ``what`` goes there.

        Studies have files of their own.
        """
        instance = self._instance.value
        path = None if instance is None or what in STUDY_EXPORTS else instance.path
        return None if path is None else own_folder(path)

    @Slot(object)
    def show_recorded(self, recorded: Recorded) -> None:
        """Take away, from now on, what was recorded of this run."""
        self._recorded = recorded

    @Slot()
    def _forget_recorded(self) -> None:
        self._recorded = None

    @property
    def _run(self) -> _ExportedRun | None:
        """The run in sight."""
        if self._recorded is not None:
            return _ExportedRun.recorded(self._recorded)
        return None if self._runs.current is None else _ExportedRun.of(self._runs.current)

    @Slot(str, object)
    def export(self, name: str, path: Path) -> None:
        """Write what a name in ``views.frame.actions.EXPORTS`` stands for to ``path``."""
        window, run = self._window, self._run
        if name == "window":
            window.steps.begin(
                lambda: image_steps(window, window.theme),
                lambda image: self._write(path, lambda: write_picture(path, image)),
            )
        elif name == "speedup":
            reports = list(window.view(SpeedupView).reports)
            self._write(path, lambda: export_speedup(path, reports, "json"))
        elif name in _TABLE_KINDS:
            if (report := window.view(ComparisonView).report) is not None:
                self._write(path, lambda: export_comparison(path, report, _TABLE_KINDS[name]))
        elif name in _RACE_WRITERS:
            self._export_race(path, _RACE_WRITERS[name])
        elif run is not None and name not in STUDY_EXPORTS:  # others are written elsewhere
            self._write(path, lambda: _writer_of(name, run, path)())

    def _export_race(self, path: Path, write: Callable[..., object]) -> None:
        instance, model = self._instance.value, self._runs.race
        if instance is not None:
            # The lanes go on while a thread writes: it gets what they have found until now.
            race, records = model.race, [replace(record) for record in model.records]
            self._write(path, lambda: write(path, race, records, instance))

    @Slot()
    def copy_command(self) -> None:
        """Put the command that does the same as the window on the clipboard."""
        instance, window = self._instance.value, self._window
        if instance is None or window.problem:
            return
        command = command_of(instance, window.setup.choices())
        QGuiApplication.clipboard().setText(command)
        window.tell(f"Copied: {command}", "done")

    @Slot()
    def open_log_folder(self) -> None:
        """Show the current run's log in the desktop's file manager."""
        if (run := self._run) is not None:
            self.show_in_folder(run.log)

    @Slot(object)
    def show_in_folder(self, path: Path) -> None:
        """Show a file in the desktop's file manager, or say where it is if there is none."""
        command = show_command(path)
        if command:
            shown = QProcess.startDetached(command[0], command[1:])[0]
        else:
            shown = QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
        if not shown:
            self._window.tell(f"No file manager opens here: the file is {path}", "warning")

    def _write(self, path: Path, work: Callable[[], object]) -> None:
        window = self._window
        self._background.start(
            Task(lambda _: work(), lambda _: window.tell_written(path), window.tell)
        )


class _ExportedRun(NamedTuple):
    """A run to take away: one of this window, or one that was recorded earlier."""

    instance: Instance
    session: Session
    header: Mapping[str, object]  # the first line of its log
    outcome: Callable[[], Mapping[str, object] | None]  # the last one; slow with a long tour
    state: RunState | None  # with its solution, as far as it is known
    log: Path
    lost: bool = False  # whether lines of its log are missing

    @classmethod
    def of(cls, run: RunModel) -> _ExportedRun:
        """Return a run of this window."""
        instance, recorder, outcome = run.instance, run.recorder, run.outcome
        return cls(
            *(instance, run.session, recorder.header),
            lambda: None if outcome is None else outcome_line(instance, outcome),
            run.snapshot,
            log=recorder.path,
            lost=recorder.lost,
        )

    @classmethod
    def recorded(cls, found: Recorded) -> _ExportedRun:
        """Return a run whose log was opened."""
        log = found.log
        header, state = log.header, found.state
        return cls(found.instance, log.session, header, lambda: log.outcome, state, log.path)


def _writer_of(name: str, run: _ExportedRun, path: Path) -> Callable[[], object]:
    """Return what writes the solution, the session, the log or the numbers of ``run``."""
    words = run.instance.problem.words
    if name in (words.solution, *_WRITERS):
        if (state := run.state) is None or (best := state.best_solution) is None:
            raise ExportError(f"{path}: there is no {words.solution} yet")
        if name in _WRITERS:
            return lambda: _WRITERS[name](path, run.instance, best)
        cost = f"{words.cost.capitalize()} {run.instance.cost_unit.amount(state.cost, '')}"
        comment = f"{cost}, {run.session.colony}, seed {run.session.seed}"
        return lambda: exports.export_solution(path, run.instance, best, comment)
    if name == "session":
        return lambda: exports.export_session(path, run.header, run.outcome())
    if run.lost:
        raise ExportError(f"{run.log}: the run's log could not be written, and is incomplete")
    if name == "log":
        return lambda: exports.export_log(path, run.log)
    return lambda: exports.export_csv(path, read_log(run.log))
