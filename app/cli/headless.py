"""Work in a thread of its own, so that the command line hears Ctrl-C at once."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from app.cli.terminal import say, show_progress
from app.termination import leave, termination_signals
from gpu.core.colony import never
from gpu.core.instance import Instance
from gpu.core.machine.compiling import COMPILING, compiling_beside
from gpu.core.snapshot import RunState
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import Ending, Result, RunOutcome
from gpu.run.run import Run
from gpu.run.session import Session

SIGNAL_PATIENCE = 3.0  # seconds that the present iteration has to end by itself after a signal


@dataclass(frozen=True, slots=True)
class Departure:
    """How work in another thread ended."""

    signal: int = 0  # number of the signal that ended it, or 0
    left: bool = False  # whether it still goes on

    @property
    def status(self) -> int:
        """The exit status: 0, or 128 + signal, as shells have it."""
        return 128 + self.signal if self.signal else 0

    def leave(self, status: int) -> None:
        """End the process at once if the work goes on: it cannot be stopped in another way."""
        if self.left:
            leave(status)


class StoppedError(Exception):
    """A signal has asked for the end, in the midst of work that counts its steps."""


def attend(
    work: Callable[[], None],
    cancel: Callable[[], None],
    look: Callable[[], None] = lambda: None,
    overdue: Callable[[], bool] = never,
) -> Departure:
    """Do ``work`` in another thread, call ``look`` ten times a second; raise what ``work`` raises.

    Python runs signal handlers in the main thread, between two bytecodes. If the colony worked
    there, Ctrl-C would have to wait for the end of an iteration, which may take minutes.

    A signal that asks the process to end leads to one call of ``cancel``, in this thread; ``work``
    should end soon after. A second signal, or ``SIGNAL_PATIENCE`` seconds, end the wait for it. So
    do ``SIGNAL_PATIENCE`` seconds after the work is ``overdue``.
    """
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=guarded, name="solver", daemon=True)
    heard: list[int] = []
    with termination_signals(heard.append):
        worker.start()
        deadline, cancelled = math.inf, False
        try:
            while worker.is_alive() and time.monotonic() < deadline and len(heard) < 2:
                worker.join(0.1)
                if heard and not cancelled:
                    cancelled = True
                    cancel()
                if deadline == math.inf and (heard or overdue()):
                    deadline = time.monotonic() + SIGNAL_PATIENCE
                look()
        except BaseException:  # of ``look``: the work must not go on while the process ends
            cancel()
            worker.join(SIGNAL_PATIENCE)
            raise
    show_progress("")
    if errors:
        raise errors[0]
    return Departure(heard[0] if heard else 0, worker.is_alive())


def interruptible(work: Callable[[Callable[[], bool]], None]) -> Departure:
    """Attend to ``work``, which gets a function that says whether a signal has cancelled it."""
    cancelled = threading.Event()
    return attend(lambda: work(cancelled.is_set), cancelled.set)


def show_share(cancelled: Callable[[], bool], share: float, text: str) -> None:
    """Show how far work is that counts its steps; StoppedError once it is cancelled."""
    if cancelled():
        raise StoppedError
    show_progress(f"{100 * share:.0f} %  {text}")


def solve(
    instance: Instance,
    session: Session,
    recorder: Recorder | None = None,
    progress: Callable[[RunState], None] | None = None,
) -> tuple[Result, Departure]:
    """Run ``session`` to its end, or until a signal asks the process to end.

    The ``recorder`` writes the run's log; ``progress`` gets the state so far ten times a second,
    and by default shows it on the terminal.
    """
    progress = progress or _progress_of(session, instance)
    run = Run(instance, session, recorder=recorder)

    def work() -> None:
        with suppress(BaseException):  # the outcome has it
            run.finish()

    limit, told = session.stop.seconds or math.inf, [""]

    def look() -> None:
        progress(run.present)
        if run.notice != told[0]:
            show_progress("")
            say(f"{instance.name}: {run.notice}")
            told[0] = run.notice

    with compiling_beside():
        departure = attend(work, run.cancel, look, lambda: run.present.elapsed > limit)
    outcome = run.outcome
    if outcome is None or departure.left:
        ending, reason = Ending.CANCELLED, "stopped"
        if not departure.signal:
            ending, reason = Ending.FINISHED, f"the time limit of {limit:g} s is reached"
        begun = run.present.elapsed > 0
        where = "in the midst of an iteration" if begun else "while the colony was built"
        if begun and not departure.signal:
            left = f"iteration, which was left {SIGNAL_PATIENCE:g} s later"
            first = not (run.present.iteration or run.notice)
            advice = f"the first {left}: use fewer ants, or allow more time"
            where = f"in the midst of {advice if first else f'an {left}'}"
        outcome = RunOutcome(ending, f"{reason} {where}", run.present, spent=run.spent)
        if recorder is not None:
            recorder.finish(outcome)
    return Result.of(run.instance, session, outcome), departure


def _progress_of(session: Session, instance: Instance) -> Callable[[RunState], None]:
    """Return a function that shows a state of the run as a line of progress."""

    def show(state: RunState) -> None:
        if not state.elapsed:
            compiling = ""
            if (count := COMPILING.count) is not None:
                compiling = f", {count.percent} % compiled for its first run"
            show_progress(f"building the colony{compiling}")
            return
        parts = [f"{state.elapsed:.1f} s", f"iteration {state.iteration}"]
        if (cost := state.best_cost) is not None:
            parts.append(f"best {instance.cost_unit.amount(cost, '')}")
            if (gap := instance.gap_percent(cost)) is not None:
                parts.append(f"gap {gap:.2f} %")
            elif state.bound is not None:
                parts.append(f"lower bound {instance.cost_unit.text(state.bound.cost, '')}")
        if (share := session.stop.share_done(state)) is not None:
            parts.append(f"{100 * share:.0f} % done")
        show_progress("   ".join(parts))

    return show
