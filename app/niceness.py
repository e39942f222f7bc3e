"""Who goes first where all cores are busy."""

from __future__ import annotations

import os
import sys
import threading

NICENESS = 10
"""Of the threads that compute; the window's is 0."""


def give_way() -> None:
    """Let the window's thread go before the calling one where all cores are busy.

    On Linux each thread has a niceness of its own, which the colony's threads inherit from the
    one that makes them. Without it, a window on two cores that both compute waits for its turn
    as long as it works.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
