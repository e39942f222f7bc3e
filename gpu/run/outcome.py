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
    """The end of a run.

    Attributes
    ----------
    ending : Ending
        Which of the three it was.
    reason : str
        Why, in one sentence for the user.
    state : Snapshot
        The last good state, with its best solution if there was one; ``iteration`` is 0 if none.
    details : str
        The traceback of a failure, for the log.
    """

    ending: Ending
    reason: str
    state: Snapshot
    details: str = ""
