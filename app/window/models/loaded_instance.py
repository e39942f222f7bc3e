"""The instance that the window shows."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gpu.core.instance import Instance
from gpu.run.recorded import Recorded

Found = tuple[Instance, Recorded | None]  # an instance, and the recorded run that it came with


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
