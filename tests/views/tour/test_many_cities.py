"""The map of very many cities: drawn in another thread, moved at once."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.window.threads.tasks import NICENESS
from gpu.core.arrays import frozen
from gpu.core.snapshot import RunState
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import RouteOrder, TspInstance
from tests.hands import NONE, click, scroll, settle
from tests.systems import niceness
from tests.views.scenes import in_sight
from views.frame.picture_look import PictureLook
from views.frame.print_picture import PicturedView, as_svg
from views.tour import tour_layers
from views.tour.tour_layers import TourLayer
from views.tour.tour_view import TourView
from views.widgets import layers
from views.widgets.cached_picture import have_made
from views.widgets.layers import MOST_IN_WINDOW
from views.widgets.picture_export import as_image
from views.widgets.steps import finished
from views.widgets.theme import DARK
from views.widgets.view import Pointed

SIDE = 140  # cities along a side of the square
AROUND = np.concatenate(
    [
        row[:: 1 if at % 2 == 0 else -1]
        for at, row in enumerate(np.arange(SIDE**2).reshape(SIDE, -1))
    ]
).astype(np.int32)


def squares() -> TspInstance:
    assert SIDE**2 > MOST_IN_WINDOW
    y, x = np.divmod(np.arange(SIDE**2), SIDE)
    places = np.column_stack((x, y)) * 10.0
    return TspInstance("squares", "", Metric.EUC_2D, places, None, places)


@pytest.fixture
def view(qtbot: QtBot) -> TourView:
    made = TourView()
    made.show_instance(squares())
    made.chips["trails"].setChecked(False)
    made.take_in(RunState(1, 1, 1, 1, 1, 1.0, best_solution=AROUND))
    made.draw_all()
    in_sight(qtbot, made, 500, 500)
    wait_until_drawn(qtbot, made)
    return made


def wait_until_drawn(qtbot: QtBot, view: TourView) -> None:
    def drawn() -> bool:
        view.graphics.grab()
        return all(layer.ready for layer in view.layers.values())

    qtbot.waitUntil(drawn)


def share_of(view: TourView, role: str) -> float:
    """How much of the canvas has nearly this colour."""
    picture = view.graphics.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(picture.constBits(), np.uint8).reshape(-1, 4)[:, 2::-1].astype(int)
    colour = DARK.colour(role)
    wanted = (colour.red(), colour.green(), colour.blue())
    return float((np.abs(pixels - wanted).sum(axis=1) < 60).mean())


def test_the_tour_fills_the_map_and_single_edges_are_seen_from_near(
    qtbot: QtBot, view: TourView
) -> None:
    assert share_of(view, "best") > 0.2
    for _ in range(12):
        scroll(view.graphics.viewport(), 120)
    wait_until_drawn(qtbot, view)
    assert 0.001 < share_of(view, "best") < 0.1  # a few lines, as of any small instance
    view.fit()
    wait_until_drawn(qtbot, view)
    assert share_of(view, "best") > 0.2


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Until this is set, no tour is drawn."""
    go_on = threading.Event()
    draw: Callable[..., None] = layers.draw_path

    def late(*arguments: object) -> None:
        assert threading.current_thread() is not threading.main_thread()
        go_on.wait(20)
        draw(*arguments)

    monkeypatch.setattr("views.tour.tour_layers.draw_path", late)
    return go_on


def test_the_map_moves_before_it_is_drawn_anew(
    qtbot: QtBot, view: TourView, held: threading.Event
) -> None:
    canvas, left = view.graphics.viewport(), Qt.MouseButton.LeftButton
    middle = canvas.rect().center()
    before = share_of(view, "best")
    QTest.mousePress(canvas, left, NONE, middle)
    for step in range(1, 6):
        QTest.mouseMove(canvas, middle + QPoint(20 * step, 0))
    QTest.mouseRelease(canvas, left, NONE, middle + QPoint(100, 0))
    assert view.box.viewRange()[0][0] < -100
    moved = view.graphics.grab().toImage()
    assert not view.layers["best"].ready
    assert moved.pixelColor(20, middle.y()) == moved.pixelColor(2, 2)  # empty now
    assert before / 2 < share_of(view, "best") < before
    for _ in range(8):
        scroll(canvas, -120)  # what comes in sight is shown from the picture of everything
    assert 0 < share_of(view, "best") < before / 2
    held.set()
    wait_until_drawn(qtbot, view)


def test_a_map_that_is_dragged_is_not_searched(
    view: TourView, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas, left = view.graphics.viewport(), Qt.MouseButton.LeftButton
    middle = canvas.rect().center()
    places: list[QPointF] = []
    monkeypatch.setattr(view, "point_at", places.append)
    QTest.mouseMove(canvas, middle)
    assert len(places) == 1
    QTest.mousePress(canvas, left, NONE, middle)
    for step in range(1, 6):
        QTest.mouseMove(canvas, middle + QPoint(20 * step, 0))
    assert len(places) == 1  # the map goes with the mouse, which is where it was
    QTest.mouseRelease(canvas, left, NONE, middle + QPoint(100, 0))
    for step in range(2):
        QTest.mouseMove(canvas, middle + QPoint(step, 0))
    assert len(places) > 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads share one niceness")
def test_pictures_come_after_the_window_and_before_a_colony(qtbot: QtBot) -> None:
    found: list[tuple[int, str]] = []

    def look() -> tuple[int, str]:
        thread = threading.current_thread()
        return niceness(threading.get_native_id()), thread.name

    for _ in range(3):
        have_made(look, found.append)
    qtbot.waitUntil(lambda: len(found) == 3)
    window = niceness(os.getpid())
    assert window < found[0][0] < window + NICENESS
    assert set(found) == {(found[0][0], "pictures")}


def test_of_what_is_asked_for_meanwhile_only_the_last_is_drawn(
    qtbot: QtBot, view: TourView, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    draw_part = TourLayer.draw_part

    def counted(self: TourLayer, *arguments: object) -> None:
        order = arguments[1]
        assert isinstance(order, RouteOrder)
        drawn.append(order.cities)
        draw_part(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(TourLayer, "draw_part", counted)
    tours = [np.roll(AROUND, step) for step in range(1, 7)]
    for tour in tours:
        view.layers["best"].show_part(tour)
        view.graphics.grab()
    held.set()
    wait_until_drawn(qtbot, view)
    assert len(drawn) <= 2  # what was wanted when the thread began, and the last
    assert drawn[-1] is tours[-1]


def test_a_view_may_be_deleted_while_it_is_drawn(qtbot: QtBot, held: threading.Event) -> None:
    view = TourView()
    view.show_instance(squares())
    view.layers["best"].show_part(AROUND)
    view.graphics.grab()
    layer = view.layers["best"]
    view.deleteLater()
    qtbot.waitUntil(lambda: not isValid(layer))
    held.set()
    for thread in threading.enumerate():
        if thread.name == "pictures":
            thread.join(20)
    settle()


def test_a_drawing_that_fails_is_told_and_the_next_one_is_made(
    qtbot: QtBot, view: TourView, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args.exc_type))

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(TourLayer, "draw_part", fail)
        view.layers["best"].show_part(np.roll(AROUND, 1))
        view.graphics.grab()
        qtbot.waitUntil(lambda: told == [ZeroDivisionError])
    view.layers["best"].show_part(np.roll(AROUND, 2))
    view.graphics.grab()
    wait_until_drawn(qtbot, view)
    assert share_of(view, "best") > 0


def test_pictures_for_files_are_sharp_and_drawn_at_once(view: TourView) -> None:
    image = as_image(view, DARK)
    assert image.devicePixelRatio() == 2
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1) & 0xFFFFFF
    orange = pixels == DARK.colour("best").rgb() & 0xFFFFFF
    assert orange.mean() > 0.1
    twins = orange[::2, ::2] == orange[1::2, 1::2]
    assert not twins.all()  # single pixels, not squares of four
    subject = PicturedView(view, "title", DARK)
    assert finished(as_svg(subject, PictureLook())).count(b"<polyline") > 1000
    layers.MOST_LINES, before = 1000, layers.MOST_LINES
    try:
        assert len(finished(as_svg(subject, PictureLook()))) < 300_000
    finally:
        layers.MOST_LINES = before


def test_another_thread_looks_for_what_is_under_the_mouse(
    qtbot: QtBot, view: TourView, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, looks, look = threading.Event(), list[QPointF](), tour_layers.what_is_at

    def late(*arguments: Any) -> Pointed:
        assert threading.current_thread() is not threading.main_thread()
        looks.append(arguments[2])
        assert go_on.wait(20)
        return look(*arguments)

    monkeypatch.setattr("views.tour.tour_view.what_is_at", late)
    asked = [QPointF(at, at) for at in (100.0, 200.0, 300.0, 400.0)]
    for place in asked:
        view.point_at(place)
    go_on.set()
    qtbot.waitUntil(lambda: view.hover.text().endswith("at (400, 400)"))
    assert looks == [asked[0], asked[-1]]  # none in between is of interest any more
    view.point_at(asked[0])
    view.leave()
    view.point_at(asked[1])
    view.show_instance(squares())
    qtbot.waitUntil(lambda: len(looks) == 3)
    have_made(lambda: None, lambda _: looks.append(QPointF()))
    qtbot.waitUntil(lambda: len(looks) == 4)
    assert view.hover.text() == ""  # of what is not in sight any more nothing is said


def test_a_look_that_fails_is_told_and_the_next_one_is_made(
    qtbot: QtBot, view: TourView, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, failed = tour_layers.what_is_at, list[int]()

    def fails_once(*arguments: Any) -> Pointed:
        if not failed:
            failed.append(1)
            raise ArithmeticError("no such place")
        return look(*arguments)

    monkeypatch.setattr("views.tour.tour_view.what_is_at", fails_once)
    with qtbot.captureExceptions() as told:
        view.point_at(QPointF(100.0, 100.0))
        qtbot.waitUntil(lambda: bool(told))
    assert "no such place" in str(told[0][1])
    view.point_at(QPointF(400.0, 400.0))
    qtbot.waitUntil(lambda: view.hover.text().endswith("at (400, 400)"))


def test_a_click_on_one_of_many_cities_is_told(qtbot: QtBot, view: TourView) -> None:
    at = view.graphics.mapFromScene(view.box.mapViewToScene(QPointF(700.0, 700.0)))
    with qtbot.waitSignal(view.city_chosen) as chosen:
        click(view.graphics.viewport(), at)
    assert chosen.args == [70 * SIDE + 70]


def test_the_corners_of_an_instance_are_looked_for_once() -> None:
    places, other = frozen(squares().display), frozen(squares().display)
    low, high = layers.corners(places)
    layers.corners(other)
    assert layers.corners(places)[0] is low
    assert (low.tolist(), high.tolist()) == ([0, 0], [10.0 * (SIDE - 1)] * 2)
