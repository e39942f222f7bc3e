from __future__ import annotations

import re

from PySide6.QtCore import QPoint, QRect, Qt
from pytestqt.qtbot import QtBot

from tests.hands import click, press, settle
from views.frame.main_window import MainWindow
from views.frame.settings import Settings
from views.help.tour import WindowTour


def tour_of(window: MainWindow) -> WindowTour:
    assert window.guidance.tour is not None
    return window.guidance.tour


def test_seven_steps_point_to_parts_and_leave_the_window_as_it_was(window: MainWindow) -> None:
    window.resize(1000, 700)
    window.actions_["panel"].trigger()
    assert not window.setup.isVisible()
    window.actions_["tour"].trigger()
    tour = tour_of(window)
    areas = list[QRect]()
    for place in range(7):
        settle()
        assert tour.place == place
        assert len(re.findall(r"\.(?:\s|$)", tour.sentence.text())) == 1, "one sentence"
        assert tour.rect().contains(tour.bubble.geometry())
        assert not tour.target.isEmpty()
        areas.append(tour.target)
        assert tour.next_button.hasFocus()
        if tour.target.height() < 500:
            assert not tour.bubble.geometry().intersects(tour.target), tour.sentence.text()
        press(tour.next_button, Qt.Key.Key_Return if place % 2 else Qt.Key.Key_Right)
    assert len({area.getRect() for area in areas}) == 7
    assert window.guidance.tour is None
    assert not window.pages.shows_gallery
    assert not window.setup.isVisible()


def test_it_is_left_at_any_moment(qtbot: QtBot, window: MainWindow) -> None:
    starts: list[bool] = []
    window.run.start.connect(lambda: starts.append(True))
    for leave in ("Escape", "elsewhere", "Leave", "Back"):
        window.guidance.begin_tour()
        tour = tour_of(window)
        press(tour.next_button, Qt.Key.Key_Right)
        press(tour.next_button, Qt.Key.Key_P)  # no key of the window does anything
        click(tour.bubble)
        assert window.guidance.tour is tour
        if leave == "Escape":
            press(tour.next_button, Qt.Key.Key_Escape)
        elif leave == "elsewhere":
            click(tour, QPoint(tour.width() - 5, tour.height() - 5))
        elif leave == "Leave":
            click(tour.leave_button)
        else:
            click(tour.back_button)
            assert not tour.back_button.isEnabled()
            press(tour.next_button, Qt.Key.Key_Tab)
            assert tour.leave_button.hasFocus()
            press(tour.leave_button, Qt.Key.Key_Return)
        assert window.guidance.tour is None, leave
        qtbot.waitUntil(lambda: not window.findChildren(WindowTour))
    assert starts == []


def test_it_is_offered_once(window: MainWindow, settings: Settings) -> None:
    window.guidance.offer_tour()
    (button,) = window.banner.offers
    click(button)
    assert window.banner.text == ""
    tour_of(window).leave()
    window.guidance.offer_tour()
    assert window.banner.text == ""
    assert settings.get("toured", False) is True
