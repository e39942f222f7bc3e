"""Which parts of a snapshot to ask for next, where some take long to make."""

from __future__ import annotations

import time

from gpu.core.snapshot import Snapshot, Wanted

DEAR = (Wanted.PHEROMONE, Wanted.TRAILS, Wanted.BRANCHING)
"""Parts that take long for large instances."""

EVERY = 0.2
"""Seconds between asking for one dear part and for the next, at least."""


class DearParts:
    """Asks for cheap parts always, and for one dear part at a time.

    A solver makes snapshots the more seldom the longer one takes, so that it keeps its pace. If
    each carried all dear parts of a large instance, the tour would move once a second.
    """

    def __init__(self) -> None:
        self._due = 0.0
        self._turn = 0
        self._awaited = Wanted.NUMBERS

    def take_in(self, snapshot: Snapshot) -> None:
        """Note which parts have arrived."""
        arrived = Wanted.NUMBERS
        if snapshot.pheromone is not None:
            arrived |= Wanted.PHEROMONE
        if snapshot.trails is not None:
            arrived |= Wanted.TRAILS
        if snapshot.branching is not None:
            arrived |= Wanted.BRANCHING
        self._awaited &= ~arrived

    def next(self, wanted: Wanted) -> Wanted:
        """Return what to ask for now, out of all that is ``wanted``."""
        dear = [part for part in DEAR if part in wanted]
        self._awaited &= wanted
        now = time.monotonic()
        if dear and not self._awaited and now >= self._due:
            self._due = now + EVERY
            self._turn += 1
            self._awaited = dear[self._turn % len(dear)]
        for part in dear:
            wanted &= ~part
        return wanted | self._awaited
