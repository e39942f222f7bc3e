"""Kernels and headers that the colonies of several families use."""

from __future__ import annotations

from gpu.cuda.loader import KernelSource

PICTURES = ("blank_picture", "paint_picture", "collect_trails", "count_branches")
"""Templates in pictures.cuh, which a family instantiates for its own kinds of trails."""


def pictures_of(*trails: str) -> tuple[str, ...]:
    """The kernels that make pictures of ``trails``, which are policies of pictures.cuh."""
    return tuple(f"{kernel}<{policy}>" for policy in trails for kernel in PICTURES)


HOLD = KernelSource("gpu/cuda/kernels/hold.cu", ("hold",))

DENSE_TRAILS = KernelSource(
    "gpu/cuda/kernels/dense_trails.cu",
    ("start_trails", "measure_trails", *pictures_of("DenseTrails")),
)
