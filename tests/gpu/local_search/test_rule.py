"""What all local searches share: kinds, and neighbour lists."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.core.errors import ParameterError
from gpu.local_search.kinds import LOCAL_SEARCHES, Moves, moves_of
from gpu.local_search.rule import MOST_NEIGHBOURS, neighbour_rows
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.cpu.makers import crowded, directed, symmetric, uniform


@pytest.mark.parametrize(
    ("kind", "moves"),
    [
        ("none", None),
        ("2opt", Moves(exchanges=True, segments=False, turns=True)),
        ("2opt-all", Moves(exchanges=True, segments=False, turns=True, sample=1)),
        ("oropt", Moves(exchanges=False, segments=True, turns=True)),
        ("2opt+oropt", Moves(exchanges=True, segments=True, turns=True)),
    ],
)
def test_kinds(kind: str, moves: Moves | None) -> None:
    assert kind in LOCAL_SEARCHES
    assert moves_of(uniform(10), kind) == moves


def test_directed_instances_have_or_opt_alone() -> None:
    instance = directed(10)
    assert moves_of(instance, "none") is None
    assert moves_of(instance, "oropt") == Moves(exchanges=False, segments=True, turns=False)
    for kind in ("2opt", "2opt-all", "2opt+oropt"):
        with pytest.raises(ParameterError, match="is directed, and 2-opt would turn parts"):
            moves_of(instance, kind)


@pytest.mark.parametrize("instance", [uniform(40), crowded(40), symmetric(12), directed(12)])
@pytest.mark.parametrize("k", [1, 8, 64])
def test_rows_are_sorted_by_distance_on_either_side(instance: TspInstance, k: int) -> None:
    rows = neighbour_rows(instance, k)
    n = instance.n
    assert rows.shape == (1 + instance.directed, n, min(k, n - 1), 2)
    for side, row in enumerate(rows):
        for a in range(n):
            others = [b for b in range(n) if b != a]
            ways = [(a, b) if side == 0 else (b, a) for b in others]
            away = [int(instance.distances(np.array(u), np.array(v))) for u, v in ways]
            assert row[a].tolist() == [
                [city, distance] for distance, city in sorted(zip(away, others, strict=True))[:k]
            ]


def test_lists_too_long_or_short_are_refused() -> None:
    for k in (0, MOST_NEIGHBOURS + 1):
        with pytest.raises(ParameterError, match=r"neighbours = \d+ must be in \[1, 64\]"):
            neighbour_rows(uniform(5), k)
