"""The kernels that only the Ant System has."""

from __future__ import annotations

from gpu.construction.cuda.kernels import group_source
from gpu.cuda.loader import KernelSource

DATA_PARALLEL = KernelSource(
    "gpu/ant_system/cuda/data_parallel.cu",
    tuple(f"build_tours_by_workers<{rule}>" for rule in ("OneTurns", "EachDraws")),
)
TASK_PARALLEL = KernelSource("gpu/ant_system/cuda/task_parallel.cu", ("build_tours_by_threads",))
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
    (
        "scatter_deposits<true>",
        "scatter_deposits<false>",
        "gather_deposits<HalfPairs, true>",
        "gather_deposits<AllPairs, true>",
        "gather_deposits<AllPairs, false>",
        "renew_trails",
    ),
)
