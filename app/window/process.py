"""Settings of the process with a window: freed memory, garbage collection, threads that paint.

Imports and compilers leave a million objects, and none of them is garbage. To look at all of them
takes a tenth of a second, and Python's collector does it more often the more objects there are, and
every thread waits for it. So the window opens with the collector off.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys

HEAP_ARENAS = 2  # parts of the heap that threads share
GIVEN_BACK = 1 << 20  # bytes from which on memory goes back to the system as soon as it is freed
_ARENA_MAX, _MMAP_THRESHOLD = -8, -3  # of glibc's malloc.h


def give_memory_back() -> None:
    """With glibc, let threads share a few parts of the heap, and keep large pieces out of it.

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
            mallopt(_ARENA_MAX, HEAP_ARENAS)
            mallopt(_MMAP_THRESHOLD, GIVEN_BACK)


def resume_garbage_collection() -> None:
    """Collect garbage again after ``gc.disable``, but leave out the objects that exist by now."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def paint_alone() -> None:
    """Let the thread that paints fill all pixels; must be called before Qt paints.

    Qt would share the pixels of each line and each letter among all cores, and wait for the last
    one. While a colony computes there, 3000 lines across a window took four times as long, and
    half as much processor time again. Qt's variable has precedence where it is set.
    """
    os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")
