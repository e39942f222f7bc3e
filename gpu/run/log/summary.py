"""One row for a recorded run: what it was and what it found, from its log's first and last line."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.files import LARGEST_FILE, open_regular
from gpu.core.problem import Problem
from gpu.core.words import counted, shown
from gpu.run.log.rows import CUT_OFF, UNREADABLE, RunSummary
from gpu.run.log.run_log import FORMAT
from gpu.run.session import SessionError

_LONGEST_FIRST = 1 << 20  # most bytes of a log's first line
_BLOCK = 1 << 14  # bytes that are read at once in search of the last line
_LONGEST_TEXT = 200  # characters of a text of the log that a list shows
_LARGEST = 2**63
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def summary_of_log(path: Path) -> RunSummary:
    """Read the first and the last line of the log at ``path``.

    Never raises: a file that is no whole log becomes a row that says so.
    """
    try:
        with open_regular(path, SessionError) as file:
            first, last = _ends(file)
        return summary_of(path, _object(first), None if last is None else _object(last))
    except FormicariumError as error:
        return _unreadable(path, str(error).removeprefix(shown(f"{path}: ")))
    except OSError as error:
        error.filename = None
        return _unreadable(path, sentence_for(error))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return _unreadable(path, "it is not a run's log")


def summary_of(path: Path, first: Mapping[str, Any], last: Mapping[str, Any] | None) -> RunSummary:
    """Return the row for a log with these two lines; ``last`` is None if there is only one.

    KeyError, TypeError, ValueError or SessionError if they are not the lines of a log.
    """
    if first["kind"] != "session":
        raise ValueError("not a log")
    if first["format"] > FORMAT:
        raise SessionError(f"{path}: written by a later version of Formicarium: update this one")
    session, instance = first["session"], first["instance"]
    problem = Problem(instance["problem"])
    parameters = dict(session["parameters"])
    json.dumps(parameters, allow_nan=False)  # raises where a number is none
    last = last or _NOTHING
    state = _text(last["ending"]) if last.get("kind") == "outcome" else CUT_OFF
    return RunSummary(
        path=path,
        state=state,
        reason=_text(last.get("reason", "")),
        started=datetime.fromisoformat(first["started"]).astimezone(),
        problem=problem,
        instance=_text(instance["name"]),
        digest=_digest(session["instance"]),
        n=_count(instance["n"]),
        colony=_text(session["colony"]),
        device=_text(session["device"]),
        seed=_count(session["seed"]),
        parameters=MappingProxyType(parameters),
        changed=", ".join(filter(None, (_changed(session), _in_mid_run(last)))),
        of_other_cities=bool(_count(last.get("changes_of_cities", last.get("changes")))),
        best=_count(last.get("best")),
        gap_percent=_number(last.get("gap_percent")),
        iterations=_count(last.get("iteration")),
        solutions=_count(last.get(problem.words.solutions)),
        seconds=_number(last.get("seconds")),
        version=_text(session.get("version", "")),
        alike="" if _in_mid_run(last) else _alike(session),
    )


def _ends(file: BinaryIO) -> tuple[bytes, bytes | None]:
    """Return the first line, and the last complete one if there is another."""
    size = os.fstat(file.fileno()).st_size
    if not size:
        raise SessionError("it is empty: its run was killed as it began")
    if size > LARGEST_FILE:
        raise SessionError(f"it has {size} bytes; at most {LARGEST_FILE} are read")
    first = file.readline(_LONGEST_FIRST)
    if not first.endswith(b"\n"):
        if len(first) < _LONGEST_FIRST:
            raise SessionError("its run was killed while the first line was written")
        raise SessionError("it is not a run's log: its first line is too long")
    begin = len(first)
    tail, at = b"", size
    # Two line ends are around the last complete line; behind it may be a part of one more.
    while at > begin and tail.count(b"\n") < 2:
        step = min(max(_BLOCK, len(tail)), at - begin)
        at -= step
        file.seek(at)
        tail = file.read(step) + tail
    *whole, _ = tail.split(b"\n")
    return first, whole[-1] if whole else None


def _object(line: bytes) -> Mapping[str, Any]:
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _changed(session: Mapping[str, Any]) -> str:
    """Return the parameters that the user or an aim chose: those unlike the colony's paper's."""
    from gpu import catalog

    rows = [row for row in catalog.CATALOG if row.name == session["colony"]]
    usual = rows[0].parameters().to_dict() if rows else {}
    automatic = "chosen" in session  # else the log does not say what the colony chose itself
    asked = {**session["parameters"], **session.get("chosen", {})}
    differing = [
        f"{name} {_written(value)}"
        for name, value in asked.items()
        if name not in usual or (value != usual[name] and (automatic or usual[name] is not None))
    ]
    return _text(", ".join(differing))


def _in_mid_run(last: Mapping[str, Any]) -> str:
    """Return how often the run was changed while it went on; nothing if it was not."""
    made = _count(last.get("changes")) or 0
    return f"{counted(made, 'change')} in mid-run" if made else ""


def _written(value: object) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:g}"
    return str(value)


def _alike(session: Mapping[str, Any]) -> str:
    """Return a digest of all that decides a run but its seed and where its files were."""
    start = dict(session.get("start") or {})  # raises where a stranger's log has no table there
    instance = session["instance"]
    parts = [instance["sha256"] or instance["path"], instance["name"], start.get("sha256")]
    parts += [session.get(name) for name in ("colony", "device", "parameters", "stop", "version")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _digest(instance: Mapping[str, Any]) -> str:
    return _text(f"{instance['sha256']} {instance.get('read_as', '')}")


def _unreadable(path: Path, why: str) -> RunSummary:
    return RunSummary(path, UNREADABLE, shown(why, _LONGEST_TEXT))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return shown(" ".join(value.split()), _LONGEST_TEXT)


def _count(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2 * _LARGEST:
        raise ValueError("not a whole number")
    return value


def _number(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    if not -_LARGEST < value < _LARGEST:
        raise ValueError("not a number that a run can have")
    return float(value)
