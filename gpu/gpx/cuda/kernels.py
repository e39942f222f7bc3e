"""The kernels of the gpx colonies."""

from __future__ import annotations

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Seed
from gpu.cuda.loader import KernelSource
from gpu.gpx import parameters, rule

KINDS: c.Int32 = parameters.KINDS
CROSSING: c.Int32 = parameters.CROSSING
OPTIMIZING: c.Int32 = parameters.OPTIMIZING
PARTIAL: c.Int32 = parameters.PARTIAL
EXPLORING: c.Int32 = parameters.EXPLORING
MOST_HALVINGS: c.UInt32 = parameters.MOST_HALVINGS
EXPLORER_HALVINGS: c.UInt32 = parameters.EXPLORER_HALVINGS
RECOVERY: c.UInt32 = parameters.RECOVERY
ALIKE: c.Int32 = parameters.ALIKE
WHOLE_KEEP: c.UInt32 = rule.WHOLE_KEEP
MOST_TRAIL: c.UInt32 = rule.MOST_TRAIL
EXPLORER_SETTINGS: c.Int32 = len(rule.EXPLORER_SPREADS)
SPREAD: c.UInt32 = rule.EXPLORER_SPREADS[0]
LONG_SPREAD: c.UInt32 = rule.LONG_SPREAD
LONGER_SPREAD: c.UInt32 = rule.LONGER_SPREAD
PARTIAL_TARGETS: c.Int32 = rule.PARTIAL_TARGETS
FIRST_TENURE: c.UInt32 = rule.FIRST_TENURE
LONGER_TENURE: c.UInt32 = rule.LONGER_TENURE
TENURE_WINDOW: c.UInt32 = rule.TENURE_WINDOW
UNCHANGED: c.Int32 = rule.UNCHANGED

# What moves take, in units of some 28 ns (H100), by measuring kinds of ants alone: so that they
# wait for each other as little as can be.
TABU_EFFORT: c.UInt64 = 64  # a tabu move, and as much again for so many vertices in conflict,
EFFORT_WRONG: c.UInt64 = 128
FAR_EFFORT: c.UInt64 = 96  # and more, if some counts are not in shared memory
OPTIMIZER_EFFORT: c.UInt64 = 180  # a move of an optimizer
PARTIAL_EFFORT: c.UInt64 = 96  # one of partial tabu search, and as much again for so many vertices,
EFFORT_VERTICES: c.UInt64 = 768
READ_EFFORT: c.UInt64 = 24  # and this, each time that a warp reads sums for that
LOOSE: c.UInt16 = 0x7FFF  # the color of a vertex that has none
NO_ENTRY: c.UInt32 = 0xFFFF  # ends a list of colors that cease to be tabu at the same move
DEAD: c.UInt32 = 0xFFFFFFFF  # an entry of such a list that does not count any more

SEARCH_STATIC: c.Int32 = 1024  # bytes of static shared memory of a search, at most

SEARCH_THREADS: c.Int32 = 512  # of a block, at most

SEARCH_WORDS = (1, 2, 4, 8)  # of a thread, each with two or four vertices
SEARCH_FIELDS = (4, 2)  # vertices of a word


class AntRecord(c.Structure):
    """What is known of an ant between two iterations."""

    colors: c.UInt32  # of its coloring; 0 before it has one
    conflicts: c.UInt32  # fewest since its search began; of an optimizer, vertices without color
    left: c.UInt32  # vertices that crossover left without color; all, where it did not cross
    time: c.UInt32  # moves made
    stalled: c.UInt32  # generations without fewer conflicts
    anew: c.UInt32  # whether it begins anew
    # Of partial tabu search:
    tenure: c.UInt32
    fewest: c.Int32  # vertices without color since it began with so many colors
    most_of_late: c.Int32  # and since the tenure was looked at,
    fewest_of_late: c.Int32


class GenerationPlan(c.Structure):
    """What the ants do in the coming iteration, and what became of those before."""

    found_by: c.Int32  # the kind of ants that found the best coloring; -1: nobody did
    shown: c.Int32  # the island that last found one
    generations: c.UInt32  # that are done
    made: c.UInt32  # moves of each crossing ant in the generation under way
    quota: c.UInt32  # of its moves in the coming iteration
    ends: c.UInt32  # whether the coming iteration ends a generation
    idle: c.UInt32  # iterations since there were fewer colors
    work: c.UInt64  # effort of each other ant in the coming iteration, before it is halved
    effort: c.UInt64  # of all crossing ants in the iteration under way
    moves: c.UInt64  # of theirs


class SearchGeneration(c.KernelArguments):
    n: c.Int32
    row: c.Int32
    stride: c.Int32  # words of a row of counts
    near: c.Int32  # rows in shared memory
    ring: c.Int32  # moves that tabu can last, a power of two
    most: c.Int32  # colors that tables have room for
    ants: c.Int32
    crossing: c.Int32  # of them; behind these are the other kinds, in their order
    optimizers: c.Int32
    partials: c.Int32
    islands: c.Int32
    noise: c.Int32  # percent
    heaviest: c.UInt32  # weight at which all of an optimizer are halved
    patience: c.Int32
    explored: c.Float32
    least_explored: c.UInt32  # colors; with fewer, counts would not fit their words
    greedy_start: c.Int32  # whether every second ant begins with the coloring that is there
    columns: c.Int32
    seed: Seed
    adjacency: c.ConstPointer[c.UInt32]
    best_coloring: c.ConstPointer[c.Int32]
    colorings: c.Pointer[c.UInt16]  # of this generation, and of the next
    scratch: c.Pointer[c.UInt16]
    proper: c.Pointer[c.UInt16]
    kept: c.Pointer[c.UInt32]  # searches between two iterations
    island_trails: c.ConstPointer[c.UInt16] | None
    sums: c.Pointer[c.UInt32] | None  # of weights, for each partial coloring, class and vertex
    expiries: c.Pointer[c.UInt32] | None  # of each partial tabu search, class and vertex
    weights: c.Pointer[c.UInt32] | None
    loose: c.Pointer[c.UInt16] | None
    records: c.Pointer[AntRecord]
    plan: c.Pointer[GenerationPlan]
    halved: c.ConstPointer[c.UInt32]  # how often the work of each kind was halved
    state: c.Pointer[c.ColonyState]
    first_ant: c.Int32  # of this launch


class GatherIslands(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    crossing: c.Int32
    islands: c.Int32
    cycle: c.Int32
    padded: c.Int32  # numbers of a coloring
    colorings: c.Pointer[c.UInt16]
    elites: c.Pointer[c.UInt16] | None
    elite_keys: c.Pointer[c.UInt64]
    records: c.Pointer[AntRecord]
    plan: c.ConstPointer[GenerationPlan]


class RenewIslandTrails(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    crossing: c.Int32
    islands: c.Int32
    padded: c.Int32
    columns: c.Int32
    keep: c.UInt32  # in units of 2^-16
    colorings: c.ConstPointer[c.UInt16]
    records: c.ConstPointer[AntRecord]
    island_trails: c.Pointer[c.UInt16]
    trails: c.Pointer[c.Float32]
    plan: c.ConstPointer[GenerationPlan]


class CloseGeneration(c.KernelArguments):
    n: c.Int32
    crossing: c.Int32
    optimizers: c.Int32
    partials: c.Int32
    islands: c.Int32
    padded: c.Int32
    moves: c.UInt32
    most_effort: c.UInt64  # of an ant in an iteration
    proper: c.ConstPointer[c.UInt16]
    best_coloring: c.Pointer[c.Int32]
    plan: c.Pointer[GenerationPlan]
    halved: c.Pointer[c.UInt32]
    state: c.Pointer[c.ColonyState]


class StartGenerations(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    islands: c.Int32
    columns: c.Int32
    colors: c.Int32
    moves: c.UInt32
    most_effort: c.UInt64
    records: c.Pointer[AntRecord]
    elite_keys: c.Pointer[c.UInt64]
    trails: c.Pointer[c.Float32]
    plan: c.Pointer[GenerationPlan]
    halved: c.Pointer[c.UInt32]
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
