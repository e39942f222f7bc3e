"""The whole window with a real graph: opened, drawn in turns, and opened again."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from app.window.controllers.runs import graphs
from gpu.drawing.draw import GraphArtist
from gpu.drawing.drawing import Arrangement, GraphDrawing
from gpu.problems.coloring.instance import GraphInstance
from tests.app.in_window import RING
from tests.app.window.graph_window import QUEENS, color, compiled, drawn, open_, write_graph
from tests.clock import Clock
from tests.graphs import greedy
from tests.hands import click, drop, press, settle
from tests.views.graph_scenes import coloring_snapshot
from views.graph.adjacency_view import AdjacencyView
from views.graph.graph_view import GraphView
from views.tour.tour_view import TourView

__all__ = ["compiled"]


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    return write_graph(tmp_path)


@pytest.fixture
def shown(qtbot: QtBot, application: Application, graph_file: Path) -> Path:
    """The same, which the window shows."""
    open_(qtbot, application, graph_file)
    return graph_file


def test_a_dropped_graph_is_shown_with_its_own_colonies(
    qtbot: QtBot, application: Application, graph_file: Path
) -> None:
    window = application.window
    with qtbot.waitSignal(application.files.ready):
        drop(window, graph_file)
    drawn(qtbot, application)
    assert isinstance(application.instance.value, GraphInstance)
    assert window.view(GraphView).isVisible()
    assert not window.view(GraphView).waiting.isVisible()
    assert window.setup.choices().colony == "aco-rlf-seq"
    assert window.setup.parameters.fields["ants"].entry.placeholderText() == "auto: 7"
    assert window.problem == ""
    assert window.view(GraphView).vertices._drawing is not None


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
    qtbot.waitUntil(lambda: "99" in application.window.banner.text)
    assert "queen6_6.col" in application.window.banner.text
    assert application.instance.value is not None  # the graph before stays


def before_drawing(
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Arrangement | None, NDArray[np.int32] | None], object],
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
    qtbot: QtBot, application: Application, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert drawing.arrangement is Arrangement.CLASSES


def test_costly_pictures_are_seldom_where_the_colony_needs_all_cores(
    qtbot: QtBot, application: Application, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[NDArray[np.int32] | None] = []
    monkeypatch.setattr(graphs, "PICTURES_APART", 600.0)  # longer than this test on any machine
    clock = Clock(monkeypatch, graphs)

    def costly(_: Arrangement | None, coloring: NDArray[np.int32] | None) -> None:
        made.append(coloring)
        clock.work(100.0)

    before_drawing(monkeypatch, costly)
    window = application.window
    window.dashboard.queue.limit(1.0)
    click(window.view(GraphView).arrangement.buttons["circle"])
    drawn(qtbot, application)
    first, second = greedy(QUEENS, 1), greedy(QUEENS, 2)
    window.show_snapshot(coloring_snapshot(QUEENS, 1, first))
    qtbot.waitUntil(lambda: made[-1] is first)
    drawn(qtbot, application)
    assert window.view(GraphView).redraw_interval > 100  # that of cheap drawings is half a second
    window.show_snapshot(coloring_snapshot(QUEENS, 2, second))
    settle()
    drawn(qtbot, application)  # it would be under way
    assert made[-1] is first
    window.dashboard.queue.limit(math.inf)
    qtbot.waitUntil(lambda: made[-1] is second)
    drawn(qtbot, application)


def test_views_take_turns_with_their_pictures(
    qtbot: QtBot, application: Application, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    qtbot: QtBot, application: Application, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = threading.Event()
    before_drawing(monkeypatch, lambda *_: waiting.wait(20))
    click(application.window.view(GraphView).arrangement.buttons["circle"])
    with qtbot.waitSignal(application.files.ready):
        application.files.open(RING)
    waiting.set()
    drawn(qtbot, application)
    assert application.window.view(TourView).isVisible()
    assert application.window.view(GraphView).vertices._drawing is None
    monkeypatch.undo()
    open_(qtbot, application, shown)
    assert application.window.view(GraphView).vertices._drawing is not None


def test_a_session_of_a_graph_is_opened_again(
    qtbot: QtBot, opened: Application, graph_file: Path
) -> None:
    color(qtbot, opened, graph_file)
    run = opened.runs.current
    first = run.snapshot.best_solution
    log = run.recorder.path
    open_(qtbot, opened, RING)
    open_(qtbot, opened, log)
    assert opened.window.view(GraphView).isVisible()
    assert opened.window.setup.choices().colony == "aco-rlf-seq"
    with qtbot.waitSignal(opened.runs.ended):
        press(opened.window, Qt.Key.Key_Space)
    assert np.array_equal(opened.runs.current.snapshot.best_solution, first)
