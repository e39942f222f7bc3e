"""Parameters of the gpx and the HEAD colonies on a GPU."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.parameters import Parameters, parameter

MOVES_A_VERTEX = 16  # of a generation
MOST_ON_GPU = 1 << 14  # vertices whose sets kernels hold; see gpu/cuda/instances.py
MULTIPROCESSORS = 132  # of the GPU for which the number of ants is chosen
ISLAND_ANTS = 8
EXPLORERS = 16  # one of so many ants is an explorer
OPTIMIZERS = 16  # and one an optimizer


def require_for_gpu(instance: Instance) -> None:
    """Raise ParameterError if a graph has too many vertices."""
    if instance.n > MOST_ON_GPU:
        raise ParameterError(
            f"{instance.name} has {instance.n:,} vertices, but this colony takes {MOST_ON_GPU:,}: "
            "choose gpx-cores"
        )


@dataclass(frozen=True)
class SearchKinds:
    """What the ants of a colony do."""

    crossing: int  # ants that cross colorings
    explorers: int  # behind these, ants that search with far fewer colors
    optimizers: int  # and ants that optimize partial colorings
    noise: int  # percent
    island: int  # of them that cross with each other
    trails: bool  # whether trails say where vertices go that crossover leaves
    elites: bool  # whether pairs go back to the best coloring of an earlier cycle
    greedy_start: bool  # whether some begin with the greedy coloring
    explored: float  # share of the best number of colors with which explorers search
    patience: int  # generations

    @property
    def islands(self) -> int:
        """How many islands there are."""
        return max(1, -(-self.crossing // self.island))


def _moves() -> Any:
    return parameter(
        None,
        "i",
        "Moves of tabu search with which an ant repairs a coloring: a generation.",
        1,
        100_000_000,
        automatic=f"{MOVES_A_VERTEX} n",
        phase="search",
        live=True,
    )


@dataclass(frozen=True)
class GpxGpuParameters(Parameters):
    """Parameters of gpx-gpu, which is ours."""

    ants: int | None = parameter(
        None, "m", "All ants.", 2, 100_000, automatic=f"{2 * MULTIPROCESSORS}, fewer if n is large"
    )
    island: int = parameter(
        ISLAND_ANTS, "g", "Ants that cross their colorings with each other.", 2, 100_000
    )
    explorers: int | None = parameter(
        None,
        "e",
        "Ants that search by themselves, with far fewer colors than the best coloring has.",
        0,
        100_000,
        automatic=f"m / {EXPLORERS}",
        phase="search",
    )
    optimizers: int | None = parameter(
        None,
        "o",
        "Ants that color a part of the graph and give each vertex without color the class where "
        "it drives out the lightest neighbours (conflict optimizer).",
        0,
        100_000,
        automatic=f"m / {OPTIMIZERS}",
        phase="search",
    )
    moves: int | None = _moves()
    joining: str = parameter(
        "trails",
        "j",
        "Where vertices go that crossover leaves: to the class with whose vertices they have the "
        "strongest trails, or anywhere.",
        options={"trails": "the class with the strongest trails", "random": "any class"},
        phase="search",
    )
    noise: int = parameter(
        15,
        "ν",
        "By how many percent the weight that a vertex would drive out is taken to be more or less, "
        "at random, by an optimizer.",
        0,
        90,
        phase="search",
        live=True,
    )
    explored: float = parameter(
        0.8,
        "f",
        "Share of the best coloring's number of colors with which explorers search.",
        0.1,
        1,
        phase="search",
        live=True,
    )
    patience: int = parameter(
        100,
        "s",
        "Generations without fewer conflicts after which an explorer begins anew.",
        1,
        1_000_000,
        phase="search",
        live=True,
    )
    rho: float = parameter(
        0.98, "ρ", "Share of every trail that remains per child.", 0, 1, live=True
    )

    cycle = 1

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for a graph of ``n`` vertices."""
        ants = self.ants if self.ants is not None else ants_for(n)
        explorers = self.explorers if self.explorers is not None else ants // EXPLORERS
        moves = self.moves if self.moves is not None else MOVES_A_VERTEX * n
        optimizers = self.optimizers if self.optimizers is not None else ants // OPTIMIZERS
        explorers = min(explorers, ants - 2)
        optimizers = min(optimizers, ants - 2 - explorers)
        return dataclasses.replace(
            self, ants=ants, explorers=explorers, optimizers=optimizers, moves=moves
        )

    def searches(self) -> SearchKinds:
        """What the ants do."""
        assert self.ants is not None
        assert self.explorers is not None
        assert self.optimizers is not None
        return SearchKinds(
            crossing=self.ants - self.explorers - self.optimizers,
            explorers=self.explorers,
            optimizers=self.optimizers,
            noise=self.noise,
            island=self.island,
            trails=self.joining == "trails",
            elites=False,
            greedy_start=True,
            explored=self.explored,
            patience=self.patience,
        )


@dataclass(frozen=True)
class HeadGpuParameters(Parameters):
    """Parameters of head-gpu: as published, but many pairs side by side."""

    ants: int | None = parameter(
        None,
        "m",
        "Ants, in pairs. The two of a pair cross their colorings with each other alone.",
        2,
        100_000,
        automatic=f"{2 * MULTIPROCESSORS}, fewer if n is large",
    )
    moves: int | None = _moves()
    cycle: int = parameter(
        10,
        "c",
        "Generations of a cycle. After each, one of two partners goes back to the best coloring of "
        "the cycle before, which keeps both different.",
        1,
        100_000,
        phase="search",
        live=True,
    )
    rho: float = parameter(
        0.9,
        "ρ",
        "Share of every trail that remains; trails are only there to be seen.",
        0,
        1,
        live=True,
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for a graph of ``n`` vertices."""
        ants = self.ants if self.ants is not None else ants_for(n)
        moves = self.moves if self.moves is not None else MOVES_A_VERTEX * n
        return dataclasses.replace(self, ants=ants, moves=moves)

    def searches(self) -> SearchKinds:
        """What the ants do."""
        assert self.ants is not None
        return SearchKinds(self.ants, 0, 0, 0, 2, False, True, False, 1.0, 1)


def ants_for(n: int) -> int:
    """Ants with which a GPU is busy: several a multiprocessor where their counts are small."""
    return MULTIPROCESSORS * (4 if n <= 640 else 2 if n <= 2048 else 1)
