"""The instance that the window shows."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.files.loading import GivenTour, OpenedFile
from gpu.core.instance import Instance


class LoadedInstance(QObject):
    """The instance that runs and measurements are made on."""

    changed = Signal(object)  # the new Instance, before views show it
    edited = Signal(object)  # the Instance that it became when the user edited its cities
    given_changed = Signal()  # another tour from a file, or none

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value: Instance | None = None  # None before the first one is opened
        self.next: OpenedFile | None = None  # is loaded, and waits for the end of the run
        self.given: GivenTour | None = None  # a tour of it, from a file

    def change(self, instance: Instance) -> None:
        """Have another instance."""
        self.value = instance
        self.changed.emit(instance)
        self.give(None)

    def replace(self, instance: Instance) -> None:
        """Have what the instance became when the user edited its cities."""
        self.value = instance
        self.edited.emit(instance)
        self.give(None)

    def give(self, tour: GivenTour | None) -> None:
        """Have another tour beside the instance, from a file."""
        self.given = tour
        self.given_changed.emit()
