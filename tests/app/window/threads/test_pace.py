"""The pace of a run: it is kept, it can be changed, and whoever waits obeys."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.window.threads import solver
from app.window.threads.snapshot_slot import SnapshotSlot
from app.window.threads.solver import RunState, SolverThread
from gpu.core.snapshot import Snapshot
from tests.app.window.threads.listening import INSTANCE, Listener, session
from tests.clock import Clock


def test_a_pace_is_kept_and_can_be_changed_while_the_run_waits(
    qtbot: QtBot, random_colony: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[int] = []  # what the solver puts into the slot; the window may miss some of it
    put = SnapshotSlot.put

    def note(slot: SnapshotSlot, snapshot: Snapshot) -> None:
        shown.append(snapshot.iteration)
        put(slot, snapshot)

    monkeypatch.setattr(SnapshotSlot, "put", note)
    clock = Clock(monkeypatch, solver)
    thread = SolverThread(INSTANCE, session(random_colony, iterations=500))
    thread.pace = 20.0
    listener = Listener(thread)
    thread.start()
    for number in range(1, 7):
        qtbot.waitUntil(lambda: thread.latest.iteration == number)  # noqa: B023
        clock.sleep(1 / 20)
    qtbot.waitUntil(lambda: thread.latest.iteration == 7)
    assert shown == [1, 2, 3, 4, 5, 6, 7]  # every iteration can be seen
    assert thread.latest.elapsed >= 6 / 20  # so that a time limit ends a run that waits
    thread.pace = 0.001  # the wait takes a thousand seconds
    clock.sleep(900)
    qtbot.wait(150)  # whoever did not wait would be seen
    assert thread.latest.iteration == 7
    with qtbot.waitSignal(thread.ended):
        thread.pace = 0.0
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
