"""Threads that answer how an ant decides: only the newest question counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.window.threads.tasks import WorkerThread
from gpu.core.errors import sentence_for
from gpu.core.machine.compiling import COMPILING

if TYPE_CHECKING:
    from gpu.core.decisions import Replay, Step, Unanswered


class AnsweringThread(WorkerThread):
    """Takes questions from any thread, and answers them while nothing else is to be done.

    It calls ``begin``, which makes the replay that gives the answers.
    """

    decided = Signal(object)  # the Step, or why there is none, that answers the newest question
    undecided = Signal(str)  # why there are no answers, as a sentence; no answer follows

    def __init__(self, begin: Callable[[], Replay], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._begin = begin
        self._replay: Replay | None = None  # used by this thread alone
        self._change = threading.Condition()
        # Guarded by _change:
        self._question: tuple[int, int, bool] | None = None
        self._released = False

    def ask_decision(self, ant: int, step: int, *, made: bool = False) -> None:
        """Ask how ``ant`` (from 0) will choose the city at position ``step`` of its next tour.

        Of an iteration that was ``made``, how it has chosen. This replaces the former question if
        it has no answer yet.
        """
        with self._change:
            self._question = (ant, step, made)
            self._change.notify_all()

    def release(self) -> None:
        """Answer no more questions once the work is done."""
        with self._change:
            self._released = True
            self._change.notify_all()

    def forget(self) -> None:
        """Begin with a new replay at the next question, because the trails have changed."""
        self._replay = None

    def answer_until(self, over: Callable[[], bool]) -> None:
        """Answer questions as they come, in this thread, and return once ``over()`` is true.

        ``over`` is called between two steps of a replay, between two parts of its code while that
        is compiled, and with the lock held. The next call of this method goes on with a question
        that has no answer yet.
        """
        while True:
            with self._change:
                self._change.wait_for(lambda: over() or self._question is not None)
                if over():
                    return
                question = self._question
            assert question is not None
            decision: Step | Unanswered | None = None
            with COMPILING.until(over):
                ant, step, made = question
                replay = self._replay_for(made=made)
                decision = replay.decision(ant, step, self._outdated(question, over))
            if decision is None:
                continue
            with self._change:
                if self._question is question:
                    self._question = None
            self.post(self.decided.emit, decision)

    def _replay_for(self, *, made: bool) -> Replay:
        """Return what answers questions about the coming iteration, or the one that was made."""
        if self._replay is None:
            self._replay = self._begin()
        return self._replay

    def _outdated(
        self, question: tuple[int, int, bool], over: Callable[[], bool]
    ) -> Callable[[], bool]:
        return lambda: self._question is not question or over()


class DecisionPreview(AnsweringThread):
    """Answers questions about a run that has not begun; all its trails are at the initial level."""

    def run(self) -> None:
        """Answer questions; Qt calls this in the new thread."""
        self.setObjectName("decision preview")
        try:
            self.answer_until(lambda: self._released)
        except Exception as error:
            self.post(self.undecided.emit, sentence_for(error))
