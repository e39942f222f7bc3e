"""Parameters of the toy colony."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.core.parameters import Parameters, parameter


@dataclass(frozen=True)
class ToyParameters(Parameters):
    """A number and a choice."""

    ants: int = parameter(10, "m", "Ants, each building one tour an iteration.", 1, 1000)
    rho: float = parameter(0.1, "ρ", "Share of every trail that evaporates.", 0, 1, low_open=True)
    deposit: str = parameter(
        "best",
        "Δτ",
        "Whose trails grow.",
        options={"best": "the best ant's of the iteration", "all": "all ants'"},
        phase="update",
    )
