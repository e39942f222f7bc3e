"""Levels of detail show the strongest trails, whichever rows are in sight."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import TrailTable
from tests.views.scenes import snapshot, uniform
from views.plots import pheromone_view
from views.plots.pheromone_view import PheromoneView
from views.plots.trail_levels import levels_of


def table(n: int, width: int, seed: int) -> TrailTable:
    random = np.random.default_rng(seed)
    tour = random.permutation(n).astype(np.int32)
    others = random.integers(0, n, (n, width), dtype=np.int32)
    return TrailTable(tour, others, random.random((n, width), np.float32) + np.float32(0.5))


@pytest.mark.parametrize("n", [5, 400, 401, 3001])
def test_joined_rows_have_the_strongest_trails(n: int) -> None:
    levels = levels_of(table(n, 3, 1))
    values = levels.table.values
    for first, last, most in [(0, n, 40), (0, n, 300), (n // 3, n // 2 + 1, 7), (n - 1, n, 100)]:
        rows, begin, count = levels.between(first, last, most)
        assert begin <= first < begin + count
        assert begin + len(rows) * count >= last
        assert len(rows) <= most + 1  # the first may begin before what is in sight
        for k, row in enumerate(rows):
            start = begin + k * count
            assert (row == values[start : start + count].max(axis=0)).all()


def test_a_table_without_trails_has_no_levels() -> None:
    empty = table(9, 2, 1)
    nothing = TrailTable(empty.cities, empty.others, np.zeros_like(empty.values))
    assert levels_of(nothing) is None


def test_of_many_trails_the_newest_are_shown_soon(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pheromone_view, "MANY", 100)
    instance = uniform(400)
    view = PheromoneView()
    qtbot.addWidget(view)
    view.show_instance(instance)
    view.show()
    states = [snapshot(instance, number) for number in (1, 2, 3)]
    for state in states:
        view.take_in(state)
        view.draw()
    assert view.table.table is None  # another thread makes the levels
    qtbot.waitUntil(lambda: view.table.table is states[-1].strip)
    assert view.bar.isVisible()
    view.take_in(snapshot(instance, 4))
    view.draw()
    view.begin_run()
    qtbot.wait(50)
    assert view.table.table is None  # what comes after its run is not shown
