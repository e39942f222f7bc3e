"""When something of a run was recorded."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

MOMENT_STEP = 1e-9  # seconds by which two moments differ


@dataclass(frozen=True, slots=True)
class Moments:
    """When there is something to show, in ascending order."""

    improvements: tuple[float, ...] = ()  # seconds at which a recorded solution was found
    seconds: tuple[float, ...] = ()  # of all frames
    iterations: tuple[int, ...] = ()  # at each of these

    @property
    def length(self) -> float:
        """Seconds until the last frame."""
        return self.seconds[-1] if self.seconds else 0.0

    def iteration_at(self, seconds: float) -> int:
        """Iterations finished by then: exact at frames, and linear between them."""
        if not self.seconds:
            return 0
        return int(np.interp(seconds, self.seconds, self.iterations))

    def seconds_at(self, iteration: float) -> float:
        """Seconds at which so many iterations were finished."""
        if not self.seconds:
            return 0.0
        return float(np.interp(iteration, self.iterations, self.seconds))

    def before(self, seconds: float) -> float:
        """Seconds of the improvement before that moment; of the first one if none is."""
        at = bisect_right(self.improvements, seconds - MOMENT_STEP) - 1
        return self.improvements[max(0, at)] if self.improvements else 0.0

    def after(self, seconds: float) -> float:
        """Seconds of the improvement after that moment; the end if none is."""
        at = bisect_right(self.improvements, seconds + MOMENT_STEP)
        return self.improvements[at] if at < len(self.improvements) else self.length
