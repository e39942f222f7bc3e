"""The kernels that only the Ant System has."""

from __future__ import annotations

from gpu.construction.cuda.kernels import Construction, group_source
from gpu.cuda import arguments as c
from gpu.cuda.loader import KernelSource


class BuildToursByWorkers(c.KernelArguments):
    """Arguments of ``build_tours_by_workers``."""

    construction: Construction
    weights: c.ConstPointer[c.Float32]
    columns: c.Int32
    workers: c.Int32


class BuildToursByThreads(c.KernelArguments):
    """Arguments of ``build_tours_by_threads``."""

    construction: Construction
    weights: c.ConstPointer[c.Float32]
    columns: c.Int32
    tabu: c.Pointer[c.UInt32] | None


class ScatterDeposits(c.KernelArguments):
    """Arguments of ``scatter_deposits``."""

    n: c.Int32
    columns: c.Int32
    directed: c.Int32
    most: c.UInt32
    tours: c.ConstPointer[c.Int32]
    lengths: c.ConstPointer[c.UInt64]
    state: c.ConstPointer[c.ColonyState]
    deposits: c.Pointer[c.UInt32]


class GatherDeposits(c.KernelArguments):
    """Arguments of ``gather_deposits``."""

    every: ScatterDeposits
    first_pair: c.Int64
    end_pair: c.Int64
    first_ant: c.Int32
    end_ant: c.Int32


class RenewTrails(c.KernelArguments):
    """Arguments of ``renew_trails``."""

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
