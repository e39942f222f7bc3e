"""The kernels of Focused ACO."""

from __future__ import annotations

import enum

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Distances, Seed
from gpu.cuda.loader import KernelSource
from gpu.faco import parameters
from gpu.tour_changes.cuda.kernels import COMPILED_METRICS

MOST_CANDIDATES: c.Int32 = parameters.MOST_CANDIDATES
MOST_RUNS: c.Int32 = parameters.MOST_RUNS
MOST_SLICES: c.Int32 = 128  # of an ant's tour
MOST_KEPT: c.Int32 = 1 + MOST_SLICES  # rows of a tour that is kept: see keep() in build.cu
MOST_BUILT: c.Int32 = 1 + 2 * MOST_RUNS  # and of one before the local search
EXPLORING: c.Float64 = parameters.EXPLORING


class Count(enum.IntEnum):
    """What the colony counts besides its state."""

    MOVES_NOW = 0  # of the iteration under way
    MOVES = 1  # of the last one
    CROWDED = 2  # ants of all iterations that stopped searching because no room was left


class FollowedTour(c.KernelArguments):
    """The source, and what is near what."""

    header = "gpu/faco/cuda/slices.cuh"

    n: c.Int32
    sites: c.ConstPointer[c.Float64]
    places: c.Pointer[c.Int32]
    tour_sites: c.Pointer[c.Float64]
    tours: c.Pointer[c.Int32]


class FacoUpdateRules(c.KernelArguments):
    """What is told to all; see ``FacoCpuRules`` in gpu/faco/cpu/state.py."""

    seed: Seed
    start: c.Float64
    gain: c.Float64
    spread: c.Float64
    reward: c.Float64
    keep: c.Float32
    best_source: c.Float32


class TrailLists(c.KernelArguments):
    """Candidates, and what ants read of them."""

    width: c.Int32
    candidates: c.ConstPointer[c.Int32]  # (n, width)
    heuristic: c.ConstPointer[c.Float32]  # (n, width)
    rows: c.Pointer[c.Int2]  # (width, n): by rank and place in the source


class BuildFacoTours(c.KernelArguments):
    followed: FollowedTour
    geometry: Distances
    seed: Seed
    fewest_edges: c.Int32
    arms: c.Int32
    width: c.Int32
    backups: c.Int32
    near_width: c.Int32
    room: c.Int32  # slices of a tour, at most
    shares: c.ConstPointer[c.Float32]
    rows: c.ConstPointer[c.Int2]
    backup: c.ConstPointer[c.Int32]
    near: c.ConstPointer[c.Int32]
    near_lengths: c.ConstPointer[c.Int32]
    source_length: c.ConstPointer[c.Int64]
    plans: c.Pointer[c.Int4]
    built: c.Pointer[c.Int4]
    lengths: c.Pointer[c.Int64]  # (ants, 2): of the ants' tours, and their arms
    counts: c.Pointer[c.UInt64]
    state: c.Pointer[c.ColonyState]


class FollowWinner(c.KernelArguments):
    rules: FacoUpdateRules
    followed: FollowedTour
    plans: c.ConstPointer[c.Int4]
    state: c.ConstPointer[c.ColonyState]
    last_tour: c.Pointer[c.Int32]
    best_tour: c.Pointer[c.Int32]


class Learn(c.KernelArguments):
    rules: FacoUpdateRules
    ants: c.Int32
    arms: c.Int32
    lengths: c.ConstPointer[c.Int64]
    source_length: c.ConstPointer[c.Int64]
    scores: c.Pointer[c.Float64]
    shares: c.Pointer[c.Float32]


class RenewListedTrails(c.KernelArguments):
    rules: FacoUpdateRules
    followed: FollowedTour
    lists: TrailLists
    trails: c.Pointer[c.Float32]
    state: c.Pointer[c.ColonyState]
    source_length: c.Pointer[c.Int64]
    counts: c.Pointer[c.UInt64]


class BeginSource(c.KernelArguments):
    followed: FollowedTour
    best_tour: c.ConstPointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]
    source_length: c.Pointer[c.Int64]


class ListTrails(c.KernelArguments):
    followed: FollowedTour
    lists: TrailLists
    trails: c.ConstPointer[c.Float32]
    state: c.ConstPointer[c.ColonyState]


class ResetColony(c.KernelArguments):
    length: c.UInt64
    state: c.Pointer[c.ColonyState]


BUILD_SLICED = KernelSource(
    "gpu/faco/cuda/build.cu",
    {f"build_tours<{metric}>": BuildFacoTours for metric in COMPILED_METRICS},
)

FACO_UPDATE = KernelSource(
    "gpu/faco/cuda/update.cu",
    {
        "follow_winner": FollowWinner,
        "learn": Learn,
        "renew_trails": RenewListedTrails,
        "begin_source": BeginSource,
        "list_trails": ListTrails,
        "reset_colony": ResetColony,
    },
)
