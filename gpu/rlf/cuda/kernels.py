"""The kernels of ACO-RLF."""

from __future__ import annotations

from gpu.cuda.loader import KernelSource

SHAPES = ((1, 1), (1, 2), (1, 4), (4, 8), (16, 32))
"""Rows of 32 words of vertices that an ant holds, and words that a warp looks after."""


def _colorings(selection: str) -> tuple[str, ...]:
    return tuple(f"color_graph<{rows}, {own}, {selection}>" for rows, own in SHAPES)


CHOICE_INFO = KernelSource(
    "gpu/rlf/cuda/choice_info.cu",
    tuple(
        f"weigh_pairs<{power}, {summed}>"
        for power in ("WholePower", "RealPower")
        for summed in ("true", "false")
    ),
)
PREFIX = KernelSource("gpu/rlf/cuda/prefix.cu", _colorings("PrefixSums"))
TRIAL = KernelSource("gpu/rlf/cuda/trial.cu", _colorings("StochasticTrials"))
UPDATE = KernelSource(
    "gpu/rlf/cuda/update.cu",
    (
        "start_graph",
        "share_out",
        "scatter_pairs",
        "renew_pairs<SameColor>",
        "renew_pairs<Scattered>",
    ),
)
