"""Files that the user exports. Each one is written completely or not at all."""

from __future__ import annotations

import itertools
import json
import os
import platform
import re
import secrets
import shutil
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from gpu.core.cost_unit import CostUnit
from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.files import exists, rename
from gpu.core.instance import Instance
from gpu.core.tables import Column, csv_of, csv_text
from gpu.races.race import Race
from gpu.races.race_file import text_of
from gpu.races.race_standings import LaneRecord
from gpu.run.frames.frames import FRAMES_SUFFIX
from gpu.run.log.recorder import encoded
from gpu.run.log.run_log import RunLog
from gpu.run.session import Session

_HEADER = (
    "kind,iteration,seconds,{solutions},best,best_iteration,gap_percent,iterations,"
    "iteration_best,iteration_mean,local_hits,local_updates,global_hits,global_updates,"
    "changes_tried,changes_won,changes_merged,two_opt_moves,or_opt_moves"
)
"""Columns of a run's CSV. ``{solutions}`` becomes ``tours`` or ``colorings``. A column for the
milliseconds of each phase follows."""


_COSTS = ("best", "iteration_best", "iteration_mean")
"""Columns with costs, which are in the unit of the instance's file."""

_PART_NAMES = f"formicarium-{zlib.crc32(platform.node().encode()):08x}"  # this computer's
_PROCESS = secrets.token_hex(4)  # tells this process from an earlier one of the same number
_PART = re.compile(rf"\.{_PART_NAMES}-([0-9]{{1,9}})-([0-9a-f]{{8}})-[0-9]+\.part")
_numbers = itertools.count()


class ExportError(FormicariumError):
    """A file that cannot be written; the message names it."""


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a new file in the folder of ``path``, then rename it to ``path``.

    It may make a new folder instead. Whatever happens, the file at ``path`` is either the old one
    or the complete new one. If it cannot be written, ExportError is raised.
    """
    if not path.name:
        raise ExportError(f"{path}: it is a folder; name a file in it")
    if exists(path) and not (path.is_file() or path.is_dir()):
        raise ExportError(f"{path}: it is a device or a pipe; choose another place")
    if exists(path.parent) and not path.parent.is_dir():
        raise ExportError(
            f"{path}: cannot be written ({path.parent} is no folder); choose another place"
        )
    part = path.with_name(f".{_PART_NAMES}-{os.getpid()}-{_PROCESS}-{next(_numbers)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_remnants(path.parent)
        try:
            write(part)
            rename(part, path)
        finally:
            _remove(part)
    except OSError as error:
        error.filename = None  # the sentence below names the file
        raise ExportError(
            f"{path}: cannot be written ({sentence_for(error)}); choose another place"
        ) from error


def remove_remnants(folder: Path) -> None:
    """Remove the parts of files that killed processes of this computer have left there."""
    for part in folder.glob(".formicarium-*.part"):
        match = _PART.fullmatch(part.name)
        if match and not _is_alive(int(match[1]), match[2]):
            with suppress(OSError):  # another process may remove it too
                _remove(part)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as it is, in UTF-8, to the file ``path``; raises ExportError."""
    write_whole(path, lambda part: part.write_text(text, "utf-8", newline=""))


def _remove(part: Path) -> None:
    """Remove what was written so far, a file or a folder, if it is still there."""
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)


def _is_alive(number: int, process: str) -> bool:
    return process == _PROCESS if number == os.getpid() else psutil.pid_exists(number)


def export_solution(
    path: Path, instance: Instance, solution: NDArray[np.integer], comment: str = ""
) -> None:
    """Write ``solution`` as a TSPLIB tour or a DIMACS coloring; raises ExportError."""
    write_whole(path, lambda part: instance.write(part, solution, comment))


def export_log(path: Path, source: Path) -> None:
    """Copy the run's log at ``source``, as JSON Lines; raises ExportError.

    The file of the run's past, if there is one, is copied to the same name with its own ending.
    """
    frames = source.with_suffix(FRAMES_SUFFIX)
    if frames.exists():
        write_whole(path.with_suffix(FRAMES_SUFFIX), lambda part: shutil.copyfile(frames, part))
    write_whole(path, lambda part: shutil.copyfile(source, part))


def export_csv(path: Path, log: RunLog) -> None:
    """Write the run's numbers as CSV, with a row for each line of the log; raises ExportError."""
    lines = [*log.records, *([log.outcome] if log.outcome else [])]
    phases = dict.fromkeys(phase for line in lines for phase in line.get("phases_ms") or ())
    keys = _HEADER.format(solutions=log.session.system.problem.words.solutions).split(",")
    instance = log.header.get("instance")
    decimals = instance.get("decimals", 0) if isinstance(instance, dict) else 0
    unit = CostUnit(decimals=decimals if isinstance(decimals, int) else 0)

    def value(line: Mapping[str, Any], key: str) -> object:
        found = line.get(key)
        if key in _COSTS and isinstance(found, int | float) and unit.decimals:
            return unit.scaled(float(found))
        return found

    rows = (
        [*(value(line, key) for key in keys), *map((line.get("phases_ms") or {}).get, phases)]
        for line in lines
    )
    write_text(path, csv_text([*keys, *map(column_of, phases)], rows))


def export_race(path: Path, race: Race, records: Sequence[LaneRecord], instance: Instance) -> None:
    """Write a race and what its lanes have found, to be opened again; raises ExportError."""
    text = text_of(race, records, instance)
    write_whole(path, lambda part: part.write_text(text, "utf-8"))


def export_race_csv(
    path: Path, race: Race, records: Sequence[LaneRecord], instance: Instance
) -> None:
    """Write the lanes' curves as CSV, a row for each improvement; raises ExportError."""
    columns: Sequence[Column[tuple[int, Session, Sequence[float]]]] = (
        Column("lane", lambda row: row[0]),
        Column("colony", lambda row: row[1].colony),
        Column("device", lambda row: row[1].device),
        Column("seed", lambda row: row[1].seed),
        Column("iteration", lambda row: int(row[2][0])),
        Column(instance.problem.words.solutions, lambda row: int(row[2][1])),
        Column("seconds", lambda row: round(row[2][2], 6)),
        Column("best", lambda row: instance.cost_unit.value(int(row[2][3]))),
        Column("gap_percent", lambda row: instance.gap_percent(int(row[2][3]))),
    )
    lanes = enumerate(zip(race.sessions, records, strict=True), 1)
    rows = (
        (number, session, point)
        for number, (session, record) in lanes
        for point in record.curve_until_now.rows
    )
    write_text(path, csv_of(columns, rows))


def column_of(phase: str) -> str:
    """Return the name of the column for the milliseconds of ``phase``."""
    return f"{phase.replace(' ', '_')}_ms"


def export_session(
    path: Path, header: Mapping[str, object], outcome: Mapping[str, object] | None = None
) -> None:
    """Write session and outcome for ``formicarium replay`` to repeat; raises ExportError.

    ``header`` and ``outcome`` are the first and the last line of the run's log.
    """
    content = {**header, "outcome": outcome}
    # The outcome may have a long tour, which json.dumps would write without letting others work.
    try:
        texts = [
            encoded(one) if isinstance(one, Mapping) else json.dumps(one, allow_nan=False)
            for one in content.values()
        ]
    except ValueError as error:
        raise ExportError(
            f"{path}: a number in the log is infinite; record the run anew"
        ) from error
    fields = (f"  {json.dumps(name)}: {text}" for name, text in zip(content, texts, strict=True))
    text = "{\n" + ",\n".join(fields) + "\n}\n"
    write_whole(path, lambda part: part.write_text(text, "utf-8"))
