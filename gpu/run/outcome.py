"""How a run ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from gpu.core.snapshot import Snapshot


class Ending(enum.StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The end of a run."""

    ending: Ending  # finished, cancelled or failed
    reason: str  # why it ended, in one sentence for the user
    state: Snapshot  # the last good one, with the best solution; its ``iteration`` may be 0
    details: str = ""  # the traceback of a failure, for the log; else empty
    refused: bool = False  # whether it failed before it began, for a reason that the user can mend
