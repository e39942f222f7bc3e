"""Parameters of Focused ACO (2022 and 2024 papers), and which instances it takes on a GPU."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Self

from gpu.core.parameters import Parameters, parameter
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.parameters import require_short, require_symmetric

ANT_GROUP = 64  # the number of ants is a multiple of this unless it is given

FIXED_EDGES, EXP3 = "fixed", "exp3"

ARMS = 5  # numbers of new edges between which Exp3 chooses
EXPLORING = 0.1  # γ: how often an arm is drawn whatever it has led to


@dataclass(frozen=True)
class FacoParameters(Parameters):
    """Parameters of Focused ACO; defaults from the paper."""

    ants: int | None = parameter(
        None,
        "m",
        "Ants an iteration, each of which leaves the common tour for a few edges.",
        1,
        1_000_000,
        automatic=f"4√n, in groups of {ANT_GROUP}",
        live=True,
    )
    new_edges: int = parameter(
        8, "MNE", "New edges after which an ant follows the common tour again.", 1, 1000
    )
    adaptation: str = parameter(
        FIXED_EDGES,
        "A",
        "How many new edges an ant makes.",
        options={
            FIXED_EDGES: "as many as new_edges says",
            EXP3: (
                f"one of the {ARMS} numbers up to new_edges is drawn, more often one that has led "
                "to shorter tours (Skinderowicz 2024)"
            ),
        },
    )
    candidates: int = parameter(16, "cl", "Nearest neighbours that an ant draws from.", 2, 64)
    backup: int = parameter(
        64,
        "bl",
        "Neighbours after the candidates: an ant takes the first free one if no candidate is free.",
        0,
        1000,
    )
    neighbours: int = parameter(
        20, "k", "Nearest neighbours to which the local search considers an edge.", 2, 64
    )
    beta: float = parameter(
        1.0, "β", "Weight of the edge length against the trail.", 0, 20, live=True
    )
    rho: float = parameter(
        0.5,
        "ρ",
        "Share of every trail that is left after an iteration.",
        0,
        1,
        high_open=True,
        live=True,
    )
    p_best: float = parameter(
        0.1,
        "p",
        "Probability that cl draws in a row keep to the best tour once trails have settled; the "
        "lower limit of trails follows from it.",
        0,
        1,
        low_open=True,
        live=True,
    )
    best_source: float = parameter(
        0.01,
        "q",
        "Probability that the best tour so far, and not that of the iteration, deposits and is the "
        "next common tour.",
        0,
        1,
        live=True,
    )

    @property
    def fewest_edges(self) -> int:
        """The least number of new edges of an ant; ``new_edges`` is the largest."""
        return max(1, self.new_edges - ARMS + 1) if self.adaptation == EXP3 else self.new_edges

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities, and cap the lists at n - 1."""
        groups = max(1, math.floor(4 * math.sqrt(n) / ANT_GROUP + 0.5))
        most = n - 1
        candidates = min(self.candidates, most)
        return dataclasses.replace(
            self,
            ants=self.ants if self.ants is not None else ANT_GROUP * groups,
            candidates=candidates,
            backup=min(self.backup, most - candidates),
            neighbours=min(self.neighbours, most),
        )


MOST_RUNS = 16
"""Stretches of the source in the walk of an ant on a GPU: its new edges, and one."""

MOST_CANDIDATES = 16  # of an ant on a GPU


@dataclass(frozen=True)
class FacoCudaParameters(FacoParameters):
    """Parameters of Focused ACO on a GPU, where lists and walks are shorter."""

    new_edges: int = parameter(
        8,
        "MNE",
        "New edges after which an ant follows the common tour again.",
        1,
        MOST_RUNS - 1,
    )
    candidates: int = parameter(
        16, "cl", "Nearest neighbours that an ant draws from.", 2, MOST_CANDIDATES
    )


def spread_of(candidates: int, p_best: float) -> float:
    """Return τ_min/τ_max: as Stützle and Hoos (2000, eq. 11), for so many choices, of so many."""
    steady: float = p_best ** (1 / candidates)
    return min(1.0, (1.0 - steady) / ((candidates - 1) * steady))


FACO_CUDA_LONGEST = (1 << 30) - 1  # distance up to which the sum of two is a 32-bit number


def require_for_faco_cuda(instance: TspInstance) -> None:
    """Raise ParameterError if faco-gpu does not take ``instance``."""
    require_symmetric(instance)
    require_short(instance, "faco", FACO_CUDA_LONGEST)
