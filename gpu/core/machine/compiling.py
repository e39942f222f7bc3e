"""How far the compilation of a colony has come, for whoever waits for it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

LARGE = 20
"""Parts of a function of which it is said how many are done; of others one could not read it."""

LAST = 0.2
"""Share of the time that it takes to make machine code of all parts, at the end."""


class GivenWayError(Exception):
    """A thread has stopped compiling because it should."""


class Compiling:
    """Counts the parts of the function that is being compiled. Any thread may ask for the share."""

    def __init__(self) -> None:
        self._parts, self._done = 0.0, 0.0
        self._over: dict[int, Callable[[], bool]] = {}  # whether a thread should stop
        self._given_way = threading.Event()
        # Calls a function that compiles in another process, if there is one, and returns whether
        # it came to its end.
        self.elsewhere: Callable[..., bool] | None = None

    @contextmanager
    def until(self, over: Callable[[], bool]) -> Iterator[None]:
        """Compile in this thread until ``over()`` is true, and end then, without an error.

        It ends after the part that is under way. The parts that are done by then need not be
        compiled again in this process.
        """
        thread = threading.get_ident()
        self._over[thread] = over
        try:
            with suppress(GivenWayError):
                yield
        finally:
            del self._over[thread]

    def ahead(self) -> AbstractContextManager[None]:
        """Compile in this thread what nobody waits for yet, until somebody calls ``give_way``."""
        return self.until(self._given_way.is_set)

    def give_way(self) -> None:
        """Compile nothing ahead any more."""
        self._given_way.set()

    def check(self) -> None:
        """Raise GivenWayError if this thread should stop."""
        over = self._over.get(threading.get_ident())
        if over is not None and over():
            self.end()
            raise GivenWayError

    def begin(self, parts: int) -> None:
        """Begin with a function that has so many parts."""
        self._done, self._parts = 0, parts if parts >= LARGE else math.inf

    def note_part(self) -> None:
        """Note that one more part is done."""
        self._done += 1

    def show(self, share: float | None) -> None:
        """Note which share another process has done; None if it cannot tell."""
        self._done, self._parts = (0, math.inf) if share is None else (share, 1 - LAST)

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
