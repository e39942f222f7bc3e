"""Fields that colonies of several families have."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

from gpu.parameters.explanation import choice, parameter
from gpu.parameters.parameters import Parameters

NO_LOCAL_SEARCH = "none"

LOCAL_SEARCHES = {
    NO_LOCAL_SEARCH: "tours stay as the ants built them",
    "2opt": "two edges exchanged, with neighbour lists and don't-look bits; symmetric distances",
    "2opt+oropt": "2-opt, and segments of up to 3 cities put elsewhere; symmetric distances",
    "oropt": "segments of up to 3 cities put elsewhere; directed distances too",
}
"""The kinds of local search, as the command line writes them, and what each does."""


def local_search_choice() -> Any:
    """Declare the field ``local_search`` of a colony's parameters."""
    return choice(
        NO_LOCAL_SEARCH,
        "LS",
        "How every tour is improved once built.",
        LOCAL_SEARCHES,
        phase="local search",
    )


SELECTIONS = {
    "roulette": "roulette wheel over the cities in the order of their numbers",
    "stc-roulette": (
        "roulette wheel over the tour list, whose unvisited end shrinks (2017); "
        "with candidate lists the same as roulette"
    ),
    "i-roulette": (
        "largest product of weight and a random number of the city's own (2013); "
        "favours heavy weights more than the random proportional rule does"
    ),
    "wrs": (
        "weighted reservoir sampling (2020): a random number of the city's own, "
        "in proportion to the weights as on a wheel"
    ),
}
"""How ants without a candidate that they must take draw their next city, on the CPU."""


def selection_choice() -> Any:
    """Declare the field ``selection`` of a colony's parameters."""
    return choice(
        "roulette", "p", "How an ant draws its next city.", SELECTIONS, phase="construction"
    )


@dataclass(frozen=True)
class CpuParameters(Parameters):
    """What the Ant Systems on the CPU have besides those of their family."""

    candidates: int = parameter(
        0, "cl", "Nearest neighbours an ant considers before all other cities; 0: all.", 0, 224
    )
    selection: str = selection_choice()
    local_search: str = local_search_choice()

    def resolved(self, n: int) -> Self:
        """Fill what is automatic, and cap ``candidates`` at n - 1."""
        return dataclasses.replace(
            super().resolved(n), candidates=min(self.candidates, max(n - 1, 0))
        )
