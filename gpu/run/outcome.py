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
    # The last good state, with the best solution. ``iteration`` is 0 if there is none.
    state: Snapshot
    details: str = ""  # the traceback of a failure, for the log; else empty
