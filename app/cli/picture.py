"""Draws what a run has found, as the window shows it, with no display."""

from __future__ import annotations

import os
from pathlib import Path

from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.run.outcome import Result


def check_picture(path: Path, instance: Instance) -> None:
    """Raise FormicariumError if such a picture cannot be drawn, before the run."""
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise FormicariumError(f"{path}: a picture ends with .png, .svg or .pdf; name it so")
    if instance.map_places is None:
        raise FormicariumError(
            f"{path}: --picture draws only tours, and {instance.name} has no map: leave it out, or "
            "draw it in the window"
        )


def draw_result(path: Path, result: Result) -> None:
    """Write a picture of the best tour to ``path``.

    Raises
    ------
    FormicariumError
        If there is no tour, the file cannot be written, or the system lacks a library of Qt's.
    """
    from app.window.qt_libraries import check_qt

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    check_qt(("offscreen",))

    from PySide6.QtWidgets import QApplication

    from app.files.pictures import write_picture
    from gpu.core.snapshot import RunState
    from views.frame.print_picture import PICTURE_MAKERS, PicturedView, PictureLook
    from views.tour.tour_view import TourView
    from views.widgets.steps import finished
    from views.widgets.theme import LIGHT

    if result.solution is None or result.cost is None:
        raise FormicariumError(f"{path}: there is no tour to draw")
    app = QApplication.instance() or QApplication(["formicarium"])
    assert isinstance(app, QApplication)
    app.setStyle("Fusion")
    view = TourView()
    view.show_instance(result.instance)  # type: ignore[arg-type]  # check_picture has looked
    iterations = max(1, result.iterations)
    mean = float(result.cost)
    view.take_in(
        RunState(
            iterations,
            result.solutions_built,
            result.cost,
            result.best_iteration,
            result.cost,
            mean,
            result.solution,
        )
    )
    for name in ("latest", "trails"):
        view.chips[name].setChecked(False)
    session = result.session
    colony = f"{session.system.title} on {session.device}"
    found = f"best {result.instance.cost_unit.amount(result.cost)}"
    title = "  ·  ".join((result.instance.name, colony, f"seed {session.seed}", found))
    subject = PicturedView(view, title, LIGHT)
    make = PICTURE_MAKERS[path.suffix.lower().lstrip(".")]
    write_picture(path, finished(make(subject, PictureLook())))
    view.deleteLater()
