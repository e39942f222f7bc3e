from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from tests.hands import click, press, settle
from tests.views.scenes import snapshot, uniform
from views.frame.main_window import MainWindow
from views.frame.values_dialog import ValuesDialog
from views.plots.convergence_view import ConvergenceView
from views.plots.pheromone_view import PheromoneView
from views.widgets.view import View

INSTANCE = uniform(60)


def test_every_plot_has_its_values_as_a_table(window: MainWindow) -> None:
    window.show_instance(INSTANCE)
    for iteration in (10, 20, 30):
        window.show_snapshot(snapshot(INSTANCE, iteration, memory=True))
    window.pages.show_views()
    window.dashboard.show_view(ConvergenceView.key)
    window.dashboard.queue.finish()
    press(window, Qt.Key.Key_T)
    (dialog,) = window.findChildren(ValuesDialog)
    rows = dialog.cells.content.rows
    best = [row for _, row in rows if row[0] == "Best so far"]
    assert best[-1][1] == 30.0
    assert dialog.cells.headings[:2] == ["Curve", "iterations"]
    click(dialog.copy_button)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert len(lines) == len(rows) + 1
    name, x, y = lines[-1].split("\t")[:3]
    assert (name, float(x), float(y)) == rows[-1][1][:3]
    dialog.cells.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert dialog.cells.texts(0)[1] == "30"
    window.show_snapshot(snapshot(INSTANCE, 40, memory=True))
    window.dashboard.queue.finish()
    click(dialog.newest)
    assert dialog.cells.texts(0)[1] == "40"
    press(dialog, Qt.Key.Key_Escape)


def test_trails_have_a_table_the_strongest_first(window: MainWindow) -> None:
    window.show_instance(INSTANCE)
    window.show_snapshot(snapshot(INSTANCE, 10, memory=True))
    view = window.view(PheromoneView)
    view.draw_all()
    (table,) = view.values()
    trails = [row[2] for row in table.rows]
    assert trails == sorted(trails, reverse=True)
    assert view.matrix is not None
    assert trails[0] == float(np.max(view.matrix))


def test_a_view_that_is_reached_by_a_key_says_its_newest_values(window: MainWindow) -> None:
    window.show_instance(INSTANCE)
    for iteration in (1, 10):
        window.show_snapshot(snapshot(INSTANCE, iteration, memory=True))
    window.dashboard.show_view(ConvergenceView.key)
    window.dashboard.queue.finish()
    view = window.view(ConvergenceView)
    view.describe()
    assert "Best so far: " in view.accessibleDescription()
    assert "at 10" in view.accessibleDescription()


def test_the_button_is_there_for_views_with_plots_alone(window: MainWindow) -> None:
    window.resize(1920, 1080)
    QApplication.sendPostedEvents()
    for pane in window.dashboard.panes:
        for at, view in enumerate(pane.views):
            pane.choose(at)
            assert isinstance(view, View)
            assert pane.values_button.isVisible() == view.has_values


@pytest.mark.parametrize("width", [940, 996, 1000])
def test_buttons_beside_the_tabs_make_no_tab_scroll(window: MainWindow, width: int) -> None:
    window.resize(width, 700)
    settle()
    for pane in window.dashboard.panes:
        bar = pane.tabs.tabBar()
        assert bar.sizeHint().width() <= bar.width()
        assert pane.zoom_button.isVisible()
        assert pane.picture_button.isVisible() or width < 996
