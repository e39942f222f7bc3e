"""The whole window after a real graph was colored: what it shows, and what is taken away."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.colony import never
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.rlf.cpu.colony import RlfCpuColony
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending
from tests.app.in_window import use_device, written
from tests.app.window.graph_window import QUEENS, color, compiled, drawn, open_, write_graph
from tests.hands import press, press_stop
from tests.processes import colors_in
from tests.waiting import until
from views.graph.adjacency_view import AdjacencyView
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView
from views.plots.convergence_view import ConvergenceView
from views.plots.pheromone_view import PheromoneView

__all__ = ["compiled"]


@pytest.fixture(scope="module")
def colored(
    shared: Application, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Application:
    """The window after a short run on the graph."""
    color(QtBot(request), shared, write_graph(tmp_path_factory.mktemp("graph")))
    return shared


@pytest.fixture
def done(qtbot: QtBot, colored: Application) -> Iterator[Application]:
    """The same; it says nothing of an earlier test's."""
    colored.window.banner.clear()
    yield colored
    drawn(qtbot, colored)


def test_a_run_fills_in_every_view(done: Application) -> None:
    window, run = done.window, done.runs.current
    assert run.outcome.ending is Ending.FINISHED
    final = run.outcome.state
    assert QUEENS.cost_of(final.best_solution) == final.best_cost
    assert window.readout.values["best"].text() == str(final.best_cost)
    assert window.view(GraphView).state.text() == f"{final.best_cost} colors, no conflict"
    assert np.array_equal(window.view(GraphView).shown, final.best_solution)
    assert window.view(ConvergenceView).curves["best"].points[-1].tolist() == [6, final.best_cost]
    assert window.view(PheromoneView).image.boundingRect().width() == QUEENS.n
    press(window, Qt.Key.Key_5)
    assert window.view(AdjacencyView).isVisible()
    press(window, Qt.Key.Key_4)
    assert window.view(ClassesView).bars.sizes.sum() == QUEENS.n
    log = read_log(run.recorder.path)
    assert log.session.colony == "aco-rlf-seq"


def test_rows_of_the_heatmap_are_in_the_order_of_the_classes(done: Application) -> None:
    """What the colony's picture is ordered by is what the view says it is."""
    view = done.window.view(PheromoneView)
    assert view.matrix is not None
    assert view._order is not None
    adjacent = np.zeros((QUEENS.n, QUEENS.n), np.bool_)
    adjacent[tuple(QUEENS.edges.T)] = True
    adjacent |= adjacent.T
    np.fill_diagonal(adjacent, True)
    order = view._order
    assert ((view.matrix == 0) == adjacent[order][:, order]).all()


def test_the_matrix_follows_when_it_is_looked_at(qtbot: QtBot, done: Application) -> None:
    press(done.window, Qt.Key.Key_5)
    drawn(qtbot, done)
    picture = done.window.view(AdjacencyView).picture
    assert np.array_equal(picture.coloring, done.runs.current.snapshot.best_solution)
    assert "all blocks are empty" in done.window.view(AdjacencyView).caption.text()


def test_the_coloring_is_taken_away(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    path = tmp_path / "best.sol"
    done.exports.export("coloring", path)
    colors = colors_in(written(qtbot, done, path))
    assert np.array_equal(colors, done.runs.current.snapshot.best_solution)
    assert f"s col {done.runs.current.snapshot.best_cost}" in path.read_text()


def test_pictures_of_the_views_of_a_graph(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    for key in ("graph", "matrix", "classes"):
        done.window.dashboard.show_view(key)
        drawn(qtbot, done)
        done.pictures.export_picture(key, "png", tmp_path / f"{key}.png")
        image = QImage(str(written(qtbot, done, tmp_path / f"{key}.png")))
        assert image.width() == done.window.dialogs.look.pixels.width()
        shown = {
            image.pixel(x, y)
            for x in range(0, image.width(), 9)
            for y in range(0, image.height(), 9)
        }
        assert len(shown) > 6
        done.pictures.export_picture(key, "svg", tmp_path / f"{key}.svg")
        root = ElementTree.parse(written(qtbot, done, tmp_path / f"{key}.svg")).getroot()
        assert root.tag.endswith("svg")
        texts = " ".join(text for element in root.iter() if (text := element.text))
        assert "queen6_6" in texts


def test_a_run_has_the_greedy_coloring_in_every_view_until_its_ants_have_built_one(
    qtbot: QtBot, opened: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def idle(colony: RlfCpuColony, count: int, stop: Callable[[], bool] = never) -> None:
        until(stop)

    monkeypatch.setattr(RlfCpuColony, "iterate", idle)
    window = opened.window
    use_device(opened, "cpu:1")
    open_(qtbot, opened, write_graph(tmp_path))
    greedy = dsatur_coloring(QUEENS)
    colors = QUEENS.cost_of(greedy)
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.readout.values["best"].text() == str(colors))
    with qtbot.waitSignal(opened.runs.ended):
        press_stop(window)
    window.dashboard.queue.finish()
    drawn(qtbot, opened)
    assert window.readout.values["iteration"].text() == "0"
    assert window.view(GraphView).state.text() == f"{colors} colors, no conflict"
    window.dashboard.show_view("convergence")
    assert window.view(ConvergenceView).curves["best"].points.tolist() == [[0, colors]]
    press(window, Qt.Key.Key_4)
    assert window.view(ClassesView).bars.sizes.sum() == QUEENS.n
    assert window.banner.text.startswith(f"Stopped by the user: best {colors} colors, ")
    assert window.banner.text.endswith(", with which the run began, after 0 iterations")
    log = read_log(opened.runs.current.recorder.path)
    assert (log.outcome["best"], log.outcome["colors"]) == (colors, QUEENS.written(greedy))
