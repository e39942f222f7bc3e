from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from pathlib import PureWindowsPath

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import Wanted
from tests.graphs import queens
from tests.hands import move, press, press_stop, settle, write
from tests.views.graph_scenes import serve
from tests.views.scenes import cut_texts, snapshot, uniform
from views.batch.study_view import StudyView
from views.frame.activity import Activity
from views.frame.dialogs import KeysDialog
from views.frame.main_window import MainWindow
from views.frame.pages import Scrolled
from views.frame.settings import Settings
from views.plots.convergence_view import ConvergenceView
from views.plots.pheromone_view import PheromoneView
from views.runs import log_view
from views.runs.log_view import LogView
from views.tour.tour_view import TourView
from views.widgets.picture_export import make_due_layouts
from views.widgets.styling import restyle
from views.widgets.theme import DARK, LIGHT, PRESENTATION_SCALE

INSTANCE = uniform(120)


def test_number_keys_bring_views_into_sight_but_where_one_types(window: MainWindow) -> None:
    views = window.dashboard.views
    for number, key in enumerate((key for key, view in views.items() if not view.shortcut), 1):
        press(window, Qt.Key(ord("0") + number % 10))
        assert views[key].isVisible(), key
    press(window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert views["runs"].isVisible()
    before = window.view(LogView).isVisible()
    write(window.setup.seed_field.entry, "7")
    assert window.view(LogView).isVisible() == before
    assert window.setup.choices().seed == 7


def test_one_pane_alone_and_all_again(qtbot: QtBot, window: MainWindow) -> None:
    press(window, Qt.Key.Key_7)
    assert window.view(PheromoneView).isVisible()
    move(window.readout, QPoint(5, 5))  # over no pane
    with qtbot.waitSignal(window.dashboard.wanted_changed):
        press(window, Qt.Key.Key_M)
    assert window.view(PheromoneView).isVisible()
    assert not window.view(TourView).isVisible()
    assert not window.view(ConvergenceView).isVisible()
    assert window.wanted == window.view(PheromoneView).wanted
    press(window, Qt.Key.Key_1)
    assert window.view(TourView).isVisible()
    assert not window.view(PheromoneView).isVisible()
    press(window, Qt.Key.Key_M)
    for view in (window.view(TourView), window.view(ConvergenceView), window.view(PheromoneView)):
        assert view.isVisible()


def test_m_follows_the_mouse(window: MainWindow) -> None:
    for kind in (ConvergenceView, TourView):
        view = window.view(kind)
        settle()  # panes that come back get their sizes from the loop
        move(view, view.rect().center())
        press(window, Qt.Key.Key_M)
        assert [one.isVisible() for one in map(window.view, (ConvergenceView, TourView))] == [
            kind is ConvergenceView,
            kind is TourView,
        ]
        press(window, Qt.Key.Key_M)


def test_in_a_small_window_every_tab_is_in_sight(window: MainWindow) -> None:
    window.resize(1000, 700)
    for kind in ("tour", "graph"):
        if kind == "graph":
            serve(window, queens(8))
            window.show_instance(queens(8))
        for key in window.dashboard.views:
            window.dashboard.show_view(key)
            make_due_layouts(window.dashboard.views[key])
            assert window.size().width() == 1000
            for pane in window.dashboard.panes:
                bar = pane.tabs.tabBar()
                assert bar.tabRect(bar.count() - 1).right() < bar.width(), key
                assert bar.tabRect(0).left() >= 0, key
        assert cut_texts(window) == [], kind


def test_escape_leaves_the_full_screen_and_ends_nothing(qtbot: QtBot, window: MainWindow) -> None:
    window.show_activity(Activity.RUNNING)
    stops: list[bool] = []
    window.run.stop.connect(lambda: stops.append(True))
    press(window, Qt.Key.Key_F11)
    assert window.isFullScreen()
    press(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert window.setup.isVisible()
    press(window, Qt.Key.Key_Escape)
    assert stops == []
    press_stop(window)
    assert stops == [True]


def test_views_come_to_the_front_in_an_event_of_their_own(qtbot: QtBot, window: MainWindow) -> None:
    window.show_instance(None)
    assert window.pages.shows_gallery
    window.show_instance(INSTANCE)
    assert window.pages.shows_gallery  # all the rest was enough for one event
    qtbot.waitUntil(lambda: not window.pages.shows_gallery)
    qtbot.waitUntil(window.updatesEnabled)
    assert window.view(TourView).isVisible()


def test_only_views_in_sight_are_asked_for(window: MainWindow) -> None:
    assert window.wanted == window.view(TourView).wanted | window.view(PheromoneView).wanted
    press(window, Qt.Key.Key_6)
    assert Wanted.BRANCHING in window.wanted
    press(window, Qt.Key.Key_0)
    assert Wanted.PHEROMONE not in window.wanted


def test_snapshots_reach_readout_and_views(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.actions_.exports["tour"].isEnabled()
    window.begin_run()
    for iteration in (1, 50, 100):
        window.show_snapshot(snapshot(INSTANCE, iteration))
    state = snapshot(INSTANCE, 100)
    values = {name: label.text() for name, label in window.readout.values.items()}
    assert values["best"].replace("\u202f", "") == str(state.best_cost)
    assert values["gap"].startswith(f"{INSTANCE.gap_percent(state.cost):.2f}")
    assert values["iteration"] == "100"
    assert values["elapsed"] == "2.0\u202fs"
    assert values["rate"] == "6\u202f000"  # 120 ants every 20 ms
    qtbot.waitUntil(lambda: len(window.view(ConvergenceView).curves["best"].points) == 3)
    assert window.actions_.exports["tour"].isEnabled()
    window.begin_run()
    assert window.readout.values["best"].text() == "–"
    assert not window.actions_.exports["tour"].isEnabled()


def test_themes_change_colours_and_are_remembered(
    qtbot: QtBot, window: MainWindow, settings: Settings
) -> None:
    for theme in (LIGHT, DARK):
        name = "dark" if theme.dark else "light"
        window.actions_.themes[name].trigger()
        qtbot.waitUntil(window.updatesEnabled)
        ground = window.setup.grab().toImage().pixelColor(150, 12)
        assert ground == theme.colour("panel")
        assert settings.get("theme", "") == name
    press(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert not window.theme.dark


def test_a_change_of_theme_keeps_the_style_sheet(qtbot: QtBot, window: MainWindow) -> None:
    # Qt would style every widget anew for another one, which takes half a second.
    sheet = QApplication.instance().styleSheet()  # type: ignore[attr-defined]
    for action in ("theme", "present", "theme", "present"):
        window.actions_[action].trigger()
        assert QApplication.instance().styleSheet() == sheet  # type: ignore[attr-defined]


def test_what_was_hidden_has_the_new_theme_when_it_is_shown(
    qtbot: QtBot, window: MainWindow
) -> None:
    log, problem = window.view(LogView), window.setup.seed_field.problem_label
    assert not log.isVisible()
    window.theme_choice.choose("light")
    window.actions_["present"].trigger()
    qtbot.waitUntil(window.updatesEnabled)
    window.dashboard.show_view("log")
    qtbot.waitUntil(window.updatesEnabled)
    assert log.text.viewport().grab().toImage().pixelColor(200, 100) == LIGHT.colour("field")
    assert log.path.font().pointSizeF() == pytest.approx(window.theme.points(0.92))
    assert log.theme == window.theme
    window.actions_["present"].trigger()
    window.setup.seed_field.problem = "wrong"
    # Hidden parts of the panel follow a moment later.
    danger = LIGHT.colour("danger")
    small = pytest.approx(window.theme.points(0.92))

    def restyled() -> bool:
        return (
            problem.palette().windowText().color() == danger
            and problem.font().pointSizeF() == small
        )

    qtbot.waitUntil(restyled)
    menu = window.menuBar().actions()[0].menu()
    assert isinstance(menu, QWidget)
    panel = LIGHT.colour("panel")
    qtbot.waitUntil(lambda: menu.grab().toImage().pixelColor(8, 3) == panel)


def test_a_view_that_is_shown_early_follows_the_theme_in_steps_before_it_is_painted(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, steps = window.view(StudyView), list[tuple[bool, int]]()

    def note(parts: Iterable[QWidget]) -> None:
        some = list(parts)
        if some and study.isAncestorOf(some[-1]):
            steps.append((window.updatesEnabled(), len(some)))
        restyle(some)

    monkeypatch.setattr("views.widgets.view.restyle", note)
    window.theme_choice.choose("light")
    window.paint_now()
    window.dashboard.show_view(study.key)
    assert study.isVisible()
    assert study.lacks_theme
    assert not steps
    qtbot.waitUntil(window.updatesEnabled)
    assert study.theme == window.theme
    assert len(steps) > 2
    assert max(steps)[0] is False  # nothing is painted meanwhile
    assert max(count for _, count in steps) <= 25
    ground = study.form.title.palette().color(QPalette.ColorRole.Base)
    assert ground == LIGHT.colour("field")


def test_presentation_has_larger_type_and_nothing_else(qtbot: QtBot, window: MainWindow) -> None:
    value = window.readout.values["best"]
    before = value.fontInfo().pointSizeF()
    press(window, Qt.Key.Key_F11)
    assert window.isFullScreen()
    assert window.theme.scale == PRESENTATION_SCALE
    assert not window.updatesEnabled()  # painted once, when all is changed
    assert not window.dashboard.picks  # views are moved in a step of their own
    assert window.setup.isVisible()
    qtbot.waitUntil(window.updatesEnabled)
    assert window.dashboard.picks
    assert value.fontInfo().pointSizeF() > 1.2 * before
    assert not window.setup.isVisible()
    for part in (window.menuBar(), window.run_bar, window.dashboard.past, window.where):
        assert not part.isVisible()  # nobody in the hall needs them
    assert window.readout.isVisible()
    press(window, Qt.Key.Key_F11)
    assert not window.isFullScreen()
    assert window.theme.scale == 1
    qtbot.waitUntil(window.updatesEnabled)
    assert window.setup.isVisible()
    assert window.run_bar.stop.isVisible()
    assert window.where.isVisible()
    assert value.fontInfo().pointSizeF() == before


def test_the_state_of_the_window_is_remembered(
    qtbot: QtBot, window: MainWindow, settings: Settings
) -> None:
    window.actions_["panel"].trigger()
    window.theme_choice.choose("light")
    window.dashboard.show_view("log")
    window.resize(1100, 700)
    assert window.close()
    again = MainWindow(settings)
    qtbot.addWidget(again)
    again.show()
    again.pages.show_views()
    assert not again.setup.isVisible()
    assert not again.theme.dark
    assert again.view(LogView).isVisible()
    assert again.height() == 700  # the offscreen platform's screen is less wide


def test_keys_and_about_are_told(qtbot: QtBot, window: MainWindow) -> None:
    press(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(KeysDialog)
    assert ("Space", "Start, pause or resume") in dialog.rows
    assert len(set(dialog.rows)) == len(dialog.rows)
    assert dialog.height() <= window.height()
    write(dialog.search, "f11 present")
    assert dialog.table.content.rows == [("F11", "Presentation")]
    write(dialog.search, "no such key")
    assert dialog.table.content.rows == []
    press(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    window.actions_["about"].trigger()
    about = window.findChildren(QMessageBox)[-1]
    assert "Skinderowicz" in about.text()
    about.close()


def test_nothing_is_painted_while_nothing_changes(qtbot: QtBot, window: MainWindow) -> None:
    window.show_activity(Activity.BUILDING)
    assert window.run_bar.busy.isVisible()
    moved = PaintCounter()
    window.run_bar.busy.installEventFilter(moved)
    qtbot.waitUntil(lambda: moved.count > 2)
    window.show_activity(Activity.RUNNING)
    assert not window.run_bar.busy.isVisible()
    window.view(TourView).graphics.clearFocus()
    painted = PaintCounter()
    window.installEventFilter(painted)

    def quiet() -> bool:
        painted.count = 0
        qtbot.wait(300)
        return painted.count <= 2  # a text cursor may blink

    qtbot.waitUntil(quiet)  # what is due is still painted
    window.removeEventFilter(painted)


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
    window.dashboard.queue.limit(0.01)
    for iteration in range(1, 30):
        window.show_snapshot(snapshot(INSTANCE, iteration, memory=True))
        drawn.append(len(view.curves["latest"].points))
    assert drawn[-1] < 29
    window.dashboard.queue.limit(math.inf)
    qtbot.waitUntil(lambda: len(view.curves["latest"].points) == 29)


@pytest.mark.parametrize("page", ["instances", "generate", "download", "papers"])
def test_no_page_of_the_gallery_makes_the_whole_window_scroll(
    qtbot: QtBot, window: MainWindow, page: str
) -> None:
    window.resize(940, 572)
    window.pages.show_gallery()
    window.gallery.show_page(page)
    scrolled = window.findChild(Scrolled)
    qtbot.waitUntil(window.gallery.isVisible)
    QApplication.sendPostedEvents()
    assert scrolled.verticalScrollBar().maximum() == 0
    assert scrolled.horizontalScrollBar().maximum() == 0
    window.resize(800, 450)  # a smaller window scrolls
    qtbot.waitUntil(lambda: scrolled.verticalScrollBar().maximum() > 0)


def test_the_log_is_named_without_its_folder_on_windows_too(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_view, "PurePath", PureWindowsPath)
    log = window.view(LogView)
    log.show_path(r"C:\Users\Ant\Formicarium\runs\run.jsonl")
    assert log.path.text() == "run.jsonl"


def test_macos_has_its_own_key_for_the_full_screen(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F11 shows the desktop there."""
    monkeypatch.setattr(sys, "platform", "darwin")
    window.presentation._enable()
    keys = [one.toString() for one in window.actions_["present"].shortcuts()]
    assert keys == ["F11", "Meta+Ctrl+F"]


def test_only_about_and_quit_are_in_the_programs_own_menu_on_macos(window: MainWindow) -> None:
    """There, an action of any other name that begins with "Setup" would be the settings."""
    roles = {name: one.menuRole() for name, one in window.actions_.commands.items()}
    own = {name for name, role in roles.items() if role is not QAction.MenuRole.NoRole}
    assert own == {"about", "quit"}
