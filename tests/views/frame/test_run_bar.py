from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpu.core.formats import duration
from gpu.core.machine.compiling import Compiled
from tests.hands import NONE, click, press, write
from tests.views.scenes import cut_texts
from views.frame.activity import Activity
from views.frame.main_window import MainWindow
from views.tour.tour_view import TourView
from views.widgets.picture_export import make_due_layouts
from views.widgets.theme import LIGHT


def test_space_starts_pauses_and_resumes(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.run.start):
        press(window, Qt.Key.Key_Space)
    window.show_activity(Activity.RUNNING)
    with qtbot.waitSignal(window.run.pause):
        press(window, Qt.Key.Key_Space)
    window.show_activity(Activity.PAUSED)
    assert window.run_bar.pause.text() == "Resume"
    with qtbot.waitSignal(window.run.resume):
        press(window, Qt.Key.Key_Space)


def test_space_is_left_to_a_focused_button(qtbot: QtBot, window: MainWindow) -> None:
    chip = window.view(TourView).chips["trails"]
    chip.setFocus()
    with qtbot.assertNotEmitted(window.run.start):
        press(chip, Qt.Key.Key_Space)
    assert not chip.isChecked()


def test_buttons_and_keys_ask_for_the_same(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.run.start):
        click(window.run_bar.start)
    window.show_activity(Activity.RUNNING)
    control = Qt.KeyboardModifier.ControlModifier
    for signal, button, key, modifier in (
        (window.run.pause, window.run_bar.pause, Qt.Key.Key_P, NONE),
        (window.run.step, window.run_bar.step, Qt.Key.Key_N, NONE),
        (window.run.stop, window.run_bar.stop, Qt.Key.Key_Period, control),
    ):
        with qtbot.waitSignal(signal):
            click(button)
        with qtbot.waitSignal(signal):
            press(window, key, modifier)


def test_only_what_is_possible_can_be_pressed(window: MainWindow) -> None:
    buttons = {name: getattr(window.run_bar, name) for name in ("start", "pause", "step", "stop")}
    for activity, enabled in (
        (Activity.IDLE, {"start", "step"}),
        (Activity.BUILDING, {"pause", "stop"}),
        (Activity.BUILDING_TO_PAUSE, {"pause", "stop"}),
        (Activity.RUNNING, {"pause", "step", "stop"}),
        (Activity.PAUSED, {"pause", "step", "stop"}),
        (Activity.STOPPING, set()),
    ):
        window.show_activity(activity)
        assert {name for name, button in buttons.items() if button.isEnabled()} == enabled, activity


def test_a_wrong_value_or_a_measurement_disables_start_and_says_why(window: MainWindow) -> None:
    write(window.setup.parameters.fields["rho"].entry, "7")
    assert not window.run_bar.start.isEnabled()
    assert "rho = 7 must be in (0, 1]" in window.run_bar.start.toolTip()
    assert "rho = 7" in window.run_bar.state.text()
    press(window, Qt.Key.Key_Space)  # and does nothing
    write(window.setup.parameters.fields["rho"].entry, "0.1")
    assert window.run_bar.start.isEnabled()
    window.block("measurement", "A measurement is going on")
    assert not window.run_bar.start.isEnabled()
    assert window.problem == "A measurement is going on"
    window.block("measurement", "")
    assert window.run_bar.start.isEnabled()


def test_progress_time_and_time_left(window: MainWindow) -> None:
    window.show_activity(Activity.RUNNING)
    window.run_bar.show_progress(0.25, 90.0)
    assert window.run_bar.progress.value() == 250
    assert window.run_bar.left.text() == "25 %, 1:30 left"
    window.run_bar.show_progress(None, None)
    assert window.run_bar.left.text() == "no limit"
    window.run_bar.show_progress(0.05, 57.0)
    window.show_activity(Activity.IDLE)
    window.block("measurement", "A measurement is going on")
    assert (window.run_bar.progress.value(), window.run_bar.left.text()) == (0, "")
    window.readout.show_elapsed(75.0)
    assert window.readout.values["elapsed"].text() == "1:15"


def test_why_a_colony_is_not_built_at_once(qtbot: QtBot, window: MainWindow) -> None:
    bar = window.run_bar
    (soon,) = bar.findChildren(QTimer)
    soon.setInterval(0)
    window.show_activity(Activity.BUILDING)
    bar.show_progress(0.0, None)
    assert bar.left.text() == ""
    assert bar.why_long.isHidden()
    qtbot.waitUntil(bar.why_long.isVisible)
    assert "a while" in bar.why_long.text()
    window.show_activity(Activity.RUNNING)
    assert bar.why_long.isHidden()
    window.show_activity(Activity.BUILDING)
    window.show_activity(Activity.IDLE)
    assert not soon.isActive()
    assert bar.why_long.isHidden()


def test_how_much_of_a_colony_is_compiled_is_the_one_share_that_is_shown(
    window: MainWindow,
) -> None:
    bar = window.run_bar
    for activity in (Activity.IDLE, Activity.BUILDING):
        window.show_activity(activity)
        bar.show_compiling(Compiled(42, 73))
        assert bar.why_long.isVisible()
        assert bar.why_long.text() == "57 % compiled, for the first time"
        assert (bar.busy.value(), bar.busy.maximum()) == (42, 73)
    window.show_activity(Activity.RUNNING)  # which shows how much of the run is done
    assert bar.why_long.isHidden()
    window.show_activity(Activity.BUILDING)
    assert bar.why_long.isVisible()
    bar.show_compiling(None)
    assert bar.why_long.isHidden()
    assert bar.busy.maximum() == 0  # nobody knows how far it is
    window.show_activity(Activity.STOPPING)
    bar.show_progress(0.0, None)
    assert bar.left.isVisible()
    bar.show_compiling(Compiled(56, 73))
    assert not bar.left.isVisible()
    assert not bar.progress.isVisible()
    assert bar.busy.isVisible()
    assert "76 %" in bar.why_long.text()
    bar.show_compiling(Compiled(56, 73, 14.2))
    assert bar.why_long.text() == f"76 % compiled, which took {duration(14.2)} last time"
    bar.show_compiling(None)
    assert bar.progress.isVisible()
    assert bar.left.isVisible()


def test_a_presentation_on_a_small_screen_has_buttons_without_texts(window: MainWindow) -> None:
    window.setMinimumWidth(1)  # a screen may have less than that
    window.presentation.show_part("buttons", shown=True)
    window.actions_["present"].trigger()
    window.paint_now()
    window.setWindowState(Qt.WindowState.WindowNoState)
    bar = window.run_bar
    for width, style in (
        (800, Qt.ToolButtonStyle.ToolButtonIconOnly),
        (1280, Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
    ):
        window.resize(width, 800)
        make_due_layouts(bar)
        for button in (bar.start, bar.pause, bar.step, bar.stop):
            assert button.toolButtonStyle() is style
            assert button.width() >= button.sizeHint().width()


@pytest.mark.parametrize("width", [800, 1024, 1280, 1920])
def test_a_presentation_shows_the_time_left_at_any_width(window: MainWindow, width: int) -> None:
    window.presentation.show_part("buttons", shown=True)
    window.presentation.begin()
    window.setWindowState(Qt.WindowState.WindowNoState)
    window.resize(width, 600)
    window.paint_now()
    bar = window.run_bar
    for activity in (Activity.RUNNING, Activity.PAUSED):
        window.show_activity(activity)
        for seconds in (59.0, 90.0, 7_000.0, 360_000.0):
            bar.show_progress(0.25, seconds)
            make_due_layouts(bar)
            assert "left" in bar.left.text()
            parts = [one for one in bar.findChildren(QWidget) if one.isVisible()]
            assert bar.left in parts
            for part in parts:
                least = part.minimumWidth() or part.minimumSizeHint().width()
                assert part.width() >= least, part
                assert bar.rect().contains(part.geometry()), part
    assert bar.ant.isVisible() is (width > 800)


def test_the_sign_of_start_is_seen_on_the_button_and_in_the_menu(window: MainWindow) -> None:
    window.theme_choice.choose("light")
    window.paint_now()
    start = window.run_bar.start
    in_menu = start.defaultAction().icon().pixmap(16, 16).toImage()
    assert in_menu.pixelColor(8, 8).name() == LIGHT["text"]
    make_due_layouts(window.run_bar)
    picture = start.grab().toImage()
    colours = {
        picture.pixelColor(x, picture.height() // 2).name() for x in range(picture.width() // 3)
    }
    assert {LIGHT["accent"], LIGHT["on_accent"]} <= colours


def test_how_much_is_compiled_is_never_cut(window: MainWindow) -> None:
    bar = window.run_bar
    seen = set()
    for width in (1000, 1100, 1280):
        window.resize(width, 700)
        for activity in Activity:
            window.show_activity(activity)
            bar.show_progress(0.13, 75.0)
            bar.show_compiling(Compiled(56, 73))
            make_due_layouts(bar)
            assert not cut_texts(bar), (width, activity)
            seen.add(bar.why_long.text() if bar.why_long.isVisible() else "")
    assert seen == {"", "76 % compiled", "76 % compiled, for the first time"}


def test_buttons_keep_their_places_whatever_their_texts(window: MainWindow) -> None:
    """Who pauses and goes on need not look where the button is."""
    bar = window.run_bar
    for size in ((1400, 900), (1060, 700)):  # the offscreen type is wide
        window.resize(*size)
        places = set()
        for activity in (Activity.IDLE, Activity.BUILDING, Activity.RUNNING, Activity.PAUSED):
            window.show_activity(activity)
            bar.show_progress(0.13, 52.0)
            make_due_layouts(bar)
            places.add(tuple(one.geometry().getCoords() for one in (bar.pause, bar.step, bar.stop)))
        assert len(places) == 1, size
    assert bar.pause.text() == "Resume"


def test_texts_of_buttons_come_back_when_there_is_room_again(window: MainWindow) -> None:
    window.resize(1000, 700)
    make_due_layouts(window.run_bar)
    for text, style in (
        ("a-long-name-of-a-file.tsp is being loaded", Qt.ToolButtonStyle.ToolButtonIconOnly),
        ("Ready", Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
    ):
        window.run_bar.say(text)
        assert window.run_bar.start.toolButtonStyle() == style
    window.resize(1000, 700)
    window.show_activity(Activity.BUILDING_TO_PAUSE)
    window.show_activity(Activity.PAUSED)
    make_due_layouts(window.run_bar)
    for seconds, style in (
        (1e13, Qt.ToolButtonStyle.ToolButtonIconOnly),
        (9.0, Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
    ):
        window.run_bar.show_progress(0.1, seconds)
        assert window.run_bar.start.toolButtonStyle() == style


def test_what_has_no_room_ends_with_an_ellipsis_and_is_told_whole(window: MainWindow) -> None:
    bar = window.run_bar
    why = "a problem that is said in many words " * 4
    for width, whole in ((1000, False), (2400, True)):
        window.resize(width, 700)
        bar.say(why)
        make_due_layouts(bar)
        assert not cut_texts(bar)
        assert (bar.state.text() == why) == whole
        assert bar.state.text().endswith("…") != whole
        assert bar.state.toolTip().replace("\n", " ") == ("" if whole else why.strip())
