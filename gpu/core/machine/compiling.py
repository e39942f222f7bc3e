"""How far the compilation of a colony has come, for whoever waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import NamedTuple


class Compiled(NamedTuple):
    """How far a process has come with the functions that it compiles."""

    done: int  # functions, since the process began to compile
    needed: int  # these, and those that are known to be needed, too: more may follow


class GivenWayError(Exception):
    """A thread has stopped compiling because it should."""


class Compiling:
    """Counts the functions that are compiled. Any thread may ask for the count."""

    def __init__(self) -> None:
        self._parts: set[object] = set()  # of the function under way: those that are to come
        self._done = 0
        self._own: Compiled | None = None  # how far this process has come
        self._by = 0  # the thread that compiles in it
        self._shown: Compiled | None = None  # how far the other process has come
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
        thread = threading.get_ident()
        over = self._over.get(thread)
        if over is not None and over():
            if self._by == thread:
                self.end()
            raise GivenWayError

    def begin(self, parts: Collection[object]) -> None:
        """Begin with a function, for which these others must be compiled first."""
        self._parts, self._by = set(parts), threading.get_ident()
        self._own = Compiled(self._done, self._done + len(self._parts) + 1)

    def note_part(self, part: object) -> None:
        """Note that ``part`` is compiled; one that is compiled for other types counts once."""
        if part in self._parts and self._own is not None:
            self._parts.discard(part)
            self._done += 1
            self._own = self._own._replace(done=self._done)

    def show(self, count: Compiled | None) -> None:
        """Note how far another process has come; None if it compiles nothing."""
        self._shown = count

    def end(self, *, whole: bool = False) -> None:
        """Note that the function under way is compiled as a ``whole``, or given up."""
        if whole and self._own is not None:
            self._done = self._own.needed
        self._own = None

    @property
    def count(self) -> Compiled | None:
        """What is to be told of this process, else of the other; None if neither compiles."""
        return self._own or self._shown


COMPILING = Compiling()
"""Of this process: Numba compiles one function at a time."""
