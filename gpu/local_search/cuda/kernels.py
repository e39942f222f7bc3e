"""The kernels of local search."""

from __future__ import annotations

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Distances
from gpu.cuda.loader import KernelSource
from gpu.local_search import rule

ALL_SHARED, TOUR_SHARED, NONE_SHARED = "AllShared", "TourShared", "NoneShared"
"""What of a block is in shared memory: types of gpu/local_search/cuda/local_search.cu."""

MOVES = {
    (True, False, True, False): "TwoOpt",
    (True, False, True, True): "LargestTwoOpt",
    (True, True, True, False): "TwoOptAndOrOpt",
    (False, True, True, False): "OrOpt",
    (False, True, False, False): "DirectedOrOpt",
}
"""Types of gpu/local_search/cuda/move_search.cuh, by exchanges, segments, turns and largest of
:class:`gpu.local_search.kinds.Moves`."""


WINDOW: c.Int32 = rule.WINDOW
LEAST_CITIES: c.Int32 = rule.LEAST_CITIES
CODE_BITS: c.Int32 = rule.CODE_BITS
RANK_BIT: c.Int32 = rule.RANK_BIT
SIDE_BIT: c.Int32 = rule.SIDE_BIT
MOST_ENDS: c.Int32 = 6  # of the edges that a move removes
FOUND_NUMBERS: c.Int32 = 32  # bytes of what a block's threads share, beside moves
MOST_THREADS: c.Int32 = 256  # of a block


class ReportedMoves(c.Sized):
    """What is reported of a search; see local_search.cu."""

    size = 40


class PrepareSearch(c.KernelArguments):
    n: c.Int32
    best_tour: c.ConstPointer[c.Int32]
    best_links: c.Pointer[c.Int2]
    moves: c.Pointer[ReportedMoves]
    state: c.Pointer[c.ColonyState]


class MeasureTours(c.KernelArguments):
    search: PrepareSearch
    geometry: Distances
    ants: c.Int32
    tours: c.ConstPointer[c.Int32]
    lengths: c.Pointer[c.UInt64]


class ImproveTours(c.KernelArguments):
    geometry: Distances
    first_ant: c.Int32  # of this launch
    end_ant: c.Int32  # before this one
    near: c.ConstPointer[c.UInt2]
    width: c.Int32
    sample: c.Int32
    best_links: c.ConstPointer[c.Int2]
    tour_places: c.Pointer[c.Int32] | None
    queues: c.Pointer[c.Int32] | None
    waiting: c.Pointer[c.UInt32] | None
    built: c.Pointer[c.Int32]
    built_tours: c.Pointer[c.Int32]
    tours: c.Pointer[c.Int32]
    lengths: c.Pointer[c.UInt64]
    moves: c.Pointer[ReportedMoves]
    state: c.Pointer[c.ColonyState]


LOCAL_SEARCH = KernelSource(
    "gpu/local_search/cuda/local_search.cu",
    {
        "prepare_search": PrepareSearch,
        "measure_tours": MeasureTours,
        **{
            f"improve_tours<{memory}, {moves}>": ImproveTours
            for memory in (ALL_SHARED, TOUR_SHARED, NONE_SHARED)
            for moves in MOVES.values()
        },
    },
)
