from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import Wanted
from tests.hands import move
from tests.views.scenes import show_state, snapshot, uniform
from tests.views.sight import in_sight
from views.plots.pheromone_view import PheromoneView
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
    shades = pheromone.image._shades
    assert shades.shape == state.pheromone.shape
    assert shades[5, 5] == 1  # the initial trail is the lower end of the scale; 0 is no trail
    brightest = np.unravel_index(state.pheromone.argmax(), shades.shape)
    assert shades[brightest] == shades.max() > 220
    middle = math.sqrt(100.0)
    row = np.array([[1.0, middle], [middle, 100.0]], dtype=np.float32)
    show_state(pheromone, dataclasses.replace(state, pheromone=row))
    assert pheromone.image._shades.tolist() == [[1, 128], [128, 255]]


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
        scene = pheromone.box.mapViewToScene(QPointF(11.5, 10.5))
        move(pheromone.graphics.viewport(), pheromone.graphics.mapFromScene(scene))
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
