"""Keeps what the C library holds back of freed memory small, in a process with many threads."""

from __future__ import annotations

import ctypes
import sys

ARENAS = 2  # parts of the heap that threads share
LARGE = 1 << 20  # bytes from which on memory goes back to the system as soon as it is freed
_ARENA_MAX, _MMAP_THRESHOLD = -8, -3  # of glibc's malloc.h


def give_memory_back() -> None:
    """Let threads share a few parts of the heap, and large pieces lie outside, if it is glibc.

    By default each thread gets its own part of the heap, up to eight a core. What a thread has
    freed there is not given back to the system, and other threads cannot have it: with runs,
    pictures and previews in threads of their own, a window kept some hundred MB for nothing.
    Compiled colonies allocate nothing while they work, so that their threads do not wait for each
    other here. By default, too, large pieces move into the heap after the first of their size was
    freed; among them small ones stay, and the system gets nothing back. Pictures of views are such
    pieces: a few MB each, and often another size.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_ARENA_MAX, ARENAS)
            mallopt(_MMAP_THRESHOLD, LARGE)
