"""The kernels of the crossing colony."""

from __future__ import annotations

import enum

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Distances, Seed
from gpu.cuda.loader import KernelSource
from gpu.tour_changes.cuda.kernels import (
    COMPILED_METRICS,
    LONG_PIECES,
    MOST_PIECES,
    Tours,
)

CHILD_WARPS: c.Int32 = 4  # of a block
MARKERS: c.Int32 = 256  # threads of a block that mark the cities whose edges differ
TRACERS: c.Int32 = 512  # threads that find the AB-cycles of a tour,
MOST_TRACERS: c.Int32 = 1024  # and where the numbers of cities are long
SHORT_NUMBERS: c.Int32 = 16  # bits of the numbers of cities whose edges differ,
LONG_NUMBERS: c.Int32 = 32  # and where there are too many cities for that
SHORT_TRACED_BYTES: c.Int32 = 20  # of memory for each such city, with short numbers
LONG_TRACED_BYTES: c.Int32 = 36  # and with long ones
TRACING_STATIC: c.Int32 = 1024  # bytes of static shared memory there, at most


LEAST_AB_CYCLE: c.Int32 = 4  # edges
LONG_AB_CYCLE: c.Int32 = MOST_PIECES  # edges, half of them to give up: MOST_PIECES may not do
LONG_ROOM_BYTES: c.Int32 = 24 * LONG_PIECES  # in which a warp works at a child of long AB-cycles
RESULT_BYTES: c.Int32 = 16 + 8 * MOST_PIECES  # of a child; see ChildResult in crossing.cu
LONG_RESULT_BYTES: c.Int32 = 16 + 8 * LONG_PIECES


class Round(enum.IntEnum):
    """What is counted from round to round."""

    GAINS = 0  # changes made so far by which a tour got shorter
    GAINS_BEFORE = 1  # those before the present round
    IDLE = 2  # rounds in a row without one


class MarkDiffering(c.KernelArguments):
    all: Tours
    seed: Seed
    differing: c.Pointer[c.UInt32]  # a bit for each city of each tour
    state: c.ConstPointer[c.ColonyState]


class FindAbCycles(c.KernelArguments):
    all: Tours
    seed: Seed
    room: c.Int32  # cities whose edges differ, for which there is shared memory
    cell_cities: c.Int32  # whose edges differ, in a cell, on average
    shortest: c.Int32  # edges of an AB-cycle that is kept, at least
    enough: c.Int32  # AB-cycles, those first that give up longer edges than they take; 0: keep all
    per_map: c.Float32  # 1 / the mean side of the map
    geometry: Distances
    differing: c.ConstPointer[c.UInt32]
    traced: c.Pointer[c.UInt64]  # memory where there are more
    numbers: c.Pointer[c.Int32]
    ab_cycles: c.Pointer[c.Int32]
    ab_cycle_spans: c.Pointer[c.Int2]  # where each begins, and its end
    ab_cycle_slots: c.Pointer[c.Int2]  # the same, before they are put in a row
    ab_cycle_counts: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class ParentTours(c.KernelArguments):
    """What an ant reads."""

    all: Tours
    seed: Seed
    groups: c.Int32  # of offspring, for each tour
    offspring: c.Int32  # of each group
    joined: c.Int32  # AB-cycles that a child exchanges, at most; up to 32
    focus: c.Int32  # whether a gain is weighed against trails
    ab_cycles: c.ConstPointer[c.Int32]
    ab_cycle_spans: c.ConstPointer[c.Int2]
    ab_cycle_counts: c.ConstPointer[c.Int32]
    counts: c.ConstPointer[c.Int32]


class MakeChildren(c.KernelArguments):
    population: ParentTours
    geometry: Distances
    results: c.Pointer[c.Void]  # of as many pieces as the kernel's name says
    rooms: c.Pointer[c.Void]
    state: c.ConstPointer[c.ColonyState]


class ChooseChildren(c.KernelArguments):
    all: Tours
    groups: c.Int32  # of each tour
    offspring: c.Int32
    sharing: c.Int32  # whether each child of a group is of another ant
    results: c.ConstPointer[c.Void]
    changes: c.Pointer[c.Void]
    rooms: c.Pointer[c.Void]
    locks: c.Pointer[c.UInt64]
    wins: c.Pointer[c.UInt64]


class CountChanges(c.KernelArguments):
    all: Tours
    groups: c.Int32  # of each tour
    changes: c.ConstPointer[c.Void]
    counts: c.Pointer[c.Int32]
    rounds: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class NoteTrails(c.KernelArguments):
    all: Tours
    strongest: c.Float32
    counts: c.ConstPointer[c.Int32]
    trails: c.Pointer[c.Float32]
    rounds: c.Pointer[c.Int32]


class CountEdges(c.KernelArguments):
    all: Tours
    counts: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


AB_CYCLES = KernelSource(
    "gpu/crossing/cuda/ab_cycles.cu",
    {
        "mark_differing": MarkDiffering,
        **{f"find_ab_cycles<{bits}>": FindAbCycles for bits in (SHORT_NUMBERS, LONG_NUMBERS)},
    },
)

CROSS_TOURS = KernelSource(
    "gpu/crossing/cuda/crossing.cu",
    {
        **{
            f"make_children<{metric}, {pieces}>": MakeChildren
            for metric in COMPILED_METRICS
            for pieces in (MOST_PIECES, LONG_PIECES)
        },
        **{f"choose_children<{pieces}>": ChooseChildren for pieces in (MOST_PIECES, LONG_PIECES)},
        **{f"count_changes<{pieces}>": CountChanges for pieces in (MOST_PIECES, LONG_PIECES)},
        "note_trails": NoteTrails,
        "count_edges": CountEdges,
    },
)
