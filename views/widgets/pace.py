"""How often the window may draw, so that it leaves the processor to the colony."""

from __future__ import annotations

import math
import time

CREDIT = 0.02
"""Seconds of work that may be saved up, and done at once."""

MEMORY = 1.0
"""Seconds of the past that count, so that a user who moved the map need not pay for it long."""

LONGEST = 0.5
"""Seconds between two drawings, at most, whatever they cost."""


class Pace:
    """Keeps the work of the calling thread to a share of one core, on average.

    Where the colony computes on all cores, its threads meet after every step and wait for the
    one whose core the window draws on: a tenth of one core spent on drawing costs a tenth of all
    of them. What counts is the thread's own processor time, whatever it was spent on, because Qt
    paints later than it is asked to.

    Attributes
    ----------
    share : float
        Of one core; infinity for no limit.
    """

    def __init__(self) -> None:
        self.share = math.inf
        self._worked, self._at = time.thread_time(), time.monotonic()
        self._balance = 0.0
        self._drawn = -math.inf

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.share < math.inf

    def wait(self) -> float:
        """Return after how many seconds to draw; 0 means now, and that the caller does."""
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
