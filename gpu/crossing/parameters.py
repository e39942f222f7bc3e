"""Parameters of the crossing colonies, and of which instances a GPU crosses tours."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Self

from gpu.core.parameters import Parameters, parameter
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.parameters import (
    ALPHA,
    ALPHA_LIMIT,
    AUTOMATIC,
    NEARNESS,
    QUADRANTS,
    require_short,
    require_symmetric,
)

BY_TRAILS, BY_GAIN = "trails", "gain"
WEIGHT = {
    BY_TRAILS: "the one that saves most length for the variety that the population's edges lose",
    BY_GAIN: "the shortest",
}

CROSSING_STEPS = 3  # of an ant that is replayed
MOST_TOURS, FEWEST_TOURS = 32, 8  # of the first population
MOST_CROSSED = 50_000  # cities up to which a crossing colony is better than a focused one
SHARED = 96_000  # cities of all its tours together, between these limits

MOST_UNSETTLED = 8_000  # cities up to which first tours are crossed as local search leaves them
SETTLING = 2  # ants for each city that improve a first tour beyond
SETTLED_SHARED = 2_400  # tours of the first population there, times the root of the cities

PATIENT_ROUNDS = 3  # rounds without a shorter tour after which a population is done

CUDA_MOST_CROSSED = 10_000_000  # cities up to which a GPU finds shorter tours by crossing
CUDA_MOST, CUDA_FEWEST = 256, 64  # tours of a population on a GPU
FEWEST_OF_MANY = 32  # the same, beyond MANY_CITIES
CUDA_SMALL, CUDA_MOST_SMALL = 3_000, 512  # cities up to which it has so many: lattices need them
CROSSING_CUDA_CITIES = 3_000_000  # cities of all its tours together, between these limits
CROSSING_CUDA_MOST_CITIES = 24_000_000  # of all its tours together, if they are more than 8
CUDA_LEAST = 8  # tours, so that so many are not exceeded
CUDA_ANTS, CROSSING_CUDA_MOST_ANTS = 32, 128  # of each tour
MANY_CITIES, MANY_ANTS = 200_000, 1024  # beyond so many cities: ants of each tour, at most,
MILLIONS, MOST_ANTS = 2_500, 4096  # or with millions one for so many cities, and at most so many
CUDA_CITIES = 512  # for each ant of a tour, between these limits

ONE_WINNER, MANY_WINNERS = "one", "many"
MOST_ALONE = 8_000  # cities up to which a tour becomes one of its ants' children


@dataclass(frozen=True)
class CrossingParameters(Parameters):
    """Parameters of the crossing colonies, which are ours."""

    ants: int | None = parameter(
        None,
        "m",
        "Ants an iteration, each of which crosses its tour with another one. The first population "
        "has as many tours; each further one has twice as many, up to 16 times. Automatic: "
        f"{FEWEST_TOURS} to {MOST_TOURS} up to {MOST_UNSETTLED:,} cities, {SETTLED_SHARED:,} / √n "
        "beyond.",
        2,
        100_000,
        automatic=f"{SHARED:,} / n, at least {FEWEST_TOURS}",
    )
    children: int = parameter(
        30,
        "c",
        "Of so many children that an ant makes of two tours, it keeps one at most.",
        1,
        1000,
    )
    weight: str = parameter(
        BY_TRAILS,
        "W",
        "Which of its children an ant keeps.",
        options=WEIGHT,
    )
    settling: int | None = parameter(
        None,
        "a",
        "Ants for each city that improve a tour before tours are crossed.",
        0,
        1000,
        automatic=f"{SETTLING} beyond {MOST_UNSETTLED:,} cities",
    )
    kick: int = parameter(
        50,
        "L",
        "Most cities in each of the three stretches of such an ant's double bridge.",
        1,
        1000,
    )
    candidates: int = parameter(
        8, "cl", "Candidates of each city: near cities to which ants consider an edge.", 2, 16
    )
    nearness: str = parameter(
        AUTOMATIC,
        "N",
        "Which cities are near.",
        options={
            AUTOMATIC: f"alpha up to {ALPHA_LIMIT:,} cities, quadrants beyond",
            **NEARNESS,
        },
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities."""
        ants = self.ants
        if ants is None:
            tours = SHARED // n if n <= MOST_UNSETTLED else round(SETTLED_SHARED / math.sqrt(n))
            ants = min(max(tours, FEWEST_TOURS), MOST_TOURS)
        nearness = self.nearness
        if nearness == AUTOMATIC:
            nearness = ALPHA if n <= ALPHA_LIMIT else QUADRANTS
        settling = self.settling
        if settling is None:
            settling = 0 if n <= MOST_UNSETTLED else SETTLING
        cl = min(self.candidates, n - 1)
        return dataclasses.replace(
            self, ants=ants, nearness=nearness, candidates=cl, settling=settling
        )


@dataclass(frozen=True)
class CrossingCudaParameters(Parameters):
    """Parameters of the crossing colony on a GPU."""

    ants: int | None = parameter(
        None,
        "m",
        "Ants an iteration, shared out among the tours. Each crosses its tour with another one. "
        f"Automatic: up to {CROSSING_CUDA_MOST_ANTS} a tour, beyond {MANY_CITIES:,} cities more.",
        2,
        1_000_000,
        automatic=f"{CUDA_ANTS} to {MOST_ANTS:,} a tour",
    )
    tours: int | None = parameter(
        None,
        "R",
        f"Tours of the population. Automatic: {CUDA_MOST_SMALL} up to {CUDA_SMALL:,} cities, with "
        f"millions of cities fewer, down to {CUDA_LEAST}.",
        2,
        4096,
        automatic=f"{CROSSING_CUDA_CITIES:,} / n, from {CUDA_FEWEST} to {CUDA_MOST}",
    )
    weight: str = parameter(
        BY_TRAILS,
        "W",
        "Which of its ants' children takes the place of a tour, if it is shorter.",
        options=WEIGHT,
    )
    winners: str = parameter(
        AUTOMATIC,
        "w",
        "From how many of its ants' children a tour takes changes in a round.",
        options={
            AUTOMATIC: f"one up to {MOST_ALONE:,} cities, many beyond",
            ONE_WINNER: "it becomes the best of them, so that tours stay different for longer",
            MANY_WINNERS: (
                "at first it takes all changes that fit together, so that fewer rounds are needed"
            ),
        },
    )
    settling: int = parameter(
        2,
        "a",
        "Ants for each city that improve a tour before tours are crossed.",
        1,
        1000,
    )
    kick: int = parameter(
        50,
        "L",
        "Most cities in each of the three stretches of such an ant's double bridge.",
        1,
        1000,
    )
    candidates: int = parameter(
        10, "cl", "Candidates of each city: near cities to which ants consider an edge.", 2, 16
    )
    nearness: str = parameter(
        QUADRANTS,
        "N",
        "Which cities are near.",
        options=NEARNESS,
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities."""
        tours = self.tours
        if tours is None:
            fewest = CUDA_FEWEST if n <= MANY_CITIES else FEWEST_OF_MANY
            limit = CUDA_MOST_SMALL if n <= CUDA_SMALL else CUDA_MOST
            tours = min(max(CROSSING_CUDA_CITIES // n, fewest), limit)
            tours = min(tours, max(CROSSING_CUDA_MOST_CITIES // n, CUDA_LEAST))
        winners = self.winners
        if winners == AUTOMATIC:
            winners = ONE_WINNER if n <= MOST_ALONE else MANY_WINNERS
        ants = self.ants
        if ants is None:
            most = CROSSING_CUDA_MOST_ANTS
            if n > MANY_CITIES:
                most = min(max(MANY_ANTS, n // MILLIONS), MOST_ANTS)
            ants = min(max(n // CUDA_CITIES, CUDA_ANTS), most) * tours
        return dataclasses.replace(
            self,
            ants=ants,
            tours=min(tours, ants),
            winners=winners,
            candidates=min(self.candidates, n - 1),
        )


def require_for_crossing_cuda(instance: TspInstance) -> None:
    """Raise ParameterError if crossing-gpu does not take ``instance``."""
    require_symmetric(instance)
    require_short(instance, "crossing")
