"""Where questions for an ant's decision are answered: the newest alone, in the asker's absence."""

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
class Unanswered:
    """Why there is no answer, in one sentence."""

    reason: str


class DecisionDesk:
    """Takes questions from any thread; one thread answers them.

    Parameters
    ----------
    change : Condition
        Guards the questions, and wakes the thread that answers; shared with what else it waits
        for.
    begin : callable returning Replay
        Makes what the answers come from; called in the answering thread.
    """

    def __init__(self, change: threading.Condition, begin: Callable[[], Replay]) -> None:
        self._change, self._begin = change, begin
        self._question: tuple[int, int] | None = None  # guarded by _change
        self._replay: Replay | None = None  # of the answering thread

    def ask(self, ant: int, step: int) -> None:
        """Ask for a decision; a question that still waits is dropped, one at work is left."""
        with self._change:
            self._question = (ant, step)
            self._change.notify_all()

    def forget(self) -> None:
        """Begin anew with the next question, because trails have changed."""
        self._replay = None

    def answer_until(self, over: Callable[[], bool], tell: Callable[[Decision], object]) -> None:
        """Answer questions as they come.

        Parameters
        ----------
        over : callable returning bool
            Asked between two steps, and with the lock held. Once it says True, this returns; a
            question at work is kept, and gone on with at the next call.
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


class Preview(QThread):
    """Answers for a run that has not begun, whose trails are all at the initial level.

    Parameters
    ----------
    begin : callable returning Replay
        Called in this thread with the first question.
    parent : QObject, optional
        Qt's parent.
    """

    decided = Signal(object)
    """Decision, for the newest question."""

    undecided = Signal(str)
    """Why there are no answers; none follow."""

    _posted = Signal(object)

    def __init__(self, begin: Callable[[], Replay], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preview")
        self._change = threading.Condition()
        self._released = False
        self._desk = DecisionDesk(self._change, begin)
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def ask_decision(self, ant: int, step: int) -> None:
        """Ask how ``ant`` (from 0) chooses the city at position ``step``; the last one wins."""
        self._desk.ask(ant, step)

    def release(self) -> None:
        """End the thread soon."""
        with self._change:
            self._released = True
            self._change.notify_all()

    def run(self) -> None:
        """Answer; called by Qt in the new thread."""
        try:
            self._desk.answer_until(lambda: self._released, self._posted.emit)
        except Exception as error:
            self._posted.emit(Unanswered(sentence_for(error)))

    @Slot(object)
    def _deliver(self, message: Decision | Unanswered) -> None:
        if isinstance(message, Unanswered):
            self.undecided.emit(message.reason)
        else:
            self.decided.emit(message)
