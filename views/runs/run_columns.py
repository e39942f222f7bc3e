"""The columns of the list of runs: what each shows of a run, and how it sorts."""

from __future__ import annotations

from collections.abc import Sequence

from gpu.core.formats import duration, number_of, percent, whole
from gpu.core.tables import Column
from gpu.run.log.archive import RunRow
from gpu.run.log.summary import GOES_ON, UNREADABLE

STAR, NAME, NOTE = "★", "Name", "Note"  # the columns that the user writes


def _started(row: RunRow) -> float | None:
    return None if row.run.started is None else row.run.started.timestamp()


def _instance(row: RunRow) -> str:
    run = row.run
    return run.path.name if run.state == UNREADABLE else run.instance


def _instance_tip(row: RunRow) -> str:
    run = row.run
    if run.problem is None or run.n is None:
        return str(run.path)
    return f"{run.instance}, {number_of(run.n, run.problem.words.place)}\n{run.path}"


def _parameters_tip(row: RunRow) -> str:
    return "\n".join(f"{name} {value}" for name, value in row.run.parameters.items())


def _built(row: RunRow) -> str:
    run = row.run
    if run.problem is None or run.solutions is None:
        return ""
    return number_of(run.solutions, run.problem.words.solution)


def _state_tip(row: RunRow) -> str:
    reason = row.run.reason
    return reason[:1].upper() + reason[1:]


def _started_tip(row: RunRow) -> str:
    return "" if row.run.started is None else f"{row.run.started:%Y-%m-%d %H:%M:%S}"


def _state(row: RunRow) -> str:
    return {"failed": "danger", GOES_ON: "good"}.get(row.run.state, "")


COLUMNS: Sequence[Column[RunRow]] = (
    Column(
        STAR,
        lambda row: "★" if row.note.starred else "☆",
        order=lambda row: not row.note.starred,
        mark=lambda row: "best" if row.note.starred else "muted",
    ),
    Column("Instance", _instance, tip=_instance_tip),
    Column("Colony", lambda row: row.run.colony),
    Column("Seed", lambda row: row.run.seed, number=True),
    Column("Best", lambda row: row.run.best, whole, number=True),
    Column("Gap", lambda row: row.run.gap_percent, percent, number=True),
    Column("Time", lambda row: row.run.seconds, duration, number=True),
    Column(NAME, lambda row: row.note.name),
    Column("Iterations", lambda row: row.run.iterations, whole, _built, number=True),
    Column("State", lambda row: row.run.state, tip=_state_tip, mark=_state),
    Column(NOTE, lambda row: row.note.note),
    Column("Parameters", lambda row: row.run.changed, tip=_parameters_tip),
    Column("Device", lambda row: row.run.device),
    Column(
        "Started",
        lambda row: row.run.started,
        "{:%Y-%m-%d %H:%M}".format,
        _started_tip,
        order=_started,
    ),
)

PLACES = {column.title: at for at, column in enumerate(COLUMNS)}
