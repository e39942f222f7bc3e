"""Work of the window's thread in steps: between two of them the window can answer the user."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import Any, ClassVar, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, QTimerEvent
from PySide6.QtWidgets import QWidget

from gpu.core.machine.processes import thread_seconds


class Curtain:
    """While anybody keeps it closed, the window is not painted."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._closed_by: set[object] = set()

    def close(self, who: object) -> None:
        """Paint nothing until ``who`` opens the curtain again."""
        self._closed_by.add(who)
        self._window.setUpdatesEnabled(False)

    def open(self, who: object) -> None:
        """Paint again, unless somebody else wants the curtain closed."""
        self._closed_by.discard(who)
        if not self._closed_by and not self._window.updatesEnabled():
            self._window.setUpdatesEnabled(True)
            # Qt posts no second event for what already waits to be painted. What waited when the
            # curtain closed still waits, but its event is gone.
            QCoreApplication.postEvent(self._window, QEvent(QEvent.Type.UpdateRequest))


T = TypeVar("T")

Steps = Generator[None, None, T]
"""Works on from step to step, and returns what it has made."""

_WORK_OF_OTHERS = 0.008  # seconds in a round of Qt's loop, after which a step waits for another
_ROUNDS_WAITED = 3  # rounds that it waits at most


class StepTimer(QTimer):
    """A timer for steps of work. It skips a round of Qt's loop in which something else works.

    In one round Qt calls all timers that are due, and delivers all events that wait. The user gets
    no answer before the round ends. So a step waits for the next round if an event, or the step of
    another such timer, has worked since one of them was called last. After ``_ROUNDS_WAITED``
    rounds it waits only for the steps of others.
    """

    _worked: ClassVar[float] = 0.0  # seconds that the thread had worked when one was called last
    _first: ClassVar[StepTimer | None] = None  # has waited longest
    _last: ClassVar[StepTimer | None] = None  # has taken a step, and none was called since
    _steps: ClassVar[int] = 0  # that were taken by all of them

    def __init__(self, parent: QObject, interval: int = 0) -> None:
        super().__init__(parent, interval=interval)
        self._waited = 0  # rounds
        self._seen = 0  # steps that were taken by all of them before it was called last
        self._step = 0.0  # seconds of work that the last step took

    def timerEvent(self, event: QTimerEvent) -> None:
        """Call the slots, or wait."""
        kind, now = StepTimer, thread_seconds()
        others = now - kind._worked - (self._step if kind._last is self else 0.0)
        kind._worked, kind._last = now, None
        waits = others > _WORK_OF_OTHERS or kind._first not in (None, self)
        if self._seen != kind._steps:  # one was taken in this round or in the last
            self._seen, self._waited = kind._steps, min(self._waited, _ROUNDS_WAITED - 1)
        if waits and self._waited < _ROUNDS_WAITED:
            self._waited += 1
            kind._first = kind._first or self
            return
        self._waited, kind._first = 0, None
        kind._steps += 1
        super().timerEvent(event)
        self._step, kind._last = thread_seconds() - now, self


def finished(steps: Steps[T]) -> T:
    """Take all ``steps`` at once, and return what they make."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            made: T = end.value
            return made


class StepQueue(QObject):
    """Takes the steps of several works, one work after the other.

    Behind a ``curtain`` the window is not painted meanwhile: a view that is drawn for a picture has
    other colours and another size. No work begins before it ``may_begin``.
    """

    def __init__(
        self,
        parent: QObject,
        curtain: Curtain | None = None,
        may_begin: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(parent)
        self._curtain, self._may_begin = curtain, may_begin
        self._waiting: deque[tuple[Callable[[], Steps[Any]], Callable[[Any], object]]] = deque()
        self._steps: Steps[Any] | None = None  # of the work that has begun
        self._done: Callable[[Any], object] = lambda _: None  # called with what it makes
        self._soon = StepTimer(self)
        self._soon.timeout.connect(self._take_turn)

    @property
    def busy(self) -> bool:
        """Whether there is work."""
        return self._soon.isActive()

    @property
    def under_way(self) -> bool:
        """Whether work has begun and has not ended."""
        return self._steps is not None

    def begin(self, work: Callable[[], Steps[T]], done: Callable[[T], object]) -> None:
        """Have ``work`` done after all that was begun before, and ``done`` called with its result.

        Work that waits already is not done twice.
        """
        if (work, done) not in self._waiting:
            self._waiting.append((work, done))
            self._soon.start()

    def after(self, do: Callable[[], object]) -> None:
        """Call ``do`` after all that was begun before; at once if there is nothing."""
        if self.busy:
            self.begin(_nothing, lambda _: do())
        else:
            do()

    def finish(self) -> None:
        """Take all steps that are left."""
        while self.busy:
            self._take()

    def _take_turn(self) -> None:
        if self.under_way or self._may_begin():
            self._take()

    def _take(self) -> None:
        """Take the next step; an error that it raises ends its own work alone."""
        going, made = False, None
        try:
            if self._steps is None:
                if self._curtain is not None:
                    self._curtain.close(self)
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
                    if self._curtain is not None:
                        self._curtain.open(self)
        if not going:
            self._done(made)


def _nothing() -> Steps[None]:
    """Do nothing, in its turn."""
    yield from ()


_LAST_STEP = object()
_SETTLING = 30  # milliseconds in which a desktop gives a window another size


class WindowChange(QObject):
    """Takes one step after the other; between two of them the window can answer the user.

    The window is painted once, when all is changed and it has its new size. A change waits while a
    picture is made (``goes_on``), which has its own theme and shows the view as it was.
    """

    def __init__(
        self, parent: QObject, curtain: Curtain, goes_on: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(parent)
        self._curtain, self._goes_on = curtain, goes_on
        self._steps: Iterator[object] = iter(())  # that are left
        self._soon = StepTimer(self)
        self._soon.timeout.connect(self._take)
        self._settled = QTimer(self, singleShot=True, interval=_SETTLING)
        self._settled.timeout.connect(self.finish)

    @property
    def busy(self) -> bool:
        """Whether something changes, or is to be painted in a moment."""
        return self._soon.isActive() or self._settled.isActive()

    def begin(self, steps: Iterator[object]) -> None:
        """Make these steps, instead of those that are left of an earlier change."""
        self._settled.stop()  # it would take all of the new steps at once
        self._curtain.close(self)
        self._steps = steps
        self._soon.start()

    def hold(self) -> None:
        """Paint what changes now once, in a moment; a change that goes on does so at its end."""
        if not self._soon.isActive():
            self._curtain.close(self)
            self._settled.start()

    def finish(self) -> None:
        """Take all steps that are left, and paint."""
        self._soon.stop()
        self._settled.stop()
        deque(self._steps, maxlen=0)
        self._curtain.open(self)

    def _take(self) -> None:
        if self._goes_on():
            return
        if next(self._steps, _LAST_STEP) is _LAST_STEP:
            self._soon.stop()
            self._settled.start()
