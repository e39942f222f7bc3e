"""A script that plays in the window: it opens, runs, pauses, shows a decision, and goes on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.files.scripts import example, load_script
from app.window.application import Application
from app.window.threads.solver import SolverState
from tests import colonies
from tests.app.in_window import LONGEST, list_colonies, may_compile, open_, wait_for
from tests.colonies import Awaited, RandomColony
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
wait = 0.5

[[step]]
run = "stop"
say = "Stopped"

[[step]]
show = ["graph"]
"""


def decided(view: DecisionView) -> tuple[int, int] | None:
    """Ant and step, both from 1, of the decision that is shown."""
    shown = view.decision
    return None if shown is None else (shown.ant + 1, shown.number)


@may_compile
def test_the_example_plays_to_its_end(qtbot: QtBot, opened: Application) -> None:
    """The script that comes with the program, as it is, by menu and Page Down."""
    window, player = opened.window, opened.presentation
    steps = load_script(example()).steps

    def plays(step: int, activity: Activity) -> None:
        """Wait until a step says what it says, and a run does what it shall."""
        said = window.presentation.caption
        qtbot.waitUntil(lambda: said.text() == steps[step].say, timeout=LONGEST)
        wait_for(qtbot, opened, activity)

    window.actions_["example"].trigger()
    plays(0, Activity.IDLE)
    assert window.dashboard.in_front == ["tour"]
    instance = opened.instance.value
    assert instance.name == "uniform-100"

    press(window, Qt.Key.Key_PageDown)
    plays(1, Activity.PAUSED)
    run = opened.runs.current
    assert (run.session.colony, run.session.device, run.session.seed) == ("as-seq", "cpu:1", 1)
    assert run.latest.iteration == 1
    press(window, Qt.Key.Key_PageDown)  # and three seconds after the tenth iteration goes on
    plays(3, Activity.PAUSED)
    assert run.latest.iteration == 10
    view = window.view(DecisionView)
    qtbot.waitUntil(lambda: decided(view) == (1, 40))
    assert window.dashboard.in_front == ["decision"]

    press(window, Qt.Key.Key_PageDown)
    plays(4, Activity.RUNNING)
    assert window.dashboard.in_front == ["pheromone", "convergence"]
    plays(5, Activity.IDLE)  # the run ends by itself
    assert run.latest.iteration == 60
    assert window.dashboard.in_front == ["tour"]
    press(window, Qt.Key.Key_PageDown)
    assert not player.plays
    assert window.banner.text == "How ants find a short tour: this was the last step"
    press(window, Qt.Key.Key_PageDown)  # another view
    assert window.dashboard.in_front == ["decision"]
    window.banner.clear()
    press(window, Qt.Key.Key_PageUp)  # the last step again
    assert window.dashboard.in_front == ["tour"]
    press(window, Qt.Key.Key_PageDown)
    assert window.banner.text == "How ants find a short tour: this was the last step"
    press(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()


@may_compile
def test_a_script_plays(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    colonies.install(monkeypatch, RandomColony)
    path = tmp_path / "lecture.toml"
    path.write_text(SCRIPT)
    window, player = opened.window, opened.presentation
    caption = window.presentation.caption
    list_colonies(opened)
    player.open(path)
    view = window.view(DecisionView)
    qtbot.waitUntil(lambda: decided(view) == (1, 7), timeout=LONGEST)
    assert window.isFullScreen()
    qtbot.waitUntil(lambda: caption.text() == "One ant")
    assert window.dashboard.in_front == ["decision"]

    press(window, Qt.Key.Key_PageDown)
    wait_for(qtbot, opened, Activity.PAUSED)
    qtbot.waitUntil(lambda: caption.text() == "Three tours")
    run = opened.runs.current
    assert run.latest.iteration == 3
    assert (run.session.colony, run.session.seed) == ("test-randomcolony", 5)
    assert window.dashboard.in_front == ["tour", "log"]

    press(window, Qt.Key.Key_PageUp)  # shows the step before again, and touches no run
    qtbot.waitUntil(lambda: caption.text() == "One ant")
    assert window.activity is Activity.PAUSED
    press(window, Qt.Key.Key_PageDown)
    click(caption)  # goes on too; the third step waits for a moment, the fourth for the speaker
    qtbot.waitUntil(lambda: caption.text() == "Stopped" and not opened.runs.busy)
    assert run.latest.iteration > 3
    press(window, Qt.Key.Key_PageUp)  # this step shows and says nothing of its own
    qtbot.waitUntil(lambda: caption.text() == "Three tours")
    assert window.dashboard.in_front == ["tour", "log"]
    press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: caption.text() == "Stopped")
    press(window, Qt.Key.Key_PageDown)
    said = "lecture.toml, line 28: there is no view graph for this instance"
    qtbot.waitUntil(lambda: window.banner.text.lower() == said.lower())
    assert not player.plays
    press(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert caption.isHidden()
    assert load_script(path) == player.script  # F5 plays it again


@pytest.mark.parametrize(
    ("colony", "why"),
    [
        ("test-randomcolony", "the decisions of test-randomcolony cannot be replayed"),
        ("focused-seq", "in the first iteration no ant makes a double bridge"),
    ],
)
@may_compile
def test_a_script_says_why_there_is_no_decision(
    qtbot: QtBot,
    opened: Application,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    colony: str,
    why: str,
) -> None:
    colonies.install(monkeypatch, RandomColony)
    list_colonies(opened)
    path = tmp_path / "lecture.toml"
    path.write_text(
        '[[step]]\nopen = "ring-50"\ndevice = "cpu:1"\n'
        f'colony = "{colony}"\nshow = ["decision"]\ndecision = {{ ant = 1, step = 1 }}\n'
    )
    opened.presentation.open(path)
    said = opened.window.banner
    qtbot.waitUntil(lambda: why in said.text.lower(), timeout=LONGEST)
    assert "line 1" in said.text
    assert not opened.presentation.plays


def test_the_way_back_leads_past_an_instance_of_another_problem(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    path = tmp_path / "both.toml"
    path.write_text(
        '[[step]]\nopen = "ring-50"\nshow = ["tour"]\nsay = "Cities"\n'
        '[[step]]\nopen = "mycielski-47"\nshow = ["graph"]\nsay = "A graph"\n'
    )
    window, caption = opened.window, opened.window.presentation.caption
    opened.presentation.open(path)
    qtbot.waitUntil(lambda: caption.text() == "Cities")
    press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: caption.text() == "A graph")
    press(window, Qt.Key.Key_PageUp)
    qtbot.waitUntil(lambda: caption.text() == "Cities")
    assert opened.presentation.plays
    assert window.dashboard.in_front == ["graph"]  # its instance is still there


def test_a_script_ends_a_measurement(qtbot: QtBot, opened: Application, tmp_path: Path) -> None:
    open_(qtbot, opened)
    opened.measurements.speedups()
    script = tmp_path / "grid.toml"
    script.write_text('[[step]]\nopen = "grid-100"\n')
    opened.presentation.open(script)
    name = opened.window.setup.instance.name
    qtbot.waitUntil(lambda: name.text() == "grid-100")
    wait_for(qtbot, opened, Activity.IDLE)


WAITING = """
[[step]]
open = "ring-50"
say = "Fifty cities"

[[step]]
device = "cpu:1"
colony = "test-awaited"
limits = { iterations = 20 }
seed = 5
run_to = 1
say = "One tour"

[[step]]
run_to = 10
say = "Ten tours"

[[step]]
run = "start"
say = "It goes on"
wait = "end"

[[step]]
run_to = 30
say = "Thirty tours"
"""


def test_a_step_says_its_text_once_it_is_true(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """While the colony is built, the speaker sees what is waited for, and can turn pages."""
    colonies.install(monkeypatch, Awaited)
    monkeypatch.setattr(Awaited, "released", threading.Event(), raising=False)
    path = tmp_path / "lecture.toml"
    path.write_text(WAITING)
    window, player, runs = opened.window, opened.presentation, opened.runs
    list_colonies(opened)
    said: list[str] = []
    caption = window.presentation.caption
    say = window.presentation.say

    def note(text: str) -> None:
        said.append(text)
        say(text)

    monkeypatch.setattr(window.presentation, "say", note)

    def waits_for(what: str) -> None:
        text = f"Waiting for {what} … Page Down goes on without it"
        qtbot.waitUntil(lambda: caption.text() == text)
        assert caption.isVisible()

    player.open(path)
    qtbot.waitUntil(lambda: caption.text() == "Fifty cities", timeout=LONGEST)
    press(window, Qt.Key.Key_PageDown)
    waits_for("iteration 1")
    press(window, Qt.Key.Key_PageDown)
    waits_for("iteration 10")
    press(window, Qt.Key.Key_PageUp)
    waits_for("iteration 1")
    press(window, Qt.Key.Key_PageUp)
    assert caption.text() == "Fifty cities"
    press(window, Qt.Key.Key_PageDown)
    press(window, Qt.Key.Key_PageDown)
    waits_for("iteration 10")
    assert said == ["Fifty cities", "Fifty cities"]
    Awaited.released.set()
    qtbot.waitUntil(lambda: caption.text() == "Ten tours")
    run = runs.current
    assert run.state is SolverState.PAUSED
    assert run.latest.iteration == 10  # not 11: what a step goes to is an iteration of the run
    press(window, Qt.Key.Key_PageUp)
    qtbot.waitUntil(lambda: caption.text() == "One tour")
    press(window, Qt.Key.Key_PageDown)
    assert caption.text() == "Ten tours"
    press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: not player.plays)  # the run ends, and the last step cannot be true
    assert said[-1] == "It goes on"
    sentence = "lecture.toml, line 23: the run has ended before iteration 30"
    assert window.banner.text.lower() == sentence


def test_a_page_that_is_turned_early_leaves_out_nothing_that_later_steps_need(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All at once: the file is still read, and the run still prepared, when the last step comes."""
    colonies.install(monkeypatch, RandomColony)
    path = tmp_path / "lecture.toml"
    path.write_text(WAITING.replace("test-awaited", "test-randomcolony"))
    window, player = opened.window, opened.presentation
    list_colonies(opened)
    player.play(load_script(path))
    for _ in range(2):
        press(window, Qt.Key.Key_PageDown)
    assert player.place == 2
    qtbot.waitUntil(lambda: window.presentation.caption.text() == "Ten tours")
    assert opened.runs.current.session.colony == "test-randomcolony"
    assert opened.runs.current.latest.iteration == 10
