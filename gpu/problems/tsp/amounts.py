"""How the lengths of an instance are told to people: in which unit, with how many decimals."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.core.formats import THIN
from gpu.problems.tsp.distances import GEO_UNIT
from gpu.problems.tsp.instance import TspInstance


@dataclass(frozen=True, slots=True)
class Amounts:
    """The unit in which lengths are told."""

    unit: str = ""  # empty if it is not known
    share: float = 1.0  # of the unit: what a length of 1 is
    decimals: int = 0
    how: str = ""  # what a sentence says behind the unit

    def number(self, length: int) -> str:
        """Return ``length`` in the unit, without its name."""
        return f"{length * self.share:,.{self.decimals}f}".replace(",", THIN)

    def text(self, length: int) -> str:
        """Return ``length`` with its unit, as a sentence has it."""
        unit = f"{THIN}{self.unit}" if self.unit else ""
        return f"{self.number(length)}{unit}{self.how}"


def amounts_of(instance: TspInstance) -> Amounts:
    """Return how the lengths of ``instance`` are told.

    On the globe they are kilometres: in whole ones by TSPLIB's rule, else with tenths.
    """
    if not instance.geographic:
        unit = instance.cost_unit
        return Amounts(unit.name, 10.0**-unit.decimals, max(0, unit.decimals))
    whole = instance.unit == GEO_UNIT
    share, decimals = (1.0, 0) if whole else (0.001, 1)
    return Amounts(GEO_UNIT, share, decimals, " as the crow flies")
