"""How much of a run is done, and how long the rest takes, in the midst of an iteration too."""

from __future__ import annotations

from gpu.core.snapshot import Snapshot
from gpu.run.stopping import StopSettings


class Expected:
    """Counts on it that iterations go on as fast as they were, until the next one has ended."""

    def __init__(self) -> None:
        self._of: tuple[int, StopSettings] | None = None
        self._whole = 0.0  # seconds that the whole run takes, as it seemed when an iteration ended

    def share_and_left(
        self, state: Snapshot, stop: StopSettings
    ) -> tuple[float | None, float | None]:
        """Return the share that is done, in [0, 1], and seconds that are left, where known."""
        share = stop.share_done(state)
        if not share:
            return share, None
        if self._of != (state.iteration, stop):
            self._of, self._whole = (state.iteration, stop), state.elapsed / share
        if state.iteration and self._whole > 0:  # at most what the next iteration will bring
            most = min(1.0, share * (state.iteration + 1) / state.iteration)
            share = max(share, min(most, state.elapsed / self._whole))
        return share, state.elapsed * (1 / share - 1)
