"""The pace of a run: it is kept, it can be changed, and whoever waits obeys."""

from __future__ import annotations

import time

import pytest
from pytestqt.qtbot import QtBot

from app.window.threads.solver import RunState, SolverThread
from tests.app.window.threads.listening import INSTANCE, Listener, session


def test_a_pace_is_kept_and_can_be_changed_while_the_run_waits(
    qtbot: QtBot, random_colony: str
) -> None:
    thread = SolverThread(INSTANCE, session(random_colony, iterations=500))
    thread.pace = 20.0
    listener = Listener(thread)
    begun = time.monotonic()
    thread.start()
    seen: list[int] = []
    while thread.latest.iteration < 6:
        qtbot.wait(5)
        seen.extend(taken.iteration for taken in [thread.take()] if taken is not None)
    assert time.monotonic() - begun >= 5 / 20
    assert {1, 2, 3, 4, 5} <= set(seen)  # every iteration can be seen
    assert thread.latest.elapsed >= 4 / 20  # so that a time limit ends a run that waits
    thread.pace = 0.001  # of a thousand seconds, which begin after the next iteration
    qtbot.wait(150)
    before = thread.latest.iteration
    thread.pace = 0.0
    with qtbot.waitSignal(thread.ended):
        pass
    assert before < 10
    assert listener.outcomes[0].state.iteration == 500
    assert thread.shutdown(60)


@pytest.mark.parametrize("how", ["cancel", "pause"])
def test_a_run_that_waits_for_its_next_iteration_obeys(
    qtbot: QtBot, random_colony: str, how: str
) -> None:
    thread = SolverThread(INSTANCE, session(random_colony))
    thread.pace = 0.001
    listener = Listener(thread)
    thread.start()
    qtbot.waitUntil(lambda: thread.latest.iteration == 1)
    if how == "pause":
        thread.pause()
        qtbot.waitUntil(lambda: RunState.PAUSED in listener.states)
        thread.step(2)  # steps keep the pace too
        qtbot.waitUntil(lambda: thread.latest.iteration == 2)
    with qtbot.waitSignal(thread.ended):
        thread.cancel()
    assert thread.latest.iteration == (2 if how == "pause" else 1)
    assert thread.shutdown(60)
