"""The study of a window while it is at work: its processes are started from another thread."""

from __future__ import annotations

import enum
import time
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.window.threads.tasks import BackgroundTasks, Task
from gpu.batch.local import LocalRunner
from gpu.batch.plan import Plan
from gpu.batch.store import Store
from gpu.batch.study import Progress, Study


class StudyState(enum.Enum):
    """What a study does."""

    IDLE = "No study goes on"
    PREPARING = "Preparing the study"
    RUNNING = "The study runs"
    PAUSED = "The study is paused"
    STOPPING = "The study is being ended"


class StudyModel(QObject):
    """Does the runs of a plan that its file has no results of.

    Everything that waits, for the file or for processes, is done in the thread of a task. What is
    read here while the study goes on is guarded by a lock that nobody holds while he waits.
    """

    state_changed = Signal(object)  # the new StudyState
    ended = Signal(object, str)  # the last Progress, or None; and why it could not go on, or ""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = StudyState.IDLE
        self._study: Study | None = None  # set by the thread of the task
        self._task: Task[Progress] | None = None
        self._stops = False

    @property
    def busy(self) -> bool:
        """Whether a study goes on or is being prepared, paused or not."""
        return self.state is not StudyState.IDLE

    @property
    def progress(self) -> Progress | None:
        """How far the study is; None before it has begun."""
        return None if self._study is None else self._study.progress

    @property
    def added(self) -> int:
        """How many of its runs the file did not have."""
        return 0 if self._study is None else self._study.added

    def start(
        self,
        background: BackgroundTasks,
        plan: Plan,
        results: Path,
        *,
        processes: int | None = None,
        retry_failed: bool = False,
    ) -> None:
        """Do the runs of ``plan``; their results go to the file ``results``.

        At most ``processes`` cores are used, by default all. With ``retry_failed``, runs that have
        failed are done again.
        """

        def work(task: Task[Progress]) -> Progress:
            results.parent.mkdir(parents=True, exist_ok=True)
            with Store(results) as store:
                runner = LocalRunner(processes)
                study = Study(plan, store, runner, retry_failed=retry_failed)
                runner.check(study.runs)
                self._study = study
                if self._stops:  # asked before the study was there to hear it
                    study.cancel()
                task.post(self._begun)
                study.run()
                return study.progress

        self._study, self._stops = None, False
        self._set_state(StudyState.PREPARING)
        task = Task(work, lambda last: self._end(last, ""), lambda text: self._end(None, text))
        self._task = background.start(task)

    def pause(self) -> None:
        """Let the runs wait."""
        if self._study is not None and self.state is StudyState.RUNNING:
            self._study.pause()
            self._set_state(StudyState.PAUSED)

    def resume(self) -> None:
        """Let the runs go on."""
        if self._study is not None and self.state is StudyState.PAUSED:
            self._study.go_on()
            self._set_state(StudyState.RUNNING)

    def cancel(self) -> None:
        """End the study soon: what runs is given up, what is finished is kept."""
        if not self.busy:
            return
        self._stops = True
        if self._study is not None:
            self._study.cancel()
        self._set_state(StudyState.STOPPING)

    def shutdown(self, timeout: float) -> bool:
        """End the study silently; return whether its thread ended within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        self.blockSignals(True)
        self.cancel()
        if self._task is None:
            return True
        self._task.cancel()
        return self._task.wait(max(0, round(1000 * (deadline - time.monotonic()))))

    def _begun(self) -> None:
        if self.state is StudyState.PREPARING:
            self._set_state(StudyState.RUNNING)

    def _end(self, last: Progress | None, why: str) -> None:
        last = self.progress if last is None else last
        self._task = None
        self._set_state(StudyState.IDLE)
        self.ended.emit(last, why)

    def _set_state(self, state: StudyState) -> None:
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)
