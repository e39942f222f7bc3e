"""The pace of a run: it is kept, it can be changed, and whoever waits obeys."""

from __future__ import annotations

import time

import pytest
from pytestqt.qtbot import QtBot

from app.window.threads.snapshot_slot import SnapshotSlot
from app.window.threads.solver import RunState, SolverThread
from gpu.core.snapshot import Snapshot
from tests.app.window.threads.listening import INSTANCE, Listener, session


def test_a_pace_is_kept_and_can_be_changed_while_the_run_waits(
    qtbot: QtBot, random_colony: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[int] = []  # what the solver puts into the slot; the window may miss some of it
    put = SnapshotSlot.put

    def note(slot: SnapshotSlot, snapshot: Snapshot) -> None:
        shown.append(snapshot.iteration)
        put(slot, snapshot)

    monkeypatch.setattr(SnapshotSlot, "put", note)
    thread = SolverThread(INSTANCE, session(random_colony, iterations=500))
    thread.pace = 20.0
    listener = Listener(thread)
    begun = time.monotonic()
    thread.start()
    qtbot.waitUntil(lambda: thread.latest.iteration >= 6)
    assert time.monotonic() - begun >= 5 / 20
    assert shown[:5] == [1, 2, 3, 4, 5]  # every iteration can be seen
    assert thread.latest.elapsed >= 4 / 20  # so that a time limit ends a run that waits
    thread.pace = 0.001  # the next wait takes a thousand seconds, or the one under way
    before = thread.latest.iteration
    qtbot.wait(150)
    assert thread.latest.iteration <= before + 1
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
