"""Which signals the processes that this one starts hear."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C or the end of the terminal: this one does."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
