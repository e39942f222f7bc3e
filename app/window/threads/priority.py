"""Who goes first where all cores are busy."""

from __future__ import annotations

import os
import sys
import threading

NICENESS = 10
"""How much higher that of threads that compute is than the window's."""


def give_way() -> None:
    """Let the window's thread go before the calling one where all cores are busy.

    On Linux each thread has a niceness of its own, which the colony's threads inherit from the
    one that makes them. Without it, a window on two cores that both compute waits for its turn
    as long as it works.
    """
    if sys.platform == "linux":
        windows = os.getpriority(os.PRIO_PROCESS, os.getpid())
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), min(windows + NICENESS, 19))
