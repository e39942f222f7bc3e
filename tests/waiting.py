"""The one place where tests wait: for what is seen to come, however slow the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 250.0
"""Seconds for what takes two: on a busy machine with nothing compiled yet it may take a hundred."""


def until(seen: Callable[[], object], patience: float = PATIENCE) -> None:
    """Look again and again whether something is to be ``seen``; fail after so many seconds."""
    deadline = time.monotonic() + patience
    while not seen():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
