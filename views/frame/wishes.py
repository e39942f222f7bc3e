"""What the user wants of a run or of a race, by the buttons and keys that both share."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Signal


class Obeying(Protocol):
    """Who does what the user wants."""

    def start(self) -> None:
        """Begin."""

    def pause(self) -> None:
        """Compute nothing until told to go on."""

    def resume(self) -> None:
        """Go on after a pause."""

    def step(self) -> None:
        """Make one iteration, and pause."""

    def stop(self) -> None:
        """End."""


class Wishes(QObject):
    """A signal for each wish."""

    start = Signal()
    pause = Signal()
    resume = Signal()
    step = Signal()
    stop = Signal()

    def tell(self, obeying: Obeying) -> None:
        """Let ``obeying`` hear of every wish."""
        self.start.connect(obeying.start)
        self.pause.connect(obeying.pause)
        self.resume.connect(obeying.resume)
        self.step.connect(obeying.step)
        self.stop.connect(obeying.stop)
