"""Files that the window opens: instances, and recorded sessions with theirs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.files.loading import load_any
from app.window.controllers.session_choices import choices_of
from app.window.threads.tasks import Task
from gpu.core.instance import Instance

if TYPE_CHECKING:
    from app.window.controller import WindowController
    from gpu.run.run_log import RunLog
    from gpu.run.session import Session


Found = tuple[Instance, "RunLog | None"]
"""An instance, and the recorded session that it was opened by."""


class WindowInstances(QObject):
    """Loads one file at a time; what is opened last, and can be read, counts."""

    def __init__(self, controller: WindowController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._loading: Task[Found] | None = None
        self._waiting: Found | None = None

    @property
    def waits(self) -> bool:
        """Whether an instance is loaded and waits for the end of a run to be shown."""
        return self._waiting is not None

    def open(self, path: Path) -> None:
        """Load what is at ``path``; only if that succeeds, what is under way is ended."""
        controller = self._controller
        controller.window.banner.clear()
        controller.window.setup.show_loading(path.name)
        if self._loading is not None:
            self._loading.cancel()
        self._loading = controller.background.start(
            Task(lambda _: load_any(path), self._loaded, self._not_loaded)
        )

    def show_what_waits(self) -> None:
        """Show what was loaded, unless a run is under way or a newer file is being loaded."""
        if self._waiting is None or self._loading is not None or self._controller.active:
            return
        (instance, log), self._waiting = self._waiting, None
        self._controller.measurements.cancel()
        self._controller.show_instance(instance)
        if log is not None:
            self._choose(log.session)
        self._controller.decisions.refresh()
        if instance.note:
            self._controller.window.tell(f"{instance.name}: {instance.note}", "info")
        self._controller.measurements.enable()
        self._controller.announce()

    def _loaded(self, found: Found) -> None:
        self._loading, self._waiting = None, found
        self.show_what_waits()
        if self.waits:
            self._controller.stop()

    def _choose(self, session: Session) -> None:
        window = self._controller.window
        missing = window.setup.set_choices(choices_of(session))
        if missing:
            window.tell(f"This machine cannot run {missing}: choose another colony or device")

    def _not_loaded(self, sentence: str) -> None:
        self._loading = None
        self._controller.window.setup.show_loading("")
        self.show_what_waits()
        self._controller.window.tell(sentence)
