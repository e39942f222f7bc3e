"""The kernels of the crossing colony."""

from __future__ import annotations

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Geometry, Seed
from gpu.cuda.loader import KernelSource
from gpu.focused.cuda.kernels import METRICS, Change, Tours

MOST_PIECES = 96
"""Pieces that a child is made of. The same in child.cuh."""

CHILD_BYTES = 16 + 4 * MOST_PIECES + 4 * MOST_PIECES
"""Of ``Result`` in crossing.cu."""

BROOD = 32
"""Children of an ant, where a tour takes changes of many ants. The same in crossing.cu."""

TRACED_BYTES = 20
"""Of shared memory for each city whose edges differ. The same in circles.cuh."""


class Result:
    """What an ant has made; see crossing.cu."""


class FindCircles(c.KernelArguments):
    all: Tours
    seed: Seed
    room: c.Int32  # cities whose edges differ, for which there is shared memory
    traced: c.Pointer[c.UInt64]  # memory where there are more
    numbers: c.Pointer[c.Int32]
    circles: c.Pointer[c.Int32]
    circle_ends: c.Pointer[c.Int32]
    circle_slots: c.Pointer[c.Int32]  # their ends, before they are put in a row
    circle_counts: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class Herd(c.KernelArguments):
    """What an ant reads."""

    all: Tours
    seed: Seed
    ants: c.Int32  # of each tour
    focus: c.Int32  # whether a gain is weighed against trails
    circles: c.ConstPointer[c.Int32]
    circle_ends: c.ConstPointer[c.Int32]
    circle_counts: c.ConstPointer[c.Int32]
    counts: c.ConstPointer[c.Int32]


class MakeChildren(c.KernelArguments):
    herd: Herd
    geometry: Geometry
    results: c.Pointer[Result]
    state: c.ConstPointer[c.ColonyState]


class MakeBroods(c.KernelArguments):
    herd: Herd
    geometry: Geometry
    brood: c.Pointer[Change]
    state: c.ConstPointer[c.ColonyState]


class ChooseFromBroods(c.KernelArguments):
    all: Tours
    ants: c.Int32  # of each tour
    brood: c.ConstPointer[Change]
    changes: c.Pointer[Change]
    locks: c.Pointer[c.UInt64]


class ChooseChildren(c.KernelArguments):
    all: Tours
    geometry: Geometry
    ants: c.Int32
    most: c.Int32
    results: c.ConstPointer[Result]
    counts: c.Pointer[c.Int32]
    cuts: c.Pointer[c.UInt32]
    cuts_before: c.Pointer[c.Int32]
    pieces: c.Pointer[c.Int4]
    lengths: c.Pointer[c.Int64]
    wins: c.Pointer[c.UInt64]
    state: c.ConstPointer[c.ColonyState]


class NoteTrails(c.KernelArguments):
    all: Tours
    strongest: c.Float32
    counts: c.ConstPointer[c.Int32]
    wins: c.ConstPointer[c.UInt64]
    trails: c.Pointer[c.Float32]
    rounds: c.Pointer[c.Int32]


class ForgetEdges(c.KernelArguments):
    all: Tours
    counts: c.Pointer[c.Int32]


class CountEdges(c.KernelArguments):
    all: Tours
    counts: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


CIRCLES = KernelSource("gpu/focused/crossing/cuda/circles.cu", {"find_circles": FindCircles})

CROSSING = KernelSource(
    "gpu/focused/crossing/cuda/crossing.cu",
    {
        **{f"make_children<{metric}>": MakeChildren for metric in METRICS},
        **{f"make_broods<{metric}>": MakeBroods for metric in METRICS},
        "choose_from_broods": ChooseFromBroods,
        "choose_children": ChooseChildren,
        "note_trails": NoteTrails,
        "forget_edges": ForgetEdges,
        "count_edges": CountEdges,
    },
)
