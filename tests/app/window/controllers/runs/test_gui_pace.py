"""What is seen and set while a run goes on: its pace, and notices."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.aims import Aim
from gpu.core.colony import never
from tests.app.in_window import (
    limit,
    open_,
    use_aim,
    use_colony,
    wait_for,
)
from tests.colonies import Patient
from tests.hands import press
from tests.waiting import until
from views.frame.activity import Activity


def test_the_aim_sets_the_pace_and_the_user_changes_it_during_a_run(
    qtbot: QtBot, application: Application
) -> None:
    pace = application.window.run_bar.pace
    open_(qtbot, application)
    assert pace.value == 0
    use_aim(application, Aim.WATCH)
    assert pace.value == 5
    pace.choose(1.0)
    limit(application, iterations=300)
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    run = application.runs.current
    assert run.pace == 1
    qtbot.waitUntil(lambda: run.latest.iteration >= 1)
    with qtbot.waitSignal(application.runs.ended):
        pace.choose(0.0)
    assert run.outcome.state.iteration == 300
    use_aim(application, Aim.WATCH)
    assert pace.value == 5
    use_aim(application, Aim.BEST)
    assert pace.value == 0


def test_a_notice_is_shown_while_the_run_goes_on(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Endless(Patient):
        """Says that its iteration takes an hour."""

        def expected_seconds(self) -> float:
            return 3600.0

        def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
            until(stop)

    open_(qtbot, application)
    use_colony(application, monkeypatch, Endless)
    limit(application, seconds=30.0)
    press(application.window, Qt.Key.Key_Space)
    banner = application.window.banner
    qtbot.waitUntil(lambda: "takes some 3600 s or more" in banner.text)
    assert application.runs.active is not None
    assert not banner._timer.isActive()  # it stays
    with qtbot.waitSignal(application.runs.ended):
        application.run_controller.stop()
