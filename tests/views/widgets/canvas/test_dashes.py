from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from views.widgets.layers import dashed, dashed_lines

WIDE = QRectF(-1e6, -1e6, 2e6, 2e6)


def test_dashes_cover_their_share_of_the_path_and_go_around_corners() -> None:
    corners = np.array([[0.0, 0.0], [90.0, 0.0], [90.0, 90.0], [0.0, 90.0]])
    pieces = dashed(corners, WIDE, on=5, off=4)
    lengths = np.hypot(pieces[:, 2] - pieces[:, 0], pieces[:, 3] - pieces[:, 1])
    assert lengths.sum() == pytest.approx(270 * 5 / 9)
    assert lengths.max() <= 5 + 1e-9
    on_path = (pieces[:, 1] == 0) | (pieces[:, 0] == 90) | (pieces[:, 1] == 90)
    assert on_path.all()


def test_a_dash_is_bent_at_a_corner() -> None:
    corners = np.array([[0.0, 0.0], [11.0, 0.0], [11.0, 50.0]])
    np.testing.assert_allclose(
        dashed(corners, WIDE, on=5, off=4)[:4],
        [[0, 0, 5, 0], [9, 0, 11, 0], [11, 0, 11, 3], [11, 7, 11, 12]],
    )


def test_dashed_lines_begin_and_end_with_a_dash() -> None:
    lines = np.array([[0.0, 0.0, 41.0, 0.0], [7.0, 7.0, 7.0, 8.0], [3.0, 3.0, 3.0, 3.0]])
    pieces = dashed_lines(lines, WIDE, on=5, off=4)
    np.testing.assert_allclose(pieces[:5, 0], [0, 9, 18, 27, 36])
    np.testing.assert_allclose(pieces[:5, 2], [5, 14, 23, 32, 41])
    np.testing.assert_allclose(pieces[5:], lines[1:2])  # and none on a line of no length
    assert dashed_lines(np.empty((0, 4)), WIDE).shape == (0, 4)


def test_dashes_stay_where_they_are_if_less_is_seen() -> None:
    """What is in sight has the same dashes whether more is seen or not."""
    path = np.random.default_rng(3).uniform(0, 300, (40, 2))
    separate = np.hstack([path[:-1], path[1:]])
    sight = QRectF(100, 80, 90, 120)
    for all_of_them, seen in (
        (dashed(path, WIDE), dashed(path, sight)),
        (dashed_lines(separate, WIDE), dashed_lines(separate, sight)),
    ):
        x, y = all_of_them[:, 0::2], all_of_them[:, 1::2]
        inside = ((x > 100) & (x < 190) & (y > 80) & (y < 200)).all(axis=1)
        shown = np.array([np.abs(seen - dash).max(axis=1).min() < 1e-6 for dash in all_of_them])
        assert inside.any()
        assert (shown == inside).all()
        assert seen[:, 0::2].min() > 99.9
        assert seen[:, 0::2].max() < 190.1
        assert len(seen) < len(all_of_them)


def test_the_longest_lines_have_as_many_dashes_as_there_is_room_for() -> None:
    """Zoomed in, an edge can be longer than memory has room for its dashes."""
    sight = QRectF(0, 0, 900, 600)
    path = np.array([[-3e13, -2e13], [3e13 + 900, 2e13 + 600], [1e13, 2e13], [450.0, 300.0]])
    for pieces in (
        dashed(path, sight),
        dashed_lines(np.hstack([path[:-1], path[1:]]), sight),
    ):
        assert 100 < len(pieces) < 2 * (900 + 600) / 9
