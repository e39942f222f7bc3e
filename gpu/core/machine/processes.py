"""Processes that are started, their priority, and what they run with."""

from __future__ import annotations

import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from multiprocessing import connection

import psutil

if sys.platform == "win32":  # one end of a pipe to another process
    Pipe = connection.PipeConnection
else:
    Pipe = connection.Connection

MOST_PIPES = 60 if sys.platform == "win32" else sys.maxsize
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
    groups = [sources[first : first + MOST_PIPES] for first in range(0, len(sources), MOST_PIPES)]
    for group in groups:
        if connection.wait(group, seconds / len(groups)):
            return


def lower_priority(by: int) -> None:
    """Add ``by`` to the process's niceness for the calling thread and those that it starts.

    On Linux each thread has its own niceness, and the threads that it starts inherit it.
    """
    if sys.platform == "linux":
        whole = os.getpriority(os.PRIO_PROCESS, os.getpid())
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), min(whole + by, 19))


PACKAGES = ("numpy", "numba", "cupy-cuda12x", "cupy-cuda13x")


def machine() -> str:
    """Operating system and processor architecture."""
    return f"{platform.system()} {platform.release()}, {platform.machine()}"


def versions(*more: str) -> dict[str, str]:
    """Versions of Python, and of the packages ``more`` and those that decide how fast colonies are.

    What is not installed is left out.
    """
    found = {"python": platform.python_version()}
    for package in (*more, *PACKAGES):
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found
