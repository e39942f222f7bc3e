"""The kernels of the MAX-MIN Ant Systems."""

from __future__ import annotations

from gpu.construction.cuda.kernels import Construction, GroupSource, whole_tours
from gpu.cuda import arguments as c
from gpu.cuda.kernels import Geometry
from gpu.cuda.loader import KernelSource

TILES = {"FullRow": (1, 2, 3, 4, 6), "HalfRow": (1, 2, 3, 4, 5, 6, 8, 10, 12)}
"""Tiles of 256 cities whose weights, of either precision, a warp holds in registers."""

SAMPLED_TILES = {"FullRow": (1, 2, 5), "HalfRow": (1, 2, 4, 5, 10)}
"""The same where it samples them: fewer kernels, for they are longer."""

MOST_LIST_ROWS = 7
"""Rows of 32 candidates that an ant with candidate lists can have."""

_LIST_KERNELS = (
    (1, "true, true"),
    (1, "false, true"),
    (1, "false, false"),
    (MOST_LIST_ROWS, "false, false"),
)
"""Rows of candidates, then whether the lists are in shared memory, and whether the weights of all
edges are kept for certain."""


class BuildToursByReservoir(c.KernelArguments):
    """Arguments of ``build_tours_by_reservoir``."""

    construction: Construction
    weights: c.ConstPointer[c.Void]
    columns: c.Int32


class BuildToursByRows(c.KernelArguments):
    """Arguments of ``build_tours_by_rows``."""

    construction: Construction
    weights: c.ConstPointer[c.Void]
    columns: c.Int32


class BuildToursByLists(c.KernelArguments):
    """Arguments of ``build_tours_by_lists``."""

    construction: Construction
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


class MmasState:
    """The limits of the trails and the like; see state.cuh."""


class MmasRules(c.KernelArguments):
    """The rules of limits, deposits and restarts."""

    nearest: c.Float64  # L_nn, at least 1
    spread: c.Float64  # least over most
    gain: c.Float64  # rho * L_nn
    keep: c.Float32  # 1 - rho
    depositor: c.Int32
    patience: c.Int32  # iterations in vain before trails may begin anew; 0 for never


class EdgeWeights(c.KernelArguments):
    """The weights of all edges, and what they are made of."""

    geometry: Geometry
    columns: c.Int32
    form: c.Int32
    rounds: c.Int32  # whether to half precision
    alpha: c.Float64
    heuristic: c.ConstPointer[c.Float32] | None  # null: it is worked out where it is needed
    weights: c.Pointer[c.Void] | None


class StartLimits(c.KernelArguments):
    """Arguments of ``start_limits``."""

    limits: c.Pointer[MmasState]
    least: c.Float32


class WeighTrails(c.KernelArguments):
    """Arguments of ``weigh_trails``."""

    edges: EdgeWeights
    quarters: c.Int64
    trails: c.ConstPointer[c.Float4]


class CountSettled(c.KernelArguments):
    """Arguments of ``count_settled``."""

    n: c.Int32
    columns: c.Int32
    listed: c.Int32
    candidates: c.ConstPointer[c.UInt16]
    width: c.Int32
    trails: c.ConstPointer[c.Float32]
    branches: c.Pointer[c.UInt64]


class EvaporateTrails(c.KernelArguments):
    """Arguments of ``evaporate_trails``."""

    edges: EdgeWeights
    rules: MmasRules
    quarters: c.Int64
    trails: c.Pointer[c.Float4]
    limits: c.ConstPointer[MmasState]
    state: c.ConstPointer[c.ColonyState]


class DepositTrails(c.KernelArguments):
    """Arguments of ``deposit_trails``."""

    edges: EdgeWeights
    rules: MmasRules
    ants: c.Int32
    directed: c.Int32
    trails: c.Pointer[c.Float32]
    tours: c.ConstPointer[c.Int32]
    best_tour: c.Pointer[c.Int32]
    iteration_tour: c.Pointer[c.Int32]
    backup: c.ConstPointer[c.UInt2]
    strayed: c.Pointer[c.UInt8] | None  # null where no construction reads it
    limits: c.Pointer[MmasState]
    state: c.Pointer[c.ColonyState]


class WeighCandidates(c.KernelArguments):
    """Arguments of ``weigh_candidates``."""

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


def _rows(selection: str, shapes: dict[str, tuple[int, ...]]) -> dict[str, type[c.KernelArguments]]:
    """The kernels of a selection from whole rows of weights; see row_tours.cuh."""
    names = [
        *(
            f"build_tours_by_rows<{selection}, {row}, {tiles}>"
            for row in shapes
            for tiles in shapes[row]
        ),
        *(f"build_tours_in_shared<{selection}, {tiles}>" for tiles in (1, 2)),
    ]
    return dict.fromkeys(names, BuildToursByRows)


def _lists(
    selection: str, stored: dict[str, tuple[tuple[int, str], ...]]
) -> dict[str, type[c.KernelArguments]]:
    """The kernels of a selection from candidate lists; see lists.cuh."""
    return {
        f"build_tours_by_lists<{tabu}, {selection}, {lists}, {rows}, {shared}>": BuildToursByLists
        for tabu in ("ListTabu", "BitmaskTabu", "CompactTabu")
        for lists, kinds in stored.items()
        for rows, shared in kinds
    }


COMPACT = GroupSource(
    "gpu/max_min/cuda/compact.cu",
    whole_tours("CompactList", "GlobalList", "TilingRoulette", "true", 40, 16),
    whole=40,
    any_size=16,
)
LISTS_RWM = KernelSource(
    "gpu/max_min/cuda/lists_rwm.cu",
    _lists(
        "RouletteWheel",
        {
            "PackedLists": _LIST_KERNELS,
            "PartedLists": _LIST_KERNELS[:1],
            "SplitLists": _LIST_KERNELS[1:],
        },
    ),
)
LISTS_WRS = KernelSource(
    "gpu/max_min/cuda/lists_wrs.cu", _lists("ReservoirSampling", {"SplitLists": _LIST_KERNELS})
)
RESERVOIR = KernelSource(
    "gpu/max_min/cuda/reservoir.cu",
    {
        f"build_tours_by_reservoir<{order}, {row}>": BuildToursByReservoir
        for order in ("SharedList", "CompactList")
        for row in TILES
    },
)
ROWS = KernelSource("gpu/max_min/cuda/rows.cu", _rows("WheelOfRows", TILES))
ROWS_WRS = KernelSource("gpu/max_min/cuda/rows_wrs.cu", _rows("ReservoirOfRows", SAMPLED_TILES))
UPDATE = KernelSource(
    "gpu/max_min/cuda/update.cu",
    {
        "start_limits": StartLimits,
        "count_settled": CountSettled,
        **{
            f"{kernel}<{power}>": arguments
            for kernel, arguments in (
                ("weigh_trails", WeighTrails),
                ("evaporate_trails", EvaporateTrails),
                ("deposit_trails", DepositTrails),
                ("weigh_candidates", WeighCandidates),
            )
            for power in ("WholePower", "RealPower")
        },
    },
)
