"""How far the compilation of a colony has come, for whoever waits for it."""

from __future__ import annotations

import math

LARGE = 20
"""Parts of a function of which it is said how many are done; of others one could not read it."""

LAST = 0.2
"""Share of the time that it takes to make machine code of all parts, at the end."""


class Compiling:
    """Counts the parts of the function that is being compiled. Any thread may ask for the share."""

    def __init__(self) -> None:
        self._parts, self._done = 0.0, 0

    def begin(self, parts: int) -> None:
        """Begin with a function that has so many parts."""
        self._done, self._parts = 0, parts if parts >= LARGE else math.inf

    def note_part(self) -> None:
        """Note that one more part is done."""
        self._done += 1

    def end(self) -> None:
        """Nothing is being compiled any more."""
        self._parts = 0

    @property
    def share(self) -> float | None:
        """Share that is done, in [0, 1]; None if nothing is being compiled."""
        parts = self._parts  # another thread may end it just now
        return (1 - LAST) * min(1.0, self._done / parts) if parts else None


COMPILING = Compiling()
"""Of this process: Numba compiles one function at a time."""
