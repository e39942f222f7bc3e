"""Parameters of the Ant Systems (2013 and 2017 papers)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.construction.parameters import AsParameters, CpuParameters
from gpu.core.parameters import parameter
from gpu.local_search.kinds import local_search_choice


@dataclass(frozen=True)
class AsCpuParameters(CpuParameters):
    """Parameters of the Ant System on the CPU: any selection, with or without lists."""


@dataclass(frozen=True)
class AsCudaParameters(AsParameters):
    """Parameters of every Ant System on a GPU."""

    update: str = parameter(
        "atomic-tiled",
        "Δτ",
        "How the ants' deposits are added up (2013, Table 4); all give the same trails.",
        options={
            "atomic-tiled": "a thread for each edge of a tour, read by tiles; atomic additions",
            "atomic": "a thread for each edge of a tour; atomic additions",
            "reduction": "a thread for each two cities looks for them in tours read by tiles",
            "tiled-gather": "a thread for each trail looks for its edge in tours read by tiles",
            "gather": "a thread for each trail looks for its edge in all tours",
        },
        phase="update",
    )
    power: str = parameter(
        "precise",
        "τ^α",
        "How trails are raised to the power α.",
        options={
            "precise": "correct to the last place; with a whole α, the same numbers as on the CPU",
            "fast": "by the GPU's approximate powers",
        },
        phase="choice info",
    )
    local_search: str = local_search_choice()

    @property
    def other_powers(self) -> bool:
        """Whether the GPU raises trails to the power α with other last digits than the CPU."""
        return self.power == "fast" or not float(self.alpha).is_integer()


@dataclass(frozen=True)
class AsGroupParameters(AsCudaParameters):
    """Parameters of the Ant Systems in which a group of threads works for one ant."""

    workers: int | None = parameter(
        None,
        "w",
        "Threads that work for one ant.",
        16,
        1024,
        automatic="by n",
        power_of_two=True,
        phase="construction",
    )


@dataclass(frozen=True)
class AsLaunchesParameters(AsGroupParameters):
    """Parameters of the 2017 paper's Ant Systems, which have two ways to launch kernels."""

    launches: str | None = parameter(
        None,
        "KE",
        "What one launch of the construction kernel does.",
        options={
            "tour": "build whole tours (KE-ALL)",
            "step": "make one step of all ants (KE-ONE)",
        },
        automatic="tour",
        phase="construction",
    )
