"""A speaker's keys: what is shown, which view comes next, a black screen, and the way back."""

from __future__ import annotations

from collections import deque

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpu.core.problem import Problem
from tests.hands import choose, click, press
from views.frame.activity import Activity
from views.frame.main_window import MainWindow
from views.frame.presentation import PresentationDialog
from views.frame.settings import Settings
from views.tour.tour_view import TourView

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.mark.parametrize("keys", [["tour"], []])
@pytest.mark.parametrize("taken", [1, 2, 3])
@pytest.mark.parametrize("problem", [Problem.COLORING, Problem.TSP])
def test_another_problem_may_come_between_the_steps_of_a_presentation(
    window: MainWindow, keys: list[str], taken: int, problem: Problem
) -> None:
    dashboard = window.dashboard
    if not keys:  # all views come back
        dashboard.pick(["log", "tour"])
    steps = dashboard.pick_steps(keys)
    for _ in range(taken):
        next(steps)
    dashboard.arrange(problem)
    deque(steps, maxlen=0)
    dashboard.pick([])
    assert not dashboard.picks
    assert dashboard.whole
    assert all(len(pane.views) > 1 for pane in dashboard.panes)
    assert set(dashboard.views) == {view.key for pane in dashboard.panes for view in pane.views}
    assert dashboard.tabs[problem] == [pane.place for pane in dashboard.panes]


def test_a_step_by_step_change_that_was_given_up_is_made_good(window: MainWindow) -> None:
    dashboard, before = window.dashboard, window.dashboard.in_front
    next(dashboard.pick_steps(["log"]))
    assert dashboard.picks == ["log"]
    window.presentation.show_picked()
    assert dashboard.whole
    assert dashboard.in_front == before


def test_what_escape_does_is_not_said_any_longer_than_it_is_true(window: MainWindow) -> None:
    press(window, Qt.Key.Key_F11)
    assert "Esc ends the presentation" in window.banner.text
    press(window, Qt.Key.Key_Escape)
    assert window.banner.text == ""
    press(window, Qt.Key.Key_F11)
    window.tell("Something else")
    press(window, Qt.Key.Key_Escape)
    assert window.banner.text == "Something else"


def test_a_view_is_picked_still_that_had_another_name(
    window: MainWindow, settings: Settings
) -> None:
    settings.put({"present-tsp": ["coloring-decision", "log", "gone"]})
    assert window.presentation.picked == ["decision", "log"]


def test_a_race_is_presented_alone(window: MainWindow) -> None:
    dashboard = window.dashboard
    press(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert dashboard.in_front[0] == "race"
    assert len(dashboard.in_front) > 1
    press(window, Qt.Key.Key_F11)
    window.paint_now()
    assert dashboard.in_front == ["race"]
    assert [pane.isVisible() for pane in dashboard.panes] == [True, False, False]
    press(window, Qt.Key.Key_Escape)
    window.paint_now()
    assert len(dashboard.in_front) > 1


def test_only_what_was_picked_is_shown(window: MainWindow, settings: Settings) -> None:
    dashboard, presentation = window.dashboard, window.presentation
    presentation.paged.connect(presentation.turn)
    before = dashboard.in_front
    plain = window.theme
    press(window, Qt.Key.Key_PageDown)  # there is nothing to turn yet
    assert dashboard.in_front == before
    press(window, Qt.Key.Key_F5, SHIFT)
    assert window.isFullScreen()
    assert (window.theme.contrast, window.theme.strokes > plain.strokes) == (True, True)
    assert dashboard.in_front == before == ["tour", "convergence", "pheromone"]
    press(window, Qt.Key.Key_V)
    dialog = window.findChild(PresentationDialog)
    choose(dialog.places[2], "Nothing")
    choose(dialog.places[1], "Log")
    assert [one.isChecked() for one in dialog.parts.values()] == [True, False, False]
    click(dialog.parts["buttons"])
    assert window.run_bar.isVisible()
    click(dialog.parts["buttons"])
    click(dialog.close_button)
    assert dashboard.in_front == ["tour", "log"]
    assert [pane.isVisible() for pane in dashboard.panes] == [True, True, False]
    assert not window.run_bar.isVisible()
    assert window.readout.isVisible()
    window.activateWindow()
    press(window, Qt.Key.Key_PageDown)
    assert dashboard.in_front == ["decision", "log"]
    press(window, Qt.Key.Key_Period)
    assert presentation.black.isVisible()
    assert presentation.black.size() == window.size()
    press(window, Qt.Key.Key_PageUp)  # first shows the window again
    assert not presentation.black.isVisible()
    press(window, Qt.Key.Key_PageUp)
    assert dashboard.in_front == ["tour", "log"]
    press(window, Qt.Key.Key_5)  # a view that was not picked takes the first place
    assert dashboard.in_front == ["hit-rates", "log"]
    press(window, Qt.Key.Key_0)  # one that was picked changes places with it
    assert dashboard.in_front == ["log", "hit-rates"]
    press(window, Qt.Key.Key_0)
    assert dashboard.in_front == ["log", "hit-rates"]
    press(window, Qt.Key.Key_B)
    press(window, Qt.Key.Key_Escape)
    window.paint_now()
    assert not window.isFullScreen()
    assert not presentation.black.isVisible()
    assert dashboard.in_front == before
    assert [len(pane.views) for pane in dashboard.panes] == [5, 4, 4]
    assert window.run_bar.isVisible()
    assert window.theme == plain
    assert settings.get("present-tsp", [""]) == ["tour", "log"]  # a view in passing is not kept


@pytest.mark.parametrize("size", [(1024, 768), (800, 600)])
def test_the_text_of_a_script_is_in_sight_on_a_small_screen(
    window: MainWindow, size: tuple[int, int]
) -> None:
    presentation, caption = window.presentation, window.presentation.caption
    presentation.begin()
    window.paint_now()
    presentation.pick(["tour"])
    window.setWindowState(Qt.WindowState.WindowNoState)
    window.resize(*size)
    presentation.say("Ten ants have built a tour each. " * 4)
    QApplication.sendPostedEvents()
    assert caption.isVisible()
    assert caption.visibleRegion().boundingRect().size() == caption.size()
    assert window.view(TourView).visibleRegion().boundingRect().height() > size[1] // 4
    press(window, Qt.Key.Key_Escape)


def test_what_is_hidden_as_a_presentation_begins_has_its_large_type_later(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.pages.show_gallery()
    tabs = window.dashboard.panes[0].tabs.tabBar()
    large = window.theme.presented.font().pointSizeF()
    assert tabs.font().pointSizeF() < large
    window.presentation.begin()
    qtbot.waitUntil(lambda: tabs.font().pointSizeF() == large)
    window.pages.show_views()
    view = window.view(TourView)
    qtbot.waitUntil(lambda: view.font().pointSizeF() == large)
    assert tabs.font().pointSizeF() == large
    press(window, Qt.Key.Key_Escape)


def test_escape_leaves_a_full_screen_of_the_desktop_and_stops_no_run(window: MainWindow) -> None:
    window.show_activity(Activity.RUNNING)
    stopped: list[bool] = []
    window.run.stop.connect(lambda: stopped.append(True))
    window.showFullScreen()
    press(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert not stopped
    assert not window.presentation.goes_on
    press(window, Qt.Key.Key_Escape)
    assert not stopped
