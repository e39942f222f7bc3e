"""Kernels and headers that the colonies of several families use."""

from __future__ import annotations

from gpu.core.random import key_of
from gpu.cuda import arguments as c
from gpu.cuda.loader import KernelSource


class Seed(c.KernelArguments):
    """The two words of a run's seed."""

    header = "gpu/cuda/kernels/random.cuh"

    low: c.UInt32
    high: c.UInt32

    @classmethod
    def of(cls, seed: int) -> Seed:
        """The words of ``seed``."""
        low, high = key_of(seed)
        return cls(low=int(low), high=int(high))


class Distances(c.KernelArguments):
    """Where distances come from."""

    header = "gpu/cuda/kernels/geometry.cuh"

    n: c.Int32
    metric: c.Int32
    beta: c.Float64
    shortest: c.Float64
    coordinates: c.ConstPointer[c.Float64] | None
    matrix: c.ConstPointer[c.Int32] | None
    nearest: c.ConstPointer[c.Int32]


class CandidateRows(c.KernelArguments):
    """Packed candidate lists."""

    header = "gpu/cuda/kernels/candidates.cuh"

    rows: c.ConstPointer[c.UInt2]
    backup: c.ConstPointer[c.UInt2]


class PicturedTrails(c.KernelArguments):
    """Trails that pictures are made of; the policy knows what the pointers to trails point to."""

    n: c.Int32
    rows: c.ConstPointer[c.UInt2] | None  # candidate lists
    trails: c.ConstPointer[c.Void]
    more_trails: c.ConstPointer[c.Void] | None
    memory_size: c.Int32


class BlankPicture(c.KernelArguments):
    pixels: c.Int32
    picture: c.Pointer[c.Float32]
    n: c.Int32
    tour: c.ConstPointer[c.Int32]
    places: c.Pointer[c.Int32]


class PaintPicture(c.KernelArguments):
    pictured: PicturedTrails
    size: c.Int32
    places: c.ConstPointer[c.Int32]
    picture: c.Pointer[c.Float32]


class CollectTrails(c.KernelArguments):
    pictured: PicturedTrails
    directed: c.Int32
    threshold: c.Float32
    capacity: c.Int32
    edges: c.Pointer[c.Int2]
    strengths: c.Pointer[c.Float32]
    edge_count: c.Pointer[c.Int32]


class CountBranches(c.KernelArguments):
    pictured: PicturedTrails
    branches: c.Pointer[c.UInt64]


class ReadTrails(c.KernelArguments):
    pictured: PicturedTrails
    count: c.Int32
    pair_cities: c.ConstPointer[c.Int2]
    pair_trails: c.Pointer[c.Float32]


class MeasureTrails(c.KernelArguments):
    n: c.Int32
    columns: c.Int32
    trails: c.ConstPointer[c.Float32]
    range: c.Pointer[c.Float32]


class StartTrails(c.KernelArguments):
    quarters: c.Int64
    trails: c.Pointer[c.Float4]
    state: c.Pointer[c.ColonyState]


class Hold(c.KernelArguments):
    nanoseconds: c.UInt32


def pictures_of(*trails: str) -> dict[str, type[c.KernelArguments]]:
    """The kernels that make pictures of ``trails``, which are policies of pictures.cuh."""
    kernels: dict[str, type[c.KernelArguments]] = {}
    for policy in trails:
        kernels[f"blank_picture<{policy}>"] = BlankPicture
        kernels[f"paint_picture<{policy}>"] = PaintPicture
        kernels[f"collect_trails<{policy}>"] = CollectTrails
        kernels[f"count_branches<{policy}>"] = CountBranches
        kernels[f"read_trails<{policy}>"] = ReadTrails
    return kernels


HOLD = KernelSource("gpu/cuda/kernels/hold.cu", {"hold": Hold})

DENSE_TRAILS = KernelSource(
    "gpu/cuda/kernels/dense_trails.cu",
    {"start_trails": StartTrails, "measure_trails": MeasureTrails, **pictures_of("DenseTrails")},
)
