"""The whole window with a real graph: opened, colored, looked at, and taken away."""

from __future__ import annotations

import math
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.files.loading import warm_up
from app.window.application import Application
from gpu import catalog
from gpu.core import devices
from gpu.core.snapshot import Wanted
from gpu.drawing.draw import GraphArtist
from gpu.drawing.drawing import Arrangement, GraphDrawing
from gpu.problems.coloring.instance import GraphInstance
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending
from tests.app import in_window
from tests.app.in_window import RING, use_device, written
from tests.hands import click, press
from tests.solutions import colors_in
from tests.views.graph_scenes import coloring_snapshot, greedy, queens
from views.graph.adjacency_view import AdjacencyView
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView
from views.plots.convergence_view import ConvergenceView
from views.plots.pheromone_view import PheromoneView
from views.tour.tour_view import TourView

QUEENS = queens(6)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile what the window warms up with and what colors graphs: closing cannot wait for it."""
    warm_up(devices.survey())
    core = devices.find("cpu:1")
    system = catalog.find("coloring", core)
    parameters = system.parameters().resolved(QUEENS.n)
    with closing(catalog.build(system, QUEENS, parameters, core, seed=1)) as colony:
        colony.iterate(1)
        colony.snapshot(Wanted.EVERYTHING)


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    path = tmp_path / "queen6_6.col"
    lines = [
        f"p edge {QUEENS.n} {len(QUEENS.edges)}",
        *(f"e {u + 1} {v + 1}" for u, v in QUEENS.edges),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def application(opened: Application) -> Application:
    """The window with one core chosen."""
    use_device(opened, "cpu:1")
    return opened


def open_(qtbot: QtBot, application: Application, path: Path) -> None:
    in_window.open_(qtbot, application, path)
    drawn(qtbot, application)


def drawn(qtbot: QtBot, application: Application) -> None:
    qtbot.waitUntil(lambda: application.background.idle, timeout=30_000)


@pytest.fixture
def done(qtbot: QtBot, application: Application, graph_file: Path) -> Application:
    """The window after a short run on the graph."""
    open_(qtbot, application, graph_file)
    application.window.setup.stop.set_values({"iterations": 6, "go_on": True})
    with qtbot.waitSignal(application.runs.ended, timeout=60_000):
        press(application.window, Qt.Key.Key_Space)
    application.window.dashboard.queue.finish()
    drawn(qtbot, application)
    return application


def test_a_dropped_graph_is_shown_with_its_own_colonies(
    qtbot: QtBot, application: Application, graph_file: Path
) -> None:
    window = application.window
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(graph_file))])
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(700, 400), action, data, button, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(700, 400), action, data, button, none)
    with qtbot.waitSignal(application.files.ready, timeout=30_000):
        QApplication.sendEvent(window, drop)
    drawn(qtbot, application)
    assert isinstance(application.instance.value, GraphInstance)
    assert window.view(GraphView).isVisible()
    assert not window.view(GraphView).waiting.isVisible()
    assert window.setup.choices().colony == "aco-rlf-seq"
    assert window.setup.parameters.fields["ants"].entry.placeholderText() == "auto: 7"
    assert window.problem == ""
    assert window.view(GraphView).vertices._drawing is not None


def test_a_run_fills_in_every_view(done: Application) -> None:
    window, run = done.window, done.runs.current
    assert run is not None
    assert run.outcome is not None
    assert run.outcome.ending is Ending.FINISHED
    final = run.outcome.state
    assert final.best_solution is not None
    assert QUEENS.cost_of(final.best_solution) == final.best_cost
    assert window.readout.values["best"].text() == str(final.best_cost)
    assert window.view(GraphView).state.text() == f"{final.best_cost} colors, no conflict"
    assert np.array_equal(window.view(GraphView).shown, final.best_solution)  # type: ignore[arg-type]
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
    assert picture is not None
    assert done.runs.current is not None
    assert done.runs.current.snapshot is not None
    assert np.array_equal(picture.coloring, done.runs.current.snapshot.best_solution)  # type: ignore[arg-type]
    assert "all blocks are empty" in done.window.view(AdjacencyView).caption.text()


def test_the_coloring_is_taken_away(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    path = tmp_path / "best.sol"
    done.exports.export("coloring", path)
    colors = colors_in(written(qtbot, done, path))
    assert done.runs.current is not None
    assert done.runs.current.snapshot is not None
    assert np.array_equal(colors, done.runs.current.snapshot.best_solution)  # type: ignore[arg-type]
    assert f"s col {done.runs.current.snapshot.best_cost}" in path.read_text()


@pytest.mark.parametrize("key", ["graph", "adjacency", "classes"])
def test_pictures_of_the_views_of_a_graph(
    qtbot: QtBot, done: Application, tmp_path: Path, key: str
) -> None:
    done.window.dashboard.show_view(key)
    drawn(qtbot, done)
    done.pictures.export_picture(key, "png", tmp_path / f"{key}.png")
    image = QImage(str(written(qtbot, done, tmp_path / f"{key}.png")))
    assert image.width() == done.window.dialogs.look.pixels.width()
    shown = {
        image.pixel(x, y) for x in range(0, image.width(), 9) for y in range(0, image.height(), 9)
    }
    assert len(shown) > 6
    done.pictures.export_picture(key, "svg", tmp_path / f"{key}.svg")
    root = ElementTree.parse(written(qtbot, done, tmp_path / f"{key}.svg")).getroot()
    assert root.tag.endswith("svg")
    texts = " ".join(text for element in root.iter() if (text := element.text))
    assert "queen6_6" in texts


def test_what_is_wrong_with_a_file_is_said(
    qtbot: QtBot, application: Application, graph_file: Path
) -> None:
    text = graph_file.read_text()
    graph_file.write_text(text.replace(f" {len(QUEENS.edges)}\n", " 7\n", 1))
    open_(qtbot, application, graph_file)
    assert application.window.setup.instance.warning.isVisible()
    assert "7" in application.window.setup.instance.warning.text()
    graph_file.write_text(text + "e 1 99\n")
    application.files.open(graph_file)
    qtbot.waitUntil(lambda: "99" in application.window.banner.text, timeout=30_000)
    assert "queen6_6.col" in application.window.banner.text
    assert application.instance.value is not None  # the graph before stays


def before_drawing(
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Arrangement | None, NDArray[np.int32] | None], None],
) -> None:
    """Have ``act`` called with what is asked for, in the thread that draws a graph."""
    plain = GraphArtist.draw

    def draw(
        artist: GraphArtist, how: Arrangement | None, coloring: NDArray[np.int32] | None
    ) -> GraphDrawing:
        act(how, coloring)
        return plain(artist, how, coloring)

    monkeypatch.setattr(GraphArtist, "draw", draw)


def test_graphs_are_drawn_in_a_thread_and_only_the_last_wish_counts(
    qtbot: QtBot,
    application: Application,
    graph_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_(qtbot, application, graph_file)
    made: list[tuple[Arrangement | None, bool]] = []
    all_wished = threading.Event()

    def slow(how: Arrangement | None, _: NDArray[np.int32] | None) -> None:
        made.append((how, threading.current_thread() is threading.main_thread()))
        all_wished.wait(30)

    before_drawing(monkeypatch, slow)
    buttons = application.window.view(GraphView).arrangement.buttons
    click(buttons["circle"])
    qtbot.waitUntil(lambda: bool(made))
    for how in ("spring", "classes", "circle", "classes"):
        click(buttons[how])
    all_wished.set()
    drawn(qtbot, application)
    assert [how for how, _ in made] == [Arrangement.CIRCLE, Arrangement.CLASSES]
    assert not any(in_window for _, in_window in made)
    drawing = application.window.view(GraphView).vertices._drawing
    assert drawing is not None
    assert drawing.arrangement is Arrangement.CLASSES


def test_costly_pictures_are_seldom_where_the_colony_needs_all_cores(
    qtbot: QtBot,
    application: Application,
    graph_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_(qtbot, application, graph_file)
    made: list[NDArray[np.int32] | None] = []

    def costly(_: Arrangement | None, coloring: NDArray[np.int32] | None) -> None:
        made.append(coloring)
        begin = time.thread_time()
        while time.thread_time() < begin + 0.1:
            pass

    before_drawing(monkeypatch, costly)
    window = application.window
    window.dashboard.queue.limit(1.0)
    click(window.view(GraphView).arrangement.buttons["circle"])
    drawn(qtbot, application)
    first, second = greedy(QUEENS, 1), greedy(QUEENS, 2)
    window.show_snapshot(coloring_snapshot(QUEENS, 1, first))
    qtbot.waitUntil(lambda: made[-1] is first)
    drawn(qtbot, application)
    qtbot.wait(600)  # cheap drawings would rest for half a second
    window.show_snapshot(coloring_snapshot(QUEENS, 2, second))
    qtbot.wait(100)
    assert made[-1] is first
    window.dashboard.queue.limit(math.inf)
    qtbot.waitUntil(lambda: made[-1] is second)
    drawn(qtbot, application)


def test_views_take_turns_with_their_pictures(
    qtbot: QtBot,
    application: Application,
    graph_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_(qtbot, application, graph_file)
    made: list[str] = []
    go_on = threading.Event()

    def note(name: str) -> None:
        plain = getattr(GraphArtist, name)

        def wait(*arguments: object) -> object:
            made.append(name)
            go_on.wait(20)
            return plain(*arguments)

        monkeypatch.setattr(GraphArtist, name, wait)

    note("draw")
    note("adjacency")
    graph, adjacency = application.window.view(GraphView), application.window.view(AdjacencyView)
    for _ in range(3):  # while the first is under way, both ask again and again
        graph.drawing_wanted.emit(None, None)
        adjacency.picture_wanted.emit(None)
    go_on.set()
    drawn(qtbot, application)
    assert made == ["draw", "adjacency", "draw"]


def test_another_instance_gives_up_the_drawing(
    qtbot: QtBot,
    application: Application,
    graph_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_(qtbot, application, graph_file)
    waiting = threading.Event()
    plain = GraphArtist.draw

    def slow(
        artist: GraphArtist, how: Arrangement | None, coloring: NDArray[np.int32] | None
    ) -> GraphDrawing:
        waiting.wait(20)
        return plain(artist, how, coloring)

    monkeypatch.setattr(GraphArtist, "draw", slow)
    click(application.window.view(GraphView).arrangement.buttons["circle"])
    with qtbot.waitSignal(application.files.ready, timeout=30_000):
        application.files.open(RING)
    waiting.set()
    drawn(qtbot, application)
    assert application.window.view(TourView).isVisible()
    assert application.window.view(GraphView).vertices._drawing is None
    monkeypatch.undo()
    open_(qtbot, application, graph_file)
    assert application.window.view(GraphView).vertices._drawing is not None


def test_a_session_of_a_graph_is_opened_again(
    qtbot: QtBot, done: Application, tmp_path: Path
) -> None:
    run = done.runs.current
    assert run is not None
    assert run.snapshot is not None
    first = run.snapshot.best_solution
    log = run.recorder.path
    open_(qtbot, done, RING)
    open_(qtbot, done, log)
    assert done.window.view(GraphView).isVisible()
    assert done.window.setup.choices().colony == "aco-rlf-seq"
    with qtbot.waitSignal(done.runs.ended, timeout=60_000):
        press(done.window, Qt.Key.Key_Space)
    assert done.runs.current is not None
    assert done.runs.current.snapshot is not None
    assert np.array_equal(done.runs.current.snapshot.best_solution, first)  # type: ignore[arg-type]
