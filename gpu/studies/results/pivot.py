"""The runs of a study as a table: one by one, or grouped by two of their fields (a pivot table)."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gpu.core.formats import THIN, brief, duration, percent, whole
from gpu.core.tables import Column, value_order
from gpu.studies.cases import DONE, FAILED, CaseRow

if TYPE_CHECKING:
    from gpu.studies.results.analysis import Analysis
    from gpu.studies.results.findings import Sample

EVERYTHING = "all"
"""The field that all runs have in common: a pivot table by it has one row, or one column."""


class StudyRun(NamedTuple):
    """A run with all runs of its configuration on its instance."""

    sample: Sample
    row: CaseRow

    @property
    def gap(self) -> float | None:
        """How far its result lies above the reference, in %; None where there is none."""
        if self.row.best is None or self.sample.reference is None:
            return None
        return self.sample.reference.gap_percent(self.row.best)

    @property
    def best(self) -> float | None:
        """Its result in the unit of its instance."""
        return None if self.row.best is None else float(self.row.cost_unit.value(self.row.best))

    @property
    def found_after(self) -> float | None:
        """Seconds until it found its result; None where no curve is kept."""
        curve = self.row.curve
        return None if curve is None or not len(curve) else curve.reached(float(curve.costs[-1]))

    @property
    def ended(self) -> bool:
        """Whether it is done or has failed."""
        return self.row.state in (DONE, FAILED)


Field = Callable[[StudyRun], object]


def runs_of(analysis: Analysis) -> tuple[StudyRun, ...]:
    """Return all runs of a study, by instance and configuration."""
    return tuple(StudyRun(sample, row) for sample in analysis.samples for row in sample.rows)


def fields_of(runs: Sequence[StudyRun]) -> dict[str, Field]:
    """Return what runs can be grouped by: those fields, and parameters, that have several values.

    ``EVERYTHING`` is the last of them.
    """
    fields: dict[str, Field] = {
        "instance": lambda run: run.row.instance,
        "configuration": lambda run: run.sample.label,
        "colony": lambda run: run.row.colony,
        "device": lambda run: run.row.device,
        "seed": lambda run: run.row.seed,
    }
    names = dict.fromkeys(name for run in runs for name in run.row.parameters)
    fields |= {name: partial(_parameter, name=name) for name in names if name not in fields}
    found = [run for run in runs if run.row.best is not None]
    several = {
        name: field
        for name, field in fields.items()
        if name in ("instance", "configuration") or len({field(run) for run in found}) > 1
    }
    return {**several, EVERYTHING: lambda _: EVERYTHING}


def _parameter(run: StudyRun, name: str) -> object:
    return run.row.parameters.get(name, "–")


def shown_value(value: object) -> str:
    """Return a value of a field as tables show it."""
    if value is None:
        return "automatic"
    return brief(value, 6) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return brief(value, 7, ",").replace(",", THIN)


@dataclass(frozen=True, slots=True)
class PivotValue:
    """A number of each run, and how it is shown."""

    title: str
    of: Callable[[StudyRun], float | None]
    text: Callable[[float], str]


VALUES: Mapping[str, PivotValue] = {
    "gap": PivotValue("Gap", lambda run: run.gap, percent),
    "result": PivotValue("Result", lambda run: run.best, _number),
    "seconds": PivotValue("Time", lambda run: run.row.seconds, duration),
    "found": PivotValue("Best found after", lambda run: run.found_after, duration),
    "iterations": PivotValue("Iterations", lambda run: float(run.row.iterations), whole),
    "solutions": PivotValue("Solutions built", lambda run: float(run.row.solutions), whole),
}
"""What cells of a pivot table can be made of."""

STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "least": min,
    "most": max,
    "deviation": lambda found: statistics.stdev(found) if len(found) > 1 else math.nan,
    "runs": len,
}
"""What a cell says of its runs; the deviation is that of the sample."""


class PivotRow(NamedTuple):
    """A row of a pivot table."""

    key: object  # the value of the field that rows are by
    cells: Mapping[
        object, float
    ]  # by the value of the field that columns are by; where it is known
    runs: Mapping[object, int]  # of each cell


@dataclass(frozen=True, slots=True)
class Pivot:
    """A pivot table: a statistic of the runs that have the value of a row and of a column."""

    rows_by: str
    columns_by: str
    value: str  # a name of ``VALUES``
    statistic: str  # a name of ``STATISTICS``
    keys: tuple[object, ...]  # of the columns
    rows: tuple[PivotRow, ...]

    @property
    def columns(self) -> tuple[Column[PivotRow], ...]:
        """The columns of the table: the row's value, then the cells."""
        text = whole if self.statistic == "runs" else VALUES[self.value].text

        def cell(row: PivotRow, key: object) -> float | None:
            return row.cells.get(key)

        def tip(row: PivotRow, key: object) -> str:
            return f"{row.runs.get(key, 0)} runs" if row.runs.get(key) != 1 else "1 run"

        first = Column[PivotRow](
            self.rows_by, lambda row: row.key, shown_value, order=lambda row: value_order(row.key)
        )
        title = VALUES[self.value].title
        names = [title if key == EVERYTHING else shown_value(key) for key in self.keys]
        rest = [
            Column[PivotRow](name, partial(cell, key=key), text, partial(tip, key=key), number=True)
            for name, key in zip(names, self.keys, strict=True)
        ]
        return first, *rest


def pivot(
    runs: Iterable[StudyRun],
    fields: Mapping[str, Field],
    rows_by: str,
    columns_by: str,
    value: str = "gap",
    statistic: str = "mean",
) -> Pivot:
    """Group runs that have ended by two of their ``fields``, and say a statistic of each group.

    Runs without the ``value``, as those that failed, count nowhere. KeyError if there is no such
    field, value or statistic.
    """
    row_of, column_of = fields[rows_by], fields[columns_by]
    number, of = VALUES[value].of, STATISTICS[statistic]
    found: dict[object, dict[object, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        known = number(run) if run.ended and run.row.best is not None else None
        if known is not None:
            found[row_of(run)][column_of(run)].append(known)
    keys = dict.fromkeys(key for row in found.values() for key in row)
    numbers = {key: {at: of(several) for at, several in row.items()} for key, row in found.items()}
    rows = [
        PivotRow(
            key,
            {at: number for at, number in cells.items() if number == number},
            {at: len(several) for at, several in found[key].items()},
        )
        for key, cells in numbers.items()
    ]
    return Pivot(
        *(rows_by, columns_by, value, statistic),
        tuple(sorted(keys, key=value_order)),
        tuple(sorted(rows, key=lambda row: value_order(row.key))),
    )
