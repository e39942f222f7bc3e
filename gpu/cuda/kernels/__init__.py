"""Kernels and headers that the colonies of several families use."""

from __future__ import annotations

from gpu.core.random import key_of
from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Float4,
    Float32,
    Float64,
    Int2,
    Int32,
    Int64,
    KernelArguments,
    Pointer,
    UInt2,
    UInt32,
    UInt64,
    Void,
)
from gpu.cuda.loader import KernelSource


class Seed(KernelArguments):
    """The two words of a run's seed."""

    header = "gpu/cuda/kernels/philox.cuh"

    low: UInt32
    high: UInt32

    @classmethod
    def of(cls, seed: int) -> Seed:
        """The words of ``seed``."""
        low, high = key_of(seed)
        return cls(low=int(low), high=int(high))


class Geometry(KernelArguments):
    """Where distances come from."""

    header = "gpu/cuda/kernels/geometry.cuh"

    n: Int32
    metric: Int32
    beta: Float64
    coordinates: ConstPointer[Float64] | None
    matrix: ConstPointer[Int32] | None
    nearest: ConstPointer[Int32]


class CandidateLists(KernelArguments):
    """Packed candidate lists."""

    header = "gpu/cuda/kernels/candidates.cuh"

    rows: ConstPointer[UInt2]
    backup: ConstPointer[UInt2]


class PicturedTrails(KernelArguments):
    """Trails that pictures are made of; the policy knows what the pointers to trails point to."""

    n: Int32
    rows: ConstPointer[UInt2] | None
    trails: ConstPointer[Void]
    more_trails: ConstPointer[Void] | None
    memory_size: Int32


class BlankPicture(KernelArguments):
    """Arguments of ``blank_picture``."""

    pixels: Int32
    picture: Pointer[Float32]
    n: Int32
    tour: ConstPointer[Int32]
    places: Pointer[Int32]


class PaintPicture(KernelArguments):
    """Arguments of ``paint_picture``."""

    pictured: PicturedTrails
    size: Int32
    places: ConstPointer[Int32]
    picture: Pointer[Float32]


class CollectTrails(KernelArguments):
    """Arguments of ``collect_trails``."""

    pictured: PicturedTrails
    directed: Int32
    threshold: Float32
    capacity: Int32
    edges: Pointer[Int2]
    strengths: Pointer[Float32]
    count: Pointer[Int32]


class CountBranches(KernelArguments):
    """Arguments of ``count_branches``."""

    pictured: PicturedTrails
    total: Pointer[UInt64]


class MeasureTrails(KernelArguments):
    """Arguments of ``measure_trails``."""

    n: Int32
    columns: Int32
    trails: ConstPointer[Float32]
    range: Pointer[Float32]


class StartTrails(KernelArguments):
    """Arguments of ``start_trails``."""

    quarters: Int64
    trails: Pointer[Float4]
    state: Pointer[ColonyState]


class Hold(KernelArguments):
    """Arguments of ``hold``."""

    nanoseconds: UInt32


_PICTURES: dict[str, type[KernelArguments]] = {
    "blank_picture": BlankPicture,
    "paint_picture": PaintPicture,
    "collect_trails": CollectTrails,
    "count_branches": CountBranches,
}


def pictures_of(*trails: str) -> dict[str, type[KernelArguments]]:
    """The kernels that make pictures of ``trails``, which are policies of pictures.cuh."""
    return {
        f"{kernel}<{policy}>": arguments
        for policy in trails
        for kernel, arguments in _PICTURES.items()
    }


HOLD = KernelSource("gpu/cuda/kernels/hold.cu", {"hold": Hold})

DENSE_TRAILS = KernelSource(
    "gpu/cuda/kernels/dense_trails.cu",
    {
        "start_trails": StartTrails,
        "measure_trails": MeasureTrails,
        **pictures_of("DenseTrails"),
    },
)
