"""How many threads of a team work.

Threads that meet at every step of a colony stand still together while one of them has no core. On a
machine whose cores others want too, one thread that waits for nobody can be many times faster. The
solutions are the same with any number of threads, so it may change as a colony goes on.
"""

from __future__ import annotations

WINDOW = 0.1
"""Seconds over which a pace is measured, or what is noted at once if that takes longer."""

SCARCE = 0.8
"""Part of its time that a working thread has a core, below which cores are scarce."""

GAIN = 0.9
"""Part of the time that an iteration must take by twice as many threads to be worth them."""

PATIENCE = 1.0
"""Seconds for which cores must have been scarce before fewer threads are tried."""

REST, LONGEST_REST = 1.0, 16.0
"""Seconds for which a choice stands: twice as many each time that a trial confirms it."""


class Workforce:
    """All threads of a team, or fewer where cores are scarce and a trial shows that it is faster.

    Where cores are scarce half of the threads that work are tried, elsewhere twice as many.

    Parameters
    ----------
    size : int
        Threads of the team.

    Attributes
    ----------
    count : int
        Those that are to work next.
    """

    def __init__(self, size: int) -> None:
        self.count = self._size = size
        self._paces: dict[int, float] = {}  # seconds an iteration, by threads
        self._iterations, self._wall, self._own = 0.0, 0.0, 0.0
        self._before = 0  # threads before the trial that goes on, if any
        self._rest, self._left = REST, 0.0
        self._scarce = 0.0  # seconds for which cores have been

    def note(self, iterations: float, wall: float, own: float) -> None:
        """Take note of iterations, or a part of one, by ``count`` threads.

        Parameters
        ----------
        iterations : float
        wall, own : float
            Seconds that they took, and for which a thread that takes part had a core.
        """
        if self._size == 1:
            return
        self._iterations += iterations
        self._wall += wall
        self._own += own
        if self._wall >= WINDOW and self._iterations > 0:
            self._decide()
            self._iterations, self._wall, self._own = 0.0, 0.0, 0.0

    def _decide(self) -> None:
        self._paces[self.count] = self._wall / self._iterations
        self._left -= self._wall
        scarce = self._own < SCARCE * self._wall
        self._scarce = self._scarce + self._wall if scarce else 0.0
        if self._before:
            other, self._before = self._before, 0
            fewer, more = sorted((self.count, other))
            best = more if self._paces[more] < GAIN * self._paces[fewer] else fewer
            if best == self.count:  # the next trial follows at once
                self._rest = REST
            else:
                self.count, self._left = best, self._rest
                self._rest = min(2 * self._rest, LONGEST_REST)
        elif self._left <= 0:
            halved = self.count > 1 and self._scarce >= PATIENCE
            doubled = self.count == 1 or not scarce
            other = self.count // 2 if halved else min((1 + doubled) * self.count, self._size)
            if other != self.count:
                self._before, self.count = self.count, other
