"""One run: its solver thread, newest snapshot, curve, log and outcome. It knows no window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.window.threads.costly_parts import CostlyParts
from app.window.threads.solver import RunState, SolverThread

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.core.snapshot import Snapshot, Wanted
    from gpu.run.outcome import Outcome
    from gpu.run.recorder import Recorder
    from gpu.run.session import Session

LOOK_EVERY = 33
"""Milliseconds between two looks for a new snapshot."""

LOOK_EVERY_ON_ALL_CORES = 200
"""The same while the colony computes on all cores: each look takes time from it."""


class RunModel(QObject):
    """A run of one colony, from its start to its outcome and until its colony is freed.

    Parameters
    ----------
    instance : Instance
        What to solve.
    session : Session
        How to solve it.
    recorder : Recorder
        Writes the log.
    number : int
        Number of the run, which its snapshots carry as their generation.
    parent : QObject, optional
        Qt's parent.

    Attributes
    ----------
    instance, session, recorder
        As given.
    snapshot : Snapshot or None
        The newest state.
    improvements : list of (int, float, int)
        Iteration, seconds and cost of every better solution that a look has found.
    outcome : Outcome or None
        How the run ended; None before.
    state_changed : Signal
        The new RunState.
    snapshot_changed : Signal
        The new Snapshot.
    looked : Signal
        The model has looked for a new snapshot. The time goes on even if there is none.
    ended : Signal
        This RunModel, once, after the final snapshot; its outcome is there.
    decided : Signal
        The Decision that answers the newest question.
    undecided : Signal
        Why questions are not answered any more, as a sentence.
    thread_ended : Signal
        The solver thread has ended, which is later if it answers questions.
    """

    state_changed = Signal(object)
    snapshot_changed = Signal(object)
    looked = Signal()
    ended = Signal(object)
    decided = Signal(object)
    undecided = Signal(str)
    thread_ended = Signal()

    def __init__(
        self,
        instance: Instance,
        session: Session,
        recorder: Recorder,
        number: int = 0,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.instance = instance
        self.session = session
        self.recorder = recorder
        self.snapshot: Snapshot | None = None
        self.improvements: list[tuple[int, float, int]] = []
        self.outcome: Outcome | None = None
        replayable = bool(session.system.rule)
        self._thread = thread = SolverThread(
            instance, session, number, recorder, self, stays=replayable
        )
        self._parts = CostlyParts()
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY)
        self._timer.timeout.connect(self._look)
        thread.state_changed.connect(self._enter)
        thread.ended.connect(self._end)
        thread.decided.connect(self.decided)
        thread.undecided.connect(self.undecided)
        thread.finished.connect(self.thread_ended)

    @property
    def state(self) -> RunState:
        """What the solver thread is doing now."""
        return self._thread.state

    @property
    def active(self) -> bool:
        """Whether the run has not ended yet."""
        return self.outcome is None

    @property
    def freed(self) -> bool:
        """Whether the thread has ended and the colony is freed."""
        return self._thread.isFinished()

    @property
    def latest(self) -> Snapshot:
        """The state after the last slice of work: numbers and the best solution."""
        return self._thread.latest

    @property
    def answers(self) -> bool:
        """Whether questions about an ant's decision get an answer, now or once it is paused."""
        return self._thread.answers

    @property
    def look_every(self) -> int:
        """Milliseconds between two looks for a new snapshot."""
        return self._timer.interval()

    def start(self) -> None:
        """Build the colony and run."""
        self._timer.start()
        self._thread.start()

    def pause(self) -> None:
        """Pause after the slice that is under way, or as soon as the colony is built."""
        self._thread.pause()

    def resume(self) -> None:
        """Go on."""
        self._thread.resume()

    def step(self, iterations: int = 1) -> None:
        """Make this many more iterations, then pause."""
        self._thread.step(iterations)

    def cancel(self) -> None:
        """End the run soon."""
        self._thread.cancel()

    def want(self, wanted: Wanted) -> None:
        """Say which parts the coming snapshots shall carry; costly ones take turns."""
        if self.active:
            self._thread.want(self._parts.next(wanted), at_rest=wanted)

    def ask_decision(self, ant: int, step: int) -> None:
        """Ask how ``ant`` (from 0) will choose the city at position ``step`` of its next tour."""
        self._thread.ask_decision(ant, step)

    def release(self) -> None:
        """Answer no more questions after the end, and free the colony then."""
        self._thread.release()

    def wait(self, timeout: float) -> bool:
        """Wait at most ``timeout`` seconds; return whether the thread has ended."""
        return self._thread.wait(max(0, int(1000 * timeout)))

    def shutdown(self, timeout: float) -> bool:
        """End the run without telling anybody; return whether the thread ended in time."""
        self._timer.stop()
        self._thread.blockSignals(True)
        return self._thread.shutdown(timeout)

    @Slot(object)
    def _enter(self, state: RunState) -> None:
        busy = state is RunState.RUNNING and self.session.device == "cpu"
        self._timer.setInterval(LOOK_EVERY_ON_ALL_CORES if busy else LOOK_EVERY)
        self.state_changed.emit(state)

    @Slot()
    def _look(self) -> None:
        """Take the newest snapshot, if there is one."""
        snapshot = self._thread.take()
        shown = 0 if self.snapshot is None else self.snapshot.iteration
        if snapshot is None and self.latest.iteration > shown:
            snapshot = self.latest  # between two snapshots the numbers and the tour go on
        if snapshot is not None:
            self._take_in(snapshot)
        self.looked.emit()

    def _take_in(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._parts.take_in(snapshot)
        best = snapshot.best_cost
        if snapshot.iteration and (not self.improvements or best != self.improvements[-1][2]):
            self.improvements.append((snapshot.iteration, snapshot.elapsed, best))
        self.snapshot_changed.emit(snapshot)

    @Slot(object)
    def _end(self, outcome: Outcome) -> None:
        self._timer.stop()
        self._look()
        self.snapshot = self.snapshot or outcome.state
        self.outcome = outcome
        if not self.answers:
            self._thread.wait()
        self.ended.emit(self)
