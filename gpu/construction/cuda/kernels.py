"""The kernels of tour construction that several families use."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Geometry, Seed
from gpu.cuda.loader import KernelSource


class Construction(c.KernelArguments):
    """What every construction of an Ant System is given."""

    ants: c.Int32
    seed: Seed
    geometry: Geometry
    tours: c.Pointer[c.Int32]  # a row an ant
    lengths: c.Pointer[c.UInt64]
    state: c.Pointer[c.ColonyState]


class PrepareHeuristic(c.KernelArguments):
    """Arguments of ``prepare_heuristic``."""

    geometry: Geometry
    columns: c.Int32
    heuristic: c.Pointer[c.Float32]


class WeighChoices(c.KernelArguments):
    """Arguments of ``weigh_choices``."""

    quarters: c.Int64
    alpha: c.Float64
    trails: c.ConstPointer[c.Float4]
    heuristic: c.ConstPointer[c.Float4]
    weights: c.Pointer[c.Float4]


class BuildToursByGroups(c.KernelArguments):
    """Arguments of ``build_tours_by_groups``."""

    construction: Construction
    weights: c.ConstPointer[c.Float32]
    columns: c.Int32
    width: c.Int32
    share: c.Int32
    padding: c.Int32


class StartSteps(c.KernelArguments):
    """Arguments of ``start_steps``."""

    n: c.Int32
    ants: c.Int32
    seed: Seed
    tabu: c.Pointer[c.UInt32] | None
    bit_words: c.Int32
    padding: c.Int32
    tours: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class MakeStep(c.KernelArguments):
    """Arguments of ``make_step``."""

    n: c.Int32
    ants: c.Int32
    seed: Seed
    weights: c.ConstPointer[c.Float32]
    columns: c.Int32
    width: c.Int32
    step: c.Int32
    tabu: c.Pointer[c.UInt32] | None
    bit_words: c.Int32
    tours: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class FinishSteps(c.KernelArguments):
    """Arguments of ``finish_steps``."""

    geometry: Geometry
    tours: c.ConstPointer[c.Int32]
    lengths: c.Pointer[c.UInt64]
    state: c.Pointer[c.ColonyState]


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
) -> dict[str, type[c.KernelArguments]]:
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
