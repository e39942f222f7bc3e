"""What is known of the least cost of an instance: what no solution is better than, and why."""

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

    def proves(self, cost: int | None) -> bool:
        """Whether a solution of this ``cost`` is optimal; not if there is none."""
        return cost == self.cost


@dataclass(frozen=True, slots=True, eq=False)
class KnownCosts:
    """What costs of an instance are measured by: the best known one, else a lower bound."""

    best: int | None  # the best known cost; None if there is none, or it is 0
    bound: LowerBound | None = None

    @property
    def by_bound(self) -> bool:
        """Whether gaps are those to the lower bound, as no best known cost is there."""
        return not self.best and self.bound is not None

    @property
    def reference(self) -> int | None:
        """The cost that gaps are measured by."""
        return self.best or (None if self.bound is None else self.bound.cost)

    @property
    def lower(self) -> int | None:
        """The lower bound, where it is another cost than the best known one."""
        bound = None if self.bound is None else self.bound.cost
        return None if bound == self.best else bound

    def gap_percent(self, cost: int) -> float | None:
        """Return how far ``cost`` lies above the reference, in %; None without one."""
        reference = self.reference
        return 100.0 * (cost - reference) / reference if reference else None
