"""Files with measured speedups and comparisons: JSON, JSON Lines and CSV."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from app.files.exports import column_of, write_text
from gpu import __version__
from gpu.core.machine import devices
from gpu.core.tables import csv_text

if TYPE_CHECKING:
    from gpu.batch.measured import ComparisonReport, SpeedupReport

_ENDS = {"median": "", "lower": "_lower", "upper": "_upper"}

SPEEDUP_COLUMNS = (
    *("instance", "n", "system", "device", "model", "ants", "iterations"),
    *(f"{name}{end}" for name in ("iteration_ms", "solution_us") for end in _ENDS.values()),
    *("construction_ms", "speedup_one_core", "speedup_all_cores"),
    *("target_cost", "target_gap", "target_seconds"),
    *("target_speedup_one_core", "target_speedup_all_cores", "failure"),
)
"""Columns of a speedup's CSV: medians, with the quartiles as lower and upper."""

COMPARISON_COLUMNS = (
    *("instance", "n", "device", "model", "group", "option", "chosen", "system", "phase", "ratio"),
    *(f"iteration_ms{end}" for end in _ENDS.values()),
)
"""First columns of a comparison's CSV; the times of each phase, and two texts, follow."""


def speedup_json(reports: Sequence[SpeedupReport]) -> dict[str, object]:
    """Return all reports, with this machine's devices, ready for JSON."""
    return {
        "formicarium": __version__,
        "devices": [dataclasses.asdict(device) for device in devices.survey().devices],
        "reports": [report.to_dict() for report in reports],
    }


def speedup_csv(reports: Sequence[SpeedupReport]) -> str:
    """Return all reports as CSV: a row for each contender on each instance."""
    rows = []
    for report in reports:
        plain = report.to_dict()
        for one in plain["measurements"]:
            row = {**plain, **one, "target_seconds": one["target_median"]}
            for name in ("iteration_ms", "solution_us", "construction_ms"):
                row |= _quartiles(name, one[name])
            rows.append(row)
    return _csv(SPEEDUP_COLUMNS, rows)


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
    phases = [f"{column_of(phase)}{end}" for phase in report.phases for end in _ENDS.values()]
    rows = []
    plain = report.to_dict()
    for one in plain["rows"]:
        row = {**plain, **one, "parameters": json.dumps(one["parameters"])}
        row |= _quartiles("iteration_ms", one["iteration_ms"])
        for phase, spread in one["phases_ms"].items():
            row |= _quartiles(column_of(phase), spread)
        rows.append(row)
    return _csv([*COMPARISON_COLUMNS, *phases, "parameters", "why_not"], rows)


def export_speedup(
    path: Path, reports: Sequence[SpeedupReport], form: Literal["json", "csv"]
) -> None:
    """Write ``reports`` in the given ``form``; raises ExportError."""
    whole = json.dumps(speedup_json(reports), indent=2, allow_nan=False) + "\n"
    write_text(path, speedup_csv(reports) if form == "csv" else whole)


def export_comparison(path: Path, report: ComparisonReport, form: Literal["jsonl", "csv"]) -> None:
    """Write ``report`` in the given ``form``; raises ExportError."""
    write_text(path, comparison_csv(report) if form == "csv" else comparison_lines(report))


def _quartiles(name: str, spread: Mapping[str, float] | None) -> dict[str, float | None]:
    """Return median, lower and upper quartile of ``spread`` under the names of their columns."""
    found = spread or {}
    return {f"{name}{end}": found.get(part) for part, end in _ENDS.items()}


def _csv(keys: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    return csv_text(keys, (map(row.get, keys) for row in rows))
