"""The kernels of the crossing colony."""

from __future__ import annotations

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Geometry, Seed
from gpu.cuda.loader import KernelSource
from gpu.focused.cuda.kernels import METRICS, MOST_PIECES, Tours, change_bytes

CHILD_WARPS: c.Int32 = 4  # of a block
TRACERS: c.Int32 = 512  # threads that find the circles of a tour
TRACED_BYTES: c.Int32 = 20  # of shared memory for each city whose edges differ


class Result(c.Sized):
    """A child; see crossing.cu."""

    size = 16 + 4 * MOST_PIECES + 4 * MOST_PIECES


class ChildChange(c.Sized):
    """What a child changes; see child_change.cuh."""

    size = change_bytes(MOST_PIECES)


class FindCircles(c.KernelArguments):
    all: Tours
    seed: Seed
    room: c.Int32  # cities whose edges differ, for which there is shared memory
    cell_cities: c.Int32  # whose edges differ, in a cell, on average
    per_map: c.Float32  # 1 / the mean side of the map
    traced: c.Pointer[c.UInt64]  # memory where there are more
    numbers: c.Pointer[c.Int32]
    circles: c.Pointer[c.Int32]
    circle_spans: c.Pointer[c.Int2]  # where each begins, and its end
    circle_slots: c.Pointer[c.Int2]  # the same, before they are put in a row
    circle_counts: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class Herd(c.KernelArguments):
    """What an ant reads."""

    all: Tours
    seed: Seed
    broods: c.Int32  # of each tour
    brood: c.Int32  # children of each
    focus: c.Int32  # whether a gain is weighed against trails
    circles: c.ConstPointer[c.Int32]
    circle_spans: c.ConstPointer[c.Int2]
    circle_counts: c.ConstPointer[c.Int32]
    counts: c.ConstPointer[c.Int32]


class MakeChildren(c.KernelArguments):
    herd: Herd
    geometry: Geometry
    results: c.Pointer[Result]
    state: c.ConstPointer[c.ColonyState]


class ChooseChildren(c.KernelArguments):
    all: Tours
    broods: c.Int32  # of each tour
    brood: c.Int32
    sharing: c.Int32  # whether each child of a brood is of another ant
    results: c.ConstPointer[Result]
    changes: c.Pointer[ChildChange]
    locks: c.Pointer[c.UInt64]
    wins: c.Pointer[c.UInt64]


class CountChanges(c.KernelArguments):
    all: Tours
    broods: c.Int32  # of each tour
    changes: c.ConstPointer[ChildChange]
    counts: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class NoteTrails(c.KernelArguments):
    all: Tours
    strongest: c.Float32
    counts: c.ConstPointer[c.Int32]
    wins: c.ConstPointer[c.UInt64]
    trails: c.Pointer[c.Float32]
    rounds: c.Pointer[c.Int32]


class CountEdges(c.KernelArguments):
    all: Tours
    counts: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


CIRCLES = KernelSource("gpu/focused/crossing/cuda/circles.cu", {"find_circles": FindCircles})

CROSSING = KernelSource(
    "gpu/focused/crossing/cuda/crossing.cu",
    {
        **{f"make_children<{metric}>": MakeChildren for metric in METRICS},
        "choose_children": ChooseChildren,
        "count_changes": CountChanges,
        "note_trails": NoteTrails,
        "count_edges": CountEdges,
    },
)
