"""The solver thread: it works on a run, obeys the user, and puts snapshots into a slot."""

from __future__ import annotations

import enum
import logging
import math
import time
from collections import deque

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal

from app.window.threads.decision_answers import AnsweringThread
from app.window.threads.snapshot_slot import SnapshotSlot
from app.window.threads.tasks import lower_priority
from gpu import catalog
from gpu.core.decisions import Replay
from gpu.core.errors import sentence_for
from gpu.core.history import Progress, joined
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from gpu.run.changes import Change, Setting
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import Ending, RunOutcome
from gpu.run.run import Run
from gpu.run.session import Session

_log = logging.getLogger(__name__)


class SolverState(enum.Enum):
    """What a solver thread is doing."""

    BUILDING = "building"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    ENDED = "ended"


class SolverThread(AnsweringThread):
    """Solves a session in the background, and answers questions while it is paused.

    This one thread builds, uses and closes the colony, because a CUDA context belongs to its
    thread. Signals arrive in the order in which things happened, in the thread that made this
    object. If the ants can be replayed, or the run may go on, the colony is kept after the run's
    end until :meth:`release`.
    """

    state_changed = Signal(object)  # the new SolverState
    # the Change that was made, None for one that was refused, and the Setting of the run since then
    changed = Signal(object, object)
    ended = Signal(object)  # the RunOutcome, exactly once, after the final snapshot is in the slot

    def __init__(
        self,
        instance: Instance,
        session: Session,
        generation: int = 0,  # number of the run, which its snapshots carry
        recorder: Recorder | None = None,  # writes the log
        parent: QObject | None = None,
        *,
        keep: bool = False,  # keep the colony after the end, because the run may go on
    ) -> None:
        run = Run(instance, session, generation, recorder)
        super().__init__(run.replay, parent)
        self._replay_made: Replay | None = None  # of the iteration that was made last
        self.setObjectName(f"solver {generation}")
        self._run, self._recorder = run, recorder
        # Guarded by _change:
        self.state = SolverState.BUILDING  # ``state_changed`` tells of it a moment later
        self._cancelled = False
        self._goal = math.inf  # the iteration to pause at
        self._pace = 0.0  # most iterations a second; 0 for full speed
        self._released = not (session.system.rule or keep)
        self._more: Change | None = None  # with which the run goes on after its end
        self._watched = True  # whether anybody will see the final state
        self._progress: deque[Progress] = deque()  # what nobody has taken yet
        run.observers.append(self._take_in)
        run.changes.observers.append(self._tell_change)
        self._slot = SnapshotSlot(self._change, on_all_cores=session.device == "cpu")
        self.want, self.take = self._slot.want, self._slot.take  # for any thread

    @property
    def latest(self) -> RunState:
        """The state after the last slice: numbers and the best solution, at no cost to the run."""
        return self._run.state

    @property
    def notice(self) -> str:
        """What the user should know before the end, or nothing."""
        return self._run.notice

    def take_progress(self, until: int) -> Progress:
        """Return what happened since the last call, but nothing after the iteration ``until``."""
        parts = []
        while self._progress and self._progress[0].last <= until:
            parts.append(self._progress.popleft())
        return joined(parts)

    @property
    def setting(self) -> Setting:
        """What the run works on and with now."""
        return self._run.setting

    @property
    def answers(self) -> bool:
        """Whether questions about an ant's decision get an answer, now or once it is paused."""
        with self._change:
            return bool(self._run.session.system.rule) and not self._released and self._run.answers

    @property
    def stays(self) -> bool:
        """Whether the colony is there, and will be after the end."""
        with self._change:
            return not self._released and self._run.answers

    def change(self, change: Change) -> None:
        """Ask for a change; it is made after the iteration that is under way."""
        with self._change:
            self._run.change(change)
            self._change.notify_all()

    @property
    def can_go_on(self) -> bool:
        """Whether :meth:`go_on` is possible: the run has ended, and its colony is still there."""
        with self._change:
            kept = not self._released and self._more is None and self._run.answers
            return kept and self.state is SolverState.ENDED

    def go_on(self, change: Change) -> None:
        """Go on after the end with a ``change`` of the limits; see :attr:`can_go_on`."""
        with self._change:
            self._more = change
            self._cancelled = False
            self._run.uncancel()
            self._goal = math.inf
            self.state = SolverState.BUILDING
            self._change.notify_all()

    def pause(self) -> None:
        """Stop computing until :meth:`resume` or :meth:`step`; forget steps that are not made yet.

        The pause begins after the slice that is under way, even in the middle of a long
        iteration: whatever comes next continues that iteration.
        """
        self._go_on_to(0)

    def resume(self) -> None:
        """Go on computing."""
        self._go_on_to(math.inf)

    def step(self, iterations: int = 1) -> None:
        """Make exactly this many more iterations, then pause; before ``start``, begin like that.

        A run that is not paused yet pauses after its slice, if that made as many iterations.
        """
        with self._change:
            now = self._run.state.iteration
            if self._goal != math.inf:
                now = max(now, int(self._goal))
            self._go_on_to(now + iterations)

    def go_to(self, iteration: int) -> None:
        """Go on until this iteration is made, then pause; one that is past pauses at once."""
        self._go_on_to(iteration)

    @property
    def pace(self) -> float:
        """Most iterations a second, 0 for full speed. Waiting is part of the run's time."""
        return self._pace

    @pace.setter
    def pace(self, pace: float) -> None:
        with self._change:
            self._pace = pace
            self._change.notify_all()

    def cancel(self) -> None:
        """End the run; it computes nothing after the slice that is under way."""
        with self._change:
            self._cancelled = True
            self._run.cancel()
            self._set_state(SolverState.STOPPING)
            self._change.notify_all()

    def ask_decision(self, ant: int, step: int, *, made: bool = False) -> None:
        """Ask how ``ant`` (from 0) will choose; the answer comes as soon as the run is paused.

        Of the iteration that was ``made`` last, how it has chosen: that is told of a single step
        whose ants are seen at work.

        Raises
        ------
        ParameterError
            If the ants of this colony cannot be replayed.
        """
        catalog.check_replayable(self._run.session.system)
        super().ask_decision(ant, step, made=made)

    def forget(self) -> None:
        """Begin with new replays at the next question."""
        super().forget()
        self._replay_made = None

    def _replay_for(self, *, made: bool) -> Replay:
        if not made:
            return super()._replay_for(made=False)
        if self._replay_made is None:
            self._replay_made = self._run.replay_made()
        return self._replay_made

    def shutdown(self, timeout: float) -> bool:
        """Cancel, and wait for the thread's end; all signals have been delivered on return.

        Returns
        -------
        bool
            False if after ``timeout`` seconds the colony is still in the middle of an iteration
            that it cannot leave. The log then ends with the best solution so far, and the process
            may be left with ``os._exit``: a thread at work can neither be killed nor destroyed
            safely.
        """
        self._watched = False
        self.cancel()
        self.release()
        if not self.wait(max(0, int(timeout * 1000))):
            if self._recorder is not None:
                reason = "the program was left in the midst of an iteration"
                self._recorder.finish(RunOutcome(Ending.CANCELLED, reason, self._run.state))
            return False
        if not self.isFinished():  # it was never started
            self._run.close()
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall)
        return True

    def run(self) -> None:
        """Do the work; Qt calls this in the new thread."""
        run = self._run
        lower_priority()
        try:
            with self._change:
                if not self._cancelled:
                    self.post(self.state_changed.emit, SolverState.BUILDING)
            run.build()
        except BaseException as error:
            run.fail(error)
        self._work_to_the_end()
        while run.answers:
            if not self._stay():
                run.close()
            else:
                self._work_to_the_end()
        # They know this object, which knows the run: nobody would free the two of them soon.
        run.observers.clear()
        run.changes.observers.clear()

    def _work_to_the_end(self) -> None:
        run = self._run
        try:
            while run.outcome is None:
                self._work()
            self._slot.fill(run, at_rest=True, at_end=self._watched)
        except BaseException as error:  # the run ends properly, whatever was raised
            run.fail(error)
            self._slot.put(run.state)
        finally:
            if self._released or not run.answers:
                run.close()
            with self._change:
                self._set_state(SolverState.ENDED)
            self.post(self.ended.emit, run.outcome)

    def _take_in(self, state: RunState) -> None:
        """Keep what happened until somebody takes it; show what the run begins with.

        That is shown while the colony is built, which may take long. In the midst of the first
        iteration it would take the place of a snapshot with all that views have asked for.
        """
        if not state.iteration and not self._run.midway:
            self._slot.put(state)
        if state.progress.iterations or state.progress.improvements:
            self._progress.append(state.progress)

    def _tell_change(self, change: Change | None) -> None:
        self.forget()
        self.post(self.changed.emit, change, self._run.setting)

    def _go_on_to(self, goal: float) -> None:
        with self._change:
            self._goal = goal
            self._change.notify_all()

    def _work(self) -> None:
        """Work for one slice, or pause until there is something to do."""
        run = self._run
        with self._change:
            allowed = math.inf if self._cancelled else self._goal - run.state.iteration
            if allowed > 0:
                self._set_state(SolverState.RUNNING)
        if allowed <= 0:
            self._rest()
            return
        self.forget()
        if allowed == 1 and self._slot.shows_walks:
            run.keep_trails()
        before, begun = run.state.iteration, time.monotonic()
        run.advance(1 if self._pace else None if allowed == math.inf else int(allowed))
        if self._slot.due(run) or self._pace:
            self._slot.fill(run)
        if self._pace and run.state.iteration > before and run.outcome is None:
            self._keep_pace(begun)

    def _keep_pace(self, begun: float) -> None:
        """Wait until the next iteration may begin, if the last one began at ``begun``."""
        wait_from = time.monotonic()
        with self._change:
            while self._pace and not self._cancelled and self._goal > self._run.state.iteration:
                left = begun + 1 / self._pace - time.monotonic()
                if left <= 0:
                    break
                self._change.wait(left)
        self._run.add_wait(time.monotonic() - wait_from)

    def _rest(self) -> None:
        """Show the exact state, then answer questions until something else is to be done."""
        run = self._run
        while run.change_waits and not run.change_due and not self._cancelled and not run.outcome:
            run.advance(1)  # a change comes after the iteration that has begun
        run.make_changes()
        self._slot.fill(self._run, at_rest=True)
        if self._run.outcome is not None:
            return
        with self._change:
            if not self._is_wanted():
                self._set_state(SolverState.PAUSED)
        self.answer_until(self._is_wanted)

    def _is_wanted(self) -> bool:
        """Whether a paused run has something to do."""
        due = self._cancelled or self._slot.missed or self._run.change_waits
        return due or self._goal > self._run.state.iteration

    def _stay(self) -> bool:
        """Answer questions about a run that has ended; return whether it goes on."""
        try:
            self.answer_until(lambda: self._released or self._more is not None)
        except Exception as error:  # the outcome is told already, and stays as it is
            _log.exception("%s: its decisions cannot be replayed", self._run.session.colony)
            self.post(self.undecided.emit, sentence_for(error))
            return False
        with self._change:
            more, self._more = (None if self._released else self._more), None
        if more is None:
            return False
        self._run.go_on(more)
        return True

    def _set_state(self, state: SolverState) -> None:
        """Enter ``state`` and tell of it; called with the lock held.

        Only ENDED can follow STOPPING, and nothing follows ENDED.
        """
        final = (SolverState.STOPPING, SolverState.ENDED)
        if self.state in final and state not in final[final.index(self.state) + 1 :]:
            return
        if state is not self.state:
            self.state = state
            self.post(self.state_changed.emit, state)
