from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.window.threads import snapshot_slot, solver
from app.window.threads.snapshot_slot import CostlyParts, SnapshotSlot
from app.window.threads.solver import SolverState, SolverThread
from gpu.core.snapshot import RunState, Wanted
from gpu.cpu.first_tours import nearest_neighbour_length
from gpu.run import run, slices
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import Ending, RunOutcome
from tests import colonies
from tests.app.window.threads.listening import INSTANCE, Listener, session, until
from tests.clock import Clock
from tests.colonies import RandomColony
from tests.conftest import PATIENCE
from tests.hands import settle
from tests.views.scenes import snapshot, uniform


def newest(qtbot: QtBot, thread: SolverThread) -> RunState:
    taken: list[RunState] = []

    def arrived() -> bool:
        taken.extend(filter(None, [thread.take()]))
        return bool(taken)

    qtbot.waitUntil(arrived)
    return taken[0]


def run_to_the_end(qtbot: QtBot, thread: SolverThread) -> RunOutcome:
    with qtbot.waitSignal(thread.ended) as told:
        thread.start()
    assert thread.wait()
    outcome = told.args[0]
    assert isinstance(outcome, RunOutcome)
    return outcome


def test_a_run_ends_once_and_its_final_state_lies_ready(qtbot: QtBot, random_colony: str) -> None:
    thread = SolverThread(INSTANCE, session(random_colony, iterations=50), generation=7)
    listener = Listener(thread)
    run_to_the_end(qtbot, thread)
    assert listener.states == [SolverState.BUILDING, SolverState.RUNNING, SolverState.ENDED]
    assert listener.heard_in == {threading.get_ident()}
    (outcome,) = listener.outcomes
    assert outcome.ending is Ending.FINISHED
    final = thread.take()
    assert final.iteration == 50
    assert final.generation == 7
    assert INSTANCE.tour_length(final.best_solution) == final.best_cost
    assert thread.take() is None
    (colony,) = RandomColony.built
    assert colony.iteration == 50
    assert colony.closed == 1
    assert len(colony.threads) == 1
    assert threading.get_ident() not in colony.threads


def test_paused_means_that_nothing_computes(
    qtbot: QtBot, random_colony: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch, run, slices, colonies)
    thread = SolverThread(INSTANCE, session(random_colony))
    listener = Listener(thread)
    thread.start()
    until(qtbot, thread, SolverState.RUNNING)
    qtbot.waitUntil(lambda: thread.take() is not None)
    thread.pause()
    until(qtbot, thread, SolverState.PAUSED)
    (colony,) = RandomColony.built
    made = colony.iteration
    shown = thread.take()
    assert shown.iteration == made > 0
    elapsed = shown.elapsed
    clock.sleep(100)
    thread.step(3)
    qtbot.waitUntil(lambda: colony.iteration == made + 3)
    until(qtbot, thread, SolverState.PAUSED)
    assert colony.iteration == made + 3  # nothing was made in the pause
    stepped = thread.take()
    assert stepped.iteration == made + 3
    assert stepped.elapsed - elapsed < 1  # the pause does not count
    thread.resume()
    qtbot.waitUntil(lambda: colony.iteration > made + 20)
    assert thread.shutdown(60)
    assert listener.outcomes[0].ending is Ending.CANCELLED
    assert thread.isFinished()


def test_steps_before_the_start_begin_a_paused_run(qtbot: QtBot, random_colony: str) -> None:
    thread = SolverThread(INSTANCE, session(random_colony))
    thread.step()
    thread.start()
    until(qtbot, thread, SolverState.PAUSED)
    for made in range(1, 6):
        assert newest(qtbot, thread).iteration == made
        until(qtbot, thread, SolverState.PAUSED)
        assert RandomColony.built[0].iteration == made
        thread.take()  # a pause puts the last state of a slice in again
        thread.step()
    assert thread.shutdown(60)


def test_only_what_is_wanted_is_made_and_a_paused_run_redraws(
    qtbot: QtBot, random_colony: str
) -> None:
    thread = SolverThread(INSTANCE, session(random_colony))
    thread.want(Wanted.NUMBERS)
    thread.step(5)
    thread.start()
    until(qtbot, thread, SolverState.PAUSED)
    (colony,) = RandomColony.built
    assert not any(Wanted.BRANCHING in asked for asked in colony.asked)
    made = colony.iteration
    first = thread.take()
    assert first.branching is None
    thread.want(Wanted.SOLUTION | Wanted.BRANCHING)
    drawn = newest(qtbot, thread)
    assert drawn.branching == 2.0
    assert colony.iteration == made
    assert thread.shutdown(60)


def test_snapshots_are_made_at_most_thirty_times_a_second(
    qtbot: QtBot, random_colony: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clock(monkeypatch, run, slices, snapshot_slot, colonies)
    thread = SolverThread(INSTANCE, session(random_colony, seconds=1.0))
    thread.want(Wanted.BRANCHING)
    run_to_the_end(qtbot, thread)
    made = sum(Wanted.BRANCHING in asked for asked in RandomColony.built[0].asked)
    assert 10 < made <= 33  # a slice takes a fiftieth of a second


def test_cancelling_waits_for_the_slice_under_way_alone(qtbot: QtBot, random_colony: str) -> None:
    thread = SolverThread(INSTANCE, session(random_colony))
    thread.start()
    qtbot.waitUntil(lambda: bool(RandomColony.built) and RandomColony.built[0].iteration > 100)
    (colony,) = RandomColony.built
    thread.cancel()
    made = colony.iteration
    assert thread.shutdown(60)
    assert colony.iteration - made <= made  # it has made more than 100 in some slices


def test_a_hundred_starts_and_cancellations_leave_nothing(qtbot: QtBot, random_colony: str) -> None:
    for number in range(100):
        thread = SolverThread(INSTANCE, session(random_colony), generation=number)
        listener = Listener(thread)
        thread.start()
        qtbot.waitUntil(lambda: thread.latest.iteration >= number % 5)  # noqa: B023
        thread.cancel()
        assert thread.shutdown(60)
        assert thread.isFinished()
        assert [outcome.ending for outcome in listener.outcomes] == [Ending.CANCELLED]
        assert listener.states[-2:] == [SolverState.STOPPING, SolverState.ENDED]
        assert all(colony.closed == 1 for colony in RandomColony.built)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (colonies.Failing, "cuda:0 stopped answering: restart the program"),
        (colonies.Unbuildable, "memory is too small"),
        (colonies.Skipping, "does not visit each city once"),
    ],
)
def test_a_failure_is_one_sentence_and_keeps_the_best_tour(
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kind: type[RandomColony],
    sentence: str,
) -> None:
    chosen = session(colonies.install(monkeypatch, kind), iterations=100)
    recorder = Recorder(tmp_path / "run.jsonl", chosen, INSTANCE, pytest.fail)
    thread = SolverThread(INSTANCE, chosen, 1, recorder)
    listener = Listener(thread)
    run_to_the_end(qtbot, thread)
    (outcome,) = listener.outcomes
    assert outcome.ending is Ending.FAILED
    assert sentence in outcome.reason
    assert "\n" not in outcome.reason
    assert "Traceback" in outcome.details
    final = thread.take()
    assert final.generation == 1
    if final.best_solution is not None:
        assert sorted(final.best_solution) == list(range(INSTANCE.n))
        assert INSTANCE.tour_length(final.best_solution) == final.best_cost
    assert (final.iteration > 0) == (kind is colonies.Failing)
    last = json.loads((tmp_path / "run.jsonl").read_text().splitlines()[-1])
    assert last["ending"] == "failed"
    assert "Traceback" in last["details"]


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, RuntimeError])
def test_whatever_is_raised_ends_the_run(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    name = colonies.install(monkeypatch, colonies.Failing)
    monkeypatch.setattr(colonies.Failing, "error", error)
    thread = SolverThread(INSTANCE, session(name))
    outcome = run_to_the_end(qtbot, thread)
    assert outcome.ending is Ending.FAILED
    assert outcome.state.iteration > 0
    assert RandomColony.built[0].closed == 1


def test_a_failing_snapshot_fails_the_run(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = SolverThread(
        INSTANCE, session(colonies.install(monkeypatch, colonies.FailingSnapshot))
    )
    thread.want(Wanted.BRANCHING)
    outcome = run_to_the_end(qtbot, thread)
    assert outcome.ending is Ending.FAILED
    assert "ZeroDivisionError" in outcome.reason
    assert np.array_equal(np.sort(outcome.state.best_solution), np.arange(INSTANCE.n))


def test_an_iteration_that_does_not_end_in_time_still_ends_the_log(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen = session(colonies.install(monkeypatch, colonies.Stuck))
    recorder = Recorder(tmp_path / "run.jsonl", chosen, INSTANCE, pytest.fail)
    thread = SolverThread(INSTANCE, chosen, recorder=recorder)
    thread.start()
    qtbot.waitUntil(lambda: thread.take() is not None)
    assert not thread.shutdown(0.05)
    last = json.loads((tmp_path / "run.jsonl").read_text().splitlines()[-1])
    assert last["ending"] == "cancelled"
    assert len(last["tour"]) == INSTANCE.n
    colonies.Stuck.released.set()
    assert thread.shutdown(60)
    lines = map(json.loads, (tmp_path / "run.jsonl").read_text().splitlines())
    kinds = [line["kind"] for line in lines]
    assert kinds == ["session", "improvement", "progress", "outcome"]


def test_a_run_that_was_never_started_can_be_shut_down(
    qtbot: QtBot, random_colony: str, tmp_path: Path
) -> None:
    chosen = session(random_colony)
    recorder = Recorder(tmp_path / "run.jsonl", chosen, INSTANCE, pytest.fail)
    assert SolverThread(INSTANCE, chosen, recorder=recorder).shutdown(1)
    assert recorder.complete


def test_a_pause_need_not_wait_for_a_long_iteration(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(colonies.Patient, "held", True)
    thread = SolverThread(INSTANCE, session(colonies.install(monkeypatch, colonies.Patient)))
    thread.start()
    until(qtbot, thread, SolverState.RUNNING)
    qtbot.waitUntil(lambda: thread.latest.elapsed > 0.05)
    thread.pause()
    until(qtbot, thread, SolverState.PAUSED)
    (colony,) = RandomColony.built
    assert isinstance(colony, colonies.Patient)
    left = colony.left
    assert left > 0
    assert newest(qtbot, thread).iteration == colony.iteration == 0
    thread.want(Wanted.BRANCHING)  # asked for once the paused thread has gone round its loop
    qtbot.waitUntil(lambda: any(Wanted.BRANCHING in asked for asked in colony.asked))
    assert colony.left == left  # when the button says paused, nothing computes
    monkeypatch.setattr(colonies.Patient, "held", False)
    thread.step()  # finishes the iteration begun, and no more
    qtbot.waitUntil(lambda: colony.iteration == 1)
    until(qtbot, thread, SolverState.PAUSED)
    monkeypatch.setattr(colonies.Patient, "held", True)
    assert newest(qtbot, thread).iteration == 1
    assert colony.left == 0
    thread.resume()
    qtbot.waitUntil(lambda: colony.left > 0)
    assert thread.shutdown(60)
    assert colony.iteration == 1
    assert colony.left > 0  # it has not waited for the end of the iteration


def test_in_the_midst_of_an_iteration_each_part_is_made_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(colonies.Patient, "held", True)
    thread = SolverThread(
        INSTANCE, session(colonies.install(monkeypatch, colonies.Patient), iterations=1)
    )
    thread.want(Wanted.NUMBERS)
    thread.start()
    qtbot.waitUntil(lambda: thread.latest.elapsed > 0.1)
    assert newest(qtbot, thread).branching is None
    thread.want(Wanted.BRANCHING)
    (colony,) = RandomColony.built
    qtbot.waitUntil(lambda: any(Wanted.BRANCHING in asked for asked in colony.asked))
    now = thread.latest.elapsed
    qtbot.waitUntil(lambda: thread.latest.elapsed > now + 0.1)  # nothing takes its place meanwhile
    assert newest(qtbot, thread).branching == 2.0
    with qtbot.waitSignal(thread.ended):
        monkeypatch.setattr(colonies.Patient, "held", False)
    assert thread.wait()
    # In the midst, when the iteration is whole, and at the end.
    assert sum(Wanted.BRANCHING in asked for asked in colony.asked) <= 3


def test_the_tour_that_a_run_begins_with_is_seen_while_its_colony_is_built(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = threading.Event()

    class SlowToBuild(RandomColony):
        """Is built when its tour was seen."""

        def __init__(self, *arguments: Any) -> None:
            assert seen.wait(PATIENCE / 1000)
            super().__init__(*arguments)

    chosen = session(colonies.install(monkeypatch, SlowToBuild), iterations=3)
    monkeypatch.setattr("gpu.run.run.starts_of", colonies.nearest_start)
    thread = SolverThread(INSTANCE, chosen)
    with qtbot.waitSignal(thread.ended):
        thread.start()
        first = newest(qtbot, thread)
        assert thread.state is SolverState.BUILDING
        assert first.best_cost == nearest_neighbour_length(INSTANCE)
        assert first.best_solution is not None
        seen.set()
    assert thread.wait()


def test_a_pace_is_kept_and_can_be_changed_while_the_run_waits(
    qtbot: QtBot, random_colony: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[int] = []  # what the solver puts into the slot; the window may miss some of it
    put = SnapshotSlot.put

    def note(slot: SnapshotSlot, snapshot: RunState) -> None:
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
    looks: list[float] = []

    def look() -> float:
        looks.append(clock.now)
        return clock.now

    monkeypatch.setattr(clock, "monotonic", look)
    thread.want(Wanted.NUMBERS)  # wakes the thread, which looks at the clock and waits on
    qtbot.waitUntil(lambda: bool(looks))
    settle()
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
        qtbot.waitUntil(lambda: SolverState.PAUSED in listener.states)
        thread.step(2)  # steps keep the pace too
        qtbot.waitUntil(lambda: thread.latest.iteration == 2)
    with qtbot.waitSignal(thread.ended):
        thread.cancel()
    assert thread.latest.iteration == (2 if how == "pause" else 1)
    assert thread.shutdown(60)


def test_costly_parts_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_slot, "EVERY", 0.0)
    parts, instance = CostlyParts(), uniform(20)
    seen = []
    for iteration in range(1, 3 * len(snapshot_slot.COSTLY) + 1):
        asked = parts.next(Wanted.EVERYTHING)
        assert Wanted.SOLUTION | Wanted.ITERATION_SOLUTION in asked
        costly = [part for part in snapshot_slot.COSTLY if part in asked]
        assert len(costly) == 1
        seen += costly
        parts.take_in(snapshot(instance, iteration, wanted=asked))
    assert {seen.count(part) for part in snapshot_slot.COSTLY} == {3}


def test_a_costly_part_is_asked_for_until_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, instance = CostlyParts(), uniform(20)
    first = parts.next(Wanted.TRAILS)
    assert first == Wanted.TRAILS
    parts.take_in(snapshot(instance, 1, wanted=Wanted.NUMBERS))
    assert parts.next(Wanted.TRAILS) == Wanted.TRAILS
    parts.take_in(snapshot(instance, 2, wanted=Wanted.TRAILS))
    assert parts.next(Wanted.TRAILS) == Wanted.NUMBERS  # it is not due yet
    assert parts.next(Wanted.SOLUTION) == Wanted.SOLUTION
