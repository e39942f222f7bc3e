"""The whole window with a graph whose coloring a clique proves to be optimal."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from app.window.controllers.runs.run_text import caption_of
from gpu.problems.coloring.dimacs import write_graph
from tests.app.in_window import use_device
from tests.app.window.graph_window import compiled, drawn, open_
from tests.gpu.rlf.literal import graph
from tests.hands import click, press
from views.plots.convergence_view import ConvergenceView

__all__ = ["compiled"]


def test_a_run_ends_with_its_proof_and_the_box_says_whether_it_may(
    qtbot: QtBot, application: Application, tmp_path: Path
) -> None:
    path = tmp_path / "crossed.col"
    ring = [(v, (v + 1) % 8) for v in range(8)]
    write_graph(path, graph(9, [*ring, (0, 2), (8, 0), (8, 1), (8, 2)]))  # a clique of 4
    use_device(application, "cpu:1")
    open_(qtbot, application, path)
    window, stop = application.window, application.window.setup.stop
    stop.set_values({"iterations": 4})
    assert stop.at_known.text() == "Proved optimal"
    assert stop.at_known.isEnabled()
    assert stop.at_known.isChecked()
    with qtbot.waitSignal(application.runs.ended, timeout=250_000):
        press(window, Qt.Key.Key_Space)
    window.dashboard.queue.finish()
    drawn(qtbot, application)
    run = application.runs.current
    assert run.outcome.criterion.name == "proved"
    assert run.outcome.state.iteration < 4
    assert "proved optimal: 4 colors, and a clique of 4 vertices" in window.banner.text.lower()
    assert "best 4 colors" not in window.banner.text
    assert window.readout.values["gap"].text() == "optimal"
    assert caption_of(run).endswith("  ·  best 4 colors (proved optimal)")
    assert window.view(ConvergenceView).chips["bound"].isVisibleTo(window)

    click(stop.at_known)
    assert stop.values()["go_on"]
    with qtbot.waitSignal(application.runs.ended, timeout=60_000):
        window.actions_["start"].trigger()
    assert application.runs.current.outcome.state.iteration == 4
    assert application.runs.current.outcome.state.proved
    drawn(qtbot, application)
