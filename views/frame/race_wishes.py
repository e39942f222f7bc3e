"""What the user wants of a race, by the window's own buttons."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class RaceWishes(QObject):
    """What the user wants of a race, by the buttons and keys that are for a run at other times."""

    start = Signal()
    pause = Signal()
    resume = Signal()
    step = Signal()
    stop = Signal()
