"""The kernels of tour construction that several families use."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Distances, Seed
from gpu.cuda.loader import KernelSource

MATRIX_THREADS: c.Int32 = 256  # of a block of kernels that go through whole matrices
PADDED_ROWS: c.Int32 = 8  # beyond the last city that a group may read: see fewer_rows()


class TourBuilding(c.KernelArguments):
    """What every construction of an Ant System is given."""

    first: c.Int32  # ant of this launch
    end: c.Int32  # before this one
    seed: Seed
    geometry: Distances
    tours: c.Pointer[c.Int32]  # a row an ant
    lengths: c.Pointer[c.UInt64]
    state: c.Pointer[c.ColonyState]


class PrepareHeuristic(c.KernelArguments):
    geometry: Distances
    columns: c.Int32
    heuristic: c.Pointer[c.Float32]


class WeighChoices(c.KernelArguments):
    quarters: c.Int64
    alpha: c.Float64
    trails: c.ConstPointer[c.Float4]
    heuristic: c.ConstPointer[c.Float4]
    weights: c.Pointer[c.Float4]


class BuildToursByGroups(c.KernelArguments):
    construction: TourBuilding
    weights: c.ConstPointer[c.Float32]
    columns: c.Int32
    width: c.Int32
    share: c.Int32
    padding: c.Int32


class StartSteps(c.KernelArguments):
    n: c.Int32
    ants: c.Int32
    seed: Seed
    tabu: c.Pointer[c.UInt32] | None
    bit_words: c.Int32
    padding: c.Int32
    tours: c.Pointer[c.Int32]
    state: c.ConstPointer[c.ColonyState]


class MakeStep(c.KernelArguments):
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
    geometry: Distances
    tours: c.ConstPointer[c.Int32]
    lengths: c.Pointer[c.UInt64]
    state: c.Pointer[c.ColonyState]


@dataclass(frozen=True, eq=False)
class GroupSource(KernelSource):
    """Kernels in which a group of threads works for an ant; see group_tours.cu."""

    # Weights that a thread holds in registers at most:
    whole: int  # in groups of 32 to 512 threads whose tour list fits shared memory
    any_size: int  # in other groups


def group_source(
    part: str, near: str, far: str, choice: str, whole: int, any_size: int, *, steps: bool = True
) -> GroupSource:
    """The kernels of a system that keeps tours in shared memory (``near``) or elsewhere (``far``).

    ``choice`` is the selection, and whether groups shrink. Ants may also make one step a launch, if
    there are kernels for ``steps``.
    """
    selection, _, _ = choice.partition(",")
    kernels: dict[str, type[c.KernelArguments]] = {
        f"build_tours_by_groups<{near}, {choice}, {whole}, true>": BuildToursByGroups,
        f"build_tours_by_groups<{far}, {choice}, {any_size}, false>": BuildToursByGroups,
    }
    if steps:
        kernels[f"start_steps<{far}>"] = StartSteps
        kernels[f"make_step<{far}, {selection}, {any_size}>"] = MakeStep
        kernels["finish_steps"] = FinishSteps
    return GroupSource(f"{_HERE}/group_tours.cu", kernels, whole, any_size, part=part)


_HERE = "gpu/construction/cuda"

WEIGH_CHOICES = KernelSource(
    f"{_HERE}/choice_info.cu",
    {
        "prepare_heuristic": PrepareHeuristic,
        "weigh_choices<WholePower>": WeighChoices,
        "weigh_choices<RealPower>": WeighChoices,
        "weigh_choices<FastPower>": WeighChoices,
    },
)
ST_DYNAMIC = group_source("ST-DYNAMIC", "SharedList", "GlobalList", "TilingRoulette, true", 40, 16)
ST_GROUP_STC_TR = group_source(
    "ST-GROUP-STC-TR", "SharedList", "GlobalList", "TilingRoulette, false", 44, 16
)
