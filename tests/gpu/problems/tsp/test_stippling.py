"""A picture is traced into cities: dense where it is dark, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from gpu.problems.tsp.drawing import StipplingError, stipple

PICTURE = np.zeros((60, 90), np.float32)
PICTURE[:30, :30] = 1.0  # black, at the top
PICTURE[30:, 60:] = 0.25  # grey, at the bottom


def test_cities_lie_where_it_is_dark() -> None:
    cities = stipple(PICTURE, 200, seed=3)
    assert cities.shape == (200, 2)
    assert np.array_equal(cities, cities.round())
    assert len(np.unique(cities, axis=0)) == 200
    unit = 10_000 / 90
    black = (cities[:, 0] < 30 * unit) & (cities[:, 1] > 30 * unit)
    grey = (cities[:, 0] > 60 * unit) & (cities[:, 1] < 30 * unit)
    assert (black | grey).mean() > 0.97
    assert 2.5 < black.sum() / grey.sum() < 6.5  # four times as dark
    # Evenly: no city is much nearer to its neighbour than the others.
    nearest = np.asarray(cKDTree(cities[black]).query(cities[black], k=2)[0])[:, 1]
    assert nearest.min() > 0.4 * nearest.mean()


def test_the_seed_decides() -> None:
    first, same, other = (stipple(PICTURE, 40, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_small_and_large_pictures() -> None:
    assert len(stipple(np.ones((4, 4), np.float32), 500, seed=1)) == 500
    assert len(stipple(np.ones((700, 700), np.float32), 5, seed=1)) == 5


def test_it_ends_when_it_is_told_to() -> None:
    shares: list[float] = []

    def goes_on(share: float) -> bool:
        shares.append(share)
        return len(shares) < 2

    stipple(PICTURE, 40, seed=1, goes_on=goes_on)
    assert shares == sorted(shares)
    assert len(shares) == 2


def test_pictures_with_too_little() -> None:
    with pytest.raises(StipplingError, match="all white"):
        stipple(np.zeros((9, 9), np.float32), 5, seed=1)
    dot = np.zeros((2500, 2500), np.float32)
    dot[7, 7] = 1.0
    with pytest.raises(StipplingError, match="too little that is dark for 100 cities"):
        stipple(dot, 100, seed=1)
