"""What measurements of colonies have in common: warming up, progress, and being cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable

from gpu.core.colony import Colony
from gpu.core.snapshot import Snapshot, Wanted


class CancelledError(Exception):
    """The measurement was cancelled."""


class Measuring:
    """A measurement in progress.

    Parameters
    ----------
    cancelled : callable
        Asked between any two steps; True ends the measurement with :class:`CancelledError`.
    progress : callable
        Told what is done now, and what share of everything is done.

    Attributes
    ----------
    complete : bool
        Whether all was measured.
    """

    def __init__(
        self, cancelled: Callable[[], bool], progress: Callable[[str, float], None]
    ) -> None:
        self.complete = False
        self._cancelled, self._progress = cancelled, progress
        self._done = 0

    def _begin_step(self, text: str, steps: int) -> None:
        """Say that another of so many ``steps`` begins."""
        self._look()
        self._progress(text, min(self._done / steps, 1.0))
        self._done += 1

    def _warm(self, colony: Colony, seconds: float) -> float:
        """Let ``colony`` work so long, so that clocks are up; return the seconds an iteration."""
        begin = time.perf_counter()
        count, elapsed = 0, 0.0
        while not count or elapsed < seconds:
            self._iterate(colony, max(1, count))  # twice as many each time
            count = max(1, 2 * count)
            elapsed = time.perf_counter() - begin
        return elapsed / count

    def _iterate(self, colony: Colony, count: int) -> Snapshot:
        """Run iterations to their end; nothing is left in flight."""
        colony.iterate(count, self._cancelled)
        snapshot = colony.snapshot(Wanted.NUMBERS)
        self._look()
        return snapshot

    def _look(self) -> None:
        if self._cancelled():
            raise CancelledError
