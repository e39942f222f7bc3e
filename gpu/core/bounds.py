"""What no solution of an instance can be better than, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class LowerBound:
    """A cost that no solution is below. A solution that has it is optimal."""

    cost: int
    why: str  # how it is known, in words: "a clique of 234 vertices"
    # what shows it, read-only, in the numbers of the instance: the vertices of the clique
    witness: NDArray[Any]
