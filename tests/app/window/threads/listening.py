"""What tests of the solver's thread share: sessions to run, and a listener."""

from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from app.window.threads.solver import SolverState, SolverThread
from gpu.problems.tsp.instance import TspInstance
from gpu.run.outcome import RunOutcome
from gpu.run.session import Session, new_session
from gpu.run.stopping import StopSettings
from tests import colonies

INSTANCE = colonies.some_cities()


class Listener:
    """Runs a thread, and remembers all that it says, and in which thread it was heard."""

    def __init__(self, thread: SolverThread) -> None:
        self.thread = thread
        self.states: list[SolverState] = []
        self.outcomes: list[RunOutcome] = []
        self.heard_in: set[int] = set()
        thread.state_changed.connect(self._on_state)
        thread.ended.connect(self._on_end)

    def _on_state(self, state: SolverState) -> None:
        self.states.append(state)
        self.heard_in.add(threading.get_ident())

    def _on_end(self, outcome: RunOutcome) -> None:
        self.outcomes.append(outcome)
        self.heard_in.add(threading.get_ident())


def session(name: str, instance: TspInstance = INSTANCE, **stop: float) -> Session:
    return new_session(instance, colony=name, seed=1, stop=StopSettings(**stop))  # type: ignore[arg-type]


def until(qtbot: QtBot, thread: SolverThread, state: SolverState) -> None:
    """Wait until ``thread`` is in this state."""
    qtbot.waitUntil(lambda: thread.state is state)
