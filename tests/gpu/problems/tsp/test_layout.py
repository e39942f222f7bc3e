from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.problems.tsp import tsplib


def _apart(points: NDArray[np.float64]) -> NDArray[np.float64]:
    across, up = (points[:, None] - points).transpose(2, 0, 1)
    distances: NDArray[np.float64] = np.hypot(across, up)
    return distances


@pytest.mark.parametrize("n", [3, 10, tsplib.LANDMARKS, tsplib.LANDMARKS + 1, 1300])
def test_a_plane_is_found_again(n: int) -> None:
    points = np.random.default_rng(n).random((n, 2)) * [10_000, 4_000]
    true = _apart(points)
    found = tsplib.laid_out(np.rint(true).astype(np.int32))
    assert found.shape == (n, 2)
    assert np.abs(_apart(found) - true).max() < 5


def test_the_same_matrix_gives_the_same_map() -> None:
    matrix = np.random.default_rng(2).integers(1, 100, (40, 40)).astype(np.int32)
    first = tsplib.laid_out(matrix)
    assert np.array_equal(first, tsplib.laid_out(matrix.copy()))
    assert np.isfinite(first).all()


def test_a_directed_matrix_is_drawn_by_the_mean_of_both_ways() -> None:
    matrix = np.random.default_rng(2).integers(1, 100, (40, 40))
    both = matrix + matrix.T
    np.fill_diagonal(both, 0)
    assert np.allclose(tsplib.laid_out(matrix) * 2, tsplib.laid_out(both))


@pytest.mark.parametrize("n", [3, 4, 700])
def test_cities_that_cannot_be_told_apart_lie_on_a_circle(n: int) -> None:
    found = tsplib.laid_out(np.zeros((n, n), np.int32))
    assert np.allclose(np.hypot(*found.T), 1.0)
    assert len(np.unique(found.round(9), axis=0)) == n


def test_a_line_and_the_largest_distances_are_finite() -> None:
    places = np.arange(5, dtype=np.int64) * (2**29 - 1)
    found = tsplib.laid_out(np.abs(places[:, None] - places))
    assert np.isfinite(found).all()
    assert np.allclose(np.abs(np.diff(found[:, 0])), 2**29 - 1)
    assert np.abs(found[:, 1]).max() < 100


def test_large_matrices_take_little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """All vectors of a matrix of 3000 cities would take 200 times those of the landmarks."""
    sizes: list[int] = []
    eigh = np.linalg.eigh

    def watched(matrix: NDArray[np.float64]) -> object:
        sizes.append(len(matrix))
        return eigh(matrix)

    monkeypatch.setattr(np.linalg, "eigh", watched)
    matrix = np.ones((3000, 3000), np.int32)
    assert np.isfinite(tsplib.laid_out(matrix)).all()
    assert sizes == [tsplib.LANDMARKS]
