"""Work in a thread of its own, so that the command line hears Ctrl-C at once."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from app.cli.terminal import show_progress
from gpu.run.outcome import Ending, Outcome
from gpu.run.result import Result
from gpu.run.run import Run

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.core.snapshot import Snapshot
    from gpu.run.recorder import Recorder
    from gpu.run.session import Session

PATIENCE = 3.0
"""Seconds that the present iteration has to end by itself after a signal."""

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@dataclass(frozen=True, slots=True)
class Departure:
    """How work in another thread ended.

    Attributes
    ----------
    signal : int
        Number of the signal that ended it, or 0.
    left : bool
        True if it still goes on: the process must end by ``os._exit``.
    """

    signal: int = 0
    left: bool = False

    @property
    def status(self) -> int:
        """The exit status: 0, or 128 + signal, as shells have it."""
        return 128 + self.signal if self.signal else 0


def attend(
    work: Callable[[], None], cancel: Callable[[], None], look: Callable[[], None] = lambda: None
) -> Departure:
    """Do ``work`` in another thread; a signal that asks the process to end cancels it.

    Python runs signal handlers in the main thread, between two bytecodes. If the colony worked
    there, Ctrl-C would have to wait for the end of an iteration, which may take minutes.

    Parameters
    ----------
    work : callable
        Must raise nothing.
    cancel : callable
        Called once, in this thread; ``work`` should end soon after. A second signal, or
        ``PATIENCE`` seconds, end the wait for it.
    look : callable
        Called ten times a second.
    """
    worker = threading.Thread(target=work, name="solver", daemon=True)
    heard: list[int] = []
    with _hearing(heard.append):
        worker.start()
        deadline = float("inf")
        while worker.is_alive() and time.monotonic() < deadline and len(heard) < 2:
            worker.join(0.1)
            if heard and deadline == float("inf"):
                cancel()
                deadline = time.monotonic() + PATIENCE
            look()
    return Departure(heard[0] if heard else 0, worker.is_alive())


def interruptible(work: Callable[[Callable[[], bool]], None]) -> Departure:
    """Do ``work`` as :func:`attend` does, but it may raise, and may show progress.

    Parameters
    ----------
    work : callable
        Gets a function that says whether a signal has cancelled the work.

    Raises
    ------
    BaseException
        Whatever ``work`` raised.
    """
    errors: list[BaseException] = []
    cancelled = threading.Event()

    def guarded() -> None:
        try:
            work(cancelled.is_set)
        except BaseException as error:
            errors.append(error)

    departure = attend(guarded, cancelled.set)
    show_progress("")
    if errors:
        raise errors[0]
    return departure


def solve(
    instance: Instance,
    session: Session,
    recorder: Recorder | None = None,
    progress: Callable[[Snapshot], None] = lambda state: None,
) -> tuple[Result, Departure]:
    """Run ``session`` to its end, or until a signal asks the process to end.

    Parameters
    ----------
    instance : Instance
        What to solve.
    session : Session
        How.
    recorder : Recorder, optional
        Writes the run's log.
    progress : callable taking Snapshot, optional
        Called ten times a second with the state so far.
    """
    run = Run(instance, session, recorder=recorder)

    def work() -> None:
        with suppress(Exception):  # the outcome has it
            run.finish()

    departure = attend(work, run.cancel, lambda: progress(run.state))
    outcome = run.outcome
    if outcome is None or departure.left:
        outcome = Outcome(Ending.CANCELLED, "stopped in the midst of an iteration", run.state)
        if recorder is not None:
            recorder.finish(outcome)
    return Result.of(instance, session, outcome), departure


def progress_of(session: Session, instance: Instance) -> Callable[[Snapshot], None]:
    """Return a function that shows a state of the run as a line of progress."""

    def show(state: Snapshot) -> None:
        if not state.elapsed:
            show_progress("building the colony, which its first run here also compiles")
            return
        parts = [f"{state.elapsed:.1f} s", f"iteration {state.iteration}"]
        if state.iteration:
            parts.append(f"best {state.best_cost}")
            gap = instance.gap_percent(state.best_cost)
            parts += [] if gap is None else [f"gap {gap:.2f} %"]
        share = session.stop.share_done(state)
        parts += [] if share is None else [f"{100 * share:.0f} % done"]
        show_progress("   ".join(parts))

    return show


@contextmanager
def _hearing(listener: Callable[[int], None]) -> Iterator[None]:
    def handler(number: int, _: FrameType | None) -> None:
        listener(number)

    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
