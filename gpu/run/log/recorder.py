"""Writes a run's log as JSON Lines during the run, so that it is readable after any end."""

from __future__ import annotations

import io
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpu.core.errors import sentence_for
from gpu.core.files import no_link
from gpu.core.history import Progress, joined
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState, Wanted
from gpu.run.frames import frames
from gpu.run.frames.frame_file import MB
from gpu.run.frames.frame_writer import FrameWriter
from gpu.run.log.encoding import encoded
from gpu.run.log.lines import (
    change_line,
    header,
    improvement_line,
    outcome_line,
    progress_line,
    restart_line,
)
from gpu.run.outcome import Outcome
from gpu.run.session import Session

INTERVAL = 0.25  # least seconds between two lines of progress
LINES_A_RUN = 2000
"""About the largest number of lines of progress: in longer runs, the interval grows."""

_TRAILS = Wanted.PHEROMONE | Wanted.TRAILS | Wanted.STRIP  # what frames have of them

_OF_A_CHANGE = "iteration", "parameters", "stop", "cities"  # what a session keeps of its line

_log = logging.getLogger(__name__)


class Recorder:
    """Writes one run's log line by line. Any thread may call it, and it never raises.

    With ``frames_mb`` it writes the run's solutions and trails too, in a file beside
    the log, of at most so many MB.

    The folder of ``path`` is made if needed, and an existing file is replaced. If the file cannot
    be written (the disk is full, the folder is protected), ``tell`` is called once with a sentence
    for the user, in the thread that tried, and the run goes on.
    """

    def __init__(
        self,
        path: Path,
        session: Session,
        instance: Instance,
        tell: Callable[[str], None],
        frames_mb: float = 0,
    ) -> None:
        self.path = path
        self._instance = instance
        self._tell = tell
        self._lock = threading.Lock()
        self._file: io.FileIO | None = None
        self._finished = False
        self._since: list[Progress] = []  # since the last line of progress
        self._due = 0.0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(path, "wb", buffering=0, opener=no_link)  # noqa: SIM115  # kept open
        except OSError as error:
            self._give_up(error)
        # the first line; the session in it gets the changes that are made while the run goes on
        self.header = header(session, instance)
        self._repeats = bool(session.changes)
        self._made: list[dict[str, object]] = []  # changes
        with self._lock:
            self._write([self.header])
        self._frames = (
            _frame_writer(self, instance, frames_mb) if frames_mb and self._file else None
        )

    @property
    def complete(self) -> bool:
        """Whether the file has all lines up to the last one."""
        with self._lock:
            return self._finished

    @property
    def lost(self) -> bool:
        """Whether lines are missing, because the file could not be written."""
        with self._lock:
            return self._file is None and not self._finished

    @property
    def frames_path(self) -> Path | None:
        """The file of solutions and trails; None if they are not recorded."""
        return None if self._frames is None else self._frames.path

    @property
    def frames_lost(self) -> bool:
        """Whether solutions or trails are missing, because their file could not be written."""
        return self._frames is not None and self._frames.failed

    def wanted(self, elapsed: float) -> Wanted:
        """What the next state that is recorded should show, ``elapsed`` seconds after the start."""
        due = self._frames is not None and self._frames.asks_for_trails(elapsed)
        return _TRAILS if due else Wanted.NUMBERS

    def record(self, state: RunState) -> None:
        """Write a line for each improvement of ``state``, and one of progress if that is due.

        Every state of the run must come, in order.
        """
        progress, now = state.progress, time.monotonic()
        with self._lock:
            if self._file is None:
                return
            lines = [improvement_line(self._instance, one) for one in progress.improvements]
            if progress.iterations:
                self._since.append(progress)
            self._due = self._due or now + INTERVAL
            if self._since and now >= self._due:
                self._due = now + max(INTERVAL, state.elapsed / LINES_A_RUN)
                lines.append(self._progress_line(state))
            self._write(lines)
        if self._frames is not None:
            self._frames.put(state)

    def change(
        self, line: Mapping[str, object], before: RunState, after: RunState, instance: Instance
    ) -> None:
        """Write a line about a change of the run, from the state ``before`` to the one ``after``.

        From then on ``instance`` is what is solved.
        """
        with self._lock:
            lines = [self._progress_line(before)] if self._since else []
            self._instance = instance
            self._write([*lines, change_line(instance, line, before, after)])
            self._made.append({name: line[name] for name in _OF_A_CHANGE if name in line})
            if not self._repeats:
                session = {**self.header["session"], "changes": list(self._made)}
                self.header = {**self.header, "session": session}
        edits: Any = line.get("cities")
        if edits and self._frames is not None:
            self._frames.change(edits, after)

    def restart(self, state: RunState, why: str) -> None:
        """Write that the run goes on from ``state`` with a new colony, and why."""
        with self._lock:
            lines = [self._progress_line(state)] if self._since else []
            self._write([*lines, restart_line(self._instance, state, why)])

    def reopen(self) -> None:
        """Write on after the last line and the last frame, because the run goes on."""
        if self._frames is not None:
            self._frames.reopen()
        with self._lock:
            if not self._finished:
                return
            try:
                # not "ab": a log that is gone by now would begin without its first line
                self._file = open(self.path, "r+b", buffering=0, opener=no_link)  # noqa: SIM115  # kept open
                self._file.seek(0, os.SEEK_END)
                self._finished = False
            except OSError as error:
                self._give_up(error)

    def finish(self, outcome: Outcome) -> None:
        """Write the last lines: what no line tells yet, and the outcome. Close the log."""
        with self._lock:
            lines = [self._progress_line(outcome.state)] if self._since else []
            made: dict[str, int] = {}
            if self._made:
                of_cities = sum("cities" in one for one in self._made)
                made = {"changes": len(self._made), "changes_of_cities": of_cities}
            self._write([*lines, {**outcome_line(self._instance, outcome), **made}])
            if self._file is not None:
                self._file.close()
                self._file = None
                self._finished = True
        if self._frames is not None:
            self._frames.finish()

    def _progress_line(self, state: RunState) -> dict[str, object]:
        since = joined(self._since)
        self._since.clear()
        return progress_line(self._instance, state, since)

    def _write(self, lines: Sequence[Mapping[str, object]]) -> None:
        """Write ``lines`` at once; called with the lock held."""
        data = "".join(f"{encoded(line)}\n" for line in lines).encode("ascii")
        try:
            while self._file is not None and data:
                data = data[self._file.write(data) :]
        except OSError as error:
            if self._file is not None:
                self._file.close()
                self._file = None
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        _log.warning("%s: the run's log cannot be written", self.path, exc_info=error)
        error.filename = None  # the sentence below names the file
        self._tell(
            f"{self.path}: the run's log cannot be written ({sentence_for(error)}); "
            "the run goes on without it"
        )


def _frame_writer(recorder: Recorder, instance: Instance, limit: float) -> FrameWriter:
    path = recorder.path
    first = frames.header_of(recorder.header, path.name)
    return FrameWriter(
        path.with_suffix(frames.SUFFIX), first, instance.n, round(limit * MB), recorder._tell
    )
