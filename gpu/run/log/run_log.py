"""Reads a run's log (JSON Lines), also one of a run that was killed or still goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu.core.errors import FormicariumError
from gpu.core.files import read_regular
from gpu.core.words import shown
from gpu.run.changes import Change
from gpu.run.session import Session, SessionError

_BEGINNING = '{"kind": "session"'
_RUN_ANEW = "nothing was recorded; run the instance anew with formicarium solve"
_RECORDS = "improvement", "progress", "change"
LOG_FORMAT = 2
"""Version of the log's format. A reader refuses later versions.

In logs of format 1, a line about progress has the best and the mean of one iteration, the last; and
improvements are missing if a better one came a moment later. See docs/log.md.
"""


@dataclass(frozen=True, slots=True)
class RunLog:
    """The contents of a run's log."""

    path: Path  # the file
    session: Session  # the session of the run
    header: dict[str, Any]  # the first line: session, instance, device and versions
    # the lines about improvements, progress and changes, in order
    records: tuple[dict[str, Any], ...]
    outcome: dict[str, Any] | None  # the last line; None if the run was killed or still goes on
    changes: tuple[Change, ...] = ()  # what was changed while it ran, in order
    restarts: tuple[dict[str, Any], ...] = ()  # the lines about colonies that went wrong
    bound: dict[str, Any] | None = None  # the line about what no solution is better than

    @property
    def last(self) -> dict[str, Any] | None:
        """The last known state: the outcome, or the last record if there is none."""
        return self.outcome or (self.records[-1] if self.records else None)

    @property
    def made(self) -> tuple[Change, ...]:
        """The changes until the last known state, also those that a session file has."""
        known = self.changes or self.session.changes
        last = 0 if self.last is None else self.last["iteration"]
        return tuple(one for one in known if one.iteration <= last)

    @property
    def cut_off(self) -> bool:
        """Whether the run was killed, or still goes on; a session file has its ``outcome``."""
        return self.outcome is None and "outcome" not in self.header


def read_log(path: Path) -> RunLog:
    """Read a run's log or a session file, or raise SessionError.

    An incomplete last line of a killed run is skipped; SessionError says so if it is the first.
    """
    text = read_regular(path, SessionError, f"it is empty: {_RUN_ANEW}").decode(errors="replace")
    lines = _session_file(text) or _lines(path, text)
    try:
        first = lines[0]
        if first["kind"] != "session" or not isinstance(first["session"], dict):
            raise KeyError("session")
        if first["format"] > LOG_FORMAT:
            raise SessionError(
                f"{path}: written by a later version of Formicarium: update this one"
            )
        session = Session.from_dict(first["session"])
        outcome = lines[-1] if lines[-1].get("kind") == "outcome" else first.get("outcome")
        records = [line for line in lines[1:] if line.get("kind") in _RECORDS]
        for line in [*records, outcome] if outcome else records:
            _check_record(line)
        changes = [Change.from_dict(one) for one in records if one["kind"] == "change"]
    except (IndexError, KeyError, TypeError) as error:
        raise SessionError(f"{path}: not a run's log or a session file") from error
    except FormicariumError as error:
        what = str(error).removeprefix(shown(f"{path}: "))
        raise SessionError(f"{path}: {what}") from error
    restarts = tuple(line for line in lines if line.get("kind") == "restart")
    bound = next((line for line in lines if line.get("kind") == "bound"), None)
    return RunLog(path, session, first, tuple(records), outcome, tuple(changes), restarts, bound)


def _check_record(line: dict[str, Any]) -> None:
    """Raise KeyError or TypeError if a line lacks what every reader of logs takes for granted."""
    best, phases = line["best"], line.get("phases_ms")
    if not isinstance(line["iteration"], int) or not (best is None or isinstance(best, int)):
        raise TypeError("no number")
    if not (phases is None or isinstance(phases, dict)):
        raise TypeError("no times of phases")


def _session_file(text: str) -> list[dict[str, Any]]:
    """Return the one object of a session file; an empty list for other files."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [whole] if isinstance(whole, dict) else []


def _lines(path: Path, text: str) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    texts = text.rstrip("\n").split("\n")
    for number, line in enumerate(texts, 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            lines.append(value)
        elif text.startswith(_BEGINNING[: len(text)]) and "\n" not in text:
            raise SessionError(
                f"{path}: its run was killed while the first line was written: {_RUN_ANEW}"
            )
        elif number == 1 or number < len(texts):
            raise SessionError(f"{path}: line {number} is not a line of a run's log")
    return lines
