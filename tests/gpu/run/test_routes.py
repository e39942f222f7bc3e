"""Runs on open routes and on instances with forbidden edges."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gpu.core.errors import InstanceError
from gpu.problems.tsp.routes.closed_tours import hamiltonian
from gpu.run import from_matrix, open_route, solve
from gpu.run.session import Session, StartReference, new_session
from gpu.run.stopping import StopSettings


def petersen(n: int) -> np.ndarray:
    """Return the edges of the generalized Petersen graph G(n, 2), 2 n vertices.

    It has no Hamiltonian cycle where n mod 6 is 5 (Robertson 1969), which nothing shows at once.
    """
    outer = [(at, (at + 1) % n) for at in range(n)]
    spokes = [(at, n + at) for at in range(n)]
    return np.array([*outer, *spokes, *((n + at, n + (at + 2) % n) for at in range(n))])


def test_a_run_that_finds_no_tour_without_a_forbidden_edge_shows_none() -> None:
    seen = []
    result = solve(
        hamiltonian("none", 22, petersen(11)),
        colony="acs",
        device="cpu",
        iterations=8,
        seed=1,
        progress=lambda state: seen.append((state.best_cost, state.best_solution)),
    )
    assert result.iterations == 8
    assert (result.cost, result.solution, result.gap_percent) == (None, None, None)
    assert result.reason.endswith("(no tour without a forbidden edge was found)")
    assert set(seen) == {(None, None)}
    assert result.to_dict()["best_length"] is None


def test_a_cycle_is_found_where_there_is_one() -> None:
    result = solve(hamiltonian("some", 24, petersen(12)), device="cpu", seconds=30, seed=1)
    assert result.cost == 24 == result.amount
    assert result.reason == "it found the best known length"


MATRIX = [[0, 1.5, 9, 9], [1.5, 0, 1.5, 9], [9, 1.5, 0, 2.5], [9, 9, 2.5, 0]]


def test_a_session_keeps_a_start_that_is_no_file() -> None:
    instance = open_route(from_matrix(MATRIX, names="ABCD", unit="min"), "A")
    session = new_session(
        instance,
        colony="focused",
        device="cpu",
        seed=1,
        stop=StopSettings(iterations=1),
        start=[0, 1, 3, 2],
    )
    assert session.start is not None
    again = Session.from_dict(json.loads(json.dumps(session.to_dict())))
    assert again.start == session.start
    solution = again.start.load(instance)
    assert instance.route_of(solution).cities.tolist() == [0, 1, 3, 2]
    assert instance.cost_unit.value(instance.cost_of(solution)) == 1.5 + 9 + 2.5
    with pytest.raises(InstanceError, match="start: a route through"):
        StartReference.of([1, 0, 2, 3], instance)
    with pytest.raises(InstanceError, match="start: a route through"):
        StartReference.of([0, 0, 2, 3], instance)


def test_a_result_has_unit_amount_and_notes() -> None:
    instance = open_route(from_matrix(MATRIX, names="ABCD", unit="min"), "A")
    result = solve(instance, colony="acs", device="cpu", iterations=5, seed=1)
    assert (result.amount, result.unit) == (5.5, "min")
    assert "an open route from A" in result.notes
    assert result.instance.written(result.solution) == [1, 2, 3, 4]
