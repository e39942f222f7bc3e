"""Parameters of the Ant Colony Systems (2016 paper)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Self

from gpu.core.parameters import Parameters, parameter
from gpu.local_search.kinds import local_search_choice

FIRST_TOUR, THREE_TOURS = "first", "three"

TAU0_TOURS = {FIRST_TOUR: 1, THREE_TOURS: 3}
"""How many nearest-neighbour tours the initial trail is computed from."""


@dataclass(frozen=True)
class AcsParameters(Parameters):
    """Parameters of the Ant Colony System; defaults from the 2016 paper, Section 4.1."""

    ants: int | None = parameter(
        None,
        "m",
        "Ants, each building one tour an iteration.",
        1,
        1_000_000,
        automatic="n",
        live=True,
    )
    beta: float = parameter(
        3.0, "β", "Weight of the edge length against the trail.", 0, 20, live=True
    )
    alpha: float = parameter(
        0.2, "α", "Share of a trail renewed by the global update.", 0, 1, low_open=True, live=True
    )
    rho: float = parameter(
        0.01,
        "ρ",
        "Share of a trail that evaporates at a local update.",
        0,
        1,
        low_open=True,
        live=True,
    )
    q0: float | None = parameter(
        None,
        "q₀",
        "Probability of taking the best candidate instead of drawing one.",
        0,
        1,
        automatic="(n − 20)/n",
        live=True,
    )
    candidates: int = parameter(
        32, "cl", "Nearest neighbours an ant considers before all other cities.", 1, 32
    )
    update_period: int = parameter(
        1, "k", "The local update is made at every k-th step.", 1, 1_000_000, live=True
    )
    tau0: str = parameter(
        FIRST_TOUR,
        "τ₀",
        "By which length L the initial trail is 1/(n L).",
        options={
            FIRST_TOUR: "that of the nearest-neighbour tour from the first city",
            THREE_TOURS: "the mean of those from the first three, as in the author's program",
        },
        phase="update",
    )
    local_search: str = local_search_choice()

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities, and cap ``candidates`` at n - 1.

        The paper's q0 = (n - 20)/n is negative below 20 cities; it is clamped to [0, 1].
        """
        return dataclasses.replace(
            self,
            ants=self.ants if self.ants is not None else n,
            q0=self.q0 if self.q0 is not None else min(1.0, max(0.0, (n - 20) / n)),
            candidates=min(self.candidates, n - 1),
        )


RACING, LATE, ATOMIC = "racing", "late", "atomic"


@dataclass(frozen=True)
class AltParameters(AcsParameters):
    """Parameters of ACS-GPU-Alt (2016 paper, Section 3.1.2)."""

    local_update: str = parameter(
        RACING,
        "τ ←",
        "What happens where several ants update one edge at the same time.",
        options={
            RACING: "some updates are lost, as in the paper, and none is tried again",
            LATE: "more are lost: an ant stores what it makes of a trail read some steps before",
            ATOMIC: "every update counts, by compare-and-swap",
        },
        phase="construction",
        live=True,
    )


REMEMBERED, LISTED_ALONE = "remembered", "listed"


@dataclass(frozen=True)
class SpmParameters(AcsParameters):
    """Parameters of the ACS with selective pheromone memory (2016 paper, Section 3.2)."""

    memory: int = parameter(8, "s", "Trails remembered at each city.", 1, 32)
    greedy: str = parameter(
        REMEMBERED,
        "G",
        "Where the greedy choice looks for the heaviest edge.",
        options={
            REMEMBERED: "among candidates and all remembered cities, as in the author's program",
            LISTED_ALONE: "among candidates alone, as in Fig. 3 of the paper",
        },
        formerly=LISTED_ALONE,
        phase="construction",
        live=True,
    )
