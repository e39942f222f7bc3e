"""Where routes begin and end: in the panel, and with a right click on a city."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QCompleter
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.problems.bundled import bundled
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.routes.route_instance import RouteInstance
from tests.app.in_window import GRID, limit, log_of, open_, run_to_the_end, state, use_colony
from tests.colonies import RandomColony
from tests.hands import NONE, choose, click, press, write
from tests.views.scenes import pixel_of
from views.tour.route_menu import RouteMenu
from views.tour.stops_view import StopsView
from views.tour.tour_view import TourView

QUEENS_FILE = next(one.path for one in bundled() if one.name == "queens-49")


def route(application: Application) -> RouteInstance:
    instance = application.instance.value
    assert isinstance(instance, RouteInstance)
    return instance


def test_start_and_end_are_chosen_in_the_panel(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = application.window.setup.instance.route
    assert not row.isVisible()
    open_(qtbot, application, GRID)
    assert row.isVisible()
    assert row.returns.isChecked()
    with qtbot.waitSignal(application.files.ready):
        choose(row.start, "12")
    assert (route(application).start, route(application).closed) == (11, True)
    with qtbot.waitSignal(application.files.ready):
        click(row.returns)
    assert not route(application).closed
    with qtbot.waitSignal(application.files.ready):
        write(row.end.lineEdit(), "40")
        press(row.end.lineEdit(), Qt.Key.Key_Return)
    assert (route(application).start, route(application).end) == (11, 39)
    assert not row.returns.isEnabled()
    write(row.end.lineEdit(), "Nowhere")
    press(row.end.lineEdit(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "no city 'Nowhere'" in application.window.banner.text)
    assert row.end.currentText() == "40"

    use_colony(application, monkeypatch, RandomColony)
    limit(application, iterations=2)
    run_to_the_end(qtbot, application)
    window, instance = application.window, route(application)
    window.dashboard.show_view("stops")
    stops = window.view(StopsView)
    between = [city for city in range(instance.real_n) if city not in (11, 39)]
    tour = instance.tour_of(np.array([11, *between, 39]))  # random ones are no routes
    window.show_snapshot(dataclasses.replace(state(application), best_solution=tour))
    window.dashboard.queue.finish()
    assert [stops.table.texts(at)[1] for at in (0, 99)] == ["12", "40"]
    assert len(stops.table.content.rows) == 100
    assert stops.summary.text().endswith("without a way back")
    log = log_of(application)
    open_(qtbot, application, QUEENS_FILE)
    assert not row.isVisible()
    open_(qtbot, application, log)  # what was wanted is kept with the run
    assert (route(application).start, route(application).end) == (11, 39)
    assert (row.start.currentText(), row.end.currentText()) == ("12", "40")


def test_a_right_click_on_a_city_offers_the_same(qtbot: QtBot, application: Application) -> None:
    open_(qtbot, application, GRID)
    view = application.window.view(TourView)
    shown_first = application.instance.value
    assert isinstance(shown_first, TspInstance)
    place = shown_first.display[6]

    def menu() -> RouteMenu:
        at = pixel_of(view, *place.tolist())
        QTest.mouseClick(view.graphics.viewport(), Qt.MouseButton.RightButton, NONE, at)
        found = application.window.findChildren(RouteMenu)[-1]
        assert found.isVisible()
        return found

    def press_entry(text: str) -> None:
        shown = menu()
        action = next(one for one in shown.actions() if one.text().startswith(text))
        corner = shown.actionGeometry(action).center()
        with qtbot.waitSignal(application.files.ready):
            click(shown, QPoint(corner.x(), corner.y()))
        qtbot.waitUntil(lambda: not application.window.findChildren(RouteMenu))

    press_entry("Start at 7")
    assert (route(application).start, route(application).closed) == (6, True)
    press_entry("Do not return")
    assert (route(application).start, route(application).closed) == (6, False)
    press_entry("End at 7")
    assert (route(application).start, route(application).end) == (None, 6)
    press_entry("Any start, and return")
    assert not isinstance(application.instance.value, RouteInstance)


def test_a_click_on_the_start_lists_the_cities(qtbot: QtBot, application: Application) -> None:
    open_(qtbot, application, GRID)
    row = application.window.setup.instance.route
    click(row.start.line)
    assert len(row.start.findChildren(QCompleter)) == 1  # each instance that was shown left one
    popup = popup_of(row.start)
    qtbot.waitUntil(popup.isVisible)
    assert popup_texts(popup)[:3] == ["anywhere", "1", "2"]
    with qtbot.waitSignal(application.files.ready):
        click(popup.viewport(), popup.visualRect(popup.model().index(2, 0)).center())
    assert route(application).start == 1
    assert row.start.text == "2"
    click(row.start.line)  # what is typed now finds cities
    QTest.keyClicks(row.start.line, "99")
    qtbot.waitUntil(lambda: popup_texts(popup_of(row.start)) == ["99"])
    with qtbot.waitSignal(application.files.ready):
        press(row.start.line, Qt.Key.Key_Return)
    assert route(application).start == 98


def popup_of(box: QComboBox) -> QAbstractItemView:
    completer = box.completer()
    assert completer is not None
    popup = completer.popup()
    assert popup is not None
    return popup


def popup_texts(popup: QAbstractItemView) -> list[str]:
    return [popup.model().index(at, 0).data() for at in range(popup.model().rowCount())]
