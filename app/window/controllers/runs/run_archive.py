"""The list of all runs: those of this window, and earlier ones from their logs."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QFile, QObject, Signal, Slot

from app.files.study_runs import write_case_log
from app.window.controllers.batch.study_work import is_kept, studies_folder
from app.window.controllers.controller import Controller, Parts
from app.window.models.run import RunModel
from app.window.threads.tasks import Task
from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.words import counted
from gpu.run.frames.frames import FRAMES_SUFFIX
from gpu.run.log.archive import Archive, ArchiveRows, Notes, NotesError, summary_of
from gpu.run.log.recorded import Recorded, comparison, repeated
from gpu.run.log.recorder import ending, numbers
from gpu.run.log.rows import GOES_ON, Note, RunRow, RunSummary
from gpu.run.outcome import Ending, Result
from gpu.run.session import Session
from gpu.studies.study_runs import StudyArchive, study_of
from views.frame.actions import STOP_KEYS
from views.frame.banner import Offer
from views.runs.runs_view import RunsView

LIVE_EVERY = 0.5  # seconds between two states of a run that goes on

_NOT_KEPT = "No solution of this run is kept: Run again makes it once more"


class RunArchiveController(Controller):
    """Keeps the list of runs, and what the user writes about them."""

    open_wanted = Signal(object)  # path of a log that the user wants to see
    run_wanted = Signal(object)  # the Session of a run that is to be made again

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._archive = parts.archive
        self._studies = StudyArchive()
        self._study_logs: TemporaryDirectory[str] | None = None  # of runs of studies in sight
        self._view = self._window.view(RunsView)
        self._reading: Task[ArchiveRows] | None = None
        self._again = False  # whether something has changed since the reading began
        self._own: dict[Path, RunRow] = {}  # the runs of this window
        self._due = 0.0
        self._unkept: deque[tuple[Path, Note]] = deque()  # what the user has just written
        self._keeping: Task[None] | None = None
        self._opened: Path | None = None  # the log that the user has opened from the list
        self._to_repeat: Path | None = None  # the log whose run is made again once it is shown
        self._repeated: Recorded | None = None  # what the run that was started is compared with
        self._log_in_sight = False
        self._window.open_requested.connect(self._other_opened)
        self._view.table.repeated.connect(self._run_again)
        self._view.looked_at.connect(self.refresh)
        self._view.table.opened.connect(self._open)
        self._view.table.deleted.connect(self._ask_to_delete)
        self._window.closing.connect(self._forget_study_logs)
        self._view.model.noted.connect(self._keep_note)
        self._runs.current_changed.connect(self._begun)
        self._runs.ended.connect(self._ended)

    @Slot()
    def refresh(self) -> None:
        """Read the logs that are new or have changed, and show all."""
        if self._reading is not None:
            self._again = True
            return
        self._again = False
        archive, studies, named = self._archive, self._studies, tuple(self._view.studies)

        def read(task: Task[ArchiveRows]) -> ArchiveRows:
            found = archive.read(lambda: task.cancelled)
            own = sorted(studies_folder().glob("*.sqlite"))
            runs, wrong = studies.read((*own, *named), lambda: task.cancelled)
            notes = _notes_in(archive.folders[0])
            rows = [RunRow(run, notes.get(_note_name(run), Note())) for run in runs]
            return ArchiveRows([*found.rows, *rows], "; ".join(filter(None, (found.wrong, wrong))))

        self._reading = self._background.start(Task(read, self._show, self._not_read))

    @Slot(object)
    def note_study(self, path: Path | None) -> None:
        """Have the runs of a study in the list that was opened or begun, unless it is shipped."""
        if path is not None and not is_kept(path):
            others = [one for one in self._view.studies if one != path]
            self._view.studies = [*others, path]
        self.refresh_seen()

    @Slot()
    def refresh_seen(self) -> None:
        """Show what is new, if the list is in sight."""
        if self._view.isVisible():
            self.refresh()

    def _show(self, found: ArchiveRows) -> None:
        self._reading = None
        listed = {row.run.path: row for row in found.rows}
        # A run's own state is newer than its log, which may be missing: the disk may be full.
        own = {
            path: RunRow(row.run, listed[path].note if path in listed else row.note)
            for path, row in self._own.items()
            if path not in listed or row.run.state == GOES_ON
        }
        newest = [row for path, row in own.items() if path not in listed]
        rows = [own.get(row.run.path, row) for row in found.rows]
        self._view.show_rows([*reversed(newest), *rows])
        if found.wrong:
            self._window.tell(found.wrong, "warning")
        if self._again:
            self.refresh()

    def _not_read(self, sentence: str) -> None:
        self._reading = None
        self._window.tell(sentence)

    @Slot(object)
    def _begun(self, run: RunModel | None) -> None:
        self._log_in_sight = False
        if run is None:
            return
        self._archive.look_in(run.recorder.path.parent)
        if self._repeated is not None and run.session != _session_again(self._repeated):
            self._repeated = None  # another run was started
        self._take_in(run)
        run.looked.connect(self._show_live)
        if not run.instance.optimum:
            self._find_earlier_best(run)

    def _find_earlier_best(self, run: RunModel) -> None:
        """Look for what the user's own runs have found: what there is to compare with."""
        solved = run.session.instance

        def note(earlier: RunSummary | None) -> None:
            run.earlier_best = None if earlier is None else earlier.best
            if run.earlier_best and run is self._runs.current:
                self._window.readout.show_earlier(run.earlier_best)

        self._look_for_best(solved.sha256, solved.read_as, note, beside=run.recorder.path)

    def _look_for_best(
        self,
        sha256: str,
        read_as: str,
        note: Callable[[RunSummary | None], None],
        beside: Path | None = None,
    ) -> None:
        """Look for the best of the user's runs of an instance, but that of the log ``beside``."""
        archive, digest = self._archive, f"{sha256} {read_as}".strip()

        def found(task: Task[RunSummary | None]) -> RunSummary | None:
            runs = (row.run for row in archive.read(lambda: task.cancelled).rows)
            same = (one for one in runs if one.digest.strip() == digest and not one.of_other_cities)
            solved = (one for one in same if one.path != beside and one.best is not None)
            return min(solved, key=lambda one: one.best or 0, default=None)

        self._background.start(Task[RunSummary | None](found, note, self._window.tell))

    @Slot()
    def offer_earlier(self) -> None:
        """Say what the user's own runs have found of the instance that is shown now."""
        instance, window = self._instance.value, self._window
        if instance is None or not instance.sha256:
            return

        def offer(earlier: RunSummary | None) -> None:
            other = self._instance.value is not instance or self._runs.busy
            other |= self._runs.current is not None or self._log_in_sight
            if earlier is None or earlier.best is None or other or window.banner.text:
                return
            best = instance.cost_unit.amount(earlier.best)
            when = "" if earlier.started is None else f", {earlier.started:%Y-%m-%d}"
            tip = "Open that run; Run > Improve the best solution goes on from it"
            show = Offer("Show it", tip, lambda: self.show_run(earlier.path))
            text = f"Your best until now is {best} ({earlier.colony}{when})"
            window.tell(text, "info", stays=True, offers=[show])

        self._look_for_best(instance.sha256, instance.read_as, offer)

    @Slot(object)
    def _ended(self, run: RunModel) -> None:
        self._take_in(run)
        if self._view.isVisible():
            self.refresh()
        if self._repeated is not None:
            recorded, self._repeated = self._repeated, None
            self._compare(recorded, run)

    @Slot()
    def _show_live(self) -> None:
        run, now = self._runs.active, time.monotonic()
        if run is not None and self._view.isVisible() and now >= self._due:
            self._due = now + LIVE_EVERY
            self._take_in(run)

    def _take_in(self, run: RunModel) -> None:
        """Show the present state of a run of this window."""
        path = run.recorder.path
        known = self._view.model.row_of(path) or self._own.get(path)
        row = RunRow(_present(run), *([known.note] if known else []))
        self._own[path] = row
        self._view.update_row(row)

    @Slot(object)
    def _open(self, row: RunRow) -> None:
        path = row.run.path
        if (run := self._runs.active) is not None and run.recorder.path == path:
            self._window.dashboard.show_map()
            return
        self.show_run(path)

    @Slot(object)
    @Slot(object, bool)
    def show_run(self, path: Path, again: bool = False) -> None:
        """Show the run of a log, or that of a study, and make it ``again`` if that is wanted."""
        if study_of(path) is None:
            self._show_log(path, again)
            return
        if self._study_logs is None:
            self._study_logs = TemporaryDirectory(prefix="formicarium-")
        folder = Path(self._study_logs.name)
        task = Task(
            lambda _: write_case_log(path, folder),
            lambda log: self._show_log(log, again),
            self._window.tell,
        )
        self._background.start(task)

    def _show_log(self, path: Path, again: bool) -> None:
        self._opened, self._to_repeat = path, path if again else None
        self.open_wanted.emit(path)

    @Slot()
    def _forget_study_logs(self) -> None:
        if self._study_logs is not None:
            self._study_logs.cleanup()
            self._study_logs = None

    @Slot(object)
    def _run_again(self, row: RunRow) -> None:
        """Show the recorded run; :meth:`show_recorded` starts it again."""
        if row.run.state == GOES_ON:
            self._window.tell("This run goes on: run it again when it has ended", "info")
            return
        self.show_run(row.run.path, again=True)

    @Slot()
    def _other_opened(self) -> None:
        self._opened = self._to_repeat = None

    @Slot(object)
    def show_recorded(self, recorded: Recorded) -> None:
        """Show the curves and the solution of a log that was opened; run it again if wanted."""
        self._log_in_sight = True
        window, log = self._window, recorded.log
        session = log.session
        parts = (
            session.instance.name,
            f"{session.title} on {session.device}",
        )
        studys = self._study_logs is not None and log.path.parent == Path(self._study_logs.name)
        where = "run of a study" if studys else f"log {log.path.name}"
        window.name_run("  ·  ".join((*parts, f"seed {session.seed}", where)))
        if recorded.state is not None:
            window.show_snapshot(recorded.state, "log")
        if recorded.warning:
            window.tell(recorded.warning, "warning")
        elif (
            studys
            and log.last is not None
            and log.last.get(log.session.system.problem.words.written) is None
        ):
            window.tell(_NOT_KEPT, "info")
        if log.path == self._opened:
            window.dashboard.show_map()
        repeats, self._to_repeat, self._opened = log.path == self._to_repeat, None, None
        if repeats:
            try:
                session = repeated(log)
            except FormicariumError as error:
                window.tell(str(error))
                return
            self._repeated = recorded
            if recorded.begun_on is not recorded.instance:
                self._instance.replace(recorded.begun_on)
                window.show_edited(recorded.begun_on)
            self.run_wanted.emit(session)

    def _compare(self, recorded: Recorded, run: RunModel) -> None:
        """Say whether a run that was made again came out the same."""
        outcome, instance, session = run.outcome, run.instance, run.session
        if outcome is None or outcome.ending is not Ending.FINISHED:
            return

        def show(found: tuple[bool, str]) -> None:
            same, sentence = found
            self._window.tell(f"Run again: {sentence}", "done" if same else "warning")

        result = Result.of(instance, session, outcome)
        task = Task(lambda _: comparison(recorded.log, result), show, self._window.tell)
        self._background.start(task)

    @Slot(object)
    def _keep_note(self, row: RunRow) -> None:
        """Keep in the background what the user has written."""
        path = row.run.path
        if path in self._own:
            self._own[path] = RunRow(self._own[path].run, row.note)
        self._unkept.append((_note_place(self._archive, row.run), row.note))
        self._keep_all()

    def _keep_all(self) -> None:
        """Keep what waits, in one thread at a time: the last change must be the last written."""
        archive, unkept = self._archive, self._unkept

        def keep(_: object) -> None:
            while unkept:
                archive.put(*unkept.popleft())

        if self._keeping is None and unkept:
            self._keeping = self._background.start(Task(keep, self._kept, self._not_kept))

    def _kept(self, _: object) -> None:
        self._keeping = None
        self._keep_all()  # what came as the thread ended

    def _not_kept(self, sentence: str) -> None:
        self._unkept.clear()
        self._keeping = None
        self._window.tell(sentence)

    @Slot(object)
    def _ask_to_delete(self, rows: list[RunRow]) -> None:
        if any(row.run.study for row in rows):
            self._window.tell(
                "Runs of a study are in its file: delete that file to lose them", "info"
            )
            rows = [row for row in rows if not row.run.study]
        over = [row.run.path for row in rows if row.run.state != GOES_ON]
        if len(over) < len(rows):
            self._window.tell(
                f"A run that goes on is not deleted: stop it first ({STOP_KEYS})", "info"
            )
        if over:
            question = f"Move the {_logs(over)} to the trash?"
            self._window.ask(question, "Move to the trash", "Keep", partial(self._trash, over))

    def _trash(self, paths: list[Path]) -> None:
        """Move logs to the trash; names and notes stay, in case a log comes back."""
        task = Task(
            lambda _: [path for path in paths if not _moved_to_trash(path)],
            lambda left: self._trashed(len(paths), left),
            self._window.tell,
        )
        self._background.start(task)

    def _trashed(self, count: int, left: list[Path]) -> None:
        self._forget()
        if moved := count - len(left):
            self._window.tell(f"{counted(moved, 'run')} moved to the trash", "done")
        if left:
            question = (
                f"The trash does not take the {_logs(left)}. Delete for good? "
                "This cannot be undone."
            )
            self._window.ask(question, "Delete for good", "Keep", partial(self._delete, left))

    def _delete(self, paths: list[Path]) -> None:
        task = Task(lambda _: _delete_all(paths), self._deleted, self._window.tell)
        self._background.start(task)

    def _deleted(self, sentence: str) -> None:
        self._forget()
        self._window.tell(sentence, "done")

    def _forget(self) -> None:
        """Drop what was kept of runs that have ended: their logs say whether they are there."""
        self._own = {path: row for path, row in self._own.items() if row.run.state == GOES_ON}
        self.refresh()


def _present(run: RunModel) -> RunSummary:
    """Return the row of a run of this window as it is now."""
    path, header = run.recorder.path, run.recorder.header
    if run.outcome is None:
        state = {"kind": "outcome", "ending": GOES_ON, **numbers(run.instance, run.latest)}
        return summary_of(path, header, state)
    return summary_of(path, header, ending(run.instance, run.outcome))


def _note_name(run: RunSummary) -> str:
    """Return by what the notes about a run of a study, or about a whole one, are kept."""
    if run.members is None:
        return run.path.name
    return hashlib.sha256(str(run.path).encode()).hexdigest()[:32]


def _notes_in(folder: Path) -> Mapping[str, Note]:
    """Return the notes in ``folder``; none if they cannot be read, which the archive says."""
    with suppress(NotesError):
        return Notes(folder).read()
    return {}


def _note_place(archive: Archive, run: RunSummary) -> Path:
    return archive.folders[0] / _note_name(run) if run.study else run.path


def _session_again(recorded: Recorded) -> Session | None:
    try:
        return repeated(recorded.log)
    except FormicariumError:
        return None


def _logs(paths: list[Path]) -> str:
    return f"log {paths[0].name}" if len(paths) == 1 else f"logs of {len(paths)} runs"


def _moved_to_trash(path: Path) -> bool:
    """Whether the log is in the trash now, or was not there any more; so are its frames then."""
    moved: object = QFile.moveToTrash(str(path))
    if (frames := path.with_suffix(FRAMES_SUFFIX)).exists():
        QFile.moveToTrash(str(frames))
    done = moved[0] if isinstance(moved, tuple) else moved
    return bool(done) or not path.exists()


def _delete_all(paths: list[Path]) -> str:
    """Delete logs; return one sentence about it."""
    for done, path in enumerate(paths):
        try:
            path.with_suffix(FRAMES_SUFFIX).unlink(missing_ok=True)
            path.unlink(missing_ok=True)
        except OSError as error:
            return f"{counted(done, 'run')} deleted, no more: {sentence_for(error)}"
    return f"{counted(len(paths), 'run')} deleted"
