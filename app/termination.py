"""How a process ends: the signals that ask it to, and a thread that cannot be ended."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

BAD_INPUT = 2
"""Exit status if the input is bad, or what it asks for is refused: nothing was run."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""The last one is that of Windows when a console is closed; there is no SIGHUP there."""


@contextmanager
def termination_signals(listener: Callable[[int], object]) -> Iterator[None]:
    """Call ``listener`` with the number of each such signal, in place of what it would do."""
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    former = {one: signal.signal(one, lambda number, _: listener(number)) for one in numbers}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def leave(status: int) -> NoReturn:
    """End the process although a thread is still at work; files and logs are complete."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
