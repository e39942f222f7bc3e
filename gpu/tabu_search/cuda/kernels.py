"""The kernels of tabu search."""

from __future__ import annotations

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Seed
from gpu.cuda.loader import KernelSource

TABU_STATIC: c.Int32 = 1024  # bytes of static shared memory of a search, at most

TABU_SHAPES = ((1, 512), (1, 1024), (8, 512), (32, 512))
"""Words of vertices of a warp, and threads of the largest block."""


class SearchState(c.Structure):
    """Numbers of a search that outlive a launch."""

    colors: c.UInt32  # that it tries to make do with; 0 before it begins
    time: c.UInt32  # moves made
    fewest: c.UInt32  # conflicts that it came down to with so many colors
    kept_colors: c.UInt32  # of the best proper coloring that it found; 0 for none


class RankAnts(c.KernelArguments):
    ants: c.Int32
    searches: c.Int32
    costs: c.ConstPointer[c.UInt64]
    ant_of: c.Pointer[c.Int32]


class SearchColorings(c.KernelArguments):
    n: c.Int32
    row: c.Int32
    most: c.Int32
    longest: c.Int32
    width: c.Int32
    moves: c.Int32
    near: c.Int32
    seed: Seed
    adjacency: c.ConstPointer[c.UInt32]
    ant_of: c.ConstPointer[c.Int32]
    colors: c.ConstPointer[c.Int32]
    costs: c.ConstPointer[c.UInt64]
    state: c.ConstPointer[c.ColonyState]
    searches: c.Pointer[SearchState]
    search_colors: c.Pointer[c.UInt16]
    search_counts: c.Pointer[c.UInt16]
    search_expiries: c.Pointer[c.UInt32]
    kept_colorings: c.Pointer[c.UInt16]


class TakeOverColorings(c.KernelArguments):
    n: c.Int32
    ant_of: c.ConstPointer[c.Int32]
    searches: c.ConstPointer[SearchState]
    kept_colorings: c.ConstPointer[c.UInt16]
    colors: c.Pointer[c.Int32]
    order: c.Pointer[c.Int32] | None
    costs: c.Pointer[c.UInt64]
    state: c.Pointer[c.ColonyState]


TABU_SEARCH = KernelSource(
    "gpu/tabu_search/cuda/search.cu",
    {
        "rank_ants": RankAnts,
        **{f"search_colorings<{own}, {threads}>": SearchColorings for own, threads in TABU_SHAPES},
        "take_over": TakeOverColorings,
    },
)
