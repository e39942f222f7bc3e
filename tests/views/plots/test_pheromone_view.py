"""The pheromone: matrix, strip and band."""

from __future__ import annotations

import dataclasses
import math
import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import TrailTable, Wanted
from tests.graphs import queens
from tests.hands import click, move, press, scroll, settle
from tests.views.scenes import in_sight, pixel_of, show_state, snapshot, uniform
from views.plots import pheromone_view
from views.plots.pheromone_view import PheromoneView
from views.plots.trail_table import levels_of
from views.problem_display import display_of
from views.widgets.graphics import take_sizes
from views.widgets.picture_export import make_due_layouts

INSTANCE = uniform(80)


@pytest.fixture
def pheromone(qtbot: QtBot) -> PheromoneView:
    view = PheromoneView()
    view.show_instance(INSTANCE)
    return in_sight(qtbot, view, 420, 420)


def test_the_picture_is_logarithmic_with_a_legend(pheromone: PheromoneView) -> None:
    assert not pheromone.bar.isVisible()
    state = snapshot(INSTANCE, 10)
    show_state(pheromone, state)
    assert pheromone.bar.isVisible()
    shades = pheromone.image.shades
    assert shades.shape == state.pheromone.shape
    assert shades[5, 5] == 1  # the initial trail is the lower end of the scale; 0 is no trail
    brightest = np.unravel_index(state.pheromone.argmax(), shades.shape)
    assert shades[brightest] == shades.max() > 220
    middle = math.sqrt(100.0)
    row = np.array([[1.0, middle], [middle, 100.0]], dtype=np.float32)
    show_state(pheromone, dataclasses.replace(state, pheromone=row))
    assert pheromone.image.shades.tolist() == [[1, 128], [128, 255]]


def test_shown_small_the_brightest_pixel_of_each_square_survives(pheromone: PheromoneView) -> None:
    shades = np.ones((512, 512), dtype=np.float32)
    shades[100, 300] = 1000.0
    show_state(pheromone, dataclasses.replace(snapshot(INSTANCE, 3), pheromone=shades))
    picture = pheromone.graphics.grab().toImage()
    top = max(
        (picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())),
        key=lambda colour: colour.red() + colour.green(),
    )
    assert top.red() > 180  # viridis ends in yellow, and its lower half has next to no red
    assert top.green() > 180


def test_before_the_first_iteration_there_are_no_trails_to_show(pheromone: PheromoneView) -> None:
    show_state(pheromone, dataclasses.replace(snapshot(INSTANCE, 1), iteration=0))
    assert not pheromone.bar.isVisible()
    hint = pheromone.hint
    assert hint.isVisible()
    assert "appear here" in hint.text()
    pheromone.resize(200, 220)
    take_sizes(pheromone)
    assert hint.width() == pheromone.graphics.width()
    assert hint.wordWrap()
    assert hint.heightForWidth(hint.width()) <= hint.height()
    show_state(pheromone, snapshot(INSTANCE, 2))
    assert not hint.isVisible()


def test_the_caption_names_a_selective_memory(pheromone: PheromoneView) -> None:
    pheromone.show_memory(8)
    show_state(pheromone, snapshot(INSTANCE, 10, memory=True))
    assert "Selective memory, s = 8" in pheromone.caption.text()
    pheromone.show_memory(0)
    assert "memory" not in pheromone.caption.text()
    pheromone.show_instance(uniform(2000))
    pheromone.forms.buttons["matrix"].click()
    show_state(pheromone, snapshot(uniform(2000), 10))
    assert "4² trails a pixel" in pheromone.caption.text()
    assert Wanted.PHEROMONE in pheromone.wanted


def test_the_mouse_reads_a_trail(qtbot: QtBot, pheromone: PheromoneView) -> None:
    state = snapshot(INSTANCE, 10)
    show_state(pheromone, state)
    start, end = state.best_solution[10] + 1, state.best_solution[11] + 1

    def reads() -> bool:  # at the first attempts the parts may not have their places yet
        place = pixel_of(pheromone, 11.5, 10.5)
        move(pheromone.graphics.viewport(), place)
        return f"city {start} → city {end}" in pheromone.reading.text()

    qtbot.waitUntil(reads)


def test_the_caption_is_below_the_forms_where_it_has_no_room_beside_them(
    pheromone: PheromoneView,
) -> None:
    pheromone.keep("strip")
    show_state(pheromone, snapshot(INSTANCE, 10))
    caption, forms = pheromone.caption, pheromone.forms
    words = caption.fontMetrics().horizontalAdvance(caption.text())
    narrow = forms.sizeHint().width() + words // 2 + pheromone.fit_button.sizeHint().width()
    for width in (narrow + words, narrow, narrow + words):
        pheromone.resize(width, 260)
        make_due_layouts(pheromone)
        assert (caption.x() > forms.geometry().right()) == (width > narrow)
        assert (caption.y() > forms.geometry().bottom()) == (width == narrow)
        assert caption.heightForWidth(caption.width()) < 2 * caption.fontMetrics().height()


def test_rows_are_named_in_the_order_of_the_ants_best_tour(pheromone: PheromoneView) -> None:
    """The run's best may be a shorter tour, with which it began; or the order may be unknown."""
    state = snapshot(INSTANCE, 10)
    best = np.arange(INSTANCE.n, dtype=np.int32)
    ants = np.roll(best[::-1], 3)
    show_state(pheromone, dataclasses.replace(state, best_solution=best, ants_best=ants))
    names = [display_of(INSTANCE).name_of(INSTANCE, int(city)) for city in ants[[2, 7]]]
    assert pheromone.read(2, 7).startswith(f"{names[0]} → {names[1]}:")
    show_state(pheromone, dataclasses.replace(state, best_solution=best, ants_best=None))
    assert pheromone.read(2, 7).startswith("strongest in this square:")


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
    qtbot.waitUntil(lambda: all(one.name != "pictures" for one in threading.enumerate()))
    settle()
    assert view.table.table is None  # what comes after its run is not shown


LARGE = uniform(400)


@pytest.fixture
def large_view(qtbot: QtBot) -> PheromoneView:
    view = PheromoneView()
    view.show_instance(LARGE)
    return in_sight(qtbot, view, 520, 420)


def test_each_size_has_its_form_until_the_user_chooses_one(
    qtbot: QtBot, large_view: PheromoneView
) -> None:
    assert large_view.form == "strip"
    assert Wanted.STRIP in large_view.wanted
    assert Wanted.PHEROMONE not in large_view.wanted
    large_view.show_instance(uniform(80))
    assert large_view.form == "matrix"
    band = large_view.forms.buttons["band"]
    with qtbot.waitSignal(large_view.wanted_changed):
        band.setFocus()
        press(band, Qt.Key.Key_Space)
    assert large_view.form == large_view.kept == "band"
    assert Wanted.BAND in large_view.wanted
    large_view.show_instance(LARGE)
    assert large_view.form == "band"
    large_view.keep("strip")
    assert large_view.forms.value == "strip"
    large_view.keep("no such form")  # the file of settings is wrong
    assert large_view.form == "strip"
    large_view.show_instance(queens(5))  # no candidates there, and no tour
    assert large_view.form == "matrix"
    assert not large_view.forms.isVisible()


def test_the_mouse_reads_single_trails_of_both_tables(
    qtbot: QtBot, large_view: PheromoneView
) -> None:
    def wait_for(row: float, column: float, text: str) -> None:
        def reads() -> bool:  # at the first attempts the parts may not have their places yet
            move(view, pixel_of(large_view.table, column, row))
            return text in large_view.reading.text()

        qtbot.waitUntil(reads)

    state = snapshot(LARGE, 10)
    show_state(large_view, state)
    assert large_view.table.isVisible()
    view = large_view.table.widget.viewport()
    for _ in range(21):
        scroll(view, 120)
    rows = large_view.table.box.viewRange()[1]
    assert 4 <= rows[1] - rows[0] < 12
    assert large_view.table.box.viewRange()[0] == [0.5, 10.5]  # all candidates stay in sight
    row = round(sum(rows) / 2)
    city = state.best_solution[row]
    texts = large_view.table.axes["left"].tickStrings([float(row), -1.0], 1.0, 1.0)
    assert texts == [str(city + 1), ""]
    other, trail = state.strip.others[row, 2], state.strip.values[row, 2]
    wait_for(row, 3, f"city {city + 1} → city {other + 1}")
    assert f"{trail:.3g}"[:3] in large_view.reading.text()
    assert "rank 3 of 10" in large_view.reading.text()
    click(large_view.forms.buttons["band"])
    for _ in range(21):
        scroll(view, 120)
    row = round(sum(large_view.table.box.viewRange()[1]) / 2)
    city, other = state.best_solution[row], state.best_solution[row - 2]
    wait_for(row, -2, f"city {city + 1} → city {other + 1}")
    assert "2 behind on the best tour" in large_view.reading.text()
    wait_for(row, 0, "itself")


def test_one_strong_trail_among_a_hundred_thousand_cities_is_seen(
    qtbot: QtBot, large_view: PheromoneView
) -> None:
    n = 100_000
    cities = np.arange(n, dtype=np.int32)
    values = np.ones((n, 8), np.float32)
    values[76_543, 2] = 500.0
    others = ((cities[:, None] + np.arange(1, 9)) % n).astype(np.int32)
    state = dataclasses.replace(
        snapshot(LARGE, 3), strip=TrailTable(cities, others, values), best_solution=cities
    )
    large_view.show_instance(uniform(n, known=False))
    show_state(large_view, state)

    def colour(row: int) -> QColor:
        picture = large_view.table.widget.grab().toImage()
        return QColor(picture.pixel(pixel_of(large_view.table, 3, row)))

    # Viridis ends in yellow. At the first attempts the parts may not have their places yet.
    near = range(76_543 - n // 300, 76_543 + n // 300, n // 600)
    qtbot.waitUntil(lambda: max(colour(row).red() for row in near) > 180)
    assert colour(76_543 - n // 20).red() < 100


def test_why_there_are_no_trails_is_said_and_what_ants_do_not_do_with_them(
    pheromone: PheromoneView,
) -> None:
    assert pheromone.hint.text() == "The trails appear here as soon as a colony lays them."
    state = dataclasses.replace(snapshot(INSTANCE, 10), trails_note="Nobody lays any")
    show_state(pheromone, dataclasses.replace(state, pheromone=None, strip=None, band=None))
    assert pheromone.hint.isVisible()
    assert pheromone.hint.text() == "Nobody lays any."
    show_state(pheromone, dataclasses.replace(state, trails_note="Ants do not read them"))
    assert not pheromone.hint.isVisible()
    assert pheromone.caption.text().endswith("  ·  Ants do not read them")
    show_state(pheromone, snapshot(INSTANCE, 11))
    assert "Ants do not read them" not in pheromone.caption.text()


def test_trails_that_are_all_equal_are_told(pheromone: PheromoneView) -> None:
    state = snapshot(INSTANCE, 10)
    show_state(pheromone, dataclasses.replace(state, pheromone=np.ones_like(state.pheromone)))
    assert pheromone.caption.text().endswith("  ·  All trails are equal now")
    show_state(pheromone, state)
    assert "equal" not in pheromone.caption.text()
