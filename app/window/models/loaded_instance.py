"""The instance that the window shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from gpu.core.instance import Instance


class LoadedInstance(QObject):
    """The instance that runs and measurements are made on.

    Attributes
    ----------
    value : Instance or None
        The instance; None before the first one is opened.
    awaits_next : bool
        Whether another instance is loaded and waits for the end of the run.
    changed : Signal
        The new Instance, before views show it.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value: Instance | None = None
        self.awaits_next = False

    def change(self, instance: Instance) -> None:
        """Have another instance."""
        self.value = instance
        self.changed.emit(instance)
