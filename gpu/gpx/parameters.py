"""Parameters of the gpx and the HEAD colonies, and which graphs have tabu searches."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.parameters import Parameters, parameter
from gpu.problems.coloring.instance import GraphInstance

MOST_SEARCHED = 20_000  # vertices up to which a colony has tabu searches, if nobody says else
MOST_WITH_TRAILS = 4096  # vertices up to which pairs of vertices have trails
GPX_ANTS = 12  # an island that crosses colorings, and the ones below
GPX_EXPLORERS = 2  # of those; one optimizes conflicts, and one makes partial tabu search
GPX_ISLAND = 8
GPU_ISLAND = 33
# Moves of a generation for each vertex: so many by the density of the graph, within these bounds
MOVES_BY_DENSITY, LEAST_MOVES, MOST_MOVES = 8, 16, 100

CROSSING, OPTIMIZING, PARTIAL, EXPLORING = range(4)
"""What an ant does. The ants of a kind are numbered in a row, in this order of the kinds."""

KINDS = 4
KIND_NAMES = (
    "ants that cross colorings",
    "a conflict optimizer",
    "partial tabu search",
    "an explorer",
)
NOBODY = -1  # in the place of a kind

MOST_HALVINGS = 4  # the least work that a kind of search has is its full one, halved so often
EXPLORER_HALVINGS = 1  # an explorer finds nothing for long, and then all at once
RECOVERY = 10  # iterations without fewer colors after which each kind gets twice the work again
ALIKE = 100  # colorings are alike if all but one vertex in so many is in common classes
HEAD_KEEP = 0.85  # share of a HEAD colony's trails, which are there to be seen, that remains

BY_TRAILS, AT_RANDOM = "trails", "random"
LEFT = {
    BY_TRAILS: "to the class where their trails are strongest, in random order",
    AT_RANDOM: "to any class",
}


def moves_parameter() -> Any:
    """Declare the field ``moves``."""
    return parameter(
        None,
        "i",
        "Moves of tabu search with which an ant repairs a coloring: a generation. If they are "
        f"automatic, there are {LEAST_MOVES} to {MOST_MOVES} for each vertex.",
        1,
        100_000_000,
        automatic=f"{MOVES_BY_DENSITY} n / density",
        phase="search",
        live=True,
    )


def ants_parameter(automatic: str) -> Any:
    """Declare the field ``ants`` of a gpx colony."""
    return parameter(
        None,
        "m",
        "All ants. Those that do nothing else live on islands: they cross colorings with each "
        "other, and repair them by tabu search. A graph is large beyond "
        f"{MOST_SEARCHED:,} vertices.",
        1,
        100_000,
        automatic=automatic,
    )


def island_parameter(default: int) -> Any:
    """Declare the field ``island``."""
    return parameter(
        default,
        "I",
        "Ants of an island, which cross their colorings with each other alone.",
        2,
        100_000,
        phase="search",
    )


def optimizers_parameter(automatic: str) -> Any:
    """Declare the field ``optimizers`` of a gpx colony."""
    return parameter(
        None,
        "o",
        "Ants that color a part of the graph and give each vertex without color the class where "
        "it drives out the lightest neighbours (conflict optimizer).",
        0,
        100_000,
        automatic=automatic,
        phase="search",
    )


def partials_parameter(automatic: str) -> Any:
    """Declare the field ``partials`` of a gpx colony."""
    return parameter(
        None,
        "p",
        "Ants that make partial tabu search (PartialCol): they color a part of the graph, and give "
        "a class to the vertex without color for which the fewest neighbours lose theirs.",
        0,
        100_000,
        automatic=automatic,
        phase="search",
    )


def explorers_parameter(automatic: str) -> Any:
    """Declare the field ``explorers`` of a gpx colony."""
    return parameter(
        None,
        "e",
        "Ants that search by themselves: of four, the first with far fewer colors than the best "
        "coloring has, the others with one fewer, two of them with moves that are tabu for longer.",
        0,
        100_000,
        automatic=automatic,
        phase="search",
    )


def pairs_parameter(automatic: str) -> Any:
    """Declare the field ``ants`` of a HEAD colony."""
    return parameter(
        None,
        "m",
        "Ants, in pairs. The two of a pair cross their colorings with each other alone.",
        1,
        100_000,
        automatic=automatic,
    )


def noise_parameter(default: int) -> Any:
    """Declare the field ``noise``."""
    return parameter(
        default,
        "ν",
        "By how many percent the weight that a vertex would drive out is taken to be more or less, "
        "at random, by an optimizer.",
        0,
        90,
        phase="search",
        live=True,
    )


@dataclass(frozen=True)
class GpxParameters(Parameters):
    """Parameters of the gpx colonies, which are ours."""

    ants: int | None = ants_parameter(f"{GPX_ANTS}, 1 if n is large")
    island: int = island_parameter(GPX_ISLAND)
    optimizers: int | None = optimizers_parameter(f"m / {GPX_ANTS} or 1, m if n is large")
    partials: int | None = partials_parameter(f"m / {GPX_ANTS}, 0 if n is large")
    explorers: int | None = explorers_parameter(f"m / {GPX_ANTS // GPX_EXPLORERS}, 0 if n is large")
    moves: int | None = moves_parameter()
    left: str = parameter(
        BY_TRAILS,
        "l",
        "Where vertices go that are left over when two colorings are crossed.",
        options=LEFT,
        phase="search",
        live=True,
    )
    rho: float = parameter(
        0.85, "ρ", "Share of every trail that remains each generation.", 0, 1, live=True
    )
    noise: int = noise_parameter(0)
    explored: float = parameter(
        0.8,
        "f",
        "Share of the best coloring's number of colors with which the first of every four "
        "explorers searches.",
        0.1,
        1,
        phase="search",
        live=True,
    )
    patience: int = parameter(
        100,
        "s",
        "Generations without fewer conflicts after which such an explorer begins anew.",
        1,
        1_000_000,
        phase="search",
        live=True,
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for a graph of ``n`` vertices; there is no more of anything."""
        searched = n <= MOST_SEARCHED
        ants = self.ants if self.ants is not None else GPX_ANTS if searched else 1
        optimizers, partials, explorers = self.optimizers, self.partials, self.explorers
        if optimizers is None:
            optimizers = max(1, ants // GPX_ANTS) if searched else ants
        if partials is None:
            partials = ants // GPX_ANTS if searched else 0
        if explorers is None:
            explorers = ants * GPX_EXPLORERS // GPX_ANTS if searched else 0
        optimizers = min(optimizers, ants)
        partials = min(partials, ants - optimizers)
        return dataclasses.replace(
            self,
            ants=ants,
            optimizers=optimizers,
            partials=partials,
            explorers=min(explorers, ants - optimizers - partials),
        )


@dataclass(frozen=True)
class HeadParameters(Parameters):
    """Parameters of the HEAD colonies; defaults from the 2018 paper."""

    ants: int | None = pairs_parameter("2")
    moves: int | None = moves_parameter()
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

    def resolved(self, n: int) -> Self:
        """Fill what is automatic."""
        ants = self.ants if self.ants is not None else 2
        return dataclasses.replace(self, ants=ants)


def trails_note(parameters: GpxParameters | HeadParameters, n: int) -> str:
    """Return why there are no trails of a graph of ``n`` vertices, or that ants do not read them.

    Parameters are resolved.
    """
    if n > MOST_WITH_TRAILS:
        return (
            f"On graphs of more than {MOST_WITH_TRAILS:,} vertices this colony lays no trails, "
            "because a matrix of all pairs of vertices would be too large"
        )
    if isinstance(parameters, HeadParameters):
        return "HEAD has no trails: its ants do not read these"
    assert parameters.ants is not None
    assert parameters.optimizers is not None
    assert parameters.partials is not None
    assert parameters.explorers is not None
    others = parameters.optimizers + parameters.partials + parameters.explorers
    if parameters.ants <= others:
        return "Trails are laid by ants that cross colorings, and there are none of these"
    return "" if parameters.left == BY_TRAILS else "With left = random, ants do not read them"


def moves_of(parameters: GpxParameters | HeadParameters, graph: GraphInstance) -> int:
    """Return the moves of a generation: sparse graphs need long searches, dense ones short ones."""
    if parameters.moves is not None:
        return parameters.moves
    by_density = round(MOVES_BY_DENSITY / max(graph.density, 1e-9))
    return graph.n * min(max(by_density, LEAST_MOVES), MOST_MOVES)


MOST_COUNT = 126  # neighbours that kernels count in seven bits
MOST_WIDE = 1 << 13  # vertices for which they have wider counts
MOST_ON_GPU = 1 << 14  # vertices whose sets kernels hold; see gpu/cuda/instances.py
MULTIPROCESSORS = 132  # of the GPU for which the number of ants is chosen
# On a GPU, one of so many ants is of this kind; all others cross colorings.
GPU_OPTIMIZERS, GPU_PARTIALS, GPU_EXPLORERS = 16, 8, 4
_GPU_ANTS = f"{2 * MULTIPROCESSORS}, fewer if n is large"


def _most_neighbours(instance: Instance) -> int:
    assert isinstance(instance, GraphInstance)
    return int(instance.degrees.max(initial=0))


def require_for_gpu(instance: Instance) -> None:
    """Raise ParameterError if a graph has too many vertices."""
    most = MOST_WIDE if _most_neighbours(instance) > MOST_COUNT else MOST_ON_GPU
    if instance.n > most:
        raise ParameterError(
            f"{instance.name} has {instance.n:,} vertices, but this colony takes {MOST_ON_GPU:,}, "
            f"or {MOST_WIDE:,} if one of them has more than {MOST_COUNT} neighbours: "
            "choose gpx-cores"
        )


def gpu_ants(n: int) -> int:
    """Ants with which a GPU is busy: several a multiprocessor where their counts are small."""
    return MULTIPROCESSORS * (4 if n <= 640 else 2 if n <= 2048 else 1)


@dataclass(frozen=True)
class GpxGpuParameters(GpxParameters):
    """Parameters of gpx-gpu."""

    ants: int | None = ants_parameter(_GPU_ANTS)
    island: int = island_parameter(GPU_ISLAND)
    optimizers: int | None = optimizers_parameter(f"m / {GPU_OPTIMIZERS}")
    partials: int | None = partials_parameter(f"m / {GPU_PARTIALS}")
    explorers: int | None = explorers_parameter(f"m / {GPU_EXPLORERS}")
    noise: int = noise_parameter(15)

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for a graph of ``n`` vertices; two ants at least cross."""
        ants = self.ants if self.ants is not None else gpu_ants(n)
        shares = {
            "explorers": GPU_EXPLORERS,
            "optimizers": GPU_OPTIMIZERS,
            "partials": GPU_PARTIALS,
        }
        left, counts = max(0, ants - 2), {}
        # What is given comes before what is automatic.
        for name in sorted(shares, key=lambda name: getattr(self, name) is None):
            given, share = getattr(self, name), shares[name]
            counts[name] = min(ants // share if given is None else given, left)
            left -= counts[name]
        return dataclasses.replace(
            self,
            ants=ants,
            explorers=counts["explorers"],
            optimizers=counts["optimizers"],
            partials=counts["partials"],
        )


@dataclass(frozen=True)
class HeadGpuParameters(HeadParameters):
    """Parameters of head-gpu: as published, but many pairs side by side."""

    ants: int | None = pairs_parameter(_GPU_ANTS)

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for a graph of ``n`` vertices."""
        ants = self.ants if self.ants is not None else gpu_ants(n)
        return dataclasses.replace(self, ants=ants)
