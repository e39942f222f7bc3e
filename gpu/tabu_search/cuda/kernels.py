"""The kernels of tabu search."""

from __future__ import annotations

from gpu.cuda.loader import KernelSource

SHAPES = ((1, 512), (1, 1024), (8, 512), (32, 512))
"""Words of vertices that a warp looks after, and threads of the largest block."""

SEARCH = KernelSource(
    "gpu/tabu_search/cuda/search.cu",
    (
        "rank_ants",
        *(f"search_colorings<{own}, {threads}>" for own, threads in SHAPES),
        "take_over",
    ),
)
