"""The thread that solves: a run, the user's wishes, and a slot for the newest snapshot."""

from __future__ import annotations

import enum
import logging
import math
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot

from app.decision_desk import DecisionDesk, Unanswered
from app.notifications import sentence_for
from app.run import Ending, Outcome, Run
from gpu import catalog
from gpu.snapshot import Snapshot, Wanted

if TYPE_CHECKING:
    from app.recorder import Recorder
    from app.session import Session
    from gpu.decision import Decision
    from gpu.instances.instance import Instance

SHORTEST_INTERVAL = 1 / 30
"""Seconds between two snapshots, at least: nobody sees more."""

LONGEST_INTERVAL = 1.0
"""Seconds between two snapshots, at most, however dear they are."""

SHARE = 0.03
"""Largest share of the time that goes into snapshots between these two intervals."""

SHORTEST_ON_ALL_CORES, SHARE_ON_ALL_CORES = 0.1, 0.005
"""The same for a colony on all cores: while a snapshot is made, all but one of them rest."""

NICENESS = 10
"""Of the threads that compute; the window's is 0."""

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
        self._wanted = self._wanted_at_rest = Wanted.SOLUTION
        self._redraw = False
        self._slot: Snapshot | None = None
        self._released = not stays
        self._desk = DecisionDesk(self._change, self._run.replay)
        # Used by the thread alone:
        self._next = 0.0
        self._shown = -1, Wanted.NUMBERS  # iterations made by the last snapshot, and its parts
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
        at_rest = wanted if at_rest is None else at_rest
        with self._change:
            self._redraw = self._redraw or at_rest not in self._wanted_at_rest
            self._wanted, self._wanted_at_rest = wanted, at_rest
            self._change.notify_all()

    def take(self) -> Snapshot | None:
        """Return the newest snapshot that was not taken yet, or None."""
        with self._change:
            taken, self._slot = self._slot, None
            return taken

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
        _give_way()
        try:
            with self._change:
                if not self._cancelled:
                    self._posted.emit(RunState.BUILDING)
            run.build()
            while run.outcome is None:
                self._work(run)
            self._publish(run, at_rest=True)
        except BaseException as error:  # an ending comes whatever was raised
            run.fail(error)
            with self._change:
                self._slot = run.state
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
        if time.perf_counter() >= self._next and self._has_news(run):
            self._publish(run)

    def _has_news(self, run: Run) -> bool:
        """Whether a snapshot would differ from the last; a long iteration may be in its midst."""
        made, parts = self._shown
        with self._change:
            return run.made != made or bool(self._wanted & ~parts)

    def _rest(self, run: Run) -> None:
        """Finish what is in flight, show it, and answer questions until the next wish."""
        self._publish(run, at_rest=True)
        if run.outcome is not None:
            return
        with self._change:
            if not self._wished(run):
                self._set_state(RunState.PAUSED)
        self._desk.answer_until(lambda: self._wished(run), self._posted.emit)

    def _wished(self, run: Run) -> bool:
        return self._cancelled or self._redraw or self._goal > run.state.iteration

    def _publish(self, run: Run, *, at_rest: bool = False) -> None:
        """Put a new snapshot into the slot, and settle when the next one is due."""
        with self._change:
            wanted = self._wanted_at_rest if at_rest else self._wanted
            self._redraw = False
        begin = time.perf_counter()
        snapshot = run.snapshot(wanted)
        now = time.perf_counter()
        made, parts = self._shown
        self._shown = run.made, wanted | parts if run.made == made else wanted
        with self._change:
            self._slot = snapshot
        shortest, share = SHORTEST_INTERVAL, SHARE
        if run.session.device == "cpu":
            shortest, share = SHORTEST_ON_ALL_CORES, SHARE_ON_ALL_CORES
        self._next = now + min(LONGEST_INTERVAL, max(shortest, (now - begin) / share))

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


def _give_way() -> None:
    """Let the window's thread go first where all cores are busy.

    On Linux each thread has a niceness of its own, which the colony's threads inherit from the
    one that makes them. Without it, a window on two cores that both compute waits for its turn
    as long as it works.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
