"""Draws what a run has found, as the window shows it, with no display."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu.core.errors import FormicariumError
from gpu.run.outcome import Result

if TYPE_CHECKING:
    from gpu.core.snapshot import RunState
    from views.widgets.view import View


def check_picture(path: Path) -> None:
    """Raise FormicariumError if such a picture cannot be drawn, before the run."""
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise FormicariumError(f"{path}: a picture ends with .png, .svg or .pdf; name it so")


def draw_result(path: Path, result: Result) -> None:
    """Write a picture of the best tour, or of the best coloring, to ``path``.

    A coloring is in the colors that the user has chosen for its classes in the window.

    Raises
    ------
    FormicariumError
        If there is no solution, the file cannot be written, or the system lacks a library of Qt's.
    """
    from app.window.qt_libraries import check_qt

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    check_qt(("offscreen",))

    from PySide6.QtWidgets import QApplication

    from app.files.pictures import write_picture
    from gpu.core.snapshot import RunState
    from views.frame.picture_look import PictureLook
    from views.frame.print_picture import PICTURE_MAKERS, PicturedView
    from views.widgets.steps import finished
    from views.widgets.theme import LIGHT

    words = result.instance.problem.words
    if result.solution is None or result.cost is None:
        raise FormicariumError(f"{path}: there is no {words.solution} to draw")
    app = QApplication.instance() or QApplication(["formicarium"])
    assert isinstance(app, QApplication)
    app.setStyle("Fusion")
    state = RunState(
        max(1, result.iterations),
        result.solutions_built,
        result.cost,
        result.best_iteration,
        result.cost,
        float(result.cost),
        result.solution,
    )
    show = _coloring if result.instance.map_places is None else _tour  # without a map: a graph
    view = show(result.instance, state)
    session = result.session
    colony = f"{session.title} on {session.device}"
    found = f"best {result.instance.cost_unit.amount(result.cost)}"
    title = "  ·  ".join((result.instance.name, colony, f"seed {session.seed}", found))
    subject = PicturedView(view, title, LIGHT)
    make = PICTURE_MAKERS[path.suffix.lower().lstrip(".")]
    write_picture(path, finished(make(subject, PictureLook())))
    view.deleteLater()


def _tour(instance: Any, state: RunState) -> View:
    """Return the map with the best tour."""
    from views.tour.tour_view import TourView

    view = TourView()
    view.show_instance(instance)
    view.take_in(state)
    for name in ("latest", "trails"):
        view.chips[name].setChecked(False)
    return view


def _coloring(graph: Any, state: RunState) -> View:
    """Return the graph with the best coloring."""
    from app.window.qt_application import settings_in
    from gpu.drawing.draw import GraphArtist
    from views.frame.kept_state import kept_of_view
    from views.graph.class_colours import ClassColours
    from views.graph.classes_view import ClassesView
    from views.graph.graph_view import GraphView

    ClassColours(kept_of_view(settings_in(), ClassesView.key)).use(graph)
    artist, view = GraphArtist(graph), GraphView()
    artist.settle(None)
    view.show_instance(graph)
    view.take_in(state)
    view.show_drawing(artist.draw(None, state.best_solution))
    return view
