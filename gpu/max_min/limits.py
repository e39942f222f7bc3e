"""What the MAX-MIN Ant Systems of all devices share: limits of trails, and which tour deposits."""

from __future__ import annotations

ITERATION_BEST, GLOBAL_BEST, SCHEDULE = range(3)

DEPOSITS = {"iteration-best": ITERATION_BEST, "global-best": GLOBAL_BEST, "schedule": SCHEDULE}
"""Their names in the parameters."""


def spread_of(n: int, p_best: float) -> float:
    """Return τ_min/τ_max (Stützle and Hoos 2000, eq. 11).

    Where all trails but the best tour's are at τ_min, ants then build that tour again with
    probability ``p_best``, choosing between n/2 cities on average.
    """
    steady: float = p_best ** (1 / n)
    return min(1.0, (1.0 - steady) / ((n / 2 - 1) * steady))
