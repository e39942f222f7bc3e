"""What a user does in the whole window, and what there is to see then."""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
import traceback
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.aims import Aim
from gpu.core.decisions import Step
from gpu.core.snapshot import RunState
from gpu.problems.bundled import bundled
from gpu.run.outcome import RunOutcome
from tests import colonies
from tests.colonies import RandomColony
from tests.hands import click, press
from tests.waiting import PATIENCE
from views.decision.decision_view import DecisionView
from views.frame.activity import Activity
from views.importing.import_sheet import ImportSheet

LONGEST = 800_000
"""Milliseconds that a test waits for a run: in a new clone on a busy machine its colony is compiled
first, after that with which the window warms up."""
may_compile = pytest.mark.timeout(900)
"""For tests that compile more than one colony where nothing is compiled yet."""

RING = next(one.path for one in bundled() if one.name == "ring-50")
GRID = next(one.path for one in bundled() if one.name == "grid-100")


def open_(qtbot: QtBot, application: Application, path: Path = RING) -> None:
    """Open an instance or a session, and wait until it is there."""
    with qtbot.waitSignal(application.files.ready):
        application.files.open(path)


def sheet_of(qtbot: QtBot, application: Application) -> ImportSheet:
    """Wait until the sheet of a file that does not say all itself shows what it is read as."""

    def there() -> bool:
        sheet = application.importing.sheet
        return sheet is not None and sheet.isVisible() and not sheet.bar.isVisible()

    qtbot.waitUntil(there)
    sheet = application.importing.sheet
    assert sheet is not None
    return sheet


def use_device(application: Application, name: str) -> None:
    """Choose another device."""
    devices = application.window.setup.colony.devices
    devices.setCurrentIndex(devices.findData(name))
    list_colonies(application)


def list_colonies(application: Application) -> None:
    """List the colonies of the device anew: the catalog has another one."""
    devices = application.window.setup.colony.devices
    devices.activated.emit(devices.currentIndex())


def use_colony(
    application: Application, monkeypatch: pytest.MonkeyPatch, kind: type[RandomColony]
) -> None:
    """Put a colony of ``kind`` into the catalog, and choose it."""
    name = colonies.install(monkeypatch, kind)
    setup = application.window.setup
    list_colonies(application)
    setup.set_choices(dataclasses.replace(setup.choices(), colony=name))


def limit(application: Application, **values: float) -> None:
    """Set these limits, and no others: not even the best known cost."""
    application.window.setup.stop.set_values({**values, "go_on": True})


def use_aim(application: Application, aim: Aim) -> None:
    """Choose another aim."""
    card = application.window.setup.aim
    card.aims.setCurrentIndex(card.aims.findData(aim))
    card.changed.emit()


def await_background(qtbot: QtBot, application: Application) -> None:
    """Wait until the window imports and compiles nothing any more, or say what each thread does.

    pytest's own limit does not end this: where it is reached, a slot is called most likely, and Qt
    goes on whatever that raises.
    """
    try:
        qtbot.waitUntil(lambda: application.background.idle, timeout=round(1000 * PATIENCE))
    except QtBot.TimeoutError:
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        where = (
            f"{names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame, limit=8))}"
            for ident, frame in sys._current_frames().items()
        )
        pytest.fail(
            "the window's work in the background does not end\n\n" + "\n".join(where), pytrace=False
        )


def wait_for(qtbot: QtBot, application: Application, activity: Activity) -> None:
    """Wait until the window says that it is at ``activity``."""
    qtbot.waitUntil(lambda: application.window.activity is activity, timeout=LONGEST)


def run_to_the_end(qtbot: QtBot, application: Application) -> RunOutcome:
    """Start by the space bar, and wait for the end."""
    with qtbot.waitSignal(application.runs.ended, timeout=LONGEST) as ended:
        press(application.window, Qt.Key.Key_Space)
    outcome = ended.args[0].outcome
    assert isinstance(outcome, RunOutcome)
    application.window.dashboard.queue.finish()
    return outcome


def state(application: Application) -> RunState:
    """The newest state that the window has been shown."""
    assert application.runs.current.snapshot is not None
    return application.runs.current.snapshot


def log_of(application: Application) -> Path:
    """The log of the run in sight."""
    return application.runs.current.recorder.path


def lines(application: Application) -> list[dict[str, object]]:
    """The lines of that log."""
    text = log_of(application).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def written(qtbot: QtBot, application: Application, path: Path) -> Path:
    """Wait until the window says that ``path`` is written."""
    qtbot.waitUntil(lambda: path.name in application.window.banner.text)
    assert application.window.banner.text == f"{path.name} is written"
    return path


def export(qtbot: QtBot, application: Application, name: str, path: Path) -> Path:
    """Export what ``name`` stands for into the file ``path``, which is returned."""
    application.window.dialogs.to_export.emit(name, path)
    return written(qtbot, application, path)


def answer(qtbot: QtBot, application: Application, question: str, text: str) -> None:
    """Click the button ``text`` of this question."""

    def asked() -> QMessageBox | None:
        boxes = application.window.findChildren(QMessageBox)
        asked = (one for one in boxes if question in one.text() and one.isVisible())
        return next(asked, None)

    qtbot.waitUntil(lambda: asked() is not None)
    box = asked()
    buttons = {one.text(): one for one in box.buttons() if isinstance(one, QPushButton)}
    click(buttons[text])


def decision_of(qtbot: QtBot, application: Application, iteration: int, step: int) -> Step:
    """Wait until the view Decision shows this step of this iteration; return what it shows."""
    view = application.window.view(DecisionView)

    def there() -> bool:
        decision = view.decision
        return (
            decision is not None
            and (decision.iteration, decision.number) == (iteration, step)
            and view.words.isVisible()
        )

    qtbot.waitUntil(there, timeout=LONGEST)
    return view.decision


def last_tour(qtbot: QtBot, application: Application, iteration: int) -> list[int]:
    """The only tour of this iteration; the map must be in sight, which asks for it."""
    run = application.runs.current

    def there() -> bool:
        state = run.snapshot
        return (
            state is not None
            and state.iteration == iteration
            and state.iteration_solution is not None
        )

    qtbot.waitUntil(there)
    tour = run.snapshot.iteration_solution
    return [int(city) for city in tour]
