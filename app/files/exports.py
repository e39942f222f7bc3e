"""Files that the user exports. Each one is written completely or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.files.writing import ExportError, write_text, write_whole
from gpu.core.cost_unit import CostUnit
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
