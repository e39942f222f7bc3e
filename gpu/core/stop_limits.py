"""The limits that can end a run, and the numbers that each of them can be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

LARGEST = 10**18  # of whole numbers; far beyond it they are no floats


@dataclass(frozen=True, slots=True)
class StopLimit:
    """The range of one limit."""

    whole: bool = False  # whether it must be a whole number
    zero: bool = False  # whether it may be 0; else it must be greater

    def wanted(self, value: float) -> str:
        """Return what ``value`` should be, such as ``"at least 0"``; empty if it is possible."""
        if value < 0 or (value == 0 and not self.zero):
            return "at least 0" if self.zero else "greater than 0"
        if isinstance(value, int) and value > LARGEST:
            return "at most 10^18"
        if not math.isfinite(value) or (self.whole and value != int(value)):
            return "a whole number" if self.whole else "a finite number"
        return ""


STOP_LIMITS: Mapping[str, StopLimit] = {
    "seconds": StopLimit(),
    "iterations": StopLimit(whole=True),
    "target_gap": StopLimit(zero=True),
    "target_length": StopLimit(whole=True, zero=True),
    "no_improvement": StopLimit(whole=True),
    "solutions": StopLimit(whole=True),
}
"""Range by the name under which a session keeps the limit."""
