"""The kernels' source texts: where they are, how they are compiled, which instantiations exist.

One text a kernel file, with its headers written into it, so that a cache keyed by the text can
never hand out a binary of an older header. CUDA, the compile check and the CPU emulation all take
their text from here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

OPTIONS: tuple[str, ...] = ("--std=c++17", "--fmad=false")
"""Compiler options. Products are not contracted into multiply-adds, so that a trail or a distance
is rounded as the CPU rounds it, and both give the same tours."""

CAPACITIES = (8, 16, 32)
"""Sizes of a city's selective memory that kernels are instantiated for."""

GROUP_ROWS = {
    "gpu/construction/cuda/st_dynamic.cu": (40, 16),
    "gpu/ant_system/cuda/st_group.cu": (16, 8),
    "gpu/ant_system/cuda/st_group_stc.cu": (16, 8),
    "gpu/construction/cuda/st_group_stc_tr.cu": (44, 16),
    "gpu/max_min/cuda/compact.cu": (40, 16),
}
"""Weights that a thread of a group holds in registers at most: in groups of 32 to 512 threads
whose tour list fits shared memory, and in others."""

RLF_SHAPES = ((1, 1), (1, 2), (1, 4), (4, 8), (16, 32))
"""Rows of 32 words of vertices that an ant of ACO-RLF holds, and words that a warp looks after."""

TABU_SHAPES = ((1, 512), (1, 1024), (8, 512), (32, 512))
"""Words of vertices that a warp of a tabu search looks after, and threads of the largest block."""


TILES = {"FullRow": (1, 2, 3, 4, 6), "HalfRow": (1, 2, 3, 4, 5, 6, 8, 10, 12)}
"""Tiles of 256 cities whose weights, of either precision, a warp holds in registers."""

SAMPLED_TILES = {"FullRow": (1, 2, 5), "HalfRow": (1, 2, 4, 5, 10)}
"""The same where it samples them: fewer kernels, for they are longer."""

MOST_LIST_ROWS = 7
"""Rows of 32 candidates that an ant with candidate lists can have."""

LIST_KERNELS = (
    (1, "true, true"),
    (1, "false, true"),
    (1, "false, false"),
    (MOST_LIST_ROWS, "false, false"),
)
"""Rows that its kernels are made for, whether lists are in shared memory, and whether weights of
all edges are kept for certain."""


@functools.cache
def source_text(file: str) -> str:
    """The text of ``file``, a path from the folder above ``gpu``, each header inlined once.

    Raises
    ------
    FileNotFoundError
        If the file or a header it names is not there.
    """
    return "".join(_lines(file, set()))


@functools.cache
def instantiations() -> dict[str, tuple[str, ...]]:
    """Kernel file to the C++ name expressions of all kernels in it."""
    walks = ("MatrixWalk", *(f"SelectiveWalk<{size}>" for size in CAPACITIES))
    trails = ("MatrixTrails", "DenseTrails", *(f"MemoryTrails<{size}>" for size in CAPACITIES))
    return {
        "gpu/acs/cuda/all_tours.cu": tuple(f"build_tours<{walk}, EveryTour>" for walk in walks),
        "gpu/acs/cuda/tours.cu": tuple(f"build_tours<{walk}, BestOfWarp>" for walk in walks),
        "gpu/acs/cuda/steps.cu": ("step_tours",),
        "gpu/acs/cuda/replicas.cu": ("weigh_edges", "step_tours_on_replicas"),
        "gpu/acs/cuda/turns.cu": ("step_many_tours",),
        "gpu/acs/cuda/update.cu": (
            "start_matrix",
            "start_memory",
            "update_matrix",
            *(f"update_memory<{size}>" for size in CAPACITIES),
        ),
        "gpu/construction/cuda/choice_info.cu": (
            "prepare_heuristic",
            *(f"weigh_choices<{power}>" for power in ("WholePower", "RealPower", "FastPower")),
        ),
        "gpu/ant_system/cuda/data_parallel.cu": tuple(
            f"build_tours_by_workers<{rule}>" for rule in ("OneTurns", "EachDraws")
        ),
        "gpu/construction/cuda/st_dynamic.cu": _groups(
            "gpu/construction/cuda/st_dynamic.cu", "List", "TilingRoulette", "true"
        ),
        "gpu/ant_system/cuda/st_group.cu": _groups(
            "gpu/ant_system/cuda/st_group.cu", "NumberedCities", "PrefixSearch", "false"
        ),
        "gpu/ant_system/cuda/st_group_stc.cu": _groups(
            "gpu/ant_system/cuda/st_group_stc.cu", "List", "PrefixSearch", "false"
        ),
        "gpu/construction/cuda/st_group_stc_tr.cu": _groups(
            "gpu/construction/cuda/st_group_stc_tr.cu", "List", "TilingRoulette", "false"
        ),
        "gpu/ant_system/cuda/task_parallel.cu": ("build_tours_by_threads",),
        "gpu/ant_system/cuda/update.cu": (
            "start_trails",
            "scatter_deposits<true>",
            "scatter_deposits<false>",
            "gather_deposits<HalfPairs, true>",
            "gather_deposits<AllPairs, true>",
            "gather_deposits<AllPairs, false>",
            "renew_trails",
        ),
        "gpu/cuda/kernels/hold.cu": ("hold",),
        "gpu/local_search/cuda/local_search.cu": (
            "prepare_search",
            "measure_tours",
            *(
                f"improve_tours<{memory}, {moves}>"
                for memory in ("AllShared", "TourShared", "NoneShared")
                for moves in ("TwoOpt", "TwoOptAndOrOpt", "OrOpt", "DirectedOrOpt")
            ),
        ),
        "gpu/max_min/cuda/compact.cu": (
            *_whole_tours(
                "gpu/max_min/cuda/compact.cu", "CompactList", "GlobalList", "TilingRoulette", "true"
            ),
        ),
        "gpu/max_min/cuda/lists_rwm.cu": _lists(
            "RouletteWheel",
            {
                "PackedLists": LIST_KERNELS,
                "PartedLists": LIST_KERNELS[:1],
                "SplitLists": LIST_KERNELS[1:],
            },
        ),
        "gpu/max_min/cuda/lists_wrs.cu": _lists("ReservoirSampling", {"SplitLists": LIST_KERNELS}),
        "gpu/max_min/cuda/reservoir.cu": tuple(
            f"build_tours_by_reservoir<{order}, {row}>"
            for order in ("SharedList", "CompactList")
            for row in TILES
        ),
        "gpu/max_min/cuda/rows.cu": _rows("WheelOfRows", TILES),
        "gpu/max_min/cuda/rows_wrs.cu": _rows("ReservoirOfRows", SAMPLED_TILES),
        "gpu/max_min/cuda/update.cu": (
            "start_limits",
            "count_settled",
            *(
                f"{kernel}<{power}>"
                for kernel in (
                    "weigh_trails",
                    "evaporate_trails",
                    "deposit_trails",
                    "weigh_candidates",
                )
                for power in ("WholePower", "RealPower")
            ),
        ),
        "gpu/cuda/kernels/pictures.cu": (
            "measure_trails",
            *(f"blank_picture<{policy}>" for policy in trails),
            *(f"paint_picture<{policy}>" for policy in trails),
            *(f"collect_trails<{policy}>" for policy in trails),
            *(f"count_branches<{policy}>" for policy in trails),
        ),
        "gpu/rlf/cuda/choice_info.cu": tuple(
            f"weigh_pairs<{power}, {summed}>"
            for power in ("WholePower", "RealPower")
            for summed in ("true", "false")
        ),
        "gpu/rlf/cuda/prefix.cu": tuple(
            f"color_graph<{rows}, {own}, PrefixSums>" for rows, own in RLF_SHAPES
        ),
        "gpu/rlf/cuda/trial.cu": tuple(
            f"color_graph<{rows}, {own}, StochasticTrials>" for rows, own in RLF_SHAPES
        ),
        "gpu/rlf/cuda/update.cu": (
            "start_graph",
            "share_out",
            "scatter_pairs",
            "renew_pairs<SameColor>",
            "renew_pairs<Scattered>",
        ),
        "gpu/tabu_search/cuda/search.cu": (
            "rank_ants",
            *(f"search_colorings<{own}, {threads}>" for own, threads in TABU_SHAPES),
            "take_over",
        ),
    }


def _groups(file: str, order: str, selection: str, shrinks: str) -> tuple[str, ...]:
    """The kernels of a system in which a group works for an ant; see group_tours.cuh."""
    _, any_size = GROUP_ROWS[file]
    near, far = ("SharedList", "GlobalList") if order == "List" else (order, order)
    return (
        *_whole_tours(file, near, far, selection, shrinks),
        f"start_steps<{far}>",
        f"make_step<{far}, {selection}, {any_size}>",
        "finish_steps",
    )


def _whole_tours(file: str, near: str, far: str, selection: str, shrinks: str) -> tuple[str, ...]:
    whole, any_size = GROUP_ROWS[file]
    return (
        f"build_tours_by_groups<{near}, {selection}, {shrinks}, {whole}, true>",
        f"build_tours_by_groups<{far}, {selection}, {shrinks}, {any_size}, false>",
    )


def _rows(selection: str, shapes: dict[str, tuple[int, ...]]) -> tuple[str, ...]:
    """The kernels of a selection from whole rows of weights; see gpu/max_min/cuda/row_tours.cuh."""
    return (
        *(
            f"build_tours_by_rows<{selection}, {row}, {tiles}>"
            for row in shapes
            for tiles in shapes[row]
        ),
        *(f"build_tours_in_shared<{selection}, {tiles}>" for tiles in (1, 2)),
    )


def _lists(selection: str, stored: dict[str, tuple[tuple[int, str], ...]]) -> tuple[str, ...]:
    """The kernels of a selection from candidate lists; see gpu/max_min/cuda/lists.cuh."""
    return tuple(
        f"build_tours_by_lists<{tabu}, {selection}, {lists}, {rows}, {shared}>"
        for tabu in ("ListTabu", "BitmaskTabu", "CompactTabu")
        for lists, kinds in stored.items()
        for rows, shared in kinds
    )


def _lines(file: str, seen: set[str]) -> Iterator[str]:
    seen.add(file)
    folder, _, _ = file.rpartition("/")
    text = (_root() / file).read_text(encoding="utf-8")
    for line in text.splitlines(keepends=True):
        include = re.match(r'\s*#include "([^"]+)"', line)
        if include:
            # A bare name is a file of the same folder, a path begins above ``gpu``.
            header = include[1] if "/" in include[1] else f"{folder}/{include[1]}"
            if header not in seen:
                yield from _lines(header, seen)
        elif line.strip() != "#pragma once":
            yield line


def _root() -> Path:
    return Path(__file__).parents[2]
