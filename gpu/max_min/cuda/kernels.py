"""The kernels of the MAX-MIN Ant Systems."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import partial

import numpy as np

from gpu.construction.cuda.kernels import GroupSource, TourBuilding, group_source
from gpu.cuda import arguments as c
from gpu.cuda.kernels import Distances, Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import KernelSource
from gpu.max_min import parameters

TILES = {"FullRow": (1, 2, 3, 4, 6), "HalfRow": (1, 2, 3, 4, 5, 6, 8, 10, 12)}
"""Tiles of ``TILE_CITIES`` cities whose weights, of either precision, a warp holds in registers."""

SAMPLED_TILES = {"FullRow": (1, 2, 5), "HalfRow": (1, 2, 4, 5, 10)}
"""The same where it samples them: fewer kernels, for they are longer."""

LANE_CITIES: c.Int32 = 8  # consecutive cities whose weights a lane reads at once
TILE_CITIES: c.Int32 = LANE_CITIES * LANES  # and a warp

ALL_ROWS: c.Int32 = 44  # that a warp which is alone for an ant can hold in registers

SAMPLED_ROWS = {True: (ALL_ROWS, 16), False: (16,)}
"""Rows of 32 weights that a warp holds in registers where it samples them from a list, alone for an
ant or not. With more of them it has fewer at once, or registers would be too few for all ants."""

MOST_WARPS: c.Int32 = parameters.MOST_WARPS
MOST_LIST_WARPS: c.Int32 = 32  # of a block at most whose candidate lists are in shared memory

GROUP_BYTES: c.Int32 = 512  # shared memory for ``GroupMemory``, rounded up
OTHERS_BYTES: c.Int32 = 256  # shared memory for ``OtherCities``, rounded up

ITERATION_BEST: c.Int32 = parameters.ITERATION_BEST
GLOBAL_BEST: c.Int32 = parameters.GLOBAL_BEST
SCHEDULE: c.Int32 = parameters.SCHEDULE
PUBLISHED: c.Int32 = parameters.PUBLISHED
OTHER_CHANCE: c.Float32 = np.float32(parameters.OTHER_CHANCE)
LOOK_PERIOD: c.Int64 = parameters.LOOK_PERIOD
SETTLED: c.UInt64 = parameters.SETTLED

MOST_LIST_ROWS = 7  # rows of 32 candidates that an ant with candidate lists can have

_Shapes = Sequence[tuple[int, str]]
_LIST_KERNELS: _Shapes = (
    (1, "true, true"),
    (1, "false, true"),
    (1, "false, false"),
    (MOST_LIST_ROWS, "false, false"),
)
"""Rows of candidates, then whether the lists are in shared memory, and whether the weights of all
edges are kept for certain."""


class BuildToursByRows(c.KernelArguments):
    construction: TourBuilding
    weights: c.ConstPointer[c.Void]
    columns: c.Int32


class BuildToursByLists(c.KernelArguments):
    construction: TourBuilding
    candidates: c.ConstPointer[c.UInt16]
    listed: c.ConstPointer[c.Void]
    width: c.Int32
    held: c.Int32
    weights: c.ConstPointer[c.Void] | None
    trails: c.ConstPointer[c.Float32]
    columns: c.Int32
    backup: c.ConstPointer[c.UInt2]
    strayed: c.ConstPointer[c.UInt8]
    rounds: c.Int32
    factors: c.Int32
    alpha: c.Float64
    tabu_bytes: c.Int32


class WeightForm(enum.IntEnum):
    """The form in which ants read the weight of an edge.

    Candidates are listed as ``FLOATS``, ``INVERSES`` or ``PACKED``: halves and cities in a word.
    """

    NONE = 0
    FLOATS = 1
    HALVES = 2
    INVERSES = 3
    PACKED = 4


class MmasLimits(c.Structure):
    """What the colony keeps on the device in addition to its state."""

    begun: c.UInt64  # the iteration after which trails last began anew
    least: c.Float32  # limits of the trails
    most: c.Float32
    branches: c.UInt64  # n times the branching factor, as far as it has been counted
    # of the best tour since trails last began; if it was not found after that, there is none
    restart_best_length: c.UInt64
    restart_best_iteration: c.UInt64


class MmasRules(c.KernelArguments):
    """The rules of limits, deposits and restarts."""

    nearest: c.Float64  # L_nn, at least 1
    spread: c.Float64  # least over most
    gain: c.Float64  # rho * L_nn
    keep: c.Float32  # 1 - rho
    deposit: c.Int32
    patience: c.Int32  # iterations in vain before trails may begin anew; 0 for never
    planned: c.Int64  # iterations of the run; 0 if that does not matter
    seed: Seed


class EdgeWeights(c.KernelArguments):
    """The weights of all edges, and what they are made of."""

    geometry: Distances
    columns: c.Int32
    form: c.Int32
    rounds: c.Int32  # whether to half precision
    alpha: c.Float64
    heuristic: c.ConstPointer[c.Float32] | None  # null: it is worked out where it is needed
    weights: c.Pointer[c.Void] | None


class StartLimits(c.KernelArguments):
    limits: c.Pointer[MmasLimits]
    least: c.Float32


class WeighTrails(c.KernelArguments):
    edges: EdgeWeights
    quarters: c.Int64
    trails: c.ConstPointer[c.Float4]


class CountSettled(c.KernelArguments):
    n: c.Int32
    columns: c.Int32
    listed: c.Int32
    candidates: c.ConstPointer[c.UInt16]
    width: c.Int32
    trails: c.ConstPointer[c.Float32]
    branches: c.Pointer[c.UInt64]


class EvaporateTrails(c.KernelArguments):
    edges: EdgeWeights
    rules: MmasRules
    quarters: c.Int64
    trails: c.Pointer[c.Float4]
    limits: c.ConstPointer[MmasLimits]
    state: c.ConstPointer[c.ColonyState]


class DepositTrails(c.KernelArguments):
    edges: EdgeWeights
    rules: MmasRules
    ants: c.Int32
    directed: c.Int32
    trails: c.Pointer[c.Float32]
    tours: c.ConstPointer[c.Int32]
    best_tour: c.Pointer[c.Int32]
    restart_best: c.Pointer[c.Int32]
    iteration_tour: c.Pointer[c.Int32]
    backup: c.ConstPointer[c.UInt2]
    strayed: c.Pointer[c.UInt8] | None  # null where no construction reads it
    limits: c.Pointer[MmasLimits]
    state: c.Pointer[c.ColonyState]


class WeighCandidates(c.KernelArguments):
    n: c.Int32
    columns: c.Int32
    form: c.Int32
    rounds: c.Int32
    alpha: c.Float64
    width: c.Int32
    candidates: c.ConstPointer[c.UInt16]
    etas: c.ConstPointer[c.Float32]
    trails: c.ConstPointer[c.Float32]
    listed: c.Pointer[c.Void]


def _rows(selection: str, shapes: dict[str, tuple[int, ...]]) -> dict[str, type[BuildToursByRows]]:
    """The kernels of a selection from whole rows of weights; see rows.cu."""
    held = [f"{row}, {tiles}" for row in shapes for tiles in shapes[row]]
    names = [f"build_tours_by_rows<{selection}, {shape}>" for shape in held]
    names += [f"build_tours_in_shared<{selection}, {tiles}>" for tiles in (1, 2)]
    return dict.fromkeys(names, BuildToursByRows)


def _lists(
    selection: str, **stored: Sequence[tuple[int, str]]
) -> dict[str, type[BuildToursByLists]]:
    """The kernels of a selection from candidate lists, by how these are stored; see lists.cu."""
    return {
        f"build_tours_by_lists<{tabu}, {selection}, {lists}, {rows}, {shared}>": BuildToursByLists
        for tabu in ("ListTabu", "BitmaskTabu", "CompactTabu")
        for lists, kinds in stored.items()
        for rows, shared in kinds
    }


_HERE = "gpu/max_min/cuda"


def _groups(tabu: str, order: str) -> tuple[GroupSource, GroupSource]:
    """The kernels of RWM with a list of unvisited cities: for any group, and for a warp alone."""
    shared = partial(group_source, near=order, far="GlobalUnvisited", any_size=16, steps=False)
    return (
        shared(f"MMAS-RWM-{tabu}", choice="TilingRoulette, true", whole=40),
        shared(f"MMAS-RWM-{tabu} alone", choice="TilingRoulette, false", whole=44),
    )


RWM_LC, RWM_LC_ALONE = _groups("LC", "CompressedList")
RWM_CT, RWM_CT_ALONE = _groups("CT", "CompactList")
LISTS_RWM = KernelSource(
    f"{_HERE}/lists.cu",
    _lists(
        "RouletteWheel",
        PackedLists=_LIST_KERNELS,
        PartedLists=_LIST_KERNELS[:1],
        SplitLists=_LIST_KERNELS[1:],
    ),
    part="RWM",
)
LISTS_WRS = KernelSource(
    f"{_HERE}/lists.cu", _lists("ReservoirSampling", SplitLists=_LIST_KERNELS), part="WRS"
)


def _reservoirs(alone: bool) -> KernelSource:
    """The kernels of WRS with a list of unvisited cities, for a warp alone or a group of warps."""
    names = [
        f"build_tours_by_reservoir<{order}, {row}, {str(alone).lower()}, {rows}>"
        for order in ("CompressedList", "CompactList")
        for row in TILES
        for rows in SAMPLED_ROWS[alone]
    ]
    part = "alone" if alone else "in groups"
    return KernelSource(f"{_HERE}/reservoir.cu", dict.fromkeys(names, BuildToursByRows), part=part)


RESERVOIR_ALONE, RESERVOIR = _reservoirs(True), _reservoirs(False)
ROWS = KernelSource(f"{_HERE}/rows.cu", _rows("WheelOfRows", TILES), part="RWM")
ROWS_WRS = KernelSource(f"{_HERE}/rows.cu", _rows("ReservoirOfRows", SAMPLED_TILES), part="WRS")
_POWERS = ("WholePower", "RealPower")
MMAS_UPDATE = KernelSource(
    f"{_HERE}/update.cu",
    {
        "start_limits": StartLimits,
        "count_settled": CountSettled,
        **{f"weigh_trails<{power}>": WeighTrails for power in _POWERS},
        **{f"evaporate_trails<{power}>": EvaporateTrails for power in _POWERS},
        **{f"deposit_trails<{power}>": DepositTrails for power in _POWERS},
        **{f"weigh_candidates<{power}>": WeighCandidates for power in _POWERS},
    },
)
