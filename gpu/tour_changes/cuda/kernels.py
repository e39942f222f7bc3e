"""The kernels of colonies whose ants change several tours."""

from __future__ import annotations

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Distances, Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import KernelSource
from gpu.problems.tsp.instance import TspInstance

MOST_SEGMENTS: c.Int32 = LANES  # of an ant's tour; one a lane
MOST_PIECES: c.Int32 = 3 * LANES  # of a crossing ant's tour
LONG_PIECES: c.Int32 = 2048  # the same, of a child of a long AB-cycle
SEARCH_WARPS: c.Int32 = 4  # of a block of ants
MERGERS: c.Int32 = 1024  # threads that merge the changes of a tour
MERGER_STATIC: c.Int32 = 4096  # bytes of its static shared memory, at most
CLAIM_BITS: c.Int32 = 3  # a claim is on 2^3 places together
PIECE_BYTES: c.Int32 = 2 * 2 * 8 + 4  # of shared memory: ways from both ends, twice, and its end

COMPILED_METRICS = ("EUC_2D", "ANY_METRIC")
"""Searches that are compiled: one for the common distance, one for all others."""

DIRECTED = "DIRECTED"  # the search of directed instances


def metric_of(instance: TspInstance) -> str:
    """Return the one of ``COMPILED_METRICS``, or DIRECTED, that ``instance`` needs."""
    if instance.directed:
        return DIRECTED
    return COMPILED_METRICS[0] if instance.metric == COMPILED_METRICS[0] else COMPILED_METRICS[1]


class Tours(c.KernelArguments):
    """All tours that ants change, and the candidates of each city."""

    header = "gpu/tour_changes/cuda/spots.cuh"

    n: c.Int32
    tours: c.Int32
    width: c.Int32
    near: c.ConstPointer[c.Int32]
    cities: c.Pointer[c.Float4]
    tour_records: c.Pointer[c.Float4]


def change_bytes(links: int) -> int:
    """Bytes of a change with so many links at most; see ``ChangeOf`` in changes.cuh."""
    return 24 + 16 * links


class SegmentChange(c.Sized):
    """What an ant changes; see changes.cuh."""

    size = change_bytes(MOST_SEGMENTS)


class SearchAround(c.KernelArguments):
    all: Tours
    geometry: Distances
    seed: Seed
    ants: c.Int32  # of each tour
    kick: c.Int32
    focus: c.Float32
    trails: c.ConstPointer[c.Float32]
    cycle: c.ConstPointer[c.Float64]
    changes: c.Pointer[SegmentChange]
    locks: c.Pointer[c.UInt64]
    begun: c.Pointer[c.Int32]  # ants of this iteration that have begun
    state: c.Pointer[c.ColonyState]


class MergeChanges(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    most: c.Int32
    changes: c.Pointer[c.Void]  # with as many links as the kernel's name says
    locks: c.ConstPointer[c.UInt64]
    cuts: c.Pointer[c.UInt32]
    cuts_before: c.Pointer[c.Int32]
    pieces: c.Pointer[c.Int4]
    lengths: c.Pointer[c.Int64]
    wins: c.Pointer[c.UInt64]


class Elect(c.KernelArguments):
    tours: c.Int32
    ants: c.Int32
    lengths: c.ConstPointer[c.Int64]
    elected: c.Pointer[c.Int32]
    begun: c.Pointer[c.Int32]
    state: c.Pointer[c.ColonyState]


class Rewrite(c.KernelArguments):
    all: Tours
    most: c.Int32
    cuts: c.ConstPointer[c.UInt32]
    cuts_before: c.ConstPointer[c.Int32]
    pieces: c.ConstPointer[c.Int4]
    elected: c.ConstPointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]
    locks: c.Pointer[c.UInt64]
    best_tour: c.Pointer[c.Int32]


class LayTrails(c.KernelArguments):
    all: Tours
    directed: c.Int32
    keep: c.Float32
    added: c.Float32
    state: c.ConstPointer[c.ColonyState]
    trails: c.Pointer[c.Float32]


class TakeOverTours(c.KernelArguments):
    all: Tours
    given_lengths: c.ConstPointer[c.Int64]
    given: c.ConstPointer[c.Int32]
    points: c.ConstPointer[c.Float32]
    lengths: c.Pointer[c.Int64]
    locks: c.Pointer[c.UInt64]
    best_tour: c.Pointer[c.Int32]
    state: c.Pointer[c.ColonyState]


class CountBest(c.KernelArguments):
    given_lengths: c.ConstPointer[c.Int64]
    state: c.Pointer[c.ColonyState]


class BeginTours(c.KernelArguments):
    count: c.Int64
    trails: c.Pointer[c.Float32]
    state: c.Pointer[c.ColonyState]


SEARCH_TOURS = KernelSource(
    "gpu/tour_changes/cuda/search.cu",
    {f"search_around<{metric}>": SearchAround for metric in (*COMPILED_METRICS, DIRECTED)},
)

MERGE_CHANGES = KernelSource(
    "gpu/tour_changes/cuda/merge.cu",
    {f"merge_changes<{most}>": MergeChanges for most in (MOST_SEGMENTS, MOST_PIECES, LONG_PIECES)},
)

TOURS = KernelSource(
    "gpu/tour_changes/cuda/tours.cu",
    {
        "elect": Elect,
        "rewrite": Rewrite,
        "lay_trails": LayTrails,
        "take_over": TakeOverTours,
        "count_best": CountBest,
        "begin_tours": BeginTours,
    },
)
