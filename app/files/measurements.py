"""Files with measured speedups and comparisons: JSON, JSON Lines and CSV."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from app.files.exports import column_of
from app.files.writing import write_text
from gpu import __version__
from gpu.core.machine import devices
from gpu.core.tables import Column, csv_of, fields

if TYPE_CHECKING:
    from gpu.timing.measured import (
        ComparisonReport,
        ComparisonRow,
        Measurement,
        SpeedupReport,
        Spread,
    )

Row = TypeVar("Row")


class _SpeedupRow(NamedTuple):
    report: SpeedupReport
    one: Measurement


class _ComparedRow(NamedTuple):
    report: ComparisonReport
    row: ComparisonRow


def speedup_json(reports: Sequence[SpeedupReport]) -> dict[str, object]:
    """Return all reports, with this machine's devices, ready for JSON."""
    return {
        "formicarium": __version__,
        "devices": [dataclasses.asdict(device) for device in devices.survey().devices],
        "reports": [report.to_dict() for report in reports],
    }


def speedup_csv(reports: Sequence[SpeedupReport]) -> str:
    """Return all reports as CSV: a row for each contender on each instance.

    Times are medians, with the quartiles as lower and upper.
    """
    columns: Sequence[Column[_SpeedupRow]] = (
        *fields("instance", "n", of="report"),
        *fields("system", "device", "model", "ants", of="one"),
        *fields("iterations", of="report"),
        *_spread("iteration_ms", lambda row: row.one.iteration_ms),
        *_spread("solution_us", lambda row: row.one.solution_us),
        _spread("construction_ms", lambda row: row.one.construction_ms)[0],
        Column("speedup_one_core", lambda row: row.report.speedup(row.one, "cpu:1")),
        Column("speedup_all_cores", lambda row: row.report.speedup(row.one, "cpu")),
        *fields("target_cost", "target", "unit", "target_gap", of="report"),
        Column("target_seconds", lambda row: row.one.target_median),
        Column("target_speedup_one_core", lambda row: row.report.target_speedup(row.one, "cpu:1")),
        Column("target_speedup_all_cores", lambda row: row.report.target_speedup(row.one, "cpu")),
        *fields("failure", of="one"),
    )
    return csv_of(
        columns, [_SpeedupRow(each, one) for each in reports for one in each.measurements]
    )


def comparison_json(report: ComparisonReport) -> dict[str, Any]:
    """Return a report, with the program's version, ready for JSON."""
    return {"formicarium": __version__, **report.to_dict()}


def comparison_lines(report: ComparisonReport) -> str:
    """Return a report as JSON Lines: first how it was measured, then a line for each row."""
    plain = comparison_json(report)
    rows = plain.pop("rows")
    lines = [{"kind": "comparison", **plain}, *({"kind": "row", **row} for row in rows)]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)


def comparison_csv(report: ComparisonReport) -> str:
    """Return a report as CSV: a row for each of its rows."""
    columns: Sequence[Column[_ComparedRow]] = (
        *fields("instance", "n", "device", "model", of="report"),
        *fields("group", "option", "chosen", "system", "phase", of="row"),
        Column("ratio", lambda one: report.ratio(one.row)),
        *_spread("iteration_ms", lambda one: one.row.iteration_ms),
        *(column for phase in report.phases for column in _phase_spread(phase)),
        Column("parameters", lambda one: json.dumps(dict(one.row.parameters))),
        *fields("why_not", of="row"),
    )
    return csv_of(columns, [_ComparedRow(report, row) for row in report.rows])


def export_speedup(
    path: Path, reports: Sequence[SpeedupReport], form: Literal["json", "csv"]
) -> None:
    """Write ``reports`` in the given ``form``; raises ExportError."""
    whole = json.dumps(speedup_json(reports), indent=2, allow_nan=False) + "\n"
    write_text(path, speedup_csv(reports) if form == "csv" else whole)


def export_comparison(path: Path, report: ComparisonReport, form: Literal["jsonl", "csv"]) -> None:
    """Write ``report`` in the given ``form``; raises ExportError."""
    write_text(path, comparison_csv(report) if form == "csv" else comparison_lines(report))


def _phase_spread(phase: str) -> list[Column[_ComparedRow]]:
    return _spread(column_of(phase), lambda one: one.row.phases_ms.get(phase))


def _spread(name: str, value: Callable[[Row], Spread | None]) -> list[Column[Row]]:
    """Return columns of median, lower and upper quartile."""

    def column(end: str, part: str) -> Column[Row]:
        def number(row: Row) -> float | None:
            spread = value(row)
            return getattr(spread, part) if spread is not None and spread.samples else None

        return Column(f"{name}{end}", number)

    return [column("", "median"), column("_lower", "lower"), column("_upper", "upper")]
