"""Work of the window's thread in steps: between two of them the window can answer the user."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

T = TypeVar("T")

Steps = Generator[None, None, T]
"""Works on from step to step, and returns what it has made."""


def finished(steps: Steps[T]) -> T:
    """Take all ``steps`` at once, and return what they make."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            made: T = end.value
            return made


class StepByStep(QObject):
    """Takes the steps of several works, one work after the other.

    If it is ``hidden``, the window is not painted meanwhile: a view that is drawn for a picture has
    other colours and another size.
    """

    def __init__(self, window: QWidget, *, hidden: bool) -> None:
        super().__init__(window)
        self._window, self._hidden = window, hidden
        self._waiting: deque[tuple[Callable[[], Steps[Any]], Callable[[Any], object]]] = deque()
        self._steps: Steps[Any] | None = None  # of the work that has begun
        self._done: Callable[[Any], object] = lambda _: None  # called with what it makes
        self._soon = QTimer(self, interval=0)
        self._soon.timeout.connect(self._take)

    @property
    def busy(self) -> bool:
        """Whether there is work."""
        return self._soon.isActive()

    def begin(self, work: Callable[[], Steps[T]], done: Callable[[T], object]) -> None:
        """Have ``work`` done after all that was begun before, and ``done`` called with its result.

        Work that waits already is not done twice.
        """
        if (work, done) not in self._waiting:
            self._waiting.append((work, done))
            self._soon.start()

    def finish(self) -> None:
        """Take all steps that are left."""
        while self.busy:
            self._take()

    def _take(self) -> None:
        """Take the next step; an error that it raises ends its own work alone."""
        going, made = False, None
        try:
            if self._steps is None:
                self._paint(on=False)
                work, self._done = self._waiting.popleft()
                self._steps = work()
            next(self._steps)
            going = True
        except StopIteration as end:
            made = end.value
        finally:
            if not going:
                self._steps = None
                if not self._waiting:
                    self._soon.stop()
                    self._paint(on=True)
        if not going:
            self._done(made)

    def _paint(self, *, on: bool) -> None:
        if self._hidden:
            self._window.setUpdatesEnabled(on)
