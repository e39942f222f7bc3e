"""Tables of single trails, and their levels."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import TrailTable, Wanted
from tests.hands import click, move, press, scroll
from tests.views.graph_scenes import queens
from tests.views.scenes import show_state, snapshot, uniform
from tests.views.sight import in_sight
from views.plots import pheromone_view
from views.plots.pheromone_view import PheromoneView
from views.plots.trail_table import levels_of


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
    monkeypatch.setattr(pheromone_view, "MANY_TRAILS", 100)
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


INSTANCE = uniform(400)


@pytest.fixture
def pheromone(qtbot: QtBot) -> PheromoneView:
    view = PheromoneView()
    view.show_instance(INSTANCE)
    return in_sight(qtbot, view, 520, 420)


def place_of(view: PheromoneView, row: float, column: float) -> QPoint:
    """The pixel of a row and a column of the axes."""
    plot = view.table
    place: QPoint = plot.widget.mapFromScene(plot.box.mapViewToScene(QPointF(column, row)))
    return place


def test_each_size_has_its_form_until_the_user_chooses_one(
    qtbot: QtBot, pheromone: PheromoneView
) -> None:
    assert pheromone.form == "strip"
    assert Wanted.STRIP in pheromone.wanted
    assert Wanted.PHEROMONE not in pheromone.wanted
    pheromone.show_instance(uniform(80))
    assert pheromone.form == "matrix"
    band = pheromone.forms.buttons["band"]
    with qtbot.waitSignal(pheromone.wanted_changed):
        band.setFocus()
        press(band, Qt.Key.Key_Space)
    assert pheromone.form == pheromone.kept == "band"
    assert Wanted.BAND in pheromone.wanted
    pheromone.show_instance(INSTANCE)
    assert pheromone.form == "band"
    pheromone.keep("strip")
    assert pheromone.forms.value == "strip"
    pheromone.keep("no such form")  # the file of settings is wrong
    assert pheromone.form == "strip"
    pheromone.show_instance(queens(5))  # no candidates there, and no tour
    assert pheromone.form == "matrix"
    assert not pheromone.forms.isVisible()


def test_the_mouse_reads_single_trails_of_both_tables(
    qtbot: QtBot, pheromone: PheromoneView
) -> None:
    def wait_for(row: float, column: float, text: str) -> None:
        def reads() -> bool:  # at the first attempts the parts may not have their places yet
            move(view, place_of(pheromone, row, column))
            return text in pheromone.reading.text()

        qtbot.waitUntil(reads)

    state = snapshot(INSTANCE, 10)
    show_state(pheromone, state)
    assert pheromone.table.isVisible()
    view = pheromone.table.widget.viewport()
    for _ in range(21):
        scroll(view, 120)
    rows = pheromone.table.box.viewRange()[1]
    assert 4 <= rows[1] - rows[0] < 12
    assert pheromone.table.box.viewRange()[0] == [0.5, 10.5]  # all candidates stay in sight
    row = round(sum(rows) / 2)
    city = state.best_solution[row]
    texts = pheromone.table.axes["left"].tickStrings([float(row), -1.0], 1.0, 1.0)
    assert texts == [str(city + 1), ""]
    other, trail = state.strip.others[row, 2], state.strip.values[row, 2]
    wait_for(row, 3, f"city {city + 1} → city {other + 1}")
    assert f"{trail:.3g}"[:3] in pheromone.reading.text()
    assert "rank 3 of 10" in pheromone.reading.text()
    click(pheromone.forms.buttons["band"])
    for _ in range(21):
        scroll(view, 120)
    row = round(sum(pheromone.table.box.viewRange()[1]) / 2)
    city, other = state.best_solution[row], state.best_solution[row - 2]
    wait_for(row, -2, f"city {city + 1} → city {other + 1}")
    assert "2 behind on the best tour" in pheromone.reading.text()
    wait_for(row, 0, "itself")


def test_one_strong_trail_among_a_hundred_thousand_cities_is_seen(
    qtbot: QtBot, pheromone: PheromoneView
) -> None:
    n = 100_000
    cities = np.arange(n, dtype=np.int32)
    values = np.ones((n, 8), np.float32)
    values[76_543, 2] = 500.0
    others = ((cities[:, None] + np.arange(1, 9)) % n).astype(np.int32)
    state = dataclasses.replace(
        snapshot(INSTANCE, 3), strip=TrailTable(cities, others, values), best_solution=cities
    )
    pheromone.show_instance(uniform(n, known=False))
    show_state(pheromone, state)

    def colour(row: int) -> QColor:
        picture = pheromone.table.widget.grab().toImage()
        return QColor(picture.pixel(place_of(pheromone, row, 3)))

    # Viridis ends in yellow. At the first attempts the parts may not have their places yet.
    near = range(76_543 - n // 300, 76_543 + n // 300, n // 600)
    qtbot.waitUntil(lambda: max(colour(row).red() for row in near) > 180)
    assert colour(76_543 - n // 20).red() < 100
