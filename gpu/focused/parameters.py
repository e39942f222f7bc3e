"""Parameters of the focused colonies, and which instances these take."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Self

from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.parameters import Parameters, parameter
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.parameters import (
    ALPHA,
    ALPHA_LIMIT,
    AUTOMATIC,
    NEARNESS,
    QUADRANTS,
    require_short,
)

FOCUSED_STEPS = 4  # of an ant that is replayed
MOST_DIRECTED = 20_000  # cities of a directed instance: no larger one was tried

_HEAT = (
    "Temperature at which a long cycle of cooling begins. Its unit is the mean length of an edge "
    "that double bridges give up. The higher it is, the more often a longer tour is kept."
)

FIRST_CYCLE, FULL_CYCLE = 2, 64
"""Ants for each city in the first cycle of cooling, and in the first one that begins with the full
temperature."""

MOST_ANTS = 200_000  # that are chosen unasked: with more, a large instance shows nothing for long

# What is chosen unasked on a GPU.
FOCUSED_CUDA_CITIES, CUDA_MOST_TOURS = 40_000, 64  # cities of all tours together; tours
FOCUSED_CUDA_MOST_ANTS = 12_672  # of each tour


def _undirected(instance: Instance, nearness: str) -> None:
    """Refuse to choose where there is one way alone."""
    if nearness != AUTOMATIC and instance.facts.get("directed"):
        raise ParameterError(
            f"nearness = {nearness} is for symmetric instances, and {instance.name} is directed: "
            f"leave it {AUTOMATIC}"
        )


@dataclass(frozen=True)
class FocusedParameters(Parameters):
    """Parameters of the focused colonies, which are ours."""

    alpha_limit: ClassVar[int] = ALPHA_LIMIT

    ants: int | None = parameter(
        None,
        "m",
        "Ants an iteration, each of which changes the tour at one place.",
        1,
        10_000_000,
        automatic=f"n, at most {MOST_ANTS:,}",
    )
    candidates: int = parameter(
        8, "cl", "Candidates of each city: near cities to which ants consider an edge.", 2, 16
    )
    nearness: str = parameter(
        AUTOMATIC,
        "N",
        "Which cities are near, if distances are symmetric.",
        check=_undirected,
        options={
            AUTOMATIC: f"alpha up to {ALPHA_LIMIT:,} cities, quadrants beyond",
            **NEARNESS,
        },
    )
    kick: int = parameter(
        100,
        "L",
        "Most cities in each of the three stretches of an ant's double bridge; a tenth of it if "
        "distances are directed.",
        1,
        1000,
        live=True,
    )
    heat: float = parameter(0.7, "T", _HEAT, 0, 100, live=True)
    cooling: int | None = parameter(
        None,
        "a",
        "Ants for each city in a cycle of cooling, which ends at the temperature 0. Doubling: each "
        "cycle has twice as many as the one before.",
        1,
        1_000_000,
        automatic="2, doubling",
    )
    rho: float = parameter(
        0.02,
        "ρ",
        "Share of each trail that evaporates in an iteration.",
        0,
        1,
        low_open=True,
        live=True,
    )
    focus: float = parameter(
        1.0,
        "f",
        "Probability that an ant draws two places, and begins at the one with the weaker trail.",
        0,
        1,
        live=True,
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities."""
        ants = self.ants if self.ants is not None else min(n, MOST_ANTS)
        return dataclasses.replace(self, ants=ants)._with_lists(n)

    def _with_lists(self, n: int) -> Self:
        nearness = self.nearness
        if nearness == AUTOMATIC:
            nearness = ALPHA if n <= self.alpha_limit else QUADRANTS
        cl = min(self.candidates, n - 1)
        return dataclasses.replace(self, candidates=cl, nearness=nearness)


@dataclass(frozen=True)
class FocusedCudaParameters(FocusedParameters):
    """Parameters of the focused colony on a GPU."""

    alpha_limit: ClassVar[int] = 0  # in the seconds that α takes, a GPU does without

    candidates: int = parameter(
        10, "cl", "Candidates of each city: near cities to which ants consider an edge.", 2, 16
    )
    nearness: str = parameter(
        AUTOMATIC,
        "N",
        "Which cities are near, if distances are symmetric.",
        check=_undirected,
        options={
            AUTOMATIC: "quadrants",
            **NEARNESS,
        },
    )
    kick: int = parameter(
        50,
        "L",
        "Most cities in each of the three stretches of an ant's double bridge; a fifth of it if "
        "distances are directed.",
        1,
        1000,
        live=True,
    )
    heat: float = parameter(1.0, "T", _HEAT, 0, 100, live=True)
    ants: int | None = parameter(
        None,
        "m",
        "Ants an iteration, shared out among the tours. Automatic: at most "
        f"{FOCUSED_CUDA_MOST_ANTS:,} for each tour.",
        1,
        1_000_000,
        automatic="n / 5 a tour",
    )
    tours: int | None = parameter(
        None,
        "R",
        "Tours that ants change side by side; they are crossed after each cycle of cooling. "
        f"Automatic: at most {CUDA_MOST_TOURS}.",
        1,
        4096,
        automatic=f"{FOCUSED_CUDA_CITIES:,} / n",
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities."""
        tours, ants = self.tours, self.ants
        if tours is None:
            tours = min(max(FOCUSED_CUDA_CITIES // n, 1), CUDA_MOST_TOURS)
        if ants is None:
            ants = tours * min(max(n // 5, 8), FOCUSED_CUDA_MOST_ANTS)
        tours = min(tours, ants)
        return dataclasses.replace(self, ants=ants, tours=tours)._with_lists(n)


def require_few_directed(instance: TspInstance) -> None:
    """Raise ParameterError if ``instance`` is directed and too large."""
    if instance.directed and instance.real_n > MOST_DIRECTED:
        raise ParameterError(
            f"focused colonies take directed instances of up to {MOST_DIRECTED:,} cities, and "
            f"{instance.name} has {instance.real_n:,}: choose the colony acs or mmas"
        )


def require_for_focused_cuda(instance: TspInstance) -> None:
    """Raise ParameterError if focused-gpu does not take ``instance``."""
    require_few_directed(instance)
    if not instance.directed:  # else sums have 64 bits
        require_short(instance, "focused")
