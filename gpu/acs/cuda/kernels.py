"""The kernels of the Ant Colony Systems."""

from __future__ import annotations

from gpu.acs.parameters import ATOMIC, LATE, LISTED_ALONE, RACING, REMEMBERED
from gpu.cuda import arguments as c
from gpu.cuda.kernels import CandidateRows, Distances, Seed, pictures_of
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import KernelSource

TAIL_STRIDE: c.Int32 = 4
"""Words from one city's tail to the next: 16 bytes, the least that can be read ahead."""

NO_FAR_CITY: c.Int32 = -1  # a place in ``far`` that has none
TOO_MANY_FAR: c.Int32 = -2  # stands in the last place where there is no room for all

SLOT_WORDS: c.Int32 = 2 * 4 * LANES  # of shared memory into which a warp reads two cities ahead

ANT_RECORD_WORDS: c.Int32 = 6  # of an ant that takes turns, in pairs, without its tabu bits

TIME_BITS: c.Int32 = 20  # for the number of a step at which a trail was updated

PLACE_BITS: c.UInt32 = 14
"""For a place in the candidate lists, or past their end a city, in what an ant reports of a step to
blocks with replicas; the highest place stands for none."""

OUTSIDE_PLACES: c.UInt32 = 512  # the highest places: cities

STEP_THREADS: c.Int32 = 640  # of a block whose ants have a warp each, at most
TURNING_WARPS: c.Int32 = 16  # of a block of ants that take turns

CAPACITIES = (8, 16, 32)  # sizes of a city's selective memory that kernels are instantiated for


class LocalUpdate(c.KernelArguments):
    """The local update of a trail."""

    header = "gpu/acs/cuda/trail_matrix.cuh"

    keep: c.Float32
    add: c.Float32


class AcsBuilding(c.KernelArguments):
    """What every construction is given."""

    ants: c.Int32
    threshold: c.UInt32  # an ant explores if 24 random bits are at least this
    period: c.Int32  # steps from one local update to the next
    change: LocalUpdate
    seed: Seed
    lists: CandidateRows
    geometry: Distances
    directed: c.Int32


class BuildAcsTours(c.KernelArguments):
    common: AcsBuilding
    trails: c.Pointer[c.Void]
    more_trails: c.Pointer[c.Void]
    far: c.Pointer[c.Void] | None
    memory_size: c.Int32
    links: c.ConstPointer[c.Int4]
    tabu_words: c.Int32
    tours: c.Pointer[c.Int32]
    holders: c.Pointer[c.Int32] | None
    first_ant: c.Int32  # of this launch
    end_ant: c.Int32  # before this one
    state: c.Pointer[c.ColonyState]


class StepsInMatrix(c.KernelArguments):
    """What every construction is given whose ants step together."""

    common: AcsBuilding
    listed: c.Pointer[c.Float32]
    outside: c.Pointer[c.Float32]
    far: c.Pointer[c.Int32]
    tours: c.Pointer[c.Int32]
    state: c.Pointer[c.ColonyState]


class StepTours(StepsInMatrix):
    tabu_words: c.Int32
    stamps: c.Pointer[c.UInt64]
    log_entries: c.Pointer[c.UInt64]
    log_counts: c.Pointer[c.UInt32]


class StepManyTours(StepsInMatrix):
    tabu_words: c.Int32
    ants: c.Pointer[c.UInt64]
    in_shared: c.Int32  # whether ants live in shared memory during a launch
    first_step: c.Int32  # of this launch
    end_step: c.Int32  # before this one


class StepToursOnReplicas(StepsInMatrix):
    weights: c.ConstPointer[c.Float32]
    stamps: c.Pointer[c.UInt64]
    words: c.Pointer[c.UInt32]


class WeighEdges(c.KernelArguments):
    geometry: Distances
    weights: c.Pointer[c.Float32]


class StartMatrix(c.KernelArguments):
    listed_size: c.Int64
    listed: c.Pointer[c.Float32]
    outside_size: c.Int64
    outside: c.Pointer[c.Float32]
    far: c.Pointer[c.Int32]
    state: c.Pointer[c.ColonyState]


class StartMemory(c.KernelArguments):
    records_size: c.Int64
    records: c.Pointer[c.UInt64]
    n: c.Int32
    tails: c.Pointer[c.UInt32]
    size: c.Int32
    state: c.Pointer[c.ColonyState]


class UpdateTrails(c.KernelArguments):
    """What the global update is given, whichever way the trails are kept."""

    n: c.Int32
    keep: c.Float32
    deposit: c.Float64
    directed: c.Int32
    tours: c.ConstPointer[c.Int32]
    holders: c.ConstPointer[c.Int32] | None
    rows: c.Int32
    best_tour: c.Pointer[c.Int32]
    iteration_tour: c.Pointer[c.Int32]
    links: c.Pointer[c.Int4] | None
    state: c.Pointer[c.ColonyState]


class UpdateMatrix(UpdateTrails):
    lists: CandidateRows
    listed: c.Pointer[c.Float32]
    outside: c.Pointer[c.Float32]
    far: c.Pointer[c.Int32]


class UpdateMemory(UpdateTrails):
    size: c.Int32
    records: c.Pointer[c.UInt64]
    tails: c.Pointer[c.UInt32]


def matrix_walk(local_update: str) -> str:
    """The walk with the pheromone matrix; its C++ name."""
    return f"MatrixWalk<{local_update.upper()}>"


def selective_walk(capacity: int, greedy: str) -> str:
    """The walk with so large a memory; its C++ name."""
    return f"SelectiveWalk<{capacity}, {greedy.upper()}>"


_WALKS = (
    *(matrix_walk(local_update) for local_update in (RACING, LATE, ATOMIC)),
    *(selective_walk(size, greedy) for size in CAPACITIES for greedy in (LISTED_ALONE, REMEMBERED)),
)
_HERE = "gpu/acs/cuda"

ALL_TOURS, WARP_TOURS = (
    KernelSource(
        f"{_HERE}/tours.cu",
        {f"build_tours<{walk}, {kept}>": BuildAcsTours for walk in _WALKS},
        part=kept,
    )
    for kept in ("EveryTour", "BestOfWarp")
)
STEPS = KernelSource(f"{_HERE}/steps/steps.cu", {"step_tours": StepTours}, cooperative=True)
REPLICAS = KernelSource(
    f"{_HERE}/steps/replicas.cu",
    {"weigh_edges": WeighEdges, "step_tours_on_replicas": StepToursOnReplicas},
    cooperative=True,
)
STEP_IN_TURNS = KernelSource(
    f"{_HERE}/steps/turns.cu",
    {"step_many_tours": StepManyTours},
    cooperative=True,
)
ACS_UPDATE = KernelSource(
    f"{_HERE}/update.cu",
    {
        "start_matrix": StartMatrix,
        "start_memory": StartMemory,
        "update_matrix": UpdateMatrix,
        **{f"update_memory<{size}>": UpdateMemory for size in CAPACITIES},
    },
)
ACS_PICTURES = KernelSource(
    f"{_HERE}/pictures.cu",
    pictures_of("MatrixTrails", *(f"MemoryTrails<{size}>" for size in CAPACITIES)),
)
