"""The slices in which a run works, and a warning if an iteration exceeds the time limit."""

from __future__ import annotations

import time

from gpu.core.colony import Colony, Foreseeing

SLICE = 0.020  # seconds of work after which the run looks what the user wants

_TOLD_AFTER = 0.5  # seconds of an iteration after which the user is told how long it takes


class Deadline:
    """Says whether a time has passed, and remembers its last answer."""

    def __init__(self, at: float) -> None:
        self._at = at
        self.passed = False

    def __call__(self) -> bool:
        """Return whether the time has passed."""
        self.passed = time.perf_counter() >= self._at
        return self.passed


class RunSlices:
    """Times the slices of one run, and says how many iterations to ask for in the next one."""

    def __init__(self) -> None:
        self.spent = 0.0  # seconds, in all slices that are over
        self.count = 1  # iterations for the next one
        self._pace = 0.0  # seconds an iteration, by the last one; 0 while nothing is known
        self._begun: float | None = None  # when the one that is under way began

    @property
    def elapsed(self) -> float:
        """Seconds spent until now. Any thread may ask."""
        spent = self.spent  # first, so that a slice which ends just now is not counted twice
        if (begun := self._begun) is not None:
            spent += time.perf_counter() - begun
        return spent

    @property
    def under_way(self) -> bool:
        """Whether a slice has begun that has not ended."""
        return self._begun is not None

    def begin(self) -> Deadline:
        """Begin a slice; return what says that it should end."""
        self._begun = time.perf_counter()
        return Deadline(self._begun + SLICE)

    def end(self, made: int) -> None:
        """End the slice, in which so many iterations were made.

        The next one aims at ``SLICE`` seconds, but at most doubles the iterations: the first ones
        include compilation, and a slice cut short by a limit says little about speed.
        """
        assert self._begun is not None
        took = time.perf_counter() - self._begun
        self._begun = None
        self.spent += took
        self._pace = took / made if made else 0.0
        self.count = max(1, min(2 * made, int(made * SLICE / max(took, 1e-6))))

    def within(self, seconds: float) -> int:
        """How many iterations take half of ``seconds``, but one at least.

        A GPU works on the iterations of two slices at once. So a run whose time is limited comes to
        its end by halves, and does not pass it by a slice.
        """
        if not self._pace:
            return self.count
        return max(1, int(seconds / 2 / self._pace))

    def leave(self) -> None:
        """End the slice that is under way without counting it, because it has failed."""
        self._begun = None

    def begin_anew(self) -> None:
        """Ask for one iteration next, because the colony is another one."""
        self.count, self._pace = 1, 0.0


def warning(colony: Colony, spent: float, limit: float | None) -> str:
    """Return a warning during the first iteration, in which ``spent`` seconds have passed.

    It is empty while nothing is known, and if the iteration fits into the ``limit`` in seconds.
    """
    if limit is None or not isinstance(colony, Foreseeing) or spent <= min(_TOLD_AFTER, limit / 2):
        return ""
    expected = max(colony.expected_seconds(), spent)
    if expected <= limit:
        return ""
    return (
        f"an iteration takes some {float(f'{expected:.2g}'):g} s or more here, and the time limit "
        f"is {limit:g} s: use fewer ants, or allow more time"
    )
