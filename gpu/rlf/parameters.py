"""Parameters of the colonies that color graphs (2017 paper), and what follows from them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import ParameterError
from gpu.core.parameters import Parameters, parameter
from gpu.problems.coloring.instance import LARGEST_MATRIX, GraphInstance
from gpu.problems.tsp.neighbours import HEAVIEST

ANTS_SHARE = 0.2  # ants a vertex (2017, Section V)
MOST_TRIALS = 4096
"""Trials without success after which an ant turns the wheel instead.

The 2017 paper sets no limit. But candidates can be so much lighter than the other vertices that an
ant would try for ever.
"""

COLORING_SELECTIONS = {
    "hybrid": "some stochastic trials, then the wheel",
    "wheel": "roulette wheel over the candidates of the class (prefix sums)",
    "trial": (
        f"stochastic trials until a candidate is accepted; after {MOST_TRIALS} failures the wheel"
    ),
}
"""How ants draw the next vertex of a class; the same probabilities, and three ways to them."""


def trials_parameter() -> Any:
    """Declare the field ``trials`` of a colony that begins with stochastic trials."""
    return parameter(
        4,
        "t",
        "Stochastic trials before the wheel is turned.",
        0,
        MOST_TRIALS,
        phase="construction",
    )


def reward_parameter(usual: float) -> Any:
    """Declare the field ``reward`` with this default."""
    return parameter(
        usual,
        "L",
        "An ant adds this, divided by its number of colors, to the trails of its coloring.",
        0,
        1e6,
        live=True,
    )


@dataclass(frozen=True)
class ColoringParameters(Parameters):
    """What every ACO-RLF colony has; defaults from the 2017 paper, Sections II and V."""

    ants: int | None = parameter(
        None,
        "m",
        "Ants, each making one coloring an iteration.",
        1,
        1_000_000,
        automatic="0.2 n",
        live=True,
    )
    alpha: float = parameter(
        2.0,
        "α",
        "Weight of a vertex's neighbours that cannot join the class any more.",
        0,
        20,
        low_open=True,
        live=True,
    )
    beta: float = parameter(4.0, "β", "Weight of the trail.", 0, 20, low_open=True, live=True)
    rho: float = parameter(
        0.5, "ρ", "Share of every trail that remains each iteration.", 0, 1, live=True
    )
    reward: float = reward_parameter(1.0)
    deposit: str = parameter(
        "class",
        "Δτ",
        "Which pairs of vertices a coloring rewards.",
        options={
            "class": "all pairs of one color, which is what the trails mean (Costa and Hertz 1997)",
            "tour": "pairs of one color that the ant visited one after the other",
        },
        phase="update",
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for a graph of ``n`` vertices."""
        automatic = max(1, round(ANTS_SHARE * n))
        return dataclasses.replace(self, ants=self.ants if self.ants is not None else automatic)


@dataclass(frozen=True)
class ColoringTrialsParameters(ColoringParameters):
    """Parameters of a colony whose ants try before they turn the wheel."""

    trials: int = trials_parameter()


@dataclass(frozen=True)
class ColoringCpuParameters(ColoringParameters):
    """Parameters of the ACO-RLF colonies on the CPU: any selection."""

    selection: str = parameter(
        "wheel",
        "p",
        "How an ant draws the next vertex of a class.",
        options=COLORING_SELECTIONS,
        phase="construction",
    )
    trials: int = trials_parameter()


MOST_SEARCHES = 128
"""Tabu searches, if nobody says how many: about as many as a large GPU has multiprocessors."""


@dataclass(frozen=True)
class ColoringTabuParameters(ColoringParameters):
    """Parameters of the colonies whose best ants' colorings tabu searches repair.

    They are not the paper's, and have the reward with which they were tuned.
    """

    reward: float = reward_parameter(300.0)

    searches: int | None = parameter(
        None,
        "s",
        "Tabu searches; each begins with the coloring of one of the best ants.",
        1,
        1_000_000,
        automatic=f"m, at most {MOST_SEARCHES}",
        phase="tabu search",
    )
    moves: int = parameter(
        10_000,
        "i",
        "Moves of each tabu search an iteration.",
        1,
        100_000_000,
        phase="tabu search",
        live=True,
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic; there are no more searches than ants."""
        whole = super().resolved(n)
        assert whole.ants is not None
        return dataclasses.replace(whole, searches=min(self.searches or MOST_SEARCHES, whole.ants))


def require_matrix(graph: GraphInstance) -> None:
    """Raise ParameterError if ``graph`` is too large for a matrix of trails."""
    if graph.n > LARGEST_MATRIX:
        raise ParameterError(
            f"ACO-RLF colonies take graphs of up to {LARGEST_MATRIX:,} vertices, because each pair "
            f"has a trail, and {graph.name} has {graph.n:,}: choose the colony gpx"
        )


def trials_of(parameters: ColoringParameters) -> int:
    """Return how many stochastic trials an ant makes before it turns the wheel."""
    if isinstance(parameters, ColoringTrialsParameters):
        return parameters.trials
    if isinstance(parameters, ColoringCpuParameters):
        kinds = {"wheel": 0, "hybrid": parameters.trials, "trial": MOST_TRIALS}
        return kinds[parameters.selection]
    return 0


MOST_DEPOSIT = 2**32 - 1  # largest whole number that all ants together may deposit on one trail


def degree_powers(n: int, alpha: float) -> NDArray[np.float32]:
    """d^α for d = 0 .. n, float32 of shape (n + 1,), at most 2^100.

    A whole α is a repeated float32 product, as kernels and compiled code make one.
    """
    degrees = np.arange(n + 1, dtype=np.float32)
    if not float(alpha).is_integer():
        powers = (degrees.astype(np.float64) ** alpha).astype(np.float32)
    else:
        powers = np.ones_like(degrees)
        with np.errstate(over="ignore"):
            for _ in range(int(alpha)):
                powers *= degrees
    result: NDArray[np.float32] = np.minimum(powers, HEAVIEST)
    return result
