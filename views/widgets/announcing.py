"""What screen readers say unasked."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from gpu.core.snapshot import RunState

QUIET = 15.0
"""Seconds of a run in which its numbers are told once at most."""


def announce(widget: QWidget, text: str) -> None:
    """Have ``text`` said after what is being said, if anybody listens."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


class RunNews:
    """Decides which states of a run are told: those with a better cost, and few of them."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin with another run."""
        self._cost: int | None = None
        self._told = -QUIET

    def worth(self, state: RunState) -> bool:
        """Return whether ``state`` is to be told now."""
        better = state.best_cost is not None and state.best_cost != self._cost
        if not better or state.elapsed < self._told + QUIET:
            return False
        self._cost, self._told = state.best_cost, state.elapsed
        return True
