"""The assignment problem of directed distances, held against SciPy's, and what is made of it."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from gpu.cpu.assignment import assignment_of, joined
from gpu.cpu.geometry import as_compiled

LONGEST = 2**31 - 1


def random_matrix(n: int, seed: int, kind: str) -> NDArray[np.int32]:
    rng = np.random.default_rng(seed)
    match kind:
        case "few lengths":
            made = rng.integers(0, 3, (n, n))
        case "forbidden":  # most edges, and some cities have no other ones
            made = np.where(rng.random((n, n)) < 0.9, LONGEST, rng.integers(0, 1000, (n, n)))
        case "clusters":
            x = rng.integers(0, 4, (n, 2)) * 10_000_000 + rng.integers(0, 1000, (n, 2))
            made = np.abs(x[:, None] - x).sum(axis=2) + rng.integers(0, 500, (n, n))
        case "places":
            x = rng.integers(0, 10_000, (n, 2))
            made = np.hypot(*(x[:, None] - x).transpose(2, 0, 1)).astype(int)
        case "nothing":
            made = np.zeros((n, n), np.int64)
        case _:
            made = rng.integers(0, LONGEST, (n, n), endpoint=True)
    return made.astype(np.int32)


KINDS = ["few lengths", "forbidden", "clusters", "places", "nothing", "any"]


@given(st.integers(2, 60), st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.integers(1, 20))
@settings(max_examples=150, deadline=None)
def test_the_sum_is_the_least_and_the_dual_values_prove_it(
    n: int, seed: int, kind: str, k: int
) -> None:
    matrix, k = random_matrix(n, seed, kind), min(k, n - 1)
    found = assignment_of(matrix, k)
    costs = matrix.astype(np.int64)
    np.fill_diagonal(costs, n * (int(costs.max()) + 1))
    own = costs[np.arange(n), found.successors]
    assert sorted(found.successors) == list(range(n))
    assert own.sum() == costs[linear_sum_assignment(costs)].sum()
    assert own.sum() == found.rows.sum() + found.columns.sum()
    reduced = costs - found.rows[:, None] - found.columns
    assert reduced.min() >= 0
    behind = (np.arange(n) - np.arange(n)[:, None]) % n
    for lists, table in ((found.leaving, reduced), (found.entering, reduced.T)):
        keys = table * n + behind
        np.fill_diagonal(keys, np.iinfo(np.int64).max)
        np.testing.assert_array_equal(lists, np.argsort(keys, axis=1)[:, :k])
    tour = joined(matrix, found)
    np.testing.assert_array_equal(np.sort(tour), np.arange(n))


@pytest.mark.parametrize("kind", KINDS)
def test_many_cities(kind: str) -> None:
    """More than the lists on which the problem is solved first have."""
    matrix = random_matrix(700, 5, kind)
    found = assignment_of(matrix, 8)
    costs = matrix.astype(np.int64)
    np.fill_diagonal(costs, 700 * (int(costs.max()) + 1))
    least = costs[linear_sum_assignment(costs)].sum()
    assert least == found.rows.sum() + found.columns.sum()
    np.testing.assert_array_equal(np.sort(joined(matrix, found)), np.arange(700))


def test_cycles_of_far_cities_are_joined_where_that_costs_least() -> None:
    """Two clusters, whose cities are on no lists of each other."""
    rng = np.random.default_rng(3)
    matrix = rng.integers(1000, 2000, (100, 100)).astype(np.int32)
    matrix[:50, 50:] = rng.integers(10**6, 2 * 10**6, (50, 50))
    matrix[50:, :50] = rng.integers(10**6, 2 * 10**6, (50, 50))
    matrix[7, 61] = matrix[63, 9] = 5
    tour = joined(matrix, assignment_of(matrix, 8)).tolist()
    across = [
        (a, b) for a, b in zip(tour, tour[1:] + tour[:1], strict=True) if (a < 50) != (b < 50)
    ]
    assert len(across) == 2
    assert (7, 61) in across


def test_compiled_code_takes_the_memory_of_a_matrix_as_it_is() -> None:
    matrix = np.arange(12, dtype=np.int32).reshape(3, 4)
    matrix.flags.writeable = False
    taken = as_compiled(matrix)
    assert taken.flags.writeable
    assert np.shares_memory(taken, matrix)
    del matrix
    gc.collect()
    np.testing.assert_array_equal(taken, np.arange(12).reshape(3, 4))
    assert as_compiled(taken.T).flags.c_contiguous
