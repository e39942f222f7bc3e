"""What other threads ask of a study: to pause, to go on, to end."""

from __future__ import annotations

import threading


class Control:
    """Switches that any thread may turn; the thread of the study looks at them."""

    def __init__(self) -> None:
        self._paused = threading.Event()
        self._cancelled = threading.Event()
        self._turned = threading.Event()  # wakes whoever waits

    @property
    def paused(self) -> bool:
        """Whether runs wait."""
        return self._paused.is_set()

    @property
    def cancelled(self) -> bool:
        """Whether the study must end."""
        return self._cancelled.is_set()

    def pause(self) -> None:
        """Ask runs to wait."""
        self._paused.set()
        self._turned.set()

    def go_on(self) -> None:
        """Let runs go on."""
        self._paused.clear()
        self._turned.set()

    def cancel(self) -> None:
        """Ask for the end: what runs is given up."""
        self._cancelled.set()
        self._turned.set()

    def wait(self, seconds: float) -> None:
        """Wait so long, or until a switch is turned."""
        self._turned.wait(seconds)
        self._turned.clear()
