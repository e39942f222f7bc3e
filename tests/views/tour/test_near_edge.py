"""The edge of a tour under the mouse."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from views.tour.near_edge import near_edge
from views.widgets.pointed import NOTHING, Pointed

CORNERS = np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 100.0], [0.0, 100.0]])
ROUND = np.array([2, 3, 0, 1], np.int32)  # begins in the middle: its last edge is found, too


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ((50.0, 3.0), Pointed(places=(0, 1))),
        ((103.0, 60.0), Pointed(places=(1, 2))),
        ((50.0, 95.0), Pointed(places=(2, 3))),
        ((50.0, 50.0), NOTHING),
        ((110.0, 50.0), NOTHING),
    ],
)
def test_the_nearest_edge_is_found(place: tuple[float, float], found: Pointed) -> None:
    assert near_edge(CORNERS, ROUND, QPointF(*place), (1.0, 1.0)) == found


def test_no_edge_is_nearer_than_the_one_that_is_found() -> None:
    rng = np.random.default_rng(1)
    cities, tour = rng.random((60, 2)), rng.permutation(60).astype(np.int32)
    starts, ends = cities[tour], cities[np.roll(tour, -1)]
    along = np.linspace(0, 1, 2001)[:, None, None]
    for place in rng.random((40, 2)):
        apart = np.linalg.norm(starts + along * (ends - starts) - place, axis=2).min(axis=0)
        found = near_edge(cities, tour, QPointF(*place), (0.01, 0.01))
        assert (found != NOTHING) == (apart.min() <= 6 * 0.01)
        if found != NOTHING:
            edge = int(np.flatnonzero(tour == found.places[0])[0])
            assert found.places[1] == tour[(edge + 1) % 60]
            assert apart[edge] == pytest.approx(apart.min(), abs=1e-3)
