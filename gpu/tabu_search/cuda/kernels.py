"""The kernels of tabu search."""

from __future__ import annotations

from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Int32,
    KernelArguments,
    Pointer,
    UInt16,
    UInt32,
    UInt64,
)
from gpu.cuda.kernels import Seed
from gpu.cuda.loader import KernelSource

SHAPES = ((1, 512), (1, 1024), (8, 512), (32, 512))
"""Words of vertices of a warp, and threads of the largest block."""


class SearchState:
    """How far a search has come; see search.cuh."""


class RankAnts(KernelArguments):
    """Arguments of ``rank_ants``."""

    ants: Int32
    searches: Int32
    costs: ConstPointer[UInt64]
    ant_of: Pointer[Int32]


class SearchColorings(KernelArguments):
    """Arguments of ``search_colorings``."""

    n: Int32
    row: Int32
    most: Int32
    longest: Int32
    width: Int32
    moves: Int32
    near: Int32
    seed: Seed
    adjacency: ConstPointer[UInt32]
    ant_of: ConstPointer[Int32]
    ants_colors: ConstPointer[Int32]
    costs: ConstPointer[UInt64]
    colony: ConstPointer[ColonyState]
    states: Pointer[SearchState]
    colors: Pointer[UInt16]
    counts: Pointer[UInt16]
    expiries: Pointer[UInt32]
    kept: Pointer[UInt16]


class TakeOver(KernelArguments):
    """Arguments of ``take_over``."""

    n: Int32
    ant_of: ConstPointer[Int32]
    states: ConstPointer[SearchState]
    kept: ConstPointer[UInt16]
    colors: Pointer[Int32]
    order: Pointer[Int32] | None
    costs: Pointer[UInt64]
    colony: Pointer[ColonyState]


SEARCH = KernelSource(
    "gpu/tabu_search/cuda/search.cu",
    {
        "rank_ants": RankAnts,
        **{f"search_colorings<{own}, {threads}>": SearchColorings for own, threads in SHAPES},
        "take_over": TakeOver,
    },
)
