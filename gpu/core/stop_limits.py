"""The limits that can end a run: the numbers that each can be, and what is said of it.

Forms, command line and reports have all limits of this table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpu.core.words import counted

LIMIT_LARGEST = 10**18  # sums of such numbers are finite, and as whole numbers they fit 64 bits


@dataclass(frozen=True, slots=True)
class StopLimit:
    """One limit: what people read of it, and its range."""

    title: str  # in the form of a run
    unit: str  # behind the number in that form
    usual: str  # the number that the form offers
    brief: str  # behind the number in the form of a study
    tip: str  # what it does, for both forms and for ``--help``
    option: str  # of ``formicarium solve``, with a place for the :class:`gpu.core.problem.Words`
    ending: Callable[[Any], str]  # takes the number, returns when a run ends, for reports
    whole: bool = False  # whether it must be a whole number
    zero: bool = False  # whether it may be 0; else it must be greater

    def wanted(self, value: float) -> str:
        """Return what ``value`` should be, such as ``"at least 0"``; empty if it is possible."""
        if value < 0 or (value == 0 and not self.zero):
            return "at least 0" if self.zero else "greater than 0"
        if value != math.inf and value > LIMIT_LARGEST:
            return "at most 10^18"
        if not math.isfinite(value) or (self.whole and value != int(value)):
            return "a whole number" if self.whole else "a finite number"
        return ""


def _iterations(number: int) -> str:
    return counted(number, "iteration", f"{number:,}")


STOP_LIMITS: Mapping[str, StopLimit] = {
    "seconds": StopLimit(
        title="Time",
        unit="s",
        usual="60",
        brief="seconds",
        tip="Stop after so many seconds of solving",
        option="--seconds",
        ending="after {:g} s".format,
    ),
    "iterations": StopLimit(
        title="Iterations",
        unit="",
        usual="1000",
        brief="iterations",
        tip="Stop after so many iterations, if nothing ends the run before",
        option="--iterations",
        ending=lambda number: f"after {_iterations(number)}",
        whole=True,
    ),
    "target_gap": StopLimit(
        title="Gap",
        unit="%",
        usual="1",
        brief="% gap",
        tip="Stop at so many % above the best known, or fewer",
        option="--target-gap",
        ending="at a gap of {:g} %".format,
        zero=True,
    ),
    "target_length": StopLimit(
        title="Cost",
        unit="",
        usual="0",
        brief="cost",
        tip="Stop at a tour of this length or shorter, or at a coloring with so few colors",
        option="--target-{0.cost}",
        ending="at a cost of {:,}".format,
        whole=True,
        zero=True,
    ),
    "no_improvement": StopLimit(
        title="Stagnation",
        unit="iterations",
        usual="500",
        brief="idle iterations",
        tip="Stop when so many iterations in a row find nothing better",
        option="--no-improvement",
        ending=lambda number: f"after {_iterations(number)} without an improvement",
        whole=True,
    ),
    "solutions": StopLimit(
        title="Tours",
        unit="",
        usual="100000",
        brief="solutions",
        tip="Stop after the iteration in which so many have been built",
        option="--{0.solutions}",
        ending="after {:,} tours or colorings".format,
        whole=True,
    ),
}
"""What is to be known of each limit, by the name under which a session keeps it."""
