"""The kernels of the gpx colonies."""

from __future__ import annotations

import numpy as np

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Seed
from gpu.cuda.loader import KernelSource
from gpu.gpx import parameters

ALIKE: c.Int32 = parameters.ALIKE
TRAIL_UNIT: c.Float32 = np.float32(65536)  # a trail of 1, when trails are added up as whole numbers
MOVE_EFFORT: c.UInt32 = 64  # of a move, besides that of each vertex in conflict
OPTIMIZER_COST: c.Int32 = 2  # tabu moves that take as long as a move of an optimizer
SEARCH_STATIC: c.Int32 = 1024  # bytes of static shared memory of a search, at most

SEARCH_THREADS: c.Int32 = 512  # of a block, at most

SEARCH_WORDS = (1, 2, 4, 8)  # of a thread, each with two or four vertices
SEARCH_FIELDS = (4, 2)  # vertices of a word


class AntRecord(c.Structure):
    """What is known of an ant between two generations."""

    colors: c.UInt32  # of its coloring; 0 before it has one
    conflicts: c.UInt32  # of its coloring; of an explorer, the fewest since it began anew
    left: c.UInt32  # vertices that crossover left without color; all, where it did not cross
    time: c.UInt32  # moves made
    stalled: c.UInt32  # generations without fewer conflicts
    anew: c.UInt32  # whether it begins anew


class SearchGeneration(c.KernelArguments):
    n: c.Int32
    row: c.Int32
    stride: c.Int32  # words of a row of counts
    near: c.Int32  # rows in shared memory
    ring: c.Int32  # moves that tabu can last, a power of two
    most: c.Int32  # colors that tables have room for
    ants: c.Int32
    crossing: c.Int32  # of them; behind these, explorers, and then optimizers
    explorers: c.Int32
    island: c.Int32  # ants of an island
    noise: c.Int32  # percent
    heaviest: c.UInt32  # weight at which all of an optimizer are halved
    moves: c.Int32
    patience: c.Int32
    explored: c.Float32
    greedy_start: c.Int32  # whether every second ant begins with the coloring that is there
    columns: c.Int32
    seed: Seed
    adjacency: c.ConstPointer[c.UInt32]
    best_coloring: c.ConstPointer[c.Int32]
    colorings: c.Pointer[c.UInt16]  # of this generation, and of the next
    scratch: c.Pointer[c.UInt16]
    proper: c.Pointer[c.UInt16]
    far_counts: c.Pointer[c.UInt32] | None
    island_trails: c.Pointer[c.Float32] | None
    sums: c.Pointer[c.UInt32] | None  # of weights, for each optimizer, class and vertex
    weights: c.Pointer[c.UInt32] | None
    loose: c.Pointer[c.UInt16] | None
    records: c.Pointer[AntRecord]
    state: c.Pointer[c.ColonyState]
    first_ant: c.Int32  # of this launch


class GatherIslands(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    crossing: c.Int32
    island: c.Int32
    cycle: c.Int32
    padded: c.Int32  # numbers of a coloring
    colorings: c.Pointer[c.UInt16]
    elites: c.Pointer[c.UInt16] | None
    elite_keys: c.Pointer[c.UInt64]
    records: c.Pointer[AntRecord]
    state: c.ConstPointer[c.ColonyState]


class RenewIslandTrails(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    crossing: c.Int32
    island: c.Int32
    padded: c.Int32
    columns: c.Int32
    keep: c.Float32
    colorings: c.ConstPointer[c.UInt16]
    records: c.ConstPointer[AntRecord]
    island_trails: c.Pointer[c.Float32]
    trails: c.Pointer[c.Float32]
    shown: c.ConstPointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class CloseGeneration(c.KernelArguments):
    n: c.Int32
    crossing: c.Int32
    island: c.Int32
    padded: c.Int32
    proper: c.ConstPointer[c.UInt16]
    best_coloring: c.Pointer[c.Int32]
    shown: c.Pointer[c.Int32]
    state: c.Pointer[c.ColonyState]


class StartGenerations(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    islands: c.Int32
    columns: c.Int32
    colors: c.Int32
    records: c.Pointer[AntRecord]
    elite_keys: c.Pointer[c.UInt64]
    trails: c.Pointer[c.Float32]
    shown: c.Pointer[c.Int32]
    state: c.Pointer[c.ColonyState]


SEARCH_GENERATION = KernelSource(
    "gpu/gpx/cuda/generation.cu",
    {
        f"search_generation<{own}, {fields}, {far}>": SearchGeneration
        for own in SEARCH_WORDS
        for fields in SEARCH_FIELDS
        for far in ("false", "true")
    },
    part="searches",
)
GENERATIONS = KernelSource(
    "gpu/gpx/cuda/generation.cu",
    {
        "gather_islands": GatherIslands,
        "renew_island_trails": RenewIslandTrails,
        "close_generation": CloseGeneration,
        "start_generations": StartGenerations,
    },
)
