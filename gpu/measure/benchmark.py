"""What both kinds of measurement share: warm-up, progress, and cancelling."""

from __future__ import annotations

import time
from collections.abc import Callable

from gpu.core.colony import Colony
from gpu.core.snapshot import Snapshot, Wanted


class CancelledError(Exception):
    """The measurement was cancelled."""


class Benchmark:
    """A measurement in progress.

    Parameters
    ----------
    cancelled : callable
        Asked between any two steps. True ends the measurement with :class:`CancelledError`.
    progress : callable
        Gets a text with the present step, and the share of all steps that is done, in [0, 1].

    Attributes
    ----------
    complete : bool
        Whether everything was measured.
    """

    def __init__(
        self, cancelled: Callable[[], bool], progress: Callable[[str, float], None]
    ) -> None:
        self.complete = False
        self._cancelled, self._progress = cancelled, progress
        self._done = 0

    def _begin_step(self, text: str, steps: int) -> None:
        """Report that the next one of ``steps`` begins."""
        self._check_cancelled()
        self._progress(text, min(self._done / steps, 1.0))
        self._done += 1

    def _warm_up(self, colony: Colony, seconds: float) -> float:
        """Work for ``seconds`` to raise the device's clocks; return the seconds an iteration."""
        begin = time.perf_counter()
        count, elapsed = 0, 0.0
        while not count or elapsed < seconds:
            self._iterate(colony, max(1, count))  # twice as many each time
            count = max(1, 2 * count)
            elapsed = time.perf_counter() - begin
        return elapsed / count

    def _iterate(self, colony: Colony, count: int) -> Snapshot:
        """Run ``count`` iterations and wait until the device has done them."""
        colony.iterate(count, self._cancelled)
        snapshot = colony.snapshot(Wanted.NUMBERS)
        self._check_cancelled()
        return snapshot

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise CancelledError
