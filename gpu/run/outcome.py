"""How a run ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

from gpu.core.snapshot import Snapshot


class Ending(enum.StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Spent(NamedTuple):
    """Seconds that a run took beside those of its state, in which it solved."""

    building: float = 0.0  # until the first iteration could begin: lists of cities, compilation
    checking: float = 0.0  # of the time of solving: to compute the costs of solutions anew


NOTHING_SPENT = Spent()


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The end of a run."""

    ending: Ending  # finished, cancelled or failed
    reason: str  # why it ended, in one sentence for the user
    state: Snapshot  # the last good one, with the best solution; its ``iteration`` may be 0
    details: str = ""  # the traceback of a failure, for the log; else empty
    refused: bool = False  # whether it failed before it began, for a reason that the user can mend
    spent: Spent = NOTHING_SPENT
