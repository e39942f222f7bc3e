"""Keeps what the C library holds back of freed memory small, in a process with many threads."""

from __future__ import annotations

import ctypes
import sys

ARENAS = 2  # parts of the heap that threads share
_ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h


def share_arenas() -> None:
    """Let all threads allocate from a few common parts of the heap, where the library is glibc.

    By default each thread gets its own part, up to eight a core. What a thread has freed there is
    not given back to the system, and other threads cannot have it: with runs, pictures and previews
    in threads of their own, a window kept some hundred MB for nothing. Compiled colonies allocate
    nothing while they work, so that their threads do not wait for each other here.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_ARENA_MAX, ARENAS)
