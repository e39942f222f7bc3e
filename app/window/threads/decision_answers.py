"""Threads that answer how an ant decides: only the newest question counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.window.threads.worker import WorkerThread
from gpu.core.errors import sentence_for

if TYPE_CHECKING:
    from gpu.core.decision import Decision
    from gpu.decisions.replay import Replay


class DecisionResponder:
    """Takes questions from any thread; one thread answers them.

    ``change`` guards the question, and wakes the thread that answers. That thread may wait for
    other things with it, too. It calls ``begin``, which makes the replay that gives the answers.
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
        """Give answers to ``tell`` as questions come, and return once ``over()`` is true.

        ``over`` is called between two steps of a replay, and with the lock held. The next call of
        this method goes on with a question that has no answer yet.
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


class DecisionPreview(WorkerThread):
    """Answers questions about a run that has not begun; all its trails are at the initial level.

    ``begin`` is called in this thread at the first question.
    """

    decided = Signal(object)  # the Decision that answers the newest question
    undecided = Signal(str)  # why there are no answers, as a sentence; no answer follows

    def __init__(self, begin: Callable[[], Replay], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("decision preview")
        self._change = threading.Condition()
        self._released = False
        self._responder = DecisionResponder(self._change, begin)
        self.ask_decision = self._responder.ask

    def release(self) -> None:
        """End the thread soon."""
        with self._change:
            self._released = True
            self._change.notify_all()

    def run(self) -> None:
        """Answer questions; Qt calls this in the new thread."""
        try:
            self._responder.answer_until(
                lambda: self._released, lambda decision: self.post(self.decided.emit, decision)
            )
        except Exception as error:
            self.post(self.undecided.emit, sentence_for(error))
