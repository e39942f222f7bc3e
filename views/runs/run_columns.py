"""The columns of the list of runs: what each shows of a run, and how it sorts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpu.run.log.archive import RunRow
from gpu.run.log.summary import GOES_ON, UNREADABLE
from views.widgets.formats import duration, number_of, percent, whole

STAR, NAME, NOTE = "★", "Name", "Note"  # the columns that the user writes


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    title: str
    text: Callable[[RunRow], str]
    order: Callable[[RunRow], float | str | None]  # None sorts last, in both directions
    tip: Callable[[RunRow], str] = lambda _: ""
    number: bool = False  # aligned to the right
    widest: int = 22  # characters; longer texts are cut, and their tip has all


def _whole(value: int | None) -> str:
    return "" if value is None else whole(value)


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


def _plain(value: str) -> str | None:
    return value.casefold() or None


COLUMNS = (
    Column(STAR, lambda row: "★" if row.note.starred else "☆", lambda row: -row.note.starred),
    Column("Instance", _instance, lambda row: _plain(_instance(row)), _instance_tip),
    Column("Colony", lambda row: row.run.colony, lambda row: _plain(row.run.colony)),
    Column(
        "Seed",
        lambda row: "" if row.run.seed is None else str(row.run.seed),
        lambda row: row.run.seed,
        number=True,
    ),
    Column("Best", lambda row: _whole(row.run.best), lambda row: row.run.best, number=True),
    Column(
        "Gap",
        lambda row: "" if row.run.gap_percent is None else percent(row.run.gap_percent),
        lambda row: row.run.gap_percent,
        number=True,
    ),
    Column(
        "Time",
        lambda row: "" if row.run.seconds is None else duration(row.run.seconds),
        lambda row: row.run.seconds,
        number=True,
    ),
    Column(
        NAME,
        lambda row: row.note.name,
        lambda row: _plain(row.note.name),
        lambda row: row.note.name,
    ),
    Column(
        "Iterations",
        lambda row: _whole(row.run.iterations),
        lambda row: row.run.iterations,
        _built,
        number=True,
    ),
    Column("State", lambda row: row.run.state, lambda row: row.run.state, _state_tip),
    Column(
        NOTE,
        lambda row: row.note.note,
        lambda row: _plain(row.note.note),
        lambda row: row.note.note,
    ),
    Column(
        "Parameters",
        lambda row: row.run.changed,
        lambda row: _plain(row.run.changed),
        _parameters_tip,
    ),
    Column("Device", lambda row: row.run.device, lambda row: _plain(row.run.device)),
    Column(
        "Started",
        lambda row: "" if row.run.started is None else f"{row.run.started:%Y-%m-%d %H:%M}",
        _started,
        lambda row: "" if row.run.started is None else f"{row.run.started:%Y-%m-%d %H:%M:%S}",
    ),
)

PLACES = {column.title: at for at, column in enumerate(COLUMNS)}


def role_of(row: RunRow, column: Column) -> str:
    """Return the theme's colour of a cell."""
    if column.title == STAR:
        return "best" if row.note.starred else "muted"
    if row.run.state == UNREADABLE or (column.title == "State" and row.run.state == "failed"):
        return "danger"
    if column.title == "State" and row.run.state == GOES_ON:
        return "good"
    return "text"
