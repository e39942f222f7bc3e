"""The kernels of local search."""

from __future__ import annotations

from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Int2,
    Int32,
    KernelArguments,
    Pointer,
    UInt2,
    UInt32,
    UInt64,
)
from gpu.cuda.kernels import Geometry
from gpu.cuda.loader import KernelSource


class Improvements:
    """What is reported of a search; see local_search.cu."""


class PrepareSearch(KernelArguments):
    """Arguments of ``prepare_search``."""

    n: Int32
    best_tour: ConstPointer[Int32]
    links: Pointer[Int2]
    improvements: Pointer[Improvements]
    state: Pointer[ColonyState]


class MeasureTours(KernelArguments):
    """Arguments of ``measure_tours``."""

    search: PrepareSearch
    geometry: Geometry
    ants: Int32
    tours: ConstPointer[Int32]
    lengths: Pointer[UInt64]


class ImproveTours(KernelArguments):
    """Arguments of ``improve_tours``."""

    geometry: Geometry
    ants: Int32
    rows: ConstPointer[UInt2]
    width: Int32
    links: ConstPointer[Int2]
    places: Pointer[Int32] | None
    queues: Pointer[Int32] | None
    bits: Pointer[UInt32] | None
    built: Pointer[Int32]
    built_tours: Pointer[Int32]
    tours: Pointer[Int32]
    lengths: Pointer[UInt64]
    improvements: Pointer[Improvements]
    state: Pointer[ColonyState]


LOCAL_SEARCH = KernelSource(
    "gpu/local_search/cuda/local_search.cu",
    {
        "prepare_search": PrepareSearch,
        "measure_tours": MeasureTours,
        **{
            f"improve_tours<{memory}, {moves}>": ImproveTours
            for memory in ("AllShared", "TourShared", "NoneShared")
            for moves in ("TwoOpt", "TwoOptAndOrOpt", "OrOpt", "DirectedOrOpt")
        },
    },
)
