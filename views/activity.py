"""What the program is at, as far as the window has to know."""

from __future__ import annotations

import enum


class Activity(enum.Enum):
    """Decides which buttons can be pressed."""

    IDLE = "Ready"
    BUILDING = "Building the colony"
    RUNNING = "Running"
    PAUSED = "Paused"
    STOPPING = "Stopping"

    @property
    def has_run(self) -> bool:
        """Whether a run is under way, paused or not."""
        return self is not Activity.IDLE
