"""One window for every problem: its views, numbers, words and exports come and go together."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from gpu.core.bounds import LowerBound
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from gpu.problems.coloring.instance import GraphInstance
from tests.graphs import queens
from tests.hands import press
from tests.views.conftest import WITHOUT_GPU
from tests.views.graph_scenes import coloring_snapshot, serve
from tests.views.scenes import cut_texts, snapshot, uniform
from views.decision.decision_view import DecisionView
from views.frame.dialogs import KeysDialog
from views.frame.main_window import MainWindow
from views.frame.settings import Settings
from views.frame.view_table import VIEWS
from views.graph.adjacency_view import AdjacencyView
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView
from views.plots.convergence_view import ConvergenceView
from views.plots.pheromone_view import PheromoneView
from views.problem_display import DISPLAYS, FILES, display_of
from views.tour.tour_view import TourView
from views.widgets.view import NOTHING, Pointed

QUEENS = queens(8)
TOURS = uniform(120)


@pytest.fixture
def coloring(window: MainWindow) -> MainWindow:
    """The window with a graph."""
    serve(window, QUEENS)
    window.show_instance(QUEENS)
    return window


def shown(window: MainWindow) -> list[list[str]]:
    """Titles of the tabs, pane by pane."""
    return [
        [pane.tabs.tabText(at) for at in range(pane.tabs.count()) if pane.tabs.isTabVisible(at)]
        for pane in window.dashboard.panes
    ]


def test_every_problem_has_a_row_and_every_view_a_name_of_its_own(window: MainWindow) -> None:
    assert set(DISPLAYS) == set(Problem)
    assert len({row.view.key for row in VIEWS}) == len(VIEWS)
    patterns = " ".join(row.patterns for row in DISPLAYS.values())
    assert FILES.split(";;")[0] == f"Places, distances and graphs ({patterns})"


def test_views_come_and_go_with_the_problem_and_no_tab_is_made(window: MainWindow) -> None:
    tours = shown(window)
    assert tours[0] == ["Tour", "Decision", "Runs", "Race", "Study"]
    window.show_instance(QUEENS)
    assert shown(window) == [
        ["Graph", "Decision", "Runs", "Race", "Study"],
        ["Convergence", "Classes", "Matrix", "Device"],
        ["Pheromone", "Speedup", "Timing", "Log"],
    ]
    assert window.view(GraphView).isVisible()
    assert not window.view(TourView).isVisible()
    window.show_instance(TOURS)
    assert shown(window) == tours
    assert window.view(TourView).isVisible()
    assert not window.view(GraphView).isVisible()
    tabs = [pane.tabs for pane in window.dashboard.panes]
    before = [[one.widget(at) for at in range(one.count())] for one in tabs]
    window.show_instance(QUEENS)
    assert [[one.widget(at) for at in range(one.count())] for one in tabs] == before


def test_each_problem_keeps_its_tabs(
    qtbot: QtBot, coloring: MainWindow, settings: Settings
) -> None:
    coloring.dashboard.show_view("decision")
    coloring.dashboard.show_view("matrix")
    coloring.show_instance(TOURS)
    coloring.dashboard.show_view("decision")
    coloring.show_instance(QUEENS)
    assert coloring.view(DecisionView).isVisible()
    assert coloring.view(AdjacencyView).isVisible()
    assert coloring.close()
    again = MainWindow(settings)
    qtbot.addWidget(again)
    again.show()
    again.pages.show_views()
    assert again.view(DecisionView).isVisible()
    again.show_instance(QUEENS)
    assert again.view(DecisionView).isVisible()
    assert again.view(AdjacencyView).isVisible()


def test_keys_are_for_the_views_of_the_problem(qtbot: QtBot, coloring: MainWindow) -> None:
    """The focus stays with the views when they change, and takes Space from no one."""
    focused = coloring.focusWidget()
    assert focused is not None
    assert coloring.dashboard.isAncestorOf(focused)
    with qtbot.waitSignal(coloring.run.start):
        press(coloring, Qt.Key.Key_Space)
    press(coloring, Qt.Key.Key_1)
    coloring.view(GraphView).box.scaleBy((0.1, 0.1))
    zoomed = coloring.view(GraphView).box.viewRect().width()
    press(coloring, Qt.Key.Key_F)
    assert coloring.view(GraphView).box.viewRect().width() > 5 * zoomed
    numbered = [view for view in coloring.dashboard.views.values() if not view.shortcut]
    for number, view in enumerate(numbered, 1):
        press(coloring, Qt.Key(ord("0") + number % 10))
        assert view.isVisible(), view.key
    assert not coloring.view(TourView).isVisible()


def test_keys_and_menus_name_what_there_is(coloring: MainWindow) -> None:
    press(coloring, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    dialog = coloring.findChild(KeysDialog)
    rows = dict(dialog.rows)
    assert (rows["1"], rows["4"]) == ("Graph", "Classes")
    assert "Hit rates" not in rows.values()
    dialog.close()
    exports = coloring.actions_.exports
    assert exports["coloring"].isVisible()
    assert not exports["tour"].isVisible()
    coloring.show_instance(TOURS)
    assert exports["tour"].isVisible()
    assert not exports["coloring"].isVisible()


def test_numbers_limits_and_the_card_speak_of_the_problem(coloring: MainWindow) -> None:
    readout, stop = coloring.readout, coloring.setup.stop
    assert readout.headings["best"].text() == "FEWEST COLORS"
    assert readout.headings["rate"].text() == "COLORINGS / S"
    assert stop.boxes["target_length"].text() == "Colors"
    assert stop.fields["target_length"].text == "9"
    assert "coloring" in coloring.view(ConvergenceView).chips["best"].toolTip()
    coloring.show_instance(TOURS)
    assert readout.headings["best"].text() == "BEST LENGTH"
    assert stop.boxes["target_length"].text() == "Length"
    assert stop.fields["target_length"].text == str(TOURS.optimum)
    assert "tour" in coloring.view(ConvergenceView).chips["best"].toolTip()
    coloring.show_instance(QUEENS)
    card = coloring.setup.instance
    assert card.facts.text() == "64 vertices, 728 edges\ndensity 0.36, best known 9 colors"
    assert not card.warning.isVisible()
    odd = dataclasses.replace(QUEENS, note="the file promises 1456 edges", optimum=None)
    coloring.show_instance(odd)
    assert "1456 edges" in card.warning.text()
    assert card.warning.isVisible()
    assert "no best known coloring" in card.facts.text()
    path = np.column_stack([np.arange(4999), np.arange(1, 5000)]).astype(np.int32)
    sparse = GraphInstance("path", "", 5000, path)
    assert "\nmean degree 2.00, no best known coloring" in display_of(sparse).facts(sparse)
    assert display_of(TOURS).facts(TOURS).startswith("120 cities, EUC_2D")
    assert display_of(QUEENS).name_of(QUEENS, 1) == "vertex 2"
    assert display_of(TOURS).name_of(TOURS, 119) == "city 120"


def test_states_reach_every_view_of_a_graph_and_then_of_a_tour(
    qtbot: QtBot, coloring: MainWindow
) -> None:
    for iteration in range(1, 8):
        coloring.show_snapshot(coloring_snapshot(QUEENS, iteration))
    coloring.dashboard.queue.finish()
    assert coloring.readout.values["best"].text() == "13"
    assert coloring.readout.values["gap"].text() == "+4 colors"
    assert coloring.view(GraphView).state.text() == "13 colors, no conflict"
    assert len(coloring.view(ConvergenceView).curves["latest"].points) == 7
    assert coloring.actions_.exports["coloring"].isEnabled()
    ticks = coloring.view(ConvergenceView).plot.axes["left"].tickValues(12.0, 15.0, 300)
    assert all(float(place).is_integer() for _, level in ticks for place in level)
    assert "classes" in coloring.view(PheromoneView).caption.text()
    assert coloring.view(TourView).layers["best"].shown is None
    coloring.show_instance(TOURS)
    coloring.show_snapshot(snapshot(TOURS, 5))
    coloring.dashboard.queue.finish()
    assert coloring.view(TourView).layers["best"].shown is not None
    assert coloring.view(GraphView).shown is None
    assert "tour" in coloring.view(PheromoneView).caption.text()


def test_a_heatmap_without_neighbours_and_a_class_that_is_pointed_at(coloring: MainWindow) -> None:
    assert coloring.wanted == Wanted.SOLUTION | Wanted.PHEROMONE
    state = coloring_snapshot(QUEENS, 3)
    coloring.show_snapshot(state)
    coloring.dashboard.queue.finish()
    assert state.pheromone is not None
    shades = coloring.view(PheromoneView).image.shades
    assert ((shades == 0) == (state.pheromone == 0)).all()
    assert coloring.view(PheromoneView).bar._low == 0.5
    coloring.dashboard.show_view("log")  # in place of the heatmap, which is not asked for then
    assert coloring.wanted == Wanted.SOLUTION
    coloring.view(ClassesView).pointed.emit(Pointed(4))
    assert "class 5 of 13" in coloring.view(GraphView).hover.text()
    coloring.view(ClassesView).pointed.emit(NOTHING)
    assert coloring.view(GraphView).hover.text() == ""


def test_a_coloring_is_exported_by_name(qtbot: QtBot, coloring: MainWindow, tmp_path: Path) -> None:
    coloring.show_snapshot(coloring_snapshot(QUEENS, 3))
    coloring.actions_.exports["coloring"].trigger()
    dialog = coloring.findChild(QFileDialog)
    assert dialog.selectedFiles()[0].endswith("formicarium.sol")
    dialog.selectFile(str(tmp_path / "mine.sol"))
    with qtbot.waitSignal(coloring.dialogs.to_export) as asked:
        dialog.accept()
    assert asked.args == ["coloring", tmp_path / "mine.sol"]


@pytest.mark.parametrize("presenting", [False, True])
def test_no_text_of_a_graph_is_cut(coloring: MainWindow, presenting: bool) -> None:
    coloring.setup.colony.show_survey(WITHOUT_GPU)
    coloring.show_snapshot(coloring_snapshot(QUEENS, 90))
    if presenting:
        coloring.actions_["present"].trigger()
        coloring.setWindowState(Qt.WindowState.WindowNoState)
    coloring.resize(coloring.minimumSize())
    for views in (("graph", "convergence"), ("matrix", "classes")):
        for key in views:
            coloring.dashboard.show_view(key)
        coloring.dashboard.queue.finish()
        QApplication.sendPostedEvents()
        assert cut_texts(coloring) == [], views


def test_the_gap_is_to_the_lower_bound_until_a_coloring_is_proved(coloring: MainWindow) -> None:
    unknown = dataclasses.replace(QUEENS, optimum=None)
    coloring.show_instance(unknown)
    readout, state = coloring.readout, coloring_snapshot(unknown, 4)
    least = state.best_cost - 1
    coloring.show_snapshot(state)
    assert (readout.headings["gap"].text(), readout.values["gap"].text()) == ("GAP", "–")
    bound = LowerBound(least, f"a clique of {least} vertices", np.arange(least))
    coloring.show_snapshot(dataclasses.replace(state, bound=bound))
    assert readout.headings["gap"].text() == "GAP TO BOUND"
    assert readout.values["gap"].text() == "+1 color"
    assert f"a clique of {least} vertices" in readout.values["gap"].toolTip()
    proof = dataclasses.replace(bound, cost=state.best_cost)
    coloring.show_snapshot(dataclasses.replace(state, bound=proof))
    assert (readout.headings["gap"].text(), readout.values["gap"].text()) == ("PROVED", "optimal")
    coloring.begin_run()
    assert (readout.headings["gap"].text(), readout.values["gap"].text()) == ("GAP", "–")
