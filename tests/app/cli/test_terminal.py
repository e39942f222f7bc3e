from __future__ import annotations

import pytest

from app.cli.terminal import beside_known
from gpu.core.problem import Problem


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (None, ""),
        (0.0, ", the best known length"),
        (1.5, ", 1.50 % above the best known"),
        (-1.5, ", 1.50 % below the best known"),
    ],
)
def test_what_is_said_of_the_best_known_length(gap: float | None, said: str) -> None:
    assert beside_known(gap, Problem.TSP.words) == said
