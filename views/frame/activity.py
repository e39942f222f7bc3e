"""What the program does, what the user wants of it, and what is asked before it ends."""

from __future__ import annotations

import enum
from typing import NamedTuple, Protocol

from PySide6.QtCore import QObject, Signal


class Activity(enum.Enum):
    """What the program is doing. It decides which buttons can be pressed."""

    IDLE = "Ready"
    BUILDING = "Building"
    BUILDING_TO_PAUSE = "Building, then paused"
    RUNNING = "Running"
    PAUSED = "Paused"
    STOPPING = "Stopping"
    MEASURING = "Measuring"

    @property
    def has_run(self) -> bool:
        """Whether there is a run, paused or not."""
        return self not in (Activity.IDLE, Activity.MEASURING)

    @property
    def goes_on(self) -> bool:
        """Whether there is a run that nobody has stopped yet."""
        return self.has_run and self is not Activity.STOPPING

    @property
    def builds(self) -> bool:
        """Whether the colony is being built."""
        return self in (Activity.BUILDING, Activity.BUILDING_TO_PAUSE)

    @property
    def rests(self) -> bool:
        """Whether the run is paused, or will be once its colony is built."""
        return self in (Activity.PAUSED, Activity.BUILDING_TO_PAUSE)


class ObeysCommands(Protocol):
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


class RunCommands(QObject):
    """What the user wants of a run, a race or a study: a signal for each command."""

    start = Signal()
    pause = Signal()
    resume = Signal()
    step = Signal()
    stop = Signal()

    def lead(self, run: ObeysCommands) -> None:
        """Have every command obeyed by ``run``."""
        for name in ("start", "pause", "resume", "step", "stop"):
            getattr(self, name).connect(getattr(run, name))


class Question(NamedTuple):
    """A question with its two answers."""

    text: str
    yes: str  # closes the window
    no: str


def question(activity: Activity, *, racing: bool, study: bool, unsaved: bool) -> Question | None:
    """Return what to ask; nothing where nothing would be lost.

    There may be a run or, ``racing``, a race; a measurement; a ``study`` that goes on; an
    ``unsaved`` drawing.
    """
    if activity.goes_on:
        what, logs = ("race", "Its logs are") if racing else ("run", "Its log is")
        text = f"A {what} goes on. Stop it and quit? {logs} kept."
    elif activity is Activity.MEASURING:
        text = "A measurement goes on. Stop it and quit? What it has measured is lost."
    elif study:
        text = "A study goes on. Stop it and quit? Finished runs are kept."
    elif unsaved:
        text = "The drawing is not saved. Quit without it?"
        return Question(text, "Quit without it", "Go back")
    else:
        return None
    if unsaved:
        text += " The drawing, which is not saved, is lost."
    return Question(text, "Stop and quit", "Go on")
