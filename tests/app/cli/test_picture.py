"""solve --picture: the tour as the window draws it, with no display."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.cli.picture import draw_result
from gpu.core.snapshot import Snapshot
from gpu.problems.tsp.tsplib import load
from gpu.run.outcome import Ending, Outcome
from gpu.run.result import Result
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests.app.in_window import RING


def test_a_tour_is_drawn(qtbot: QtBot, tmp_path: Path) -> None:
    instance = load(RING)
    stop = StopSettings(iterations=1)
    session = new_session(instance, colony="as-seq", device="cpu:1", seed=3, stop=stop)
    cost = instance.tour_length(instance.optimal_tour)
    state = Snapshot(1, 4, cost, 1, cost, float(cost), instance.optimal_tour)
    result = Result.of(instance, session, Outcome(Ending.FINISHED, "done", state))
    draw_result(tmp_path / "a.svg", result)
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert "ring-50  ·  " in text
    assert "seed 3" in text
    assert text.count("<polyline") + text.count("<line") + text.count("<path") > 50
    draw_result(tmp_path / "a.pdf", result)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
