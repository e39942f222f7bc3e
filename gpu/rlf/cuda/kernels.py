"""The kernels of ACO-RLF."""

from __future__ import annotations

from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Float32,
    Float64,
    Int32,
    KernelArguments,
    Pointer,
    UInt32,
    UInt64,
)
from gpu.cuda.kernels import Seed
from gpu.cuda.loader import KernelSource

SHAPES = ((1, 1), (1, 2), (1, 4), (4, 8), (16, 32))
"""Rows of 32 words of vertices that an ant holds, and words of a warp."""


class Shares:
    """What all trails get and what deposits are worth; see update.cu."""


class WeighPairs(KernelArguments):
    """Arguments of ``weigh_pairs``."""

    n: Int32
    columns: Int32
    beta: Float64
    trails: ConstPointer[Float32]
    info: Pointer[Float32]
    prefixes: Pointer[UInt64] | None


class ColorGraph(KernelArguments):
    """Arguments of ``color_graph``."""

    n: Int32
    words: Int32
    seed: Seed
    adjacency: ConstPointer[UInt32]
    columns: Int32
    powers: ConstPointer[Float32]
    info: ConstPointer[Float32]
    prefixes: ConstPointer[UInt64] | None
    trials: Int32
    colors: Pointer[Int32]
    order: Pointer[Int32] | None
    costs: Pointer[UInt64]
    state: Pointer[ColonyState]


class StartGraph(KernelArguments):
    """Arguments of ``start_graph``."""

    n: Int32
    columns: Int32
    words: Int32
    adjacency: ConstPointer[UInt32]
    trails: Pointer[Float32]
    shares: Pointer[Shares]
    state: Pointer[ColonyState]


class ShareOut(KernelArguments):
    """Arguments of ``share_out``."""

    ants: Int32
    keep: Float32
    reward: Float64
    most: UInt32
    costs: ConstPointer[UInt64]
    state: ConstPointer[ColonyState]
    quanta: Pointer[UInt32]
    shares: Pointer[Shares]


class ScatterPairs(KernelArguments):
    """Arguments of ``scatter_pairs``."""

    n: Int32
    columns: Int32
    colors: ConstPointer[Int32]
    order: ConstPointer[Int32]
    quanta: ConstPointer[UInt32]
    deposits: Pointer[UInt32]


class RenewPairs(KernelArguments):
    """Arguments of ``renew_pairs``."""

    n: Int32
    columns: Int32
    ants: Int32
    keep: Float32
    shares: ConstPointer[Shares]
    quanta: ConstPointer[UInt32]
    deposits: Pointer[UInt32] | None
    trails: Pointer[Float32]
    colors: ConstPointer[Int32]
    best_coloring: Pointer[Int32]
    iteration_coloring: Pointer[Int32]
    state: Pointer[ColonyState]


def _colorings(selection: str) -> dict[str, type[KernelArguments]]:
    return {f"color_graph<{rows}, {own}, {selection}>": ColorGraph for rows, own in SHAPES}


CHOICE_INFO = KernelSource(
    "gpu/rlf/cuda/choice_info.cu",
    {
        f"weigh_pairs<{power}, {summed}>": WeighPairs
        for power in ("WholePower", "RealPower")
        for summed in ("true", "false")
    },
)
PREFIX = KernelSource("gpu/rlf/cuda/prefix.cu", _colorings("PrefixSums"))
TRIAL = KernelSource("gpu/rlf/cuda/trial.cu", _colorings("StochasticTrials"))
UPDATE = KernelSource(
    "gpu/rlf/cuda/update.cu",
    {
        "start_graph": StartGraph,
        "share_out": ShareOut,
        "scatter_pairs": ScatterPairs,
        "renew_pairs<SameColor>": RenewPairs,
        "renew_pairs<Scattered>": RenewPairs,
    },
)
