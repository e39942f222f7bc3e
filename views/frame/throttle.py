"""How often the window may draw, so that it leaves the processor to the colony."""

from __future__ import annotations

import math
import time

CREDIT = 0.02  # seconds of work that can be saved up and then done at once
MEMORY = 1.0  # seconds of the past that count; earlier work no longer delays a drawing
LONGEST = 0.5  # most seconds between two drawings, whatever they cost


class Throttle:
    """Keeps the work of the calling thread to a share of one core, on average.

    A colony on all cores waits after every step for its slowest thread. If the window takes a
    tenth of one core, all cores lose a tenth. The throttle counts all processor time of the
    thread, because Qt paints later than it is asked to.
    """

    def __init__(self) -> None:
        self.share = math.inf  # of one core; infinity for no limit
        self._worked, self._at = time.thread_time(), time.monotonic()
        self._balance = 0.0
        self._drawn = -math.inf

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.share < math.inf

    def wait(self) -> float:
        """Return after how many seconds to draw. 0 means now: the caller then draws at once."""
        worked, now = time.thread_time(), time.monotonic()
        spent, passed = worked - self._worked, now - self._at
        self._worked, self._at = worked, now
        left = 0.0
        if self.limited:
            balance = self._balance + self.share * passed - spent
            self._balance = min(CREDIT, max(balance, -MEMORY * self.share))
            left = min(-self._balance / self.share, self._drawn + LONGEST - now)
        if left <= 0:
            self._drawn = now
        return max(0.0, left)
