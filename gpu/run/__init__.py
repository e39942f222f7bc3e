"""A run without a window: session, stop criteria, run loop, log, and the Python interface."""

import logging

from gpu.core.errors import FormicariumError
from gpu.core.snapshot import RunState, Snapshot
from gpu.problems.loading import load_instance
from gpu.problems.memory import (
    from_coordinates,
    from_matrix,
    from_networkx,
    from_weighted_edges,
    graph_from_edges,
    open_route,
    tour_from,
    tour_length,
)
from gpu.run.outcome import Ending, Result, RunFailedError
from gpu.run.solving import solve

__all__ = [
    "Ending",
    "FormicariumError",
    "Result",
    "RunFailedError",
    "RunState",
    "Snapshot",
    "from_coordinates",
    "from_matrix",
    "from_networkx",
    "from_weighted_edges",
    "graph_from_edges",
    "load_instance",
    "open_route",
    "solve",
    "tour_from",
    "tour_length",
]

logging.getLogger("gpu").addHandler(logging.NullHandler())  # failures are raised, not printed
