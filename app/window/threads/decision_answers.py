"""Threads that answer how an ant decides: only the newest question counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from gpu.core.errors import sentence_for

if TYPE_CHECKING:
    from gpu.core.decision import Decision
    from gpu.decisions.replay import Replay


@dataclass(frozen=True, slots=True, eq=False)
class NoAnswer:
    """Why there is no answer, in one sentence."""

    reason: str


class DecisionResponder:
    """Takes questions from any thread; one thread answers them.

    Parameters
    ----------
    change : Condition
        Guards the question, and wakes the thread that answers. That thread may wait for other
        things with it, too.
    begin : callable returning Replay
        Makes the replay that gives the answers; called in the answering thread.
    """

    def __init__(self, change: threading.Condition, begin: Callable[[], Replay]) -> None:
        self._change, self._begin = change, begin
        self._question: tuple[int, int] | None = None  # guarded by _change
        self._replay: Replay | None = None  # used by the answering thread alone

    def ask(self, ant: int, step: int) -> None:
        """Ask for a decision; this replaces the former question if it has no answer yet."""
        with self._change:
            self._question = (ant, step)
            self._change.notify_all()

    def forget(self) -> None:
        """Begin with a new replay at the next question, because the trails have changed."""
        self._replay = None

    def answer_until(self, over: Callable[[], bool], tell: Callable[[Decision], object]) -> None:
        """Answer questions as they come.

        Parameters
        ----------
        over : callable returning bool
            Called between two steps of a replay, and with the lock held. This method returns once
            it is true; the next call goes on with a question that has no answer yet.
        tell : callable taking Decision
            Called with each answer.
        """
        while True:
            with self._change:
                self._change.wait_for(lambda: over() or self._question is not None)
                if over():
                    return
                question = self._question
            assert question is not None
            if self._replay is None:
                self._replay = self._begin()
            decision = self._replay.decision(*question, self._outdated(question, over))
            if decision is None:
                continue
            with self._change:
                if self._question is question:
                    self._question = None
            tell(decision)

    def _outdated(self, question: tuple[int, int], over: Callable[[], bool]) -> Callable[[], bool]:
        return lambda: self._question is not question or over()


class DecisionPreview(QThread):
    """Answers questions about a run that has not begun; all its trails are at the initial level.

    Parameters
    ----------
    begin : callable returning Replay
        Called in this thread at the first question.
    parent : QObject, optional
        Qt's parent.

    Attributes
    ----------
    decided : Signal
        The Decision that answers the newest question.
    undecided : Signal
        Why there are no answers, as a sentence; no answer follows.
    """

    decided = Signal(object)
    undecided = Signal(str)
    _posted = Signal(object)

    def __init__(self, begin: Callable[[], Replay], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("decision preview")
        self._change = threading.Condition()
        self._released = False
        self._responder = DecisionResponder(self._change, begin)
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def ask_decision(self, ant: int, step: int) -> None:
        """Ask how ``ant`` (from 0) chooses the city at position ``step``; the last one wins."""
        self._responder.ask(ant, step)

    def release(self) -> None:
        """End the thread soon."""
        with self._change:
            self._released = True
            self._change.notify_all()

    def run(self) -> None:
        """Answer questions; Qt calls this in the new thread."""
        try:
            self._responder.answer_until(lambda: self._released, self._posted.emit)
        except Exception as error:
            self._posted.emit(NoAnswer(sentence_for(error)))

    @Slot(object)
    def _deliver(self, message: Decision | NoAnswer) -> None:
        if isinstance(message, NoAnswer):
            self.undecided.emit(message.reason)
        else:
            self.decided.emit(message)
