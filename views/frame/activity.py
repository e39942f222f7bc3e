"""What the program is doing."""

from __future__ import annotations

import enum


class Activity(enum.Enum):
    """What the program is doing. It decides which buttons can be pressed."""

    IDLE = "Ready"
    BUILDING = "Building"
    BUILDING_TO_PAUSE = "Building, then paused"
    RUNNING = "Running"
    PAUSED = "Paused"
    STOPPING = "Stopping"
    MEASURING = "Measuring"

    @property
    def has_run(self) -> bool:
        """Whether there is a run, paused or not."""
        return self not in (Activity.IDLE, Activity.MEASURING)

    @property
    def goes_on(self) -> bool:
        """Whether there is a run that nobody has stopped yet."""
        return self.has_run and self is not Activity.STOPPING

    @property
    def builds(self) -> bool:
        """Whether the colony is being built."""
        return self in (Activity.BUILDING, Activity.BUILDING_TO_PAUSE)

    @property
    def rests(self) -> bool:
        """Whether the run is paused, or will be once its colony is built."""
        return self in (Activity.PAUSED, Activity.BUILDING_TO_PAUSE)
