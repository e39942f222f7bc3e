"""The kernels of ACO-RLF."""

from __future__ import annotations

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Seed
from gpu.cuda.loader import KernelSource

ANT_SHAPES = ((1, 1), (1, 2), (1, 4), (4, 8), (16, 32))
"""Rows of 32 words of vertices that an ant holds, and words of a warp."""


UPDATE_THREADS: c.Int32 = 256  # of a block of the update
WEIGHING_THREADS: c.Int32 = 256  # of a block of weigh_pairs, at most
TILE_SIDE: c.Int32 = 64  # of a tile of trails, which is a block's


class Shares(c.Structure):
    """What all blocks of the update need to know of the iteration's ants."""

    base: c.Float32  # of all ants, for every trail
    unit: c.Float32  # of what is put together
    level: c.Float32  # of a trail that never got more than the base


class WeighPairs(c.KernelArguments):
    n: c.Int32
    columns: c.Int32
    beta: c.Float64
    trails: c.ConstPointer[c.Float32]
    info: c.Pointer[c.Float32]
    prefixes: c.Pointer[c.UInt64] | None


class ColorGraph(c.KernelArguments):
    n: c.Int32
    words: c.Int32
    seed: Seed
    adjacency: c.ConstPointer[c.UInt32]
    columns: c.Int32
    powers: c.ConstPointer[c.Float32]
    info: c.ConstPointer[c.Float32]
    prefixes: c.ConstPointer[c.UInt64] | None
    trials: c.Int32
    colors: c.Pointer[c.Int32]
    order: c.Pointer[c.Int32] | None
    costs: c.Pointer[c.UInt64]
    state: c.Pointer[c.ColonyState]
    first_ant: c.Int32  # of this launch


class StartGraph(c.KernelArguments):
    n: c.Int32
    columns: c.Int32
    words: c.Int32
    adjacency: c.ConstPointer[c.UInt32]
    trails: c.Pointer[c.Float32]
    shares: c.Pointer[Shares]
    state: c.Pointer[c.ColonyState]


class ShareOut(c.KernelArguments):
    ants: c.Int32
    keep: c.Float32
    reward: c.Float64
    most: c.UInt32
    costs: c.ConstPointer[c.UInt64]
    state: c.ConstPointer[c.ColonyState]
    quanta: c.Pointer[c.UInt32]
    shares: c.Pointer[Shares]


class ScatterPairs(c.KernelArguments):
    n: c.Int32
    columns: c.Int32
    colors: c.ConstPointer[c.Int32]
    order: c.ConstPointer[c.Int32]
    quanta: c.ConstPointer[c.UInt32]
    deposits: c.Pointer[c.UInt32]


class RenewPairs(c.KernelArguments):
    n: c.Int32
    columns: c.Int32
    ants: c.Int32
    keep: c.Float32
    shares: c.ConstPointer[Shares]
    quanta: c.ConstPointer[c.UInt32]
    deposits: c.Pointer[c.UInt32] | None
    trails: c.Pointer[c.Float32]
    colors: c.ConstPointer[c.Int32]
    best_coloring: c.Pointer[c.Int32]
    iteration_coloring: c.Pointer[c.Int32]
    state: c.Pointer[c.ColonyState]


WEIGH_PAIRS = KernelSource(
    "gpu/rlf/cuda/choice_info.cu",
    {
        f"weigh_pairs<{power}, {summed}>": WeighPairs
        for power in ("WholePower", "RealPower")
        for summed in ("true", "false")
    },
)
COLOR_BY_PREFIX, COLOR_BY_TRIAL = (
    KernelSource(
        "gpu/rlf/cuda/color_graph.cu",
        {f"color_graph<{rows}, {own}, {selection}>": ColorGraph for rows, own in ANT_SHAPES},
        part=selection,
    )
    for selection in ("PrefixSums", "StochasticTrials")
)
RLF_UPDATE = KernelSource(
    "gpu/rlf/cuda/update.cu",
    {
        "start_graph": StartGraph,
        "share_out": ShareOut,
        "scatter_pairs": ScatterPairs,
        "renew_pairs<SameColor>": RenewPairs,
        "renew_pairs<Scattered>": RenewPairs,
    },
)
