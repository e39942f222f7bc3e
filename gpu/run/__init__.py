"""A run without a window: session, stop criteria, run loop, log, and the Python interface."""

import logging

from gpu.core.errors import FormicariumError
from gpu.core.snapshot import RunState, Snapshot
from gpu.problems.loading import load_instance
from gpu.run.outcome import Ending, Result, RunFailedError
from gpu.run.solving import solve

__all__ = [
    "Ending",
    "FormicariumError",
    "Result",
    "RunFailedError",
    "RunState",
    "Snapshot",
    "load_instance",
    "solve",
]

logging.getLogger("gpu").addHandler(logging.NullHandler())  # failures are raised, not printed
