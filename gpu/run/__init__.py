"""A run without a window: session, stop criteria, run loop, log, and the Python interface."""

import logging

from gpu.core.errors import FormicariumError
from gpu.core.snapshot import Snapshot
from gpu.problems.loading import load_instance
from gpu.run.outcome import Ending
from gpu.run.result import Result, RunFailedError
from gpu.run.solving import solve

__all__ = [
    "Ending",
    "FormicariumError",
    "Result",
    "RunFailedError",
    "Snapshot",
    "load_instance",
    "solve",
]

logging.getLogger("gpu").addHandler(logging.NullHandler())  # failures are raised, not printed
