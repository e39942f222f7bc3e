"""The kernels of the MAX-MIN Ant Systems."""

from __future__ import annotations

from gpu.construction.cuda.kernels import GroupSource, whole_tours
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


def _rows(selection: str, shapes: dict[str, tuple[int, ...]]) -> tuple[str, ...]:
    """The kernels of a selection from whole rows of weights; see row_tours.cuh."""
    return (
        *(
            f"build_tours_by_rows<{selection}, {row}, {tiles}>"
            for row in shapes
            for tiles in shapes[row]
        ),
        *(f"build_tours_in_shared<{selection}, {tiles}>" for tiles in (1, 2)),
    )


def _lists(selection: str, stored: dict[str, tuple[tuple[int, str], ...]]) -> tuple[str, ...]:
    """The kernels of a selection from candidate lists; see lists.cuh."""
    return tuple(
        f"build_tours_by_lists<{tabu}, {selection}, {lists}, {rows}, {shared}>"
        for tabu in ("ListTabu", "BitmaskTabu", "CompactTabu")
        for lists, kinds in stored.items()
        for rows, shared in kinds
    )


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
    tuple(
        f"build_tours_by_reservoir<{order}, {row}>"
        for order in ("SharedList", "CompactList")
        for row in TILES
    ),
)
ROWS = KernelSource("gpu/max_min/cuda/rows.cu", _rows("WheelOfRows", TILES))
ROWS_WRS = KernelSource("gpu/max_min/cuda/rows_wrs.cu", _rows("ReservoirOfRows", SAMPLED_TILES))
UPDATE = KernelSource(
    "gpu/max_min/cuda/update.cu",
    (
        "start_limits",
        "count_settled",
        *(
            f"{kernel}<{power}>"
            for kernel in ("weigh_trails", "evaporate_trails", "deposit_trails", "weigh_candidates")
            for power in ("WholePower", "RealPower")
        ),
    ),
)
