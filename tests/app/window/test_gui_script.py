"""A script that plays in the window: it opens, runs, pauses, shows a decision, and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.files.scripts import load_script
from app.window.application import Application
from tests import colonies
from tests.app.in_window import LONGEST, may_compile, wait_for
from tests.colonies import RandomColony
from tests.hands import click, press
from views.decision.decision_view import DecisionView
from views.frame.activity import Activity

SCRIPT = """
[[step]]
open = "ring-50"
device = "cpu:1"
colony = "as-seq"
parameters = { ants = 1 }
show = ["decision"]
decision = { ant = 1, step = 7 }
say = "One ant"

[[step]]
colony = "test-randomcolony"
limits = { iterations = 1000000 }
seed = 5
pace = 20
run_to = 3
show = ["tour", "log"]
say = "Three tours"

[[step]]
run = "start"
wait = 0.05

[[step]]
run = "stop"
say = "Stopped"

[[step]]
show = ["graph"]
"""


@may_compile
def test_a_script_plays(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    colonies.install(monkeypatch, RandomColony)
    path = tmp_path / "lecture.toml"
    path.write_text(SCRIPT)
    window, player = opened.window, opened.presentation
    caption = window.presentation.caption
    window.setup.colony._device_changed()  # there is another colony
    player.open(path)
    view = window.view(DecisionView)
    qtbot.waitUntil(lambda: view.decision is not None, timeout=LONGEST)
    assert view.decision is not None
    assert view.decision.step == 7
    assert window.isFullScreen()
    assert caption.text() == "One ant"
    assert window.dashboard.in_front == ["decision"]

    press(window, Qt.Key.Key_PageDown)
    wait_for(qtbot, opened, Activity.PAUSED)
    run = opened.runs.current
    assert run is not None
    assert run.latest.iteration == 3
    assert (run.session.colony, run.session.seed) == ("test-randomcolony", 5)
    assert window.dashboard.in_front == ["tour", "log"]

    press(window, Qt.Key.Key_PageUp)  # shows the step before again, and touches no run
    assert (caption.text(), window.activity) == ("One ant", Activity.PAUSED)
    press(window, Qt.Key.Key_PageDown)
    click(caption)  # goes on too; the third step waits for a moment, the fourth for the speaker
    qtbot.waitUntil(lambda: caption.text() == "Stopped" and not opened.runs.busy)
    assert run.latest.iteration > 3
    press(window, Qt.Key.Key_PageDown)
    said = "lecture.toml, line 28: there is no view graph for this instance"
    qtbot.waitUntil(lambda: window.banner.text.lower() == said.lower())
    assert not player.plays
    press(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert caption.isHidden()
    assert load_script(path) == player.script  # F5 plays it again
