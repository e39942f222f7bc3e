"""The kernels of tour construction that several families use."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.cuda.loader import KernelSource


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
) -> tuple[str, ...]:
    """The kernels that build whole tours, with the tour list in shared memory or elsewhere."""
    return (
        f"build_tours_by_groups<{near}, {selection}, {shrinks}, {whole}, true>",
        f"build_tours_by_groups<{far}, {selection}, {shrinks}, {any_size}, false>",
    )


def group_source(
    file: str, near: str, far: str, selection: str, shrinks: str, whole: int, any_size: int
) -> GroupSource:
    """The kernels of a system whose ants also may make one step a launch."""
    kernels = (
        *whole_tours(near, far, selection, shrinks, whole, any_size),
        f"start_steps<{far}>",
        f"make_step<{far}, {selection}, {any_size}>",
        "finish_steps",
    )
    return GroupSource(file, kernels, whole, any_size)


CHOICE_INFO = KernelSource(
    "gpu/construction/cuda/choice_info.cu",
    (
        "prepare_heuristic",
        *(f"weigh_choices<{power}>" for power in ("WholePower", "RealPower", "FastPower")),
    ),
)
ST_DYNAMIC = group_source(
    "gpu/construction/cuda/st_dynamic.cu",
    "SharedList", "GlobalList", "TilingRoulette", "true", 40, 16,
)  # fmt: skip
ST_GROUP_STC_TR = group_source(
    "gpu/construction/cuda/st_group_stc_tr.cu",
    "SharedList", "GlobalList", "TilingRoulette", "false", 44, 16,
)  # fmt: skip
