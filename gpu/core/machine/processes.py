"""The processes that this one starts: which signals they hear, and how many can be waited for."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection

import psutil

if sys.platform == "win32":  # one end of a pipe to another process
    Pipe = connection.PipeConnection
else:
    Pipe = connection.Connection

MOST = 60 if sys.platform == "win32" else sys.maxsize
"""Sources that the system can wait for at once; Windows itself allows 63."""


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C or the end of the terminal: this one does."""
    if sys.platform == "win32":  # there, each process ignores them from its first line on
        yield
    else:
        former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)


def seconds_since_start() -> float:
    """Return for how many seconds this process has existed, to some hundredths."""
    began: float = psutil.Process().create_time()
    return max(0.0, time.time() - began)


def wait(sources: Sequence[Pipe | int], seconds: float) -> None:
    """Wait until one of ``sources`` has something to read, or for about so many ``seconds``."""
    groups = [sources[first : first + MOST] for first in range(0, len(sources), MOST)]
    for group in groups:
        if connection.wait(group, seconds / len(groups)):
            return
