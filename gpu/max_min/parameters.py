"""Parameters of the MAX-MIN Ant Systems (2020 paper)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Self

from gpu.construction.parameters import AsParameters, CpuParameters
from gpu.core.parameters import parameter
from gpu.local_search.kinds import local_search_choice

HALF_WEIGHTS = "half"

MOST_WARPS = 16  # of a block on a GPU, given the registers that the kernels use

ITERATION_BEST, GLOBAL_BEST, SCHEDULE, PUBLISHED = range(4)

OTHER_CHANCE = 0.1
"""With what probability the published program lets the iteration's best tour deposit; otherwise
with the same the best of all, and else the restart-best: the best since trails last began."""

LOOK_PERIOD = 10  # it looks in every tenth iteration, from the first on, whether trails begin anew

SETTLED = 205
"""Trails have settled if the branching factor, times a hundred, is at most this: 2, and one more
edge for one city in twenty."""

DEPOSITS = {
    "iteration-best": ITERATION_BEST,
    "global-best": GLOBAL_BEST,
    "schedule": SCHEDULE,
    "published": PUBLISHED,
}

MOST_ITERATIONS = 1_000_000


@dataclass(frozen=True)
class MmasParameters(AsParameters):
    """What every MAX-MIN Ant System has; defaults from the 2020 paper, Section 5 (m = n)."""

    p_best: float = parameter(
        0.05,
        "p",
        "Probability that an ant builds the best tour once trails have settled; the lower limit "
        "of trails follows from it.",
        0,
        1,
        low_open=True,
        live=True,
    )
    deposit: str = parameter(
        "iteration-best",
        "Δτ",
        "Which tour's trails grow each iteration.",
        options={
            "iteration-best": "the shortest tour of the iteration",
            "global-best": "the shortest tour so far",
            "schedule": (
                "the shortest of the iteration, but every 25th time the shortest so far, then ever "
                "more often, and from iteration 250 on always (Stützle and Hoos)"
            ),
            "published": (
                "by chance the shortest of the iteration (10 %), the shortest so far (9 %), or the "
                "shortest since trails last began, as the program of the 2020 paper has it with "
                "local search"
            ),
        },
        phase="update",
        live=True,
    )
    restart: int = parameter(
        0,
        "r",
        "Iterations without a better tour after which settled trails begin anew; 0: never. With "
        "the deposit published, trails need not have settled, and the tour need only be better "
        "than those since trails last began.",
        0,
        MOST_ITERATIONS,
        phase="update",
        live=True,
    )
    planned: int = parameter(
        0,
        "T",
        "Iterations that the run is to have; 0: no matter. It counts only with the deposit "
        "published and a restart: trails then begin anew only while as many iterations are left as "
        "were made since they last did.",
        0,
        MOST_ITERATIONS,
        phase="update",
        live=True,
    )
    weights: str = parameter(
        HALF_WEIGHTS,
        "w",
        "How exactly ants know the weights of edges; trails are exact either way.",
        options={
            HALF_WEIGHTS: "to 8 significant bits, which changes no weight by more than 0.4 %",
            "full": "to 24 significant bits",
        },
        phase="construction",
    )

    @property
    def half_weights(self) -> bool:
        """Whether ants know the weights of edges to 8 significant bits only."""
        return self.weights == HALF_WEIGHTS


@dataclass(frozen=True)
class MmasCpuParameters(CpuParameters, MmasParameters):
    """Parameters of the MAX-MIN Ant System on the CPU."""


@dataclass(frozen=True)
class MmasCudaParameters(MmasParameters):
    """Parameters of the MAX-MIN Ant Systems on a GPU."""

    local_search: str = local_search_choice()

    @property
    def other_powers(self) -> bool:
        """Whether the GPU raises trails to the power α with other last digits than the CPU."""
        return not float(self.alpha).is_integer()


@dataclass(frozen=True)
class MmasGroupParameters(MmasCudaParameters):
    """Parameters of those whose ants choose from all cities."""

    warps: int | None = parameter(
        None,
        "W",
        "Warps, 32 threads each, that work for one ant.",
        1,
        MOST_WARPS,
        automatic="by n",
        phase="construction",
    )


@dataclass(frozen=True)
class MmasListParameters(MmasCudaParameters):
    """Parameters of those with candidate lists, a warp an ant."""

    candidates: int = parameter(
        32,
        "cl",
        "Nearest neighbours an ant considers before all other cities.",
        32,
        224,
        multiple_of=32,
        phase="construction",
    )

    @property
    def listed(self) -> int:
        """Length of the candidate lists that ants choose from first."""
        return self.candidates

    def resolved(self, n: int) -> Self:
        """Fill what is automatic; longer lists than n - 1 cities allow are of no use."""
        most = -(-max(n - 1, 1) // 32) * 32
        return dataclasses.replace(super().resolved(n), candidates=min(self.candidates, most))


def spread_of(n: int, p_best: float) -> float:
    """Return τ_min/τ_max (Stützle and Hoos 2000, eq. 11).

    Where all trails but the best tour's are at τ_min, ants then build that tour again with
    probability ``p_best``, choosing between n/2 cities on average.
    """
    steady: float = p_best ** (1 / n)
    return min(1.0, (1.0 - steady) / ((n / 2 - 1) * steady))
