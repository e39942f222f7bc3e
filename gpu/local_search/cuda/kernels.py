"""The kernels of local search."""

from __future__ import annotations

from gpu.cuda.loader import KernelSource

LOCAL_SEARCH = KernelSource(
    "gpu/local_search/cuda/local_search.cu",
    (
        "prepare_search",
        "measure_tours",
        *(
            f"improve_tours<{memory}, {moves}>"
            for memory in ("AllShared", "TourShared", "NoneShared")
            for moves in ("TwoOpt", "TwoOptAndOrOpt", "OrOpt", "DirectedOrOpt")
        ),
    ),
)
