"""The kernels that only the Ant System has."""

from __future__ import annotations

from gpu.construction.cuda.kernels import MATRIX_THREADS, TourBuilding, group_source
from gpu.cuda import arguments as c
from gpu.cuda.loader import KernelSource

TILE: c.Int32 = MATRIX_THREADS  # threads a block, and edges that they look at together
CITIES_PER_WORKER: c.Int32 = 32  # tabu bits in the register of a worker


class BuildToursByWorkers(c.KernelArguments):
    construction: TourBuilding
    weights: c.ConstPointer[c.Float32]
    columns: c.Int32
    workers: c.Int32


class BuildToursByThreads(c.KernelArguments):
    construction: TourBuilding
    weights: c.ConstPointer[c.Float32]
    columns: c.Int32
    tabu: c.Pointer[c.UInt32] | None
    first_step: c.Int32
    end_step: c.Int32


class ScatterDeposits(c.KernelArguments):
    n: c.Int32
    columns: c.Int32
    directed: c.Int32
    most: c.UInt32
    tours: c.ConstPointer[c.Int32]
    lengths: c.ConstPointer[c.UInt64]
    state: c.ConstPointer[c.ColonyState]
    deposits: c.Pointer[c.UInt32]


class GatherDeposits(c.KernelArguments):
    every: ScatterDeposits
    first_pair: c.Int64
    end_pair: c.Int64
    first_ant: c.Int32
    end_ant: c.Int32


class RenewAllTrails(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    quarters: c.Int64
    keep: c.Float32
    scale: c.Float64
    trails: c.Pointer[c.Float4]
    deposits: c.Pointer[c.UInt4]
    tours: c.ConstPointer[c.Int32]
    best_tour: c.Pointer[c.Int32]
    iteration_tour: c.Pointer[c.Int32]
    state: c.Pointer[c.ColonyState]


_HERE = "gpu/ant_system/cuda"

DATA_PARALLEL = KernelSource(
    f"{_HERE}/data_parallel.cu",
    {f"build_tours_by_workers<{rule}>": BuildToursByWorkers for rule in ("OneTurns", "EachDraws")},
)
TASK_PARALLEL = KernelSource(
    f"{_HERE}/task_parallel.cu", {"build_tours_by_threads": BuildToursByThreads}
)
ST_GROUP = group_source(
    "ST-GROUP", "NumberedCities", "NumberedCities", "PrefixSearch, false", 16, 8
)
ST_GROUP_STC = group_source(
    "ST-GROUP-STC", "SharedList", "GlobalList", "PrefixSearch, false", 16, 8
)
AS_UPDATE = KernelSource(
    f"{_HERE}/update.cu",
    {
        "scatter_deposits<true>": ScatterDeposits,
        "scatter_deposits<false>": ScatterDeposits,
        "gather_deposits<HalfPairs, true>": GatherDeposits,
        "gather_deposits<AllPairs, true>": GatherDeposits,
        "gather_deposits<AllPairs, false>": GatherDeposits,
        "renew_trails": RenewAllTrails,
    },
)
