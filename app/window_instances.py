"""Files that the window opens: instances, and recorded sessions with theirs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.background import Task
from app.choices import choices_of
from app.loading import load_any
from gpu.instances.instance import Instance

if TYPE_CHECKING:
    from app.run_log import RunLog
    from app.session import Session
    from app.window_controller import WindowController


class WindowInstances(QObject):
    """Loads one file at a time; what is opened last counts."""

    def __init__(self, controller: WindowController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._loading: Task[tuple[Instance, RunLog | None]] | None = None
        self._waiting: Path | None = None

    def open(self, path: Path) -> None:
        """Load what is at ``path``; the run under way is ended before."""
        controller = self._controller
        controller.measurements.cancel()
        controller.window.banner.clear()
        controller.window.setup.show_loading(path.name)
        if controller.active:
            self._waiting = path
            controller.stop()
            return
        if self._loading is not None:
            self._loading.cancel()
        self._waiting = None
        self._loading = controller.background.start(
            Task(lambda _: load_any(path), self._loaded, self._not_loaded)
        )

    def open_what_waits(self) -> None:
        """Load what was to be opened while a run was under way."""
        if self._waiting is not None:
            self.open(self._waiting)

    def _loaded(self, found: tuple[Instance, RunLog | None]) -> None:
        self._loading = None
        instance, log = found
        self._controller.show_instance(instance)
        if log is not None:
            self._choose(log.session)
        self._controller.decisions.refresh()
        if instance.note:
            self._controller.window.tell(f"{instance.name}: {instance.note}", "info")
        self._controller.measurements.enable()
        self._controller.announce()

    def _choose(self, session: Session) -> None:
        window = self._controller.window
        missing = window.setup.set_choices(choices_of(session))
        if missing:
            window.tell(f"This machine cannot run {missing}: choose another colony or device")

    def _not_loaded(self, sentence: str) -> None:
        self._loading = None
        self._controller.window.setup.show_loading("")
        self._controller.window.tell(sentence)
