"""Questions for an ant's decision, answered by real threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from app.window.threads.decision_answers import AnsweringThread, DecisionPreview
from app.window.threads.solver import SolverState, SolverThread
from gpu.acs.parameters import AcsParameters
from gpu.acs.rule import AcsRule
from gpu.core.decisions import Sign, Step
from gpu.core.errors import DeviceError, ParameterError
from gpu.decisions import InitialTrails, WalkReplay
from gpu.run.outcome import RunOutcome
from gpu.run.session import Session, new_session
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.app.window.threads.listening import until
from tests.colonies import RandomColony
from tests.conftest import PATIENCE
from tests.hands import settle

INSTANCE = colonies.some_cities(60)


class Watched(InitialTrails):
    """Remembers who read and how often, and waits at some of the reads until it is told."""

    def __init__(self, n: int, waits: Sequence[int] = ()) -> None:
        super().__init__(n)
        self.reads, self.waits = 0, {read: threading.Event() for read in waits}
        self.threads: set[int] = set()

    def trails_from(self, city: int) -> NDArray[np.float32]:
        self.reads += 1
        self.threads.add(threading.get_ident())
        if (told := self.waits.get(self.reads)) is not None:
            assert told.wait(PATIENCE / 1000)
        return super().trails_from(city)


def replay(trails: InitialTrails) -> WalkReplay:
    return AcsRule(INSTANCE, AcsParameters().resolved(INSTANCE.n), 1).replay(trails, 0)


def session(colony: str, **stop: float) -> Session:
    return new_session(
        INSTANCE,
        colony=colony,
        device="cpu:1",
        parameters={"ants": 1} if colony == "acs-seq" else None,
        seed=1,
        stop=StopSettings(**stop),  # type: ignore[arg-type]
    )


def answer(qtbot: QtBot, thread: SolverThread | DecisionPreview, ant: int, step: int) -> Step:
    with qtbot.waitSignal(thread.decided) as decided:
        thread.ask_decision(ant, step)
    decision = decided.args[0]
    assert isinstance(decision, Step)
    assert (decision.ant, decision.number) == (ant, step)
    return decision


def test_a_paused_run_foretells_its_next_tour(qtbot: QtBot) -> None:
    thread = SolverThread(INSTANCE, session("acs-seq"))
    thread.step(3)
    thread.start()
    until(qtbot, thread, SolverState.PAUSED)
    first = answer(qtbot, thread, 0, 1)
    last = answer(qtbot, thread, 0, 59)
    assert (first.iteration, last.iteration) == (3, 3)
    assert last.caveat == ""
    foretold = last.picture.marked(Sign.VISITED) + last.picture.marked(Sign.CHOSEN)
    assert first.picture.marked(Sign.ANT) == foretold[:1]
    thread.step()
    qtbot.waitUntil(lambda: thread.latest.iteration == 4)
    until(qtbot, thread, SolverState.PAUSED)
    assert thread.latest.iteration_best == INSTANCE.tour_length(np.array(foretold))
    assert answer(qtbot, thread, 0, 59).iteration == 4
    assert thread.shutdown(60)


def test_a_running_run_answers_once_it_rests(qtbot: QtBot) -> None:
    thread = SolverThread(INSTANCE, session("acs-seq"))
    decisions: list[Step] = []
    thread.decided.connect(decisions.append)
    thread.start()
    until(qtbot, thread, SolverState.RUNNING)
    thread.ask_decision(0, 5)
    thread.ask_decision(0, 7)
    asked_at = thread.latest.iteration
    qtbot.waitUntil(lambda: thread.latest.iteration > asked_at + 20)
    assert decisions == []
    thread.pause()
    qtbot.waitUntil(lambda: bool(decisions))
    settle()
    assert [decision.number for decision in decisions] == [7]  # the last one wins
    assert decisions[0].iteration == thread.latest.iteration
    assert thread.shutdown(60)


def test_an_ended_run_answers_until_it_is_let_go(qtbot: QtBot) -> None:
    thread = SolverThread(INSTANCE, session("acs-seq", iterations=5))
    with qtbot.waitSignal(thread.ended):
        thread.start()
    assert thread.state is SolverState.ENDED
    assert thread.answers
    assert answer(qtbot, thread, 0, 30).iteration == 5
    thread.release()
    assert thread.wait(60_000)
    assert not thread.answers


def test_a_run_that_does_not_stay_frees_its_colony(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = colonies.install(monkeypatch, RandomColony)
    thread = SolverThread(INSTANCE, session(name, iterations=2))
    with qtbot.waitSignal(thread.ended):
        thread.start()
    assert RandomColony.built[0].closed == 1
    assert not thread.answers
    with pytest.raises(ParameterError, match="cannot be replayed"):
        thread.ask_decision(0, 1)
    assert thread.shutdown(60)


class Unreadable(RandomColony):
    """Loses its device as soon as its trails are read."""

    def trails_from(self, city: int) -> NDArray[np.float32]:
        raise DeviceError("cuda:0 stopped answering: restart the program")


def test_a_device_that_fails_under_a_question_fails_the_run(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = colonies.install(monkeypatch, Unreadable, rule=AcsRule)
    thread = SolverThread(INSTANCE, session(name))
    outcomes: list[RunOutcome] = []
    thread.ended.connect(outcomes.append)
    thread.step()
    thread.start()
    until(qtbot, thread, SolverState.PAUSED)
    with qtbot.waitSignal(thread.ended):
        thread.ask_decision(0, 1)
    assert "stopped answering" in outcomes[0].reason
    assert thread.shutdown(60)


def test_a_device_that_fails_after_the_end_is_told(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = colonies.install(monkeypatch, Unreadable, rule=AcsRule)
    thread = SolverThread(INSTANCE, session(name, iterations=2))
    with qtbot.waitSignal(thread.ended):
        thread.start()
    with qtbot.waitSignal(thread.undecided) as undecided:
        thread.ask_decision(0, 1)
    assert "stopped answering" in undecided.args[0]
    assert thread.shutdown(60)
    assert RandomColony.built[0].closed == 1


def test_a_preview_answers_elsewhere_and_goes_on_where_it_was(qtbot: QtBot) -> None:
    trails = Watched(INSTANCE.n)
    thread = DecisionPreview(lambda: replay(trails))
    thread.start()
    answer(qtbot, thread, 2, 10)
    assert trails.reads == 10
    answer(qtbot, thread, 2, 12)
    assert trails.reads == 13
    answer(qtbot, thread, 2, 5)
    assert trails.reads == 14
    assert trails.threads
    assert threading.get_ident() not in trails.threads
    thread.release()
    assert thread.wait(60_000)


def test_a_newer_question_ends_a_long_walk_without_losing_the_way(qtbot: QtBot) -> None:
    trails = Watched(INSTANCE.n, waits=[11, 57])
    thread = DecisionPreview(lambda: replay(trails))
    decisions: list[Step] = []
    thread.decided.connect(decisions.append)
    thread.start()
    thread.ask_decision(0, 50)
    qtbot.waitUntil(lambda: trails.reads == 11)
    thread.ask_decision(0, 52)
    trails.waits[11].set()
    qtbot.waitUntil(lambda: bool(decisions))
    assert [decision.number for decision in decisions] == [52]
    assert trails.reads == 52
    thread.ask_decision(1, 59)
    qtbot.waitUntil(lambda: trails.reads == 57)
    thread.release()
    trails.waits[57].set()
    assert thread.wait(60_000)
    assert trails.reads < 52 + 59  # it has not gone to the end of the walk


def test_what_a_preview_cannot_make_is_told(qtbot: QtBot) -> None:
    def begin() -> WalkReplay:
        raise ParameterError("beta = 7 must be less")

    thread = DecisionPreview(begin)
    thread.start()
    with qtbot.waitSignal(thread.undecided) as undecided:
        thread.ask_decision(0, 1)
    assert undecided.args == ["beta = 7 must be less"]
    assert thread.wait(60_000)


def test_a_question_at_work_is_kept_over_an_interruption(qtbot: QtBot) -> None:
    trails = Watched(INSTANCE.n)
    desk = AnsweringThread(lambda: replay(trails))
    told: list[Step] = []
    desk.decided.connect(told.append)

    def heard(count: int) -> bool:
        QCoreApplication.sendPostedEvents(desk, QEvent.Type.MetaCall.value)
        return len(told) == count

    desk.ask_decision(0, 40)
    desk.answer_until(lambda: trails.reads >= 15)
    assert heard(0)
    desk.answer_until(lambda: heard(1))
    assert told[0].number == 40
    assert trails.reads == 40
    desk.forget()
    desk.ask_decision(0, 40)
    desk.answer_until(lambda: heard(2))
    assert trails.reads == 80
