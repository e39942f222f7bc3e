"""A change of the whole window in steps, which is painted once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

from views.widgets.curtain import Curtain
from views.widgets.steps import StepTimer

_END = object()
_SETTLING = 30  # milliseconds in which a desktop gives a window another size


class WindowChange(QObject):
    """Takes one step after the other; between two of them the window can answer the user.

    Nothing is painted until all is changed and the window has its new size, instead of many times.
    A change waits while a picture that has begun ``goes_on``: it has a theme of its own, and is of
    a view as it was.
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
        if next(self._steps, _END) is _END:
            self._soon.stop()
            self._settled.start()
