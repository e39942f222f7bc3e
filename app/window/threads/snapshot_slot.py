"""The slot between a solver and the window: which snapshots are made, and where they wait."""

from __future__ import annotations

import functools
import operator
import threading
import time

from gpu.core.snapshot import RunState, Wanted
from gpu.run.run import Run

SHORTEST_INTERVAL = 1 / 30  # shortest time in seconds between two snapshots: nobody sees more
LONGEST_INTERVAL = 1.0  # longest time in seconds between two snapshots, however much they cost
# Largest share of the run's time that goes into snapshots, between these two intervals.
SHARE = 0.03
# The same for a colony on all cores: all cores but one rest while a snapshot is made.
SHORTEST_ON_ALL_CORES, SHARE_ON_ALL_CORES = 0.1, 0.005
# Parts that take long to make for large instances, and a snapshot's fields that have them.
COSTLY = {
    Wanted.PHEROMONE: "pheromone",
    Wanted.TRAILS: "trails",
    Wanted.BRANCHING: "branching",
    Wanted.STRIP: "strip",
    Wanted.BAND: "band",
}
_ALL_COSTLY = functools.reduce(operator.or_, COSTLY)
EVERY = 0.2  # shortest time in seconds between two requests for a costly part


class CostlyParts:
    """Asks for all cheap parts every time, and for one costly part at a time.

    The longer a snapshot takes, the fewer the solver makes, so that the colony keeps its speed.
    If each snapshot carried all costly parts of a large instance, the tour on the map would change
    once a second only.
    """

    def __init__(self) -> None:
        self._due = 0.0
        self._turn = 0
        self._awaited = Wanted.NUMBERS

    def take_in(self, snapshot: RunState) -> None:
        """Note which costly parts have arrived."""
        for part, field in COSTLY.items():
            if getattr(snapshot, field) is not None:
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
        return wanted & ~_ALL_COSTLY | self._awaited


class SnapshotSlot:
    """Holds the newest snapshot until somebody takes it, and knows what the next one shall carry.

    Only the solver's thread calls :meth:`due` and :meth:`fill`; any thread may call the rest.
    ``change`` guards the slot, and is notified when something else is wanted.
    """

    def __init__(self, change: threading.Condition, *, on_all_cores: bool) -> None:
        self._change = change
        # Guarded by _change:
        self._wanted = self._wanted_at_rest = Wanted.SOLUTION
        # Whether something is wanted that the last snapshot of a paused run does not carry.
        self.missed = False
        self._snapshot: RunState | None = None
        self._costly = CostlyParts()
        # Used by the solver's thread alone:
        self._shortest, self._share = SHORTEST_INTERVAL, SHARE
        if on_all_cores:  # the colony needs the cores that a snapshot is made on
            self._shortest, self._share = SHORTEST_ON_ALL_CORES, SHARE_ON_ALL_CORES
        self._due = 0.0
        self._made = -1  # iterations in the last snapshot
        self._parts = Wanted.NUMBERS  # what snapshots have carried since that iteration

    def want(self, wanted: Wanted) -> None:
        """Say what the next snapshots shall carry; a paused run makes one at once.

        While the run goes on, costly parts take turns. The last snapshot before a pause and the
        final one carry all.
        """
        with self._change:
            self.missed = self.missed or wanted not in self._wanted_at_rest
            self._wanted, self._wanted_at_rest = self._costly.next(wanted), wanted
            self._change.notify_all()

    @property
    def shows_walks(self) -> bool:
        """Whether the ants of the next iteration are to be seen at work."""
        return Wanted.WALKS in self._wanted_at_rest

    def take(self) -> RunState | None:
        """Return the newest snapshot that nobody has taken yet, or None."""
        with self._change:
            taken, self._snapshot = self._snapshot, None
            if taken is not None:
                self._costly.take_in(taken)
            return taken

    def put(self, snapshot: RunState) -> None:
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

    def fill(self, run: Run, *, at_rest: bool = False, at_end: bool = False) -> None:
        """Put in a new snapshot of ``run``, and decide when the next one is due.

        The one ``at_end`` carries everything, because a hidden view may be looked at later.
        """
        with self._change:
            wanted = self._wanted_at_rest if at_rest else self._wanted
            wanted = Wanted.EVERYTHING if at_end else wanted
            self.missed = False
        begin = time.perf_counter()
        snapshot = run.snapshot(wanted)
        now = time.perf_counter()
        self._parts = wanted | self._parts if run.made == self._made else wanted
        self._made = run.made
        self.put(snapshot)
        self._due = now + min(LONGEST_INTERVAL, max(self._shortest, (now - begin) / self._share))
