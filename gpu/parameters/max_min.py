"""Parameters of the MAX-MIN Ant Systems (2020 paper)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.parameters.ant_system import AsParameters
from gpu.parameters.explanation import choice, parameter
from gpu.parameters.shared import CpuParameters


@dataclass(frozen=True)
class MmasParameters(AsParameters):
    """What every MAX-MIN Ant System has; defaults from the 2020 paper, Section 5 (m = n)."""

    p_best: float = parameter(
        0.05,
        "p_best",
        "Probability of building the best tour again once trails have settled; sets the least.",
        0,
        1,
        low_open=True,
    )
    deposit: str = choice(
        "iteration-best",
        "Δτ",
        "Which tour's trails grow each iteration.",
        {
            "iteration-best": "the shortest tour of the iteration",
            "global-best": "the shortest tour so far",
            "schedule": (
                "the iteration's shortest, but the shortest so far every 25th iteration, "
                "then ever more often, from iteration 250 on always (Stützle and Hoos)"
            ),
        },
        phase="update",
    )
    restart: int = parameter(
        0,
        "r",
        "Iterations in vain after which settled trails begin anew; 0: never.",
        0,
        1_000_000,
        phase="update",
    )


@dataclass(frozen=True)
class MmasCpuParameters(CpuParameters, MmasParameters):
    """Parameters of the MAX-MIN Ant System on the CPU."""
