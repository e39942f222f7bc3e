"""When each view draws, and takes another theme: the window leaves the processor to the colony."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable

from PySide6.QtCore import QObject, Signal, Slot

from gpu.core.machine.processes import thread_seconds
from views.widgets.steps import StepTimer
from views.widgets.view import View

_DRAW_TURN = 16  # milliseconds between drawing one view and the next
MOST_SAVED = 0.02  # seconds of work that can be saved up and then done at once
PAST_COUNTED = 1.0  # seconds of the past that count; earlier work no longer delays a drawing
LONGEST_WAIT = 0.5  # most seconds between two drawings, whatever they cost


class Throttle:
    """Keeps the work of the calling thread to a share of one core, on average.

    A colony on all cores waits after every step for its slowest thread. If the window takes a
    tenth of one core, all cores lose a tenth. The throttle counts all processor time of the
    thread, because Qt paints later than it is asked to.
    """

    def __init__(self) -> None:
        self.share = math.inf  # of one core; infinity for no limit
        self._worked, self._at = thread_seconds(), time.monotonic()
        self._balance = 0.0
        self._drawn = -math.inf

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.share < math.inf

    def wait(self) -> float:
        """Return after how many seconds to draw. 0 means now: the caller then draws at once."""
        worked, now = thread_seconds(), time.monotonic()
        spent, passed = worked - self._worked, now - self._at
        self._worked, self._at = worked, now
        left = 0.0
        if self.limited:
            balance = self._balance + self.share * passed - spent
            self._balance = min(MOST_SAVED, max(balance, -PAST_COUNTED * self.share))
            left = min(-self._balance / self.share, self._drawn + LONGEST_WAIT - now)
        if left <= 0:
            self._drawn = now
        return max(0.0, left)


class DrawQueue(QObject):
    """Lets views that have something new draw one after the other, so that the window answers."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.throttle = Throttle()  # how much of a core may be spent on drawing
        self._due: list[View] = []
        self._waiting: dict[View, None] = {}  # something new, but drawn a moment ago
        self._drawn: dict[View, float] = {}
        self._timer = StepTimer(self, _DRAW_TURN)
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
            self._timer.start(0)  # once the present event is over: it has done work, too

    def limit(self, share: float) -> None:
        """Draw for at most this share of a core; infinity draws all that had to wait."""
        self.throttle.share = share
        if not self.throttle.limited:
            self._stop_waiting()
            if self._due:
                self._timer.start(_DRAW_TURN)

    def finish(self) -> None:
        """Draw at once what is still due."""
        self._stop_waiting()
        while self._due:
            self._draw_next()

    def _stop_waiting(self) -> None:
        self._due += self._waiting
        self._waiting.clear()

    def _take_turn(self) -> None:
        """Draw one view if it is time, and say when to come again.

        While the window is not painted, a picture may be made of a view: it stays as it is.
        """
        if self._due and not self._due[0].window().updatesEnabled():
            self._timer.setInterval(_DRAW_TURN)
            return
        wait = self.throttle.wait()
        if wait <= 0:
            self._draw_next()
        self._timer.setInterval(max(_DRAW_TURN, math.ceil(1000 * wait)))

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


_THEME_TURN = 16  # milliseconds between two steps of views that nobody sees


class Following(QObject):
    """Takes the steps of all views towards the theme: the first are those of views in sight."""

    styling = Signal(bool)  # whether a view in sight is still following the theme

    def __init__(
        self, parent: QObject, views: Collection[View], in_front: Callable[[], list[str]]
    ) -> None:
        super().__init__(parent)
        self._views, self._in_front = views, in_front
        self._timer = StepTimer(self, _THEME_TURN)
        self._timer.timeout.connect(self._step)
        for view in views:
            view.shown_early = self._hurry

    @property
    def lacks_theme(self) -> bool:
        """Whether a view in sight is still following the theme."""
        return any(view.lacks_theme and view.isVisible() for view in self._views)

    def begin(self) -> None:
        """Let hidden views follow, so that they need not once they are to be shown."""
        self._timer.start(_THEME_TURN)

    def finish(self) -> None:
        """Have all views in sight follow at once."""
        while self.lacks_theme:
            self._step()

    def _hurry(self) -> None:
        """Let a view in sight follow before the window is painted again."""
        self._timer.start(0)
        self.styling.emit(True)

    @Slot()
    def _step(self) -> None:
        """Let one view follow a little.

        After those in sight come those that are in sight when the user leaves the gallery.
        """
        in_front = self._in_front()

        def later(view: View) -> tuple[bool, bool]:
            return not view.isVisible(), view.key not in in_front

        if not any(view.follow_theme() for view in sorted(self._views, key=later)):
            self._timer.stop()
        if not self.lacks_theme:
            self._timer.setInterval(_THEME_TURN)
            self.styling.emit(False)
