"""The order in which threads of this process get a core when all cores are busy."""

from __future__ import annotations

import os
import sys
import threading


def lower_priority(by: int) -> None:
    """Add ``by`` to the process's niceness for the calling thread and those that it starts.

    On Linux each thread has its own niceness, and the threads that it starts inherit it.
    """
    if sys.platform == "linux":
        whole = os.getpriority(os.PRIO_PROCESS, os.getpid())
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), min(whole + by, 19))
