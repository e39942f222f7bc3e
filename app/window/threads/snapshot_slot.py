"""The slot between a solver and the window: a newer snapshot replaces one that nobody took."""

from __future__ import annotations

import threading
import time

from app.window.threads.costly_parts import CostlyParts
from gpu.core.snapshot import Snapshot, Wanted
from gpu.run.run import Run

SHORTEST_INTERVAL = 1 / 30  # shortest time in seconds between two snapshots: nobody sees more
LONGEST_INTERVAL = 1.0  # longest time in seconds between two snapshots, however much they cost
# Largest share of the run's time that goes into snapshots, between these two intervals.
SHARE = 0.03
# The same for a colony on all cores: all cores but one rest while a snapshot is made.
SHORTEST_ON_ALL_CORES, SHARE_ON_ALL_CORES = 0.1, 0.005


class SnapshotSlot:
    """Holds the newest snapshot until somebody takes it, and knows what the next one shall carry.

    Only the solver's thread calls :meth:`due` and :meth:`fill`; any thread may call the rest.
    ``change`` guards the slot, and is notified when something else is wanted.
    """

    def __init__(self, change: threading.Condition, *, on_all_cores: bool) -> None:
        self._change = change
        # Guarded by _change:
        self._wanted = self._wanted_at_rest = Wanted.SOLUTION
        self._missed = False
        self._snapshot: Snapshot | None = None
        self._costly = CostlyParts()
        # Used by the solver's thread alone:
        self._shortest, self._share = SHORTEST_INTERVAL, SHARE
        if on_all_cores:  # the colony needs the cores that a snapshot is made on
            self._shortest, self._share = SHORTEST_ON_ALL_CORES, SHARE_ON_ALL_CORES
        self._due = 0.0
        self._made = -1  # iterations in the last snapshot
        self._parts = Wanted.NUMBERS  # what snapshots have carried since that iteration

    @property
    def missed(self) -> bool:
        """Whether something is wanted that the last snapshot of a paused run does not carry."""
        with self._change:
            return self._missed

    def want(self, wanted: Wanted) -> None:
        """Say what the next snapshots shall carry; a paused run makes one at once.

        While the run goes on, costly parts take turns. The last snapshot before a pause and the
        final one carry all.
        """
        with self._change:
            self._missed = self._missed or wanted not in self._wanted_at_rest
            self._wanted, self._wanted_at_rest = self._costly.next(wanted), wanted
            self._change.notify_all()

    def take(self) -> Snapshot | None:
        """Return the newest snapshot that nobody has taken yet, or None."""
        with self._change:
            taken, self._snapshot = self._snapshot, None
            if taken is not None:
                self._costly.take_in(taken)
            return taken

    def put(self, snapshot: Snapshot) -> None:
        """Put a snapshot in, as it is."""
        with self._change:
            self._snapshot = snapshot

    def due(self, run: Run) -> bool:
        """Whether it is time for a snapshot, and a snapshot of ``run`` would show something new.

        A long iteration may still be under way.
        """
        if time.perf_counter() < self._due:
            return False
        with self._change:
            return run.made != self._made or bool(self._wanted & ~self._parts)

    def fill(self, run: Run, *, at_rest: bool = False) -> None:
        """Put in a new snapshot of ``run``, and decide when the next one is due."""
        with self._change:
            wanted = self._wanted_at_rest if at_rest else self._wanted
            self._missed = False
        begin = time.perf_counter()
        snapshot = run.snapshot(wanted)
        now = time.perf_counter()
        self._parts = wanted | self._parts if run.made == self._made else wanted
        self._made = run.made
        self.put(snapshot)
        self._due = now + min(LONGEST_INTERVAL, max(self._shortest, (now - begin) / self._share))
