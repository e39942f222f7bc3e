"""A lower priority for threads that compute, so that the window's thread goes first."""

from __future__ import annotations

import os
import sys
import threading

NICENESS = 10
"""What is added to the window's niceness for a thread that computes."""


def lower_priority() -> None:
    """Let the window's thread go before the calling one when all cores are busy.

    On Linux each thread has its own niceness, and the threads that it starts inherit it. Without
    this, a window that shares two busy cores with a colony waits half of the time.
    """
    if sys.platform == "linux":
        windows = os.getpriority(os.PRIO_PROCESS, os.getpid())
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), min(windows + NICENESS, 19))
