"""What the program is at, as far as the window has to know."""

from __future__ import annotations

import enum


class Activity(enum.Enum):
    """Decides which buttons can be pressed."""

    IDLE = "Ready"
    BUILDING = "Building the colony"
    BUILDING_TO_PAUSE = "Building, then paused"
    RUNNING = "Running"
    PAUSED = "Paused"
    STOPPING = "Stopping"

    @property
    def has_run(self) -> bool:
        """Whether a run is under way, paused or not."""
        return self is not Activity.IDLE

    @property
    def builds(self) -> bool:
        """Whether the colony is being built."""
        return self in (Activity.BUILDING, Activity.BUILDING_TO_PAUSE)

    @property
    def rests(self) -> bool:
        """Whether a run is paused, or will be as soon as its colony is built."""
        return self in (Activity.PAUSED, Activity.BUILDING_TO_PAUSE)
