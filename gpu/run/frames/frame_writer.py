"""Writes the frames of a run in a thread of its own, so that the run does not wait for a disk."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpu.core.errors import sentence_for
from gpu.core.snapshot import RunState
from gpu.run.frames.frame_file import Found, FrameFile
from gpu.run.frames.frames import SOLUTION, TRAILS, FramesError

USUAL_LIMIT = 20  # MB of a run's frames, where nobody has said another
SHARE = 0.01  # of one core that the thread takes at most, on average
SHARE_OF_TRAILS = 0.008  # the same for what the colony needs to show its trails
CREDIT = 0.05  # seconds of either work that are free: a run changes most in the beginning
TRAILS_A_RUN = 100  # pictures of the trails while the run becomes e times as old
_PATIENCE = 5.0  # longest time in seconds that the end of a run waits for its last frames

_log = logging.getLogger(__name__)


class _Due(NamedTuple):
    """What is to be written next."""

    solution: Found | None
    trails: tuple[Found, RunState] | None  # with what they belong to
    # a change of cities after both, and what it makes of the solution
    change: tuple[Sequence[Mapping[str, object]], Found] | None = None


class FrameWriter:
    """Writes solutions and trails to a file of at most ``limit`` bytes.

    A run may be looked at more often than its frames can be written: the newest solution counts.
    Any thread may call the methods, and none of them raises. If the file cannot be written,
    ``tell`` is called once with a sentence for the user, and the run goes on without it.
    """

    def __init__(
        self,
        path: Path,
        header: Mapping[str, object],
        n: int,
        limit: int,
        tell: Callable[[str], None],
    ) -> None:
        self.path = path
        self.failed = False
        self._header, self._n, self._limit, self._tell = header, n, limit, tell
        self._change = threading.Condition()
        # Guarded by _change:
        self._solution: Found | None = None  # to be written
        self._trails: tuple[Found, RunState] | None = None  # the same, with what they belong to
        self._before: deque[_Due] = deque()  # what comes before both: frames of other cities
        self._ending = False
        self._thread: threading.Thread | None = None
        self._former: threading.Thread | None = None  # the one before the run went on
        # Used by the run's thread alone:
        self._newest: Found | None = None
        self._trails_due = 0.0  # seconds of the run
        self._asked: float | None = None  # when the colony began to show its trails
        self._showing = 0.0  # seconds that this took in all
        # Used by the other thread:
        self._file: FrameFile | None = None
        self._gap_of_trails = 0.0  # least seconds between two frames; read by both

    def asks_for_trails(self, elapsed: float) -> bool:
        """Whether the next state should have its trails, ``elapsed`` seconds after the start."""
        if not self.failed and elapsed >= self._trails_due:
            self._asked = time.perf_counter()
        return self._asked is not None

    def put(self, state: RunState) -> None:
        """Write the solution of ``state`` if it is new, and its trails if they were asked for."""
        if self.failed or state.best_solution is None:
            return
        new = self._newest is None or state.best_solution is not self._newest.solution
        if new or self._newest is None:
            self._newest = _found(state)
        trails = None
        if self._asked is not None:
            took, self._asked = time.perf_counter() - self._asked, None
            self._showing += took
            gap = max(self._gap_of_trails, state.elapsed / TRAILS_A_RUN)
            self._trails_due = max(state.elapsed + gap, self._trails_allowed)
            if state.trails is not None or state.pheromone is not None:
                trails = self._newest, state
        if not new and trails is None:
            return
        with self._change:
            if self._ending:
                return
            self._solution, self._trails = self._newest, trails or self._trails
            self._wake()

    def change(self, edits: Sequence[Mapping[str, object]], after: RunState) -> None:
        """Write a change of cities; ``after`` it, all solutions and trails are of other cities.

        ``edits`` are those of a line of the log.
        """
        if self.failed or after.best_solution is None:
            return
        self._newest = _found(after)
        self._trails_due = self._trails_allowed  # those of the new cities, as soon as possible
        with self._change:
            if self._ending:
                return
            due = _Due(self._solution, self._trails, (edits, self._newest))
            self._before.append(due)
            self._solution = self._trails = None
            self._wake()

    def finish(self) -> None:
        """Write what is left, and close the file."""
        with self._change:
            self._ending = True
            self._change.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(_PATIENCE)

    def reopen(self) -> None:
        """Write on after the last frame, because the run goes on after its end."""
        with self._change:
            self._ending = False
            self._former, self._thread = self._thread or self._former, None

    @property
    def _trails_allowed(self) -> float:
        """Seconds of the run before which showing trails would take too much of its time."""
        return (self._showing - CREDIT) / SHARE_OF_TRAILS

    def _wake(self) -> None:
        """Let the thread write; called with the lock held."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._work, args=(self._former,), name="frames", daemon=True
            )
            self._thread.start()
        self._change.notify_all()

    def _work(self, former: threading.Thread | None) -> None:
        """Write what comes until the end; this is what the thread does."""
        if former is not None:
            former.join()  # a slow disk may not have all of its frames yet
        try:
            if self._file is None:
                self._file = FrameFile(self.path, self._header, self._n, self._limit)
            else:
                self._file.reopen()
            file = self._file
            try:
                self._write_all(file)
            finally:
                file.close()
        except FramesError as error:
            self._give_up(str(error), error)
        except OSError as error:
            error.filename = None  # the sentence names the file
            self._give_up(f"it cannot be written ({sentence_for(error)})", error)

    def _write_all(self, file: FrameFile) -> None:
        started = time.monotonic()
        while True:
            self._gap_of_trails = file.gaps[TRAILS]
            with self._change:
                self._change.wait_for(lambda: self._solution or self._before or self._ending)
                waiting = [*self._before, _Due(self._solution, self._trails)]
                self._before.clear()
                self._solution = self._trails = None
            for solution, trails, change in waiting:
                if trails is not None:
                    file.add_trails(*trails)
                if solution is not None:
                    file.add(solution)
                if change is not None:
                    file.add_edits(*change)
            if waiting[-1].solution is None and len(waiting) == 1:
                return
            owed = (time.thread_time() - CREDIT) / SHARE - (time.monotonic() - started)
            rest = max(file.gaps[SOLUTION], owed)
            with self._change:
                # a change is written at once: the user may want to see how it was before
                self._change.wait_for(lambda: self._ending or self._before, rest)

    def _give_up(self, why: str, error: Exception) -> None:
        self.failed = True
        _log.warning("%s: the run's frames cannot be written", self.path, exc_info=error)
        self._tell(f"{self.path}: the past of the run is not recorded: {why}")


def _found(state: RunState) -> Found:
    """Return the solution of ``state``, with the moment at which it was found."""
    assert state.best_solution is not None
    if not state.progress.improvements:
        when = state.iteration, state.elapsed, state.solutions_built
    else:
        one = state.progress.improvements[-1]
        when = one.iteration, one.seconds, one.solutions_built
    return Found(*when, state.cost, state.best_solution)
