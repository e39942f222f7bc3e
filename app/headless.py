"""A run with no display: in a worker thread, so that Ctrl-C is heard at once."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from app.run import Ending, Outcome, Run

if TYPE_CHECKING:
    from app.recorder import Recorder
    from app.session import Session
    from gpu.instances.instance import TspInstance
    from gpu.snapshot import Snapshot

PATIENCE = 3.0
"""Seconds that an iteration under way gets, after a signal, to end by itself."""

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a headless run came to.

    Attributes
    ----------
    outcome : Outcome
        How it ended.
    signal : int
        Number of the signal that ended it, or 0.
    left : bool
        True if an iteration is still being computed: leave the process with ``os._exit``.
    """

    outcome: Outcome
    signal: int
    left: bool

    @property
    def status(self) -> int:
        """The exit status: 0 finished, 1 failed, and as shells do it 128 + signal."""
        if self.outcome.ending is Ending.FAILED:
            return 1
        return 128 + self.signal if self.signal else 0


def solve(
    instance: TspInstance,
    session: Session,
    recorder: Recorder | None = None,
    progress: Callable[[Snapshot], None] | None = None,
) -> Result:
    """Run ``session`` to its end; signals that ask the process to end cancel it.

    Python runs signal handlers in the main thread, and only between two bytecodes: with the
    colony at work there, Ctrl-C would wait for the iteration, which may take minutes.

    Parameters
    ----------
    instance : TspInstance
        What to solve.
    session : Session
        How.
    recorder : Recorder, optional
        Writes the run's log.
    progress : callable taking Snapshot, optional
        Called ten times a second with the state so far.
    """
    run = Run(instance, session, recorder=recorder)
    worker = threading.Thread(target=_work, args=(run,), name="solver", daemon=True)
    heard: list[int] = []
    with _hearing(lambda number: heard.append(number)):
        worker.start()
        deadline = float("inf")
        while worker.is_alive() and time.monotonic() < deadline and len(heard) < 2:
            worker.join(0.1)
            if heard and deadline == float("inf"):
                run.cancel()
                deadline = time.monotonic() + PATIENCE
            if progress is not None:
                progress(run.state)
    signalled = heard[0] if heard else 0
    if worker.is_alive():
        outcome = Outcome(Ending.CANCELLED, "stopped in the midst of an iteration", run.state)
        if recorder is not None:
            recorder.finish(outcome)
        return Result(outcome, signalled, True)
    assert run.outcome is not None
    return Result(run.outcome, signalled, False)


def progress_line(session: Session, instance: TspInstance) -> Callable[[Snapshot], None] | None:
    """Return what shows the state on one line of a terminal, or None where there is none."""
    if not sys.stderr.isatty():
        return None

    def show(state: Snapshot) -> None:
        parts = [f"{state.elapsed:.1f} s", f"iteration {state.iteration}"]
        if state.iteration:
            parts.append(f"best {state.best_length}")
            gap = instance.gap_percent(state.best_length)
            parts += [] if gap is None else [f"gap {gap:.2f} %"]
        share = session.stop.share_done(state)
        parts += [] if share is None else [f"{100 * share:.0f} % done"]
        sys.stderr.write("\r\x1b[K" + "   ".join(parts))
        sys.stderr.flush()

    return show


def clear_progress_line() -> None:
    """Make room for the summary where the progress stood."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _work(run: Run) -> None:
    try:
        run.build()
        while run.outcome is None:
            run.advance()
    except BaseException as error:  # an ending comes whatever was raised
        run.fail(error)
    finally:
        run.close()


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
