"""Parameters of every colony whose ants follow the random proportional rule."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Self

from gpu.core.parameters import Parameters, parameter
from gpu.local_search.kinds import local_search_choice

TOUR_SELECTIONS = {
    "roulette": "roulette wheel over the cities in the order of their numbers",
    "stc-roulette": (
        "roulette wheel over the tour list, whose unvisited end shrinks (2017); "
        "with candidate lists the same as roulette"
    ),
    "lc-roulette": (
        "roulette wheel over the list of unvisited cities, whose last one takes the place of the "
        "one visited (2020, LC and CT); with candidate lists the same as roulette"
    ),
    "i-roulette": (
        "largest product of the city's weight and its own random number (2013); heavy weights "
        "win more often than by the random proportional rule"
    ),
    "wrs": (
        "weighted reservoir sampling (2020): each city has its own random number, and the same "
        "chance as on a wheel"
    ),
}
"""How ants without a candidate that they must take draw their next city, on the CPU."""


@dataclass(frozen=True)
class AsParameters(Parameters):
    """What every Ant System has; defaults from the 2013 paper, Section 4.1 (m = n)."""

    ants: int | None = parameter(
        None,
        "m",
        "Ants, each building one tour an iteration.",
        1,
        1_000_000,
        automatic="n",
        live=True,
    )
    alpha: float = parameter(
        1.0, "α", "Weight of the trail against the edge length.", 0, 20, live=True
    )
    beta: float = parameter(
        2.0, "β", "Weight of the edge length against the trail.", 0, 20, live=True
    )
    rho: float = parameter(
        0.5,
        "ρ",
        "Share of every trail that evaporates each iteration.",
        0,
        1,
        low_open=True,
        live=True,
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities."""
        return dataclasses.replace(self, ants=self.ants if self.ants is not None else n)

    @property
    def listed(self) -> int:
        """Length of the candidate lists that ants choose from first; 0 for none."""
        return 0

    @property
    def half_weights(self) -> bool:
        """Whether ants know the weights of edges to 8 significant bits only."""
        return False

    @property
    def other_powers(self) -> bool:
        """Whether the device raises trails to the power α with other last digits than the CPU."""
        return False


@dataclass(frozen=True)
class CpuParameters(AsParameters):
    """What the Ant Systems on the CPU have besides those of their family."""

    candidates: int = parameter(
        0, "cl", "Nearest neighbours an ant considers before all other cities; 0: all.", 0, 224
    )
    selection: str = parameter(
        "roulette",
        "s",
        "How an ant draws its next city.",
        options=TOUR_SELECTIONS,
        phase="construction",
    )
    local_search: str = local_search_choice()

    def resolved(self, n: int) -> Self:
        """Fill what is automatic, and cap ``candidates`` at n - 1."""
        return dataclasses.replace(
            super().resolved(n), candidates=min(self.candidates, max(n - 1, 0))
        )

    @property
    def listed(self) -> int:
        """Length of the candidate lists that ants choose from first; 0 for none."""
        return self.candidates
