"""Processes that are started, their priority, and what they run with."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
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
    """Let the calling thread, and those that it starts, give way to others of the process.

    On Linux each thread has its own niceness, to which ``by`` is added; the threads that it starts
    inherit it. On Windows its priority becomes a step lower; :func:`same_priority` hands it on. On
    macOS nothing is to be done: a window's thread comes before those that have no class of service.
    """
    if sys.platform == "linux":
        whole = os.getpriority(os.PRIO_PROCESS, os.getpid())
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), min(whole + by, 19))
    elif sys.platform == "win32":
        _set_priority(_BELOW_NORMAL)


def same_priority() -> Callable[[], None]:
    """Return what a thread that this one starts is to call, to have this one's priority."""
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        kernel.GetCurrentThread.restype = ctypes.c_void_p
        own = kernel.GetThreadPriority(ctypes.c_void_p(kernel.GetCurrentThread()))
        take = partial(_set_priority, own)
    else:
        take = _nothing  # it is inherited
    return take


def _nothing() -> None:
    """Do nothing."""


if sys.platform == "win32":
    _BELOW_NORMAL = -1  # THREAD_PRIORITY_BELOW_NORMAL

    def _set_priority(priority: int) -> None:
        """Give the calling thread a priority; what the system does not grant stays as it is."""
        kernel = ctypes.windll.kernel32
        kernel.GetCurrentThread.restype = ctypes.c_void_p
        kernel.SetThreadPriority(ctypes.c_void_p(kernel.GetCurrentThread()), priority)


if sys.platform == "win32":

    def thread_seconds() -> float:
        """Seconds that the calling thread has worked, to some microseconds.

        Python's own clock of a thread advances by 15.6 ms at a time on Windows. So the cycles of
        the thread are counted there, each as long as the processor's base frequency says.
        """
        cycles = ctypes.c_uint64()
        kernel = ctypes.windll.kernel32
        kernel.GetCurrentThread.restype = ctypes.c_void_p
        thread = ctypes.c_void_p(kernel.GetCurrentThread())
        if kernel.QueryThreadCycleTime(thread, ctypes.byref(cycles)):
            return cycles.value / _cycles_a_second()
        return time.thread_time()

    @cache
    def _cycles_a_second() -> float:
        import winreg

        place = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, place) as key:
            return 1e6 * float(winreg.QueryValueEx(key, "~MHz")[0])

else:

    def thread_seconds() -> float:
        """Seconds that the calling thread has worked, to some microseconds."""
        return time.thread_time()


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
