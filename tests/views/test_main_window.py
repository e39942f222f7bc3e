from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QMenuBar,
    QMessageBox,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpu.snapshot import Wanted
from tests.hands import click, press, write
from tests.views.conftest import WITHOUT_GPU
from tests.views.cut_texts import cut_texts
from tests.views.scenes import snapshot, uniform
from views.activity import Activity
from views.convergence_view import ConvergenceView
from views.main_window import MainWindow
from views.pictures import make_due_layouts
from views.theme import DARK, LIGHT, PRESENTATION_SCALE

INSTANCE = uniform(120)


def test_space_starts_pauses_and_resumes(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.start_requested):
        press(window, Qt.Key.Key_Space)
    window.show_activity(Activity.RUNNING)
    with qtbot.waitSignal(window.pause_requested):
        press(window, Qt.Key.Key_Space)
    window.show_activity(Activity.PAUSED)
    assert window.run_bar.pause.text() == "Resume"
    with qtbot.waitSignal(window.resume_requested):
        press(window, Qt.Key.Key_Space)


def test_space_is_left_to_a_focused_button(qtbot: QtBot, window: MainWindow) -> None:
    chip = window.tour.chips["trails"]
    chip.setFocus()
    with qtbot.assertNotEmitted(window.start_requested):
        press(chip, Qt.Key.Key_Space)
    assert not chip.isChecked()


def test_buttons_and_keys_ask_for_the_same(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.start_requested):
        click(window.run_bar.start)
    window.show_activity(Activity.RUNNING)
    for signal, button, key in (
        (window.pause_requested, window.run_bar.pause, Qt.Key.Key_P),
        (window.step_requested, window.run_bar.step, Qt.Key.Key_N),
        (window.stop_requested, window.run_bar.stop, Qt.Key.Key_Escape),
    ):
        with qtbot.waitSignal(signal):
            click(button)
        with qtbot.waitSignal(signal):
            press(window, key)


@pytest.mark.parametrize(
    ("activity", "enabled"),
    [
        (Activity.IDLE, {"start", "step"}),
        (Activity.BUILDING, {"pause", "stop"}),
        (Activity.BUILDING_TO_PAUSE, {"pause", "stop"}),
        (Activity.RUNNING, {"pause", "step", "stop"}),
        (Activity.PAUSED, {"pause", "step", "stop"}),
        (Activity.STOPPING, set()),
    ],
)
def test_only_what_is_possible_can_be_pressed(
    window: MainWindow, activity: Activity, enabled: set[str]
) -> None:
    window.show_activity(activity)
    buttons = {name: getattr(window.run_bar, name) for name in ("start", "pause", "step", "stop")}
    assert {name for name, button in buttons.items() if button.isEnabled()} == enabled


def test_a_wrong_value_disables_start_and_says_why(window: MainWindow) -> None:
    write(window.setup.parameters.fields["rho"].entry, "7")
    assert not window.run_bar.start.isEnabled()
    assert "rho = 7 must be in (0, 1]" in window.run_bar.start.toolTip()
    assert "rho = 7" in window.run_bar.state.text()
    press(window, Qt.Key.Key_Space)  # and does nothing
    write(window.setup.parameters.fields["rho"].entry, "0.1")
    assert window.run_bar.start.isEnabled()


def test_number_keys_bring_views_into_sight(window: MainWindow) -> None:
    for number, (key, view) in enumerate(window.dashboard.views.items(), 1):
        press(window, Qt.Key(ord("0") + number))
        assert view.isVisible(), key


def test_typing_numbers_does_not_turn_the_pages(window: MainWindow) -> None:
    before = window.log.isVisible()
    write(window.setup.seed_field.entry, "7")
    assert window.log.isVisible() == before
    assert window.setup.choices().seed == 7


def test_one_pane_alone_and_all_again(qtbot: QtBot, window: MainWindow) -> None:
    press(window, Qt.Key.Key_6)
    assert window.pheromone.isVisible()
    with qtbot.waitSignal(window.wanted_changed):
        press(window, Qt.Key.Key_M)
    assert window.pheromone.isVisible()
    assert not window.tour.isVisible()
    assert not window.convergence.isVisible()
    assert window.wanted == window.pheromone.wanted
    press(window, Qt.Key.Key_1)
    assert window.tour.isVisible()
    assert not window.pheromone.isVisible()
    press(window, Qt.Key.Key_M)
    for view in (window.tour, window.convergence, window.pheromone):
        assert view.isVisible()


def test_only_views_in_sight_are_asked_for(window: MainWindow) -> None:
    assert window.wanted == window.tour.wanted | window.pheromone.wanted
    press(window, Qt.Key.Key_5)
    assert Wanted.BRANCHING in window.wanted
    press(window, Qt.Key.Key_9)
    assert Wanted.PHEROMONE not in window.wanted


def test_snapshots_reach_readout_and_views(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.actions_.exports["tour"].isEnabled()
    window.begin_run()
    for iteration in (1, 50, 100):
        window.show_snapshot(snapshot(INSTANCE, iteration))
    state = snapshot(INSTANCE, 100)
    values = {name: label.text() for name, label in window.readout.values.items()}
    assert values["best"].replace("\u202f", "") == str(state.best_cost)
    assert values["gap"].startswith(f"{INSTANCE.gap_percent(state.best_cost):.2f}")
    assert values["iteration"] == "100"
    assert values["elapsed"] == "2.0\u202fs"
    assert values["rate"] == "6\u202f000"  # 120 ants every 20 ms
    qtbot.waitUntil(lambda: len(window.convergence.curves["best"].points) == 3)
    assert window.actions_.exports["tour"].isEnabled()
    window.begin_run()
    assert window.readout.values["best"].text() == "–"
    assert not window.actions_.exports["tour"].isEnabled()


def test_progress_and_time_left(window: MainWindow) -> None:
    window.show_activity(Activity.RUNNING)
    window.run_bar.show_progress(0.25, 90.0)
    assert window.run_bar.progress.value() == 250
    assert window.run_bar.left.text() == "25 %, 1:30 left"
    window.run_bar.show_progress(None, None)
    assert window.run_bar.left.text() == "no limit"
    window.run_bar.show_progress(0.05, 57.0)
    window.show_activity(Activity.IDLE)
    window.block("A measurement is going on")
    assert (window.run_bar.progress.value(), window.run_bar.left.text()) == (0, "")


def test_why_a_colony_is_not_built_at_once(qtbot: QtBot, window: MainWindow) -> None:
    bar = window.run_bar
    bar._soon.setInterval(30)
    window.show_activity(Activity.BUILDING)
    bar.show_progress(0.0, None)
    assert bar.left.text() == ""
    assert bar.why_long.isHidden()
    qtbot.waitUntil(bar.why_long.isVisible)
    assert "compiled once" in bar.why_long.text()
    window.show_activity(Activity.RUNNING)
    assert bar.why_long.isHidden()
    window.show_activity(Activity.BUILDING)
    window.show_activity(Activity.IDLE)
    qtbot.wait(60)
    assert bar.why_long.isHidden()


def test_a_file_can_be_dropped_anywhere(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("a.tsp", "b.tsp")])
    button, action = Qt.MouseButton.LeftButton, Qt.DropAction.CopyAction
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(700, 400), action, data, button, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(700, 400), action, data, button, none)
    with qtbot.waitSignal(window.open_requested) as opened:
        QApplication.sendEvent(window, drop)
    assert opened.args == [tmp_path / "a.tsp"]
    assert window.banner.text == "Only a.tsp of 2 files is opened"
    takers = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.acceptDrops() and widget is not window
    ]
    assert takers == []  # a child that takes drops would keep them from the window


def test_text_that_is_dropped_is_no_file(window: MainWindow) -> None:
    data = QMimeData()
    data.setText("hello")
    event = QDragEnterEvent(
        QPoint(700, 400),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    event.ignore()
    QApplication.sendEvent(window, event)
    assert not event.isAccepted()


def test_open_asks_for_a_file_and_remembers_the_folder(
    qtbot: QtBot, window: MainWindow, settings: QSettings, tmp_path: Path
) -> None:
    path = tmp_path / "b.tsp"
    path.write_text("")
    press(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.selectFile(str(path))
    with qtbot.waitSignal(window.open_requested) as opened:
        dialog.accept()
    assert opened.args == [path]
    assert settings.value("open-folder") == str(tmp_path)


def test_exports_ask_where_to(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.show_snapshot(snapshot(INSTANCE, 4))
    window.actions_.exports["tour"].trigger()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.selectedFiles()[0].endswith("uniform120.tour")
    dialog.selectFile(str(tmp_path / "mine.tour"))
    with qtbot.waitSignal(window.export_requested) as asked:
        dialog.accept()
    assert asked.args == ["tour", tmp_path / "mine.tour"]


def test_a_picture_of_every_view_can_be_asked_for(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    for key, form in window.actions_.pictures:
        window.actions_.pictures[key, form].trigger()
        dialog = window.findChildren(QFileDialog)[-1]
        with qtbot.waitSignal(window.picture_requested) as asked:
            dialog.selectFile(str(tmp_path / f"x.{form}"))
            dialog.accept()
        assert asked.args == [key, form, tmp_path / f"x.{form}"]


def test_themes_change_colours_and_are_remembered(
    qtbot: QtBot, window: MainWindow, settings: QSettings
) -> None:
    for theme in (LIGHT, DARK):
        name = "dark" if theme.dark else "light"
        window.actions_.themes[name].trigger()
        ground = window.setup.grab().toImage().pixelColor(150, 40)
        assert ground == theme.colour("panel")
        assert settings.value("theme") == name
    press(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert not window.theme.dark


def test_presentation_has_larger_type_and_nothing_else(window: MainWindow) -> None:
    before = window.readout.values["best"].fontInfo().pointSizeF()
    press(window, Qt.Key.Key_F11)
    assert window.isFullScreen()
    assert window.theme.scale == PRESENTATION_SCALE
    assert window.readout.values["best"].fontInfo().pointSizeF() > 1.2 * before
    assert not window.setup.isVisible()
    assert not window.menuBar().isVisible()
    assert window.run_bar.stop.isVisible()
    press(window, Qt.Key.Key_F11)
    assert not window.isFullScreen()
    assert window.setup.isVisible()
    assert window.theme.scale == 1


def test_the_state_of_the_window_is_remembered(
    qtbot: QtBot, window: MainWindow, settings: QSettings
) -> None:
    window.actions_["panel"].trigger()
    window.choose_theme("light")
    window.dashboard.show_view("log")
    window.resize(1100, 700)
    assert window.close()
    again = MainWindow(settings)
    qtbot.addWidget(again)
    again.show()
    assert not again.setup.isVisible()
    assert not again.theme.dark
    assert again.log.isVisible()
    assert again.height() == 700  # the offscreen platform's screen is less wide


def test_recent_files_are_offered_while_they_are_there(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    for number in range(12):
        path = tmp_path / f"{number}.tsp"
        path.write_text("")
        window.show_instance(dataclasses.replace(INSTANCE, path=path))
    names = [action.text() for action in window.actions_.recent_menu.actions()]
    assert names == [f"{number}.tsp" for number in range(11, 3, -1)]
    (tmp_path / "11.tsp").unlink()
    window.show_instance(dataclasses.replace(INSTANCE, path=tmp_path / "5.tsp"))
    with qtbot.waitSignal(window.open_requested) as opened:
        window.actions_.recent_menu.actions()[0].trigger()
    assert opened.args == [tmp_path / "5.tsp"]


@pytest.mark.parametrize("presenting", [False, True])
def test_a_message_covers_nothing(window: MainWindow, presenting: bool) -> None:
    if presenting:
        window.actions_["present"].trigger()
        window.setWindowState(Qt.WindowState.WindowNoState)
    window.where.setText("a long line that tells where the run is logged " * 5)
    banner, label = window.banner, window.banner.label
    for size in ((1400, 800), (1400, 700), (1024, 700)):
        window.tell("the limit of 40 iterations is reached", "done")
        window.resize(*size)
        make_due_layouts(banner.room)
        assert banner.geometry().top() >= window.statusBar().geometry().top()
        assert banner.geometry().bottom() < window.height()
        assert banner.geometry().left() >= window.where.geometry().right()
        assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())
        before = window.tour.size()
        banner.clear()
        make_due_layouts(banner.room)
        assert window.tour.size() == before


def test_a_message_blocks_nothing_and_can_be_closed(qtbot: QtBot, window: MainWindow) -> None:
    size = window.tour.size()
    window.tell("the file is missing")
    window.tell("pla85900: needs 29.5 GB and this GPU has 12.1 GB free")
    assert window.banner.text.startswith("pla85900: needs")
    assert window.banner.isVisible()
    assert window.tour.size() == size
    with qtbot.waitSignal(window.start_requested):
        press(window, Qt.Key.Key_Space)
    click(window.banner.close_button)
    assert window.banner.text == ""
    window.tell("done it", "done")
    assert window.banner.text == "Done it"


def test_a_measurement_keeps_runs_away(window: MainWindow) -> None:
    window.block("A measurement is going on")
    assert not window.run_bar.start.isEnabled()
    assert window.problem == "A measurement is going on"
    window.block("")
    assert window.run_bar.start.isEnabled()


def test_keys_and_about_are_told(qtbot: QtBot, window: MainWindow) -> None:
    press(window, Qt.Key.Key_F1)
    box = window.findChild(QMessageBox)
    assert box is not None
    assert "Space" in box.text()
    assert "Draw another seed" in box.text()
    box.close()
    window.actions_["about"].trigger()
    about = window.findChildren(QMessageBox)[-1]
    assert "Skinderowicz" in about.text()
    about.close()


def test_everything_can_be_reached_by_keyboard(window: MainWindow) -> None:
    """Walking with Tab comes by every control that can be used now."""
    met: set[QWidget] = set()
    widget: QWidget = window
    while widget not in met:
        met.add(widget)
        following = widget.nextInFocusChain()
        assert following is not None
        widget = following
    unreachable = [
        control.objectName() or control.text() or control.toolTip()
        for control in window.findChildren(QToolButton)
        if control.isVisible()
        and control.isEnabled()
        and not control.focusPolicy() & Qt.FocusPolicy.TabFocus
        and control.defaultAction() is None
    ]
    assert unreachable == []
    assert {window.setup.colony.devices, window.setup.colony.colonies, window.run_bar.start} <= met


def test_every_button_has_a_name_for_those_who_hear_it(window: MainWindow) -> None:
    buttons = [
        button
        for button in window.findChildren(QToolButton)
        if not isinstance(button.parent(), QTabBar | QMenuBar)
    ]
    assert [button.toolTip() for button in buttons if not spoken(button)] == []
    zoom = window.dashboard.panes[0].zoom_button
    assert spoken(zoom) == "Show this pane alone"
    click(zoom)
    assert spoken(zoom) == "Show all panes"


def spoken(button: QToolButton) -> str:
    interface = QAccessible.queryAccessibleInterface(button)
    return interface.text(QAccessible.Text.Name) if interface.isValid() else ""


@pytest.mark.parametrize("size", [(940, 572), (1280, 800), (1920, 1080)])
@pytest.mark.parametrize("presenting", [False, True])
def test_no_text_is_cut(window: MainWindow, size: tuple[int, int], presenting: bool) -> None:
    window.setup.colony.show_survey(WITHOUT_GPU)
    window.show_snapshot(snapshot(INSTANCE, 90, memory=True))
    if presenting:
        window.actions_["present"].trigger()
        window.setWindowState(Qt.WindowState.WindowNoState)
    window.resize(*size)
    window.dashboard.settle()
    QApplication.sendPostedEvents()
    assert cut_texts(window) == []


def test_a_presentation_on_a_small_screen_has_buttons_without_texts(window: MainWindow) -> None:
    window.setMinimumWidth(1)  # a screen may have less than that
    window.actions_["present"].trigger()
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


def test_the_sign_of_start_is_seen_on_the_button_and_in_the_menu(window: MainWindow) -> None:
    window.choose_theme("light")
    start = window.run_bar.start
    in_menu = start.defaultAction().icon().pixmap(16, 16).toImage()
    assert in_menu.pixelColor(8, 8).name() == LIGHT.text
    make_due_layouts(window.run_bar)
    picture = start.grab().toImage()
    colours = {
        picture.pixelColor(x, picture.height() // 2).name() for x in range(picture.width() // 3)
    }
    assert {LIGHT.accent, LIGHT.on_accent} <= colours


def test_nothing_is_painted_while_nothing_changes(qtbot: QtBot, window: MainWindow) -> None:
    window.show_activity(Activity.BUILDING)
    assert window.run_bar.busy.isVisible()
    qtbot.wait(100)  # the busy bar moves
    window.show_activity(Activity.RUNNING)
    assert not window.run_bar.busy.isVisible()
    window.tour.graphics.clearFocus()
    qtbot.wait(200)
    painted = PaintCounter()
    window.installEventFilter(painted)
    qtbot.wait(300)
    window.removeEventFilter(painted)
    assert painted.count <= 2  # a text cursor may blink


class PaintCounter(QObject):
    """Counts how often a window is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_what_had_to_wait_is_drawn_once_there_is_time(qtbot: QtBot, window: MainWindow) -> None:
    drawn: list[int] = []
    view = window.dashboard.views["convergence"]
    assert isinstance(view, ConvergenceView)
    window.dashboard.keep_to(0.01)
    for iteration in range(1, 30):
        window.show_snapshot(snapshot(INSTANCE, iteration, memory=True))
        drawn.append(len(view.curves["best"].points))
    assert drawn[-1] < 29
    window.dashboard.keep_to(math.inf)
    qtbot.waitUntil(lambda: len(view.curves["best"].points) == 29, timeout=5000)
