"""A city or an edge under the mouse in one view lights up in the others."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.gpu.test_decisions import acs
from tests.graphs import greedy, queens
from tests.hands import click, move
from tests.views.graph_scenes import coloring_snapshot, serve
from tests.views.scenes import pixel_of, snapshot, uniform
from views.decision.decision_view import DecisionView
from views.frame.main_window import MainWindow
from views.graph.graph_view import GraphView
from views.plots.pheromone_view import PheromoneView
from views.tour.tour_view import TourView
from views.widgets.plot import PlotWidget
from views.widgets.view import NOTHING, Pointed

CITIES = uniform(120)


def leave(viewport: QWidget) -> None:
    QApplication.sendEvent(viewport, QEvent(QEvent.Type.Leave))


def test_what_is_pointed_at_lights_up_in_the_other_views(qtbot: QtBot, window: MainWindow) -> None:
    window.show_instance(CITIES)
    state = snapshot(CITIES, 10)
    window.show_snapshot(state)
    window.dashboard.queue.finish()
    tour, pheromone = window.view(TourView), window.view(PheromoneView)
    lit, map_ = tour.lit, tour.graphics.viewport()
    best = state.best_solution
    city = int(best[30])

    def marked() -> bool:  # at the first attempts the parts may not have their places yet
        move(map_, pixel_of(tour, *CITIES.display[city]))
        return [mark.y() for mark in pheromone.marks.marks] == [30, 0]  # its row and column

    qtbot.waitUntil(marked)
    assert lit.shown == Pointed(places=(city,))
    leave(map_)
    assert matrix_marks(pheromone) == 0
    assert lit.empty

    # an edge of the longest on the tour, away from its cities
    ends = np.stack([best, np.roll(best, -1)], axis=1)
    lengths = np.hypot(*(CITIES.display[ends[:, 0]] - CITIES.display[ends[:, 1]]).T)
    at = int(lengths.argmax())
    edge = tuple(ends[at].tolist())

    def lit_up() -> bool:
        move(map_, pixel_of(tour, *CITIES.display[ends[at]].mean(axis=0)))
        return lit.shown == Pointed(places=edge)

    qtbot.waitUntil(lit_up, timeout=60_000)
    assert f"city {edge[0] + 1} → city {edge[1] + 1}, length" in tour.hover.text()
    assert matrix_marks(pheromone) == 2  # both directions

    click(pheromone.forms.buttons["strip"])  # another form marks it too
    assert table_marks(pheromone) == 2
    leave(map_)
    assert table_marks(pheromone) == 0
    plot: PlotWidget = pheromone.table
    viewport = plot.widget.viewport()

    def told() -> bool:
        at = plot.box.mapViewToScene(QPointF(1, 60))
        move(viewport, plot.widget.mapFromScene(at))
        there = plot.widget.mapToScene(plot.widget.mapFromScene(at))
        row = round(plot.box.mapSceneToView(there).y())
        return lit.shown == Pointed(places=(int(best[row]), int(state.strip.others[row, 0])))

    qtbot.waitUntil(told)

    decision = acs(q0=0.5).decision(0, 1)
    shown = window.view(DecisionView)
    window.dashboard.show_view("decision")
    shown.offer(10, CITIES.n, "Foretold", 4)
    shown.show_decision(decision)
    leave(viewport)
    shown.point_out(Pointed(places=(5,)))
    assert shown.canvas.lit.shown == Pointed(places=(5,))
    rows = shown.bars.rows
    with qtbot.waitSignal(shown.pointed) as pointed:
        move(shown.bars, QPoint(40, round(shown.bars.row_height * 1.5)))
    assert pointed.args == [Pointed(places=rows[0].places)]
    window.begin_run()
    assert table_marks(pheromone) == 0
    assert shown.canvas.lit.empty
    check_graph(window)


def matrix_marks(view: PheromoneView) -> int:
    return len(view.marks.marks)


def table_marks(view: PheromoneView) -> int:
    return len(view.table.marks.marks)


def check_graph(window: MainWindow) -> None:
    """A pair of vertices lights up in the graph, and one vertex in the matrix."""
    graph = queens(8)
    serve(window, graph)
    window.show_instance(graph)
    window.show_snapshot(coloring_snapshot(graph, 3))
    window.dashboard.queue.finish()
    view = window.view(GraphView)
    window.view(PheromoneView).point_to(Pointed(places=(3, 9)))
    assert view.hover.text() == "vertex 4,  vertex 10"
    view.point_to(Pointed(int(greedy(graph)[7]), (7,)))
    assert len(window.view(PheromoneView).marks.marks) == 2  # a row and a column
    view.point_to(NOTHING)
    assert not window.view(PheromoneView).marks.marks
