"""Which parts of a snapshot to ask for next, when some of them take long to make."""

from __future__ import annotations

import time

from gpu.core.snapshot import Snapshot, Wanted

COSTLY = (Wanted.PHEROMONE, Wanted.TRAILS, Wanted.BRANCHING)  # long to make for large instances
EVERY = 0.2  # shortest time in seconds between two requests for a costly part


class CostlyParts:
    """Asks for all cheap parts every time, and for one costly part at a time.

    The longer a snapshot takes, the fewer the solver makes, so that the search keeps its speed.
    If each snapshot carried all costly parts of a large instance, the tour on the map would change
    once a second only.
    """

    def __init__(self) -> None:
        self._due = 0.0
        self._turn = 0
        self._awaited = Wanted.NUMBERS

    def take_in(self, snapshot: Snapshot) -> None:
        """Note which costly parts have arrived."""
        parts = snapshot.pheromone, snapshot.trails, snapshot.branching
        for part, found in zip(COSTLY, parts, strict=True):
            if found is not None:
                self._awaited &= ~part

    def next(self, wanted: Wanted) -> Wanted:
        """Return what to ask for now, out of all that is ``wanted``."""
        costly = [part for part in COSTLY if part in wanted]
        self._awaited &= wanted
        now = time.monotonic()
        if costly and not self._awaited and now >= self._due:
            self._due = now + EVERY
            self._turn += 1
            self._awaited = costly[self._turn % len(costly)]
        for part in costly:
            wanted &= ~part
        return wanted | self._awaited
