"""Parameters of the focused colonies."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Self

from gpu.core.parameters import Parameters, parameter

AUTOMATIC, ALPHA, QUADRANTS = "automatic", "alpha", "quadrants"

ALPHA_LIMIT = 20_000  # cities up to which α is worth the seconds that it takes

MOST_ANTS = 200_000  # that are chosen unasked: with more, a large instance shows nothing for long


@dataclass(frozen=True)
class FocusedParameters(Parameters):
    """Parameters of the focused colonies, which are ours."""

    ants: int | None = parameter(
        None,
        "m",
        "Ants an iteration, each of which changes the tour at one place.",
        1,
        10_000_000,
        automatic=f"n, at most {MOST_ANTS:,}",
    )
    candidates: int = parameter(
        6, "cl", "Cities near each city, to which ants consider an edge.", 2, 16
    )
    nearness: str = parameter(
        AUTOMATIC,
        "N",
        "Which cities are near.",
        options={
            AUTOMATIC: f"alpha up to {ALPHA_LIMIT:,} cities, quadrants beyond",
            ALPHA: "those whose edges most likely belong to a short tour (Helsgaun 2000)",
            QUADRANTS: "the nearest, and the nearest in each direction: known at once",
        },
    )
    kick: int = parameter(
        100,
        "L",
        "Most cities in each of the three stretches of the tour that an ant begins by moving.",
        1,
        1000,
    )
    heat: float = parameter(
        1.0,
        "T",
        "Temperature at which a long cycle of cooling begins, in mean edges of the tour: the "
        "higher, the more tours are kept that are longer than before.",
        0,
        100,
    )
    cooling: int | None = parameter(
        None,
        "a",
        "Ants for each city in a cycle of cooling, at whose end the temperature is 0.",
        1,
        1_000_000,
        automatic="2, then always twice as many",
    )
    rho: float = parameter(
        0.02, "ρ", "Share of each trail that evaporates in an iteration.", 0, 1, low_open=True
    )
    focus: float = parameter(
        1.0,
        "f",
        "Probability that an ant draws two places, and begins at the one with the weaker trail.",
        0,
        1,
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities."""
        ants = self.ants if self.ants is not None else min(n, MOST_ANTS)
        nearness = self.nearness
        if nearness == AUTOMATIC:
            nearness = ALPHA if n <= ALPHA_LIMIT else QUADRANTS
        cl = min(self.candidates, n - 1)
        return dataclasses.replace(self, ants=ants, candidates=cl, nearness=nearness)
