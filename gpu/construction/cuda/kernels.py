"""The kernels of tour construction that several families use."""

from __future__ import annotations

from dataclasses import dataclass

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
    UInt32,
    UInt64,
)
from gpu.cuda.kernels import Geometry, Seed
from gpu.cuda.loader import KernelSource


class Construction(KernelArguments):
    """What every construction of an Ant System is given; see tour_report.cuh."""

    ants: Int32
    seed: Seed
    geometry: Geometry
    tours: Pointer[Int32]
    lengths: Pointer[UInt64]
    state: Pointer[ColonyState]


class PrepareHeuristic(KernelArguments):
    """Arguments of ``prepare_heuristic``."""

    geometry: Geometry
    columns: Int32
    heuristic: Pointer[Float32]


class WeighChoices(KernelArguments):
    """Arguments of ``weigh_choices``."""

    quarters: Int64
    alpha: Float64
    trails: ConstPointer[Float4]
    heuristic: ConstPointer[Float4]
    weights: Pointer[Float4]


class BuildToursByGroups(KernelArguments):
    """Arguments of ``build_tours_by_groups``."""

    construction: Construction
    weights: ConstPointer[Float32]
    columns: Int32
    width: Int32
    share: Int32
    padding: Int32


class StartSteps(KernelArguments):
    """Arguments of ``start_steps``."""

    n: Int32
    ants: Int32
    seed: Seed
    bits: Pointer[UInt32] | None
    bit_words: Int32
    padding: Int32
    tours: Pointer[Int32]
    state: ConstPointer[ColonyState]


class MakeStep(KernelArguments):
    """Arguments of ``make_step``."""

    n: Int32
    ants: Int32
    seed: Seed
    weights: ConstPointer[Float32]
    columns: Int32
    width: Int32
    step: Int32
    bits: Pointer[UInt32] | None
    bit_words: Int32
    tours: Pointer[Int32]
    state: ConstPointer[ColonyState]


class FinishSteps(KernelArguments):
    """Arguments of ``finish_steps``."""

    geometry: Geometry
    tours: ConstPointer[Int32]
    lengths: Pointer[UInt64]
    state: Pointer[ColonyState]


@dataclass(frozen=True, eq=False)
class GroupSource(KernelSource):
    """Kernels in which a group of threads works for an ant; see group_tours.cuh.

    Attributes
    ----------
    whole, any_size : int
        Weights that a thread holds in registers at most: in groups of 32 to 512 threads whose tour
        list fits shared memory, and in others.
    """

    whole: int
    any_size: int


def whole_tours(
    near: str, far: str, selection: str, shrinks: str, whole: int, any_size: int
) -> dict[str, type[KernelArguments]]:
    """The kernels that build whole tours, with the tour list in shared memory or elsewhere."""
    return {
        f"build_tours_by_groups<{near}, {selection}, {shrinks}, {whole}, true>": BuildToursByGroups,
        f"build_tours_by_groups<{far}, {selection}, {shrinks}, {any_size}, false>": (
            BuildToursByGroups
        ),
    }


def group_source(
    file: str, near: str, far: str, selection: str, shrinks: str, whole: int, any_size: int
) -> GroupSource:
    """The kernels of a system whose ants also may make one step a launch."""
    kernels = {
        **whole_tours(near, far, selection, shrinks, whole, any_size),
        f"start_steps<{far}>": StartSteps,
        f"make_step<{far}, {selection}, {any_size}>": MakeStep,
        "finish_steps": FinishSteps,
    }
    return GroupSource(file, kernels, whole, any_size)


CHOICE_INFO = KernelSource(
    "gpu/construction/cuda/choice_info.cu",
    {
        "prepare_heuristic": PrepareHeuristic,
        **{
            f"weigh_choices<{power}>": WeighChoices
            for power in ("WholePower", "RealPower", "FastPower")
        },
    },
)
ST_DYNAMIC = group_source(
    "gpu/construction/cuda/st_dynamic.cu",
    "SharedList", "GlobalList", "TilingRoulette", "true", 40, 16,
)  # fmt: skip
ST_GROUP_STC_TR = group_source(
    "gpu/construction/cuda/st_group_stc_tr.cu",
    "SharedList", "GlobalList", "TilingRoulette", "false", 44, 16,
)  # fmt: skip
