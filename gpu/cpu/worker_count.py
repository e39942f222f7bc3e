"""How many threads of a colony work.

Threads that wait for each other at every step all stand still while one of them has no core. On a
machine whose cores other programs want too, one thread that waits for nobody can be many times
faster. The solutions are the same with any number of threads, so it may change during a run.
"""

from __future__ import annotations

PACE_WINDOW = 0.1  # seconds over which a pace is measured, or those of a single longer note
SCARCE = 0.8  # cores are scarce if a working thread has one for less than this part of its time
WORTH_DOUBLING = (
    0.9  # twice the threads are worth it if an iteration takes less than this part of the time
)
SCARCE_PATIENCE = 1.0  # seconds for which cores must be scarce before fewer threads are tried
CHOICE_REST, LONGEST_REST = 1.0, 16.0  # seconds for which a choice holds; doubled when confirmed


class WorkerCount:
    """All threads, or fewer where cores are scarce and a trial shows that fewer are faster.

    Where cores are scarce, half of the working threads are tried; elsewhere, twice as many.
    """

    def __init__(self, size: int) -> None:
        self._size = size  # threads that there are
        self.now = size  # threads that are to work next
        self._paces: dict[int, float] = {}  # seconds an iteration, by number of threads
        self._iterations, self._wall, self._busy = 0.0, 0.0, 0.0
        self._before = 0  # threads before the current trial; 0 without one
        self._rest, self._left = CHOICE_REST, 0.0
        self._scarce = 0.0  # seconds for which cores have been scarce

    def note(self, iterations: float, wall: float, busy: float) -> None:
        """Note iterations, or a part of one, that ``now`` threads did.

        They took ``wall`` seconds; in ``busy`` of these one of the threads had a core.
        """
        if self._size == 1:
            return
        self._iterations += iterations
        self._wall += wall
        self._busy += busy
        if self._wall >= PACE_WINDOW and self._iterations > 0:
            self._decide()
            self._iterations, self._wall, self._busy = 0.0, 0.0, 0.0

    def _decide(self) -> None:
        self._paces[self.now] = self._wall / self._iterations
        self._left -= self._wall
        scarce = self._busy < SCARCE * self._wall
        self._scarce = self._scarce + self._wall if scarce else 0.0
        if self._before:
            other, self._before = self._before, 0
            fewer, more = sorted((self.now, other))
            best = more if self._paces[more] < WORTH_DOUBLING * self._paces[fewer] else fewer
            if best == self.now:  # the next trial follows at once
                self._rest = CHOICE_REST
            else:
                self.now, self._left = best, self._rest
                self._rest = min(2 * self._rest, LONGEST_REST)
        elif self._left <= 0:
            halved = self.now > 1 and self._scarce >= SCARCE_PATIENCE
            doubled = self.now == 1 or not scarce
            other = self.now // 2 if halved else min((1 + doubled) * self.now, self._size)
            if other != self.now:
                self._before, self.now = self.now, other
