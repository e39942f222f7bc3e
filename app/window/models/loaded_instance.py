"""The instance that the window shows."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.files.loading import OpenedRace
from gpu.core.instance import Instance
from gpu.run.run_log import RunLog

# An instance, and the recorded session or race that it came with.
Found = tuple[Instance, RunLog | OpenedRace | None]


class LoadedInstance(QObject):
    """The instance that runs and measurements are made on."""

    changed = Signal(object)  # the new Instance, before views show it

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value: Instance | None = None  # None before the first one is opened
        self.next: Found | None = None  # is loaded, and waits for the end of the run

    def change(self, instance: Instance) -> None:
        """Have another instance."""
        self.value = instance
        self.changed.emit(instance)
