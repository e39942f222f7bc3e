"""The kernels of the Ant Colony Systems."""

from __future__ import annotations

from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Float32,
    Float64,
    Int4,
    Int32,
    Int64,
    KernelArguments,
    Pointer,
    UInt32,
    UInt64,
    Void,
)
from gpu.cuda.kernels import CandidateLists, Geometry, Seed, pictures_of
from gpu.cuda.loader import KernelSource

CAPACITIES = (8, 16, 32)
"""Sizes of a city's selective memory that kernels are instantiated for."""


class LocalUpdate(KernelArguments):
    """The local update of a trail."""

    header = "gpu/acs/cuda/trail_matrix.cuh"

    keep: Float32
    add: Float32


class AcsAnts(KernelArguments):
    """What every construction is given; see ants.cuh."""

    ants: Int32
    threshold: UInt32
    period: Int32
    change: LocalUpdate
    seed: Seed
    lists: CandidateLists
    geometry: Geometry
    directed: Int32


class BuildTours(KernelArguments):
    """Arguments of ``build_tours``."""

    common: AcsAnts
    trails: Pointer[Void]
    more_trails: Pointer[Void]
    far: Pointer[Void] | None
    memory_size: Int32
    links: ConstPointer[Int4]
    tabu_words: Int32
    tours: Pointer[Int32]
    holders: Pointer[Int32] | None
    state: Pointer[ColonyState]


class StepTours(KernelArguments):
    """Arguments of ``step_tours``."""

    common: AcsAnts
    listed: Pointer[Float32]
    outside: Pointer[Float32]
    far: Pointer[Int32]
    tabu_words: Int32
    stamps: Pointer[UInt64]
    log_entries: Pointer[UInt64]
    log_counts: Pointer[UInt32]
    tours: Pointer[Int32]
    state: Pointer[ColonyState]


class StepManyTours(KernelArguments):
    """Arguments of ``step_many_tours``."""

    common: AcsAnts
    listed: Pointer[Float32]
    outside: Pointer[Float32]
    far: Pointer[Int32]
    tabu_words: Int32
    ants_memory: Pointer[UInt64] | None
    tours: Pointer[Int32]
    state: Pointer[ColonyState]


class WeighEdges(KernelArguments):
    """Arguments of ``weigh_edges``."""

    geometry: Geometry
    weights: Pointer[Float32]


class StepToursOnReplicas(KernelArguments):
    """Arguments of ``step_tours_on_replicas``."""

    common: AcsAnts
    listed: Pointer[Float32]
    outside: Pointer[Float32]
    far: Pointer[Int32]
    weights: ConstPointer[Float32]
    stamps: Pointer[UInt64]
    words: Pointer[UInt32]
    tours: Pointer[Int32]
    state: Pointer[ColonyState]


class StartMatrix(KernelArguments):
    """Arguments of ``start_matrix``."""

    listed_size: Int64
    listed: Pointer[Float32]
    outside_size: Int64
    outside: Pointer[Float32]
    far: Pointer[Int32]
    state: Pointer[ColonyState]


class StartMemory(KernelArguments):
    """Arguments of ``start_memory``."""

    records_size: Int64
    records: Pointer[UInt64]
    n: Int32
    tails: Pointer[UInt32]
    size: Int32
    state: Pointer[ColonyState]


class UpdateMatrix(KernelArguments):
    """Arguments of ``update_matrix``."""

    n: Int32
    keep: Float32
    deposit: Float64
    lists: CandidateLists
    directed: Int32
    listed: Pointer[Float32]
    outside: Pointer[Float32]
    far: Pointer[Int32]
    tours: ConstPointer[Int32]
    holders: ConstPointer[Int32] | None
    rows: Int32
    best_tour: Pointer[Int32]
    links: Pointer[Int4] | None
    state: Pointer[ColonyState]


class UpdateMemory(KernelArguments):
    """Arguments of ``update_memory``."""

    n: Int32
    keep: Float32
    deposit: Float64
    directed: Int32
    size: Int32
    records: Pointer[UInt64]
    tails: Pointer[UInt32]
    tours: ConstPointer[Int32]
    holders: ConstPointer[Int32] | None
    rows: Int32
    best_tour: Pointer[Int32]
    links: Pointer[Int4] | None
    state: Pointer[ColonyState]


_WALKS = ("MatrixWalk", *(f"SelectiveWalk<{size}>" for size in CAPACITIES))

ALL_TOURS = KernelSource(
    "gpu/acs/cuda/all_tours.cu",
    {f"build_tours<{walk}, EveryTour>": BuildTours for walk in _WALKS},
)
TOURS = KernelSource(
    "gpu/acs/cuda/tours.cu", {f"build_tours<{walk}, BestOfWarp>": BuildTours for walk in _WALKS}
)
STEPS = KernelSource("gpu/acs/cuda/steps.cu", {"step_tours": StepTours})
REPLICAS = KernelSource(
    "gpu/acs/cuda/replicas.cu",
    {"weigh_edges": WeighEdges, "step_tours_on_replicas": StepToursOnReplicas},
)
TURNS = KernelSource("gpu/acs/cuda/turns.cu", {"step_many_tours": StepManyTours})
UPDATE = KernelSource(
    "gpu/acs/cuda/update.cu",
    {
        "start_matrix": StartMatrix,
        "start_memory": StartMemory,
        "update_matrix": UpdateMatrix,
        **{f"update_memory<{size}>": UpdateMemory for size in CAPACITIES},
    },
)
PICTURES = KernelSource(
    "gpu/acs/cuda/pictures.cu",
    pictures_of("MatrixTrails", *(f"MemoryTrails<{size}>" for size in CAPACITIES)),
)
