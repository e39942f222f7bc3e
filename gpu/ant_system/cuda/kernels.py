"""The kernels that only the Ant System has."""

from __future__ import annotations

from gpu.construction.cuda.kernels import Construction, group_source
from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Float4,
    Float32,
    Float64,
    Int32,
    Int64,
    KernelArguments,
    Pointer,
    UInt4,
    UInt32,
    UInt64,
)
from gpu.cuda.loader import KernelSource


class BuildToursByWorkers(KernelArguments):
    """Arguments of ``build_tours_by_workers``."""

    construction: Construction
    weights: ConstPointer[Float32]
    columns: Int32
    workers: Int32


class BuildToursByThreads(KernelArguments):
    """Arguments of ``build_tours_by_threads``."""

    construction: Construction
    weights: ConstPointer[Float32]
    columns: Int32
    words_memory: Pointer[UInt32] | None


class ScatterDeposits(KernelArguments):
    """Arguments of ``scatter_deposits``."""

    n: Int32
    columns: Int32
    directed: Int32
    most: UInt32
    tours: ConstPointer[Int32]
    lengths: ConstPointer[UInt64]
    state: ConstPointer[ColonyState]
    deposits: Pointer[UInt32]


class GatherDeposits(KernelArguments):
    """Arguments of ``gather_deposits``."""

    every: ScatterDeposits
    first_pair: Int64
    end_pair: Int64
    first_ant: Int32
    end_ant: Int32


class RenewTrails(KernelArguments):
    """Arguments of ``renew_trails``."""

    n: Int32
    ants: Int32
    quarters: Int64
    keep: Float32
    scale: Float64
    trails: Pointer[Float4]
    deposits: Pointer[UInt4]
    tours: ConstPointer[Int32]
    best_tour: Pointer[Int32]
    iteration_tour: Pointer[Int32]
    state: Pointer[ColonyState]


DATA_PARALLEL = KernelSource(
    "gpu/ant_system/cuda/data_parallel.cu",
    {f"build_tours_by_workers<{rule}>": BuildToursByWorkers for rule in ("OneTurns", "EachDraws")},
)
TASK_PARALLEL = KernelSource(
    "gpu/ant_system/cuda/task_parallel.cu", {"build_tours_by_threads": BuildToursByThreads}
)
ST_GROUP = group_source(
    "gpu/ant_system/cuda/st_group.cu",
    "NumberedCities", "NumberedCities", "PrefixSearch", "false", 16, 8,
)  # fmt: skip
ST_GROUP_STC = group_source(
    "gpu/ant_system/cuda/st_group_stc.cu",
    "SharedList", "GlobalList", "PrefixSearch", "false", 16, 8,
)  # fmt: skip
UPDATE = KernelSource(
    "gpu/ant_system/cuda/update.cu",
    {
        "scatter_deposits<true>": ScatterDeposits,
        "scatter_deposits<false>": ScatterDeposits,
        "gather_deposits<HalfPairs, true>": GatherDeposits,
        "gather_deposits<AllPairs, true>": GatherDeposits,
        "gather_deposits<AllPairs, false>": GatherDeposits,
        "renew_trails": RenewTrails,
    },
)
