"""The thread that solves: a run, the user's wishes, and a slot for the newest snapshot."""

from __future__ import annotations

import enum
import logging
import math
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot

from app.window.threads.decision_answers import DecisionDesk, Unanswered
from app.window.threads.priority import give_way
from app.window.threads.snapshot_slot import SnapshotSlot
from gpu import catalog
from gpu.core.errors import sentence_for
from gpu.core.snapshot import Snapshot, Wanted
from gpu.run.outcome import Ending, Outcome
from gpu.run.run import Run

if TYPE_CHECKING:
    from gpu.core.decision import Decision
    from gpu.core.instance import Instance
    from gpu.run.recorder import Recorder
    from gpu.run.session import Session

_log = logging.getLogger(__name__)


class RunState(enum.Enum):
    """What the thread is at."""

    BUILDING = "building"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    ENDED = "ended"


class SolverThread(QThread):
    """Solves a session in the background.

    The colony is built, used and closed in this one thread, because a CUDA context belongs to
    its thread. Signals are delivered in order, in the thread that made this object.

    Parameters
    ----------
    instance : Instance
        What to solve.
    session : Session
        How.
    generation : int
        Number of the run, stamped on its snapshots, so that stale ones can be told.
    recorder : Recorder or None
        Writes the run's log.
    parent : QObject, optional
        Qt's parent.
    stays : bool
        Whether the colony is kept after the run's end, to answer :meth:`ask_decision` until
        :meth:`release`.
    """

    state_changed = Signal(object)
    """RunState, whenever it changes."""

    ended = Signal(object)
    """Outcome, exactly once, after the final snapshot lies in the slot."""

    decided = Signal(object)
    """Decision, for the newest question, once the run rests."""

    undecided = Signal(str)
    """Why no question can be answered any more, after the end."""

    _posted = Signal(object)

    def __init__(
        self,
        instance: Instance,
        session: Session,
        generation: int = 0,
        recorder: Recorder | None = None,
        parent: QObject | None = None,
        *,
        stays: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"solver {generation}")
        self._run = Run(instance, session, generation, recorder)
        self._recorder = recorder
        self._change = threading.Condition()
        # Guarded by _change:
        self._state = RunState.BUILDING
        self._cancelled = False
        self._goal = math.inf  # the iteration to pause at
        self._released = not stays
        self._slot = SnapshotSlot(self._change, on_all_cores=session.device == "cpu")
        self._desk = DecisionDesk(self._change, self._run.replay)
        # Everything goes through the event queue of this object's thread, so that listeners
        # hear it there and in the order in which it happened.
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def state(self) -> RunState:
        """What the thread is at, now."""
        with self._change:
            return self._state

    @property
    def generation(self) -> int:
        """Number of the run."""
        return self._run.state.generation

    def pause(self) -> None:
        """Stop computing until :meth:`resume` or :meth:`step`; steps asked for are dropped.

        It takes effect after the slice that is being worked on, in the midst of a long iteration
        too: what comes next goes on with it.
        """
        self._go_on_to(0)

    def resume(self) -> None:
        """Go on computing."""
        self._go_on_to(math.inf)

    def step(self, iterations: int = 1) -> None:
        """Make exactly so many more iterations and pause; before ``start``, begin like that.

        A run that is not paused yet pauses after its slice, if that made as many.
        """
        with self._change:
            now = self._run.state.iteration
            if self._goal != math.inf:
                now = max(now, int(self._goal))
            self._go_on_to(now + iterations)

    def cancel(self) -> None:
        """End the run; it computes no more after the slice that is being worked on."""
        with self._change:
            self._cancelled = True
            self._run.cancel()
            self._set_state(RunState.STOPPING)
            self._change.notify_all()

    @property
    def answers(self) -> bool:
        """Whether the colony of a run that has ended can be asked; it is freed otherwise."""
        with self._change:
            return not self._released and self._run.answers

    def ask_decision(self, ant: int, step: int) -> None:
        """Ask how ``ant`` (from 0) will choose the city at position ``step`` of its next tour.

        The answer comes by :attr:`decided` as soon as the run rests. A newer question takes the
        place of one not answered yet.

        Raises
        ------
        ParameterError
            If the ants of this colony cannot be replayed.
        """
        catalog.check_replayable(self._run.session.system)
        self._desk.ask(ant, step)

    def release(self) -> None:
        """Answer no more after the run's end, and free the colony."""
        with self._change:
            self._released = True
            self._change.notify_all()

    def _go_on_to(self, goal: float) -> None:
        with self._change:
            self._goal = goal
            self._change.notify_all()

    def want(self, wanted: Wanted, at_rest: Wanted | None = None) -> None:
        """Say what the coming snapshots shall carry; a paused run makes one at once.

        Parameters
        ----------
        wanted : Wanted
            For snapshots while it runs, where dear parts may take turns.
        at_rest : Wanted, optional
            For the last snapshot before a pause and for the final one; by default the same.
        """
        self._slot.want(wanted, wanted if at_rest is None else at_rest)

    def take(self) -> Snapshot | None:
        """Return the newest snapshot that was not taken yet, or None."""
        return self._slot.take()

    @property
    def latest(self) -> Snapshot:
        """The state after the last slice: numbers and the best tour, at no cost to the run."""
        return self._run.state

    def shutdown(self, timeout: float | None = None) -> bool:
        """Cancel, and wait for the thread's end; all signals are delivered on return.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait; None waits as long as it takes.

        Returns
        -------
        bool
            False if the colony is still in the midst of an iteration that cannot be left. The
            log has then been ended with the best tour so far, and the process may be left with
            ``os._exit``: a thread at work can neither be killed nor destroyed safely.
        """
        self.cancel()
        self.release()
        milliseconds = -1 if timeout is None else max(0, int(timeout * 1000))
        ended = self.wait(milliseconds) if milliseconds >= 0 else self.wait()
        if ended and not self.isFinished():  # it was never started
            self._run.close()
        if not ended:
            if self._recorder is not None:
                reason = "the program was left in the midst of an iteration"
                self._recorder.finish(Outcome(Ending.CANCELLED, reason, self._run.state))
            return False
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall)
        return True

    def run(self) -> None:
        """Do the work; called by Qt in the new thread."""
        run = self._run
        give_way()
        try:
            with self._change:
                if not self._cancelled:
                    self._posted.emit(RunState.BUILDING)
            run.build()
            while run.outcome is None:
                self._work(run)
            self._slot.fill(run, at_rest=True)
        except BaseException as error:  # an ending comes whatever was raised
            run.fail(error)
            self._slot.put(run.state)
        finally:
            if self._released or not run.answers:
                run.close()
            with self._change:
                self._set_state(RunState.ENDED)
            self._posted.emit(run.outcome)
            if run.answers:
                self._stay(run)

    def _stay(self, run: Run) -> None:
        """Answer questions about a run that has ended."""
        try:
            self._desk.answer_until(lambda: self._released, self._posted.emit)
        except Exception as error:  # the outcome stands
            _log.exception("%s: its decisions cannot be replayed", run.session.colony)
            self._posted.emit(Unanswered(sentence_for(error)))
        finally:
            run.close()

    def _work(self, run: Run) -> None:
        """Work for one slice, or rest until there is something to do."""
        with self._change:
            allowed = math.inf if self._cancelled else self._goal - run.state.iteration
            if allowed > 0:
                self._set_state(RunState.RUNNING)
        if allowed <= 0:
            self._rest(run)
            return
        self._desk.forget()
        run.advance(None if allowed == math.inf else int(allowed))
        if self._slot.due(run):
            self._slot.fill(run)

    def _rest(self, run: Run) -> None:
        """Finish what is in flight, show it, and answer questions until the next wish."""
        self._slot.fill(run, at_rest=True)
        if run.outcome is not None:
            return
        with self._change:
            if not self._wished(run):
                self._set_state(RunState.PAUSED)
        self._desk.answer_until(lambda: self._wished(run), self._posted.emit)

    def _wished(self, run: Run) -> bool:
        return self._cancelled or self._slot.missed or self._goal > run.state.iteration

    def _set_state(self, state: RunState) -> None:
        """Enter ``state`` and say so; called with the lock held. Nothing follows the end."""
        order = (RunState.STOPPING, RunState.ENDED)
        if self._state in order and state not in order[order.index(self._state) + 1 :]:
            return
        if state is not self._state:
            self._state = state
            self._posted.emit(state)

    @Slot(object)
    def _deliver(self, message: RunState | Outcome | Decision | Unanswered) -> None:
        if isinstance(message, RunState):
            self.state_changed.emit(message)
        elif isinstance(message, Outcome):
            self.ended.emit(message)
        elif isinstance(message, Unanswered):
            self.undecided.emit(message.reason)
        else:
            self.decided.emit(message)
