"""In what costs are shown: the unit of the file, and how many of its decimals a cost counts.

Costs are whole numbers everywhere. Where a file has fractions, they count tenths, hundredths and so
on of the file's own unit; only what a user reads or types is in that unit itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Annotated, TypeVar

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gpu.core.formats import THIN
from gpu.core.words import counted

Decimals = Annotated[int, Meta(ge=-20, le=20)]
"""Of a unit that a cost counts, as files have them."""

Number = TypeVar("Number", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class CostUnit:
    """In what the costs of an instance are shown."""

    name: str = ""  # of the unit; empty where the file does not say it
    decimals: int = 0  # of the unit that a cost counts: 1 where 225 stands for 22.5
    noun: str = ""  # of what costs count, where they are numbers of things: color

    @property
    def whole(self) -> bool:
        """Whether what is shown are whole numbers."""
        return self.decimals <= 0

    def value(self, cost: int) -> int | float:
        """Return ``cost`` as it is shown: as a whole number, unless it can have decimals."""
        power: int = 10 ** abs(self.decimals)
        return cost / power if self.decimals > 0 else cost * power

    def scaled(self, costs: Number) -> Number:
        """Return ``costs``, which may be means, as they are shown."""
        power: float = 10.0 ** abs(self.decimals)
        return costs / power if self.decimals > 0 else costs * power

    def cost(self, value: int | float | str) -> int:
        """Return the cost that is shown as ``value``, or the next lower one.

        ValueError if it is no number.
        """
        try:
            return math.floor(Decimal(str(value)).scaleb(self.decimals))
        except (InvalidOperation, OverflowError) as error:
            raise ValueError(f"{value!r} is no number") from error

    def text(self, cost: int | float, thousands: str = THIN) -> str:
        """Return ``cost`` as it is shown, without the unit; ``thousands`` apart by this."""
        if self.decimals <= 0:
            text = f"{round(self.scaled(float(cost))) if cost % 1 else self.value(int(cost)):,}"
        else:
            text = f"{self.scaled(float(cost)):,.{self.decimals}f}"
        return text.replace(",", thousands)

    def mean(self, cost: float, thousands: str = THIN) -> str:
        """Return a mean of costs, with one decimal more than a cost has."""
        digits = max(self.decimals, 0) + 1
        return f"{self.scaled(float(cost)):,.{digits}f}".replace(",", thousands)

    def amount(self, cost: int | float, thousands: str = THIN) -> str:
        """Return ``cost`` in a sentence, with its unit: 22.5 min, 4 colors."""
        text = self.text(cost, thousands)
        if self.noun:
            return counted(round(cost), self.noun, text)
        return f"{text} {self.name}" if self.name else text


NO_UNIT = CostUnit()
"""Of costs whose instance is not known: they are shown as they are."""
