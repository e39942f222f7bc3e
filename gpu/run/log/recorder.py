"""Writes a run's log as JSON Lines during the run, so that it is readable after any end."""

from __future__ import annotations

import io
import json
import logging
import math
import os
import platform
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpu.core.bounds import LowerBound
from gpu.core.errors import sentence_for
from gpu.core.files import no_link
from gpu.core.history import Improvement, Progress, joined
from gpu.core.instance import Instance
from gpu.core.machine import devices, processes
from gpu.core.snapshot import RunState, Wanted
from gpu.run.frames import frames
from gpu.run.frames.frame_file import MB, FrameWriter
from gpu.run.log.run_log import LOG_FORMAT
from gpu.run.outcome import RunOutcome
from gpu.run.session import Session

PIECE = 20_000  # items of a list that are written at once

_encode = json.JSONEncoder(allow_nan=False).encode  # json.dumps makes an encoder for each line


def encoded(line: Mapping[str, object]) -> str:
    """Return ``line`` as JSON without a line break.

    While the encoder works, no other thread can: with a tour of a million cities as one piece, the
    window would not answer for a quarter of a second.
    """
    members = (f"{_encode(name)}: {_value(value)}" for name, value in line.items())
    return f"{{{', '.join(members)}}}"


def _value(value: object) -> str:
    if not isinstance(value, list) or len(value) <= PIECE:
        return _encode(value)
    pieces = (value[first : first + PIECE] for first in range(0, len(value), PIECE))
    return f"[{', '.join(_encode(piece)[1:-1] for piece in pieces)}]"


def header(session: Session, instance: Instance) -> dict[str, Any]:
    """Return the first line: everything that decides the run, and where it takes place."""
    device = devices.find(session.device)
    return {
        "kind": "session",
        "format": LOG_FORMAT,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "session": session.to_dict(),
        "instance": {
            "name": instance.name,
            "comment": instance.comment,
            "n": instance.real_n,
            "problem": instance.problem.value,
            **instance.facts,
            **({"unit": instance.unit} if instance.unit else {}),
            **({"decimals": instance.decimals} if instance.decimals else {}),
            "optimum": instance.optimum,
        },
        "device": {
            fact: getattr(device, fact) for fact in ("name", "model", "cores", "memory", "detail")
        },
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Return the versions of the system, of the program and of the packages that compute."""
    return {"platform": platform.platform(), **processes.versions("formicarium")}


def improvement_line(instance: Instance, one: Improvement) -> dict[str, object]:
    """Return the line about a solution that is better than all before it."""
    built = one.iteration > 0
    return {
        "kind": "improvement",
        "iteration": one.iteration,
        "seconds": round(one.seconds, 6),
        instance.problem.words.solutions: one.solutions_built,
        "best": one.cost,
        "best_iteration": one.iteration,
        "gap_percent": instance.gap_percent(one.cost),
        "iteration_best": one.cost if built else None,
        "iteration_mean": _finite(one.iteration_mean) if built else None,
        **({"found_by": one.found_by} if one.found_by else {}),
    }


def progress_line(instance: Instance, state: RunState, since: Progress) -> dict[str, object]:
    """Return the line about ``state`` and what happened ``since`` the line before it."""
    return {
        "kind": "progress",
        **numbers(instance, state),
        "iterations": since.iterations,
        "iteration_best": since.iteration_best,
        "iteration_mean": _finite(since.iteration_mean),
    }


def change_line(
    instance: Instance, change: Mapping[str, object], before: RunState, after: RunState
) -> dict[str, object]:
    """Return the line about a ``change`` of the run, of which ``after`` is the first state."""
    return {
        "kind": "change",
        **change,
        "seconds": round(before.elapsed, 6),
        **_found(instance, after),
    }


def bound_line(instance: Instance, state: RunState, bound: LowerBound) -> dict[str, object]:
    """Return the line about what no solution is better than, and what shows it."""
    return {
        "kind": "bound",
        "iteration": state.iteration,
        "seconds": round(state.elapsed, 6),
        **_found(instance, state),
        "lower_bound": bound.cost,
        "by": bound.why,
        "witness": (bound.witness + 1).tolist(),
    }


def restart_line(instance: Instance, state: RunState, why: str) -> dict[str, object]:
    """Return the line about a colony that went wrong: a new one goes on from ``state``."""
    return {
        "kind": "restart",
        "iteration": state.iteration,
        "seconds": round(state.elapsed, 6),
        **_found(instance, state),
        "why": why,
    }


def numbers(instance: Instance, state: RunState) -> dict[str, object]:
    """Return the numbers of ``state`` for a line of the log; unknown numbers are None."""
    hits, moves, changes = state.updates, state.moves, state.merges
    return {
        "iteration": state.iteration,
        "seconds": round(state.elapsed, 6),
        **_found(instance, state),
        "local_hits": hits.local_hits if hits else None,
        "local_updates": hits.local_total if hits else None,
        "global_hits": hits.global_hits if hits else None,
        "global_updates": hits.global_total if hits else None,
        "changes_tried": changes.ants if changes else None,
        "changes_won": changes.won if changes else None,
        "changes_merged": changes.merged if changes else None,
        "two_opt_moves": moves.two_opt if moves else None,
        "or_opt_moves": moves.or_opt if moves else None,
        "phases_ms": {name: _finite(value) for name, value in state.phases.items()},
    }


def _found(instance: Instance, state: RunState) -> dict[str, object]:
    """Return how many solutions were built, and what is the best of them."""
    cost = None if state.best_solution is None else state.best_cost
    return {
        instance.problem.words.solutions: state.solutions_built,
        "best": cost,
        "best_iteration": None if cost is None else state.best_iteration,
        "ants_best": state.ants_cost,
        "gap_percent": None if cost is None else instance.gap_percent(cost),
        **({"found_by": state.found_by} if state.found_by else {}),
        **({"kernel": state.kernel} if state.kernel else {}),
    }


def outcome_line(instance: Instance, outcome: RunOutcome) -> dict[str, object]:
    """Return the last line: how the run ended, and its best solution."""
    best = outcome.state.best_solution
    written = None if best is None else instance.written(best)
    return {**ending(instance, outcome), instance.problem.words.written: written}


def ending(instance: Instance, outcome: RunOutcome) -> dict[str, object]:
    """Return the last line without the solution, which may be long."""
    return {
        "kind": "outcome",
        "ending": outcome.ending.value,
        "reason": outcome.reason,
        "details": outcome.details,
        "building_seconds": round(outcome.spent.building, 6),
        "checking_seconds": round(outcome.spent.checking, 6),
        **numbers(instance, outcome.state),
        "lower_bound": None if outcome.state.bound is None else outcome.state.bound.cost,
        "proved": outcome.state.proved,
    }


def _finite(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None


INTERVAL = 0.25  # least seconds between two lines of progress
LINES_A_RUN = 2000
"""About the largest number of lines of progress: in longer runs, the interval grows."""

_FRAME_TRAILS = Wanted.PHEROMONE | Wanted.TRAILS | Wanted.STRIP  # what frames have of them

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
        return _FRAME_TRAILS if due else Wanted.NUMBERS

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

    def bound(self, state: RunState, bound: LowerBound) -> None:
        """Write what no solution is better than, now that the run is in this ``state``."""
        with self._lock:
            self._write([bound_line(self._instance, state, bound)])

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

    def finish(self, outcome: RunOutcome) -> None:
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
    first = frames.header_of(recorder.header, path.name, instance.n)
    return FrameWriter(
        path.with_suffix(frames.FRAMES_SUFFIX), first, instance.n, round(limit * MB), recorder._tell
    )
