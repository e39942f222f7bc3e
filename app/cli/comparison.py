"""Comparisons of systems and options: done in the background, told to people, and written."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.headless import Departure, carry_out
from app.cli.report import table
from app.cli.terminal import show_progress
from app.files.exports import column_of, write_whole
from gpu import __version__
from gpu.core.problem import Problem
from gpu.measure.comparison import compare
from gpu.measure.comparison_report import ComparisonReport, Row
from gpu.measure.speedup_report import Spread

if TYPE_CHECKING:
    from gpu.core.devices import Device
    from gpu.core.instance import Instance
    from gpu.core.system import System

COLUMNS = (
    "instance",
    "n",
    "device",
    "model",
    "group",
    "option",
    "chosen",
    "system",
    "phase",
    "ratio",
    "iteration_ms",
    "iteration_ms_lower",
    "iteration_ms_upper",
)
"""First columns of the CSV: medians, with the quartiles as lower and upper."""


def measure(
    instance: Instance,
    system: System,
    device: Device,
    parameters: Mapping[str, object],
    *,
    seed: int,
    rounds: int,
    limit: float,
) -> tuple[ComparisonReport | None, Departure]:
    """Compare with progress on the terminal; a signal ends it with what there is, None if nothing.

    Raises
    ------
    ParameterError
        If a parameter is impossible.
    """
    reports: list[ComparisonReport] = []
    cancelled = threading.Event()

    def work() -> None:
        reports.append(
            compare(
                instance,
                system,
                device,
                parameters,
                seed=seed,
                rounds=rounds,
                limit=limit,
                cancelled=cancelled.is_set,
                progress=lambda text, share: show_progress(f"{100 * share:.0f} %  {text}"),
                found=reports.append,
            )
        )

    departure = carry_out(work, cancelled.set)
    return reports[-1] if reports else None, departure


def text_of(report: ComparisonReport) -> str:
    """Return a report for people."""
    phases = report.phases
    rows: list[tuple[str, ...]] = [
        ("", "WHAT", "OPTION", *(f"ms {phase.upper()}" for phase in phases), "ms ITERATION", "×")
    ]
    group = ""
    for row in report.rows:
        ratio = report.ratio(row)
        rows.append(
            (
                "*" if row.chosen else "",
                "" if row.group == group else row.group,
                row.option,
                *(_spread(row.phases_ms.get(phase)) for phase in phases),
                _spread(row.iteration_ms),
                "" if ratio is None else f"{ratio:.2f}",
            )
        )
        group = row.group
    return "\n".join(
        [
            f"{report.instance}, {report.n} {Problem(report.problem).words.places}, "
            f"{report.system} on {report.device} ({report.model}): {_rounds(report)}"
            f"{'' if report.complete else ' (cancelled before the end)'}",
            table(rows),
            "*: what is chosen. Times are medians ± half of the distance between the quartiles.",
            "×: time of the phase that an option decides, in times of the fastest; of the whole "
            "iteration where an option does without that phase.",
            *(f"{_name(row)}: {row.why_not}" for row in report.rows if row.why_not),
        ]
    )


def json_of(report: ComparisonReport) -> dict[str, Any]:
    """Return a report, with the program's version, ready for JSON."""
    return {"formicarium": __version__, **report.to_dict()}


def json_lines_of(report: ComparisonReport) -> str:
    """Return a report as JSON Lines: first how it was measured, then a line for each row."""
    plain = json_of(report)
    rows = plain.pop("rows")
    lines = [{"kind": "comparison", **plain}, *({"kind": "row", **row} for row in rows)]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)


def csv_of(report: ComparisonReport) -> str:
    """Return a report as CSV, one row a row of the report; phases' times after ``COLUMNS``."""
    names = [f"{column_of(phase)}{end}" for phase in report.phases for end in ("", *_ENDS)]
    text = io.StringIO(newline="")
    columns = [*COLUMNS, *names, "parameters", "why_not"]
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    plain = report.to_dict()
    for row in plain["rows"]:
        line = {**plain, **row, "parameters": json.dumps(row["parameters"])}
        line |= _quartiles("iteration_ms", row["iteration_ms"])
        for phase, spread in row["phases_ms"].items():
            line |= _quartiles(column_of(phase), spread)
        writer.writerow(line)
    return text.getvalue()


def write(folder: Path, report: ComparisonReport) -> tuple[Path, Path]:
    """Write ``comparison.jsonl`` and ``comparison.csv``; raises ExportError."""
    lines, rows = folder / "comparison.jsonl", folder / "comparison.csv"
    export(lines, report, "jsonl")
    export(rows, report, "csv")
    return lines, rows


def export(path: Path, report: ComparisonReport, form: str) -> None:
    """Write ``report`` as "csv" or "jsonl"; raises ExportError."""
    text = csv_of(report) if form == "csv" else json_lines_of(report)
    write_whole(path, lambda part: part.write_text(text, "utf-8", newline=""))


_ENDS = ("_lower", "_upper")


def _quartiles(name: str, spread: Mapping[str, float] | None) -> dict[str, float | None]:
    found = spread or {}
    values = {name: found.get("median")}
    return values | {f"{name}{end}": found.get(end.removeprefix("_")) for end in _ENDS}


def _rounds(report: ComparisonReport) -> str:
    count = len(report.seeds)
    return "1 round" if count == 1 else f"{count} rounds"


def _name(row: Row) -> str:
    return row.option if row.option == row.system else f"{row.group} = {row.option}"


def _spread(spread: Spread | None) -> str:
    if spread is None or not spread.samples:
        return ""
    return f"{spread.median:.4g}" + ("" if spread.half is None else f" ±{spread.half:.2g}")
