"""Repeated measurements of one quantity, with their median and quartiles."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Spread:
    """Repeated measurements of one quantity."""

    median: float  # NaN without samples, as the quartiles
    lower: float
    upper: float
    samples: tuple[float, ...]  # all of them, in the order of their seeds

    @classmethod
    def of(cls, samples: Iterable[float]) -> Spread:
        """Summarize ``samples``."""
        kept = tuple(samples)
        if not kept:
            return cls(math.nan, math.nan, math.nan, ())
        lower, median, upper = (float(value) for value in np.percentile(kept, (25, 50, 75)))
        return cls(median, lower, upper, kept)

    @property
    def half(self) -> float | None:
        """Half of the distance between the quartiles; None where one sample has no spread."""
        return (self.upper - self.lower) / 2 if len(self.samples) > 1 else None
