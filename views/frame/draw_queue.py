"""When each view draws: one after the other, so that the window keeps answering."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer

from views.frame.throttle import Throttle
from views.widgets.view import View

_TURN = 16  # milliseconds between drawing one view and the next


class DrawQueue(QObject):
    """The views that have something new to draw."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.throttle = Throttle()  # how much of a core may be spent on drawing
        self._due: list[View] = []
        self._waiting: dict[View, None] = {}  # something new, but drawn a moment ago
        self._drawn: dict[View, float] = {}
        self._timer = QTimer(self, interval=_TURN)
        self._timer.timeout.connect(self._take_turn)

    def clear(self) -> None:
        """Draw nothing of what is due."""
        self._due.clear()
        self._waiting.clear()

    def add(self, views: Iterable[View]) -> None:
        """Draw ``views`` soon; under a limit, each of them no more often than it allows."""
        now = time.monotonic()
        for view in views:
            if view in self._due:
                continue
            ready = self._drawn.get(view, 0.0) + view.redraw_interval
            if not self.throttle.limited or now >= ready:
                self._waiting.pop(view, None)
                self._due.append(view)
            else:
                self._waiting[view] = None
        if not self._timer.isActive():
            self._take_turn()
            self._timer.start()

    def limit(self, share: float) -> None:
        """Draw for at most this share of a core; infinity draws all that had to wait."""
        self.throttle.share = share
        if not self.throttle.limited:
            self._stop_waiting()
            if self._due:
                self._timer.start(_TURN)

    def finish(self) -> None:
        """Draw at once what is still due."""
        self._stop_waiting()
        while self._due:
            self._draw_next()

    def _stop_waiting(self) -> None:
        self._due += self._waiting
        self._waiting.clear()

    def _take_turn(self) -> None:
        """Draw one view if it is time, and say when to come again."""
        wait = self.throttle.wait()
        if wait <= 0:
            self._draw_next()
        self._timer.setInterval(max(_TURN, math.ceil(1000 * wait)))

    def _draw_next(self) -> None:
        """Draw one view that is visible. A hidden one draws when it becomes visible."""
        while self._due:
            view = self._due.pop(0)
            self._drawn[view] = time.monotonic()
            if view.catch_up():
                if view.behind:
                    self._due.append(view)
                return
        self._timer.stop()
