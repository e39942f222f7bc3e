"""The kernels of the MAX-MIN Ant Systems."""

from __future__ import annotations

from gpu.construction.cuda.kernels import Construction, GroupSource, whole_tours
from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Float4,
    Float32,
    Float64,
    Int32,
    Int64,
    KernelArguments,
    Pointer,
    UInt2,
    UInt8,
    UInt16,
    UInt64,
    Void,
)
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


class BuildToursByReservoir(KernelArguments):
    """Arguments of ``build_tours_by_reservoir``."""

    construction: Construction
    weights: ConstPointer[Void]
    columns: Int32


class BuildToursByRows(KernelArguments):
    """Arguments of ``build_tours_by_rows``."""

    construction: Construction
    weights: ConstPointer[Void]
    columns: Int32


class BuildToursByLists(KernelArguments):
    """Arguments of ``build_tours_by_lists``."""

    construction: Construction
    candidates: ConstPointer[UInt16]
    listed: ConstPointer[Void]
    width: Int32
    held: Int32
    weights: ConstPointer[Void] | None
    trails: ConstPointer[Float32]
    columns: Int32
    backup: ConstPointer[UInt2]
    strayed: ConstPointer[UInt8]
    rounds: Int32
    factors: Int32
    alpha: Float64
    tabu_bytes: Int32


class MmasState:
    """The limits of the trails and the like; see state.cuh."""


class MmasRules(KernelArguments):
    """The rules of limits, deposits and restarts; see state.cuh."""

    nearest: Float64
    spread: Float64
    gain: Float64
    keep: Float32
    depositor: Int32
    patience: Int32


class EdgeWeights(KernelArguments):
    """The weights of all edges, and what they are made of; see update.cu."""

    geometry: Geometry
    columns: Int32
    form: Int32
    rounds: Int32
    alpha: Float64
    heuristic: ConstPointer[Float32] | None
    weights: Pointer[Void] | None


class StartLimits(KernelArguments):
    """Arguments of ``start_limits``."""

    mmas: Pointer[MmasState]
    least: Float32


class WeighTrails(KernelArguments):
    """Arguments of ``weigh_trails``."""

    edges: EdgeWeights
    quarters: Int64
    trails: ConstPointer[Float4]


class CountSettled(KernelArguments):
    """Arguments of ``count_settled``."""

    n: Int32
    columns: Int32
    listed: Int32
    candidates: ConstPointer[UInt16]
    width: Int32
    trails: ConstPointer[Float32]
    branches: Pointer[UInt64]


class EvaporateTrails(KernelArguments):
    """Arguments of ``evaporate_trails``."""

    edges: EdgeWeights
    rules: MmasRules
    quarters: Int64
    trails: Pointer[Float4]
    mmas: ConstPointer[MmasState]
    state: ConstPointer[ColonyState]


class DepositTrails(KernelArguments):
    """Arguments of ``deposit_trails``."""

    edges: EdgeWeights
    rules: MmasRules
    ants: Int32
    directed: Int32
    trails: Pointer[Float32]
    tours: ConstPointer[Int32]
    best_tour: Pointer[Int32]
    iteration_tour: Pointer[Int32]
    backup: ConstPointer[UInt2]
    strayed: Pointer[UInt8] | None
    mmas: Pointer[MmasState]
    state: Pointer[ColonyState]


class WeighCandidates(KernelArguments):
    """Arguments of ``weigh_candidates``."""

    n: Int32
    columns: Int32
    form: Int32
    rounds: Int32
    alpha: Float64
    width: Int32
    candidates: ConstPointer[UInt16]
    etas: ConstPointer[Float32]
    trails: ConstPointer[Float32]
    listed: Pointer[Void]


def _rows(selection: str, shapes: dict[str, tuple[int, ...]]) -> dict[str, type[KernelArguments]]:
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
) -> dict[str, type[KernelArguments]]:
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
