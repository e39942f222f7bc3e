"""Measured speedups: done in the background, told to people, and written to files."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.headless import Departure, carry_out
from app.cli.report import table
from app.cli.terminal import show_progress
from app.files.exports import write_whole
from gpu import __version__
from gpu.core import devices
from gpu.core.problem import Problem
from gpu.core.words import counted
from gpu.measure.contenders import Contender
from gpu.measure.speedup import measure
from gpu.measure.speedup_report import SpeedupReport, Spread

if TYPE_CHECKING:
    from gpu.core.instance import Instance

COLUMNS = (
    "instance",
    "n",
    "system",
    "device",
    "model",
    "ants",
    "iterations",
    "iteration_ms",
    "iteration_ms_lower",
    "iteration_ms_upper",
    "solution_us",
    "solution_us_lower",
    "solution_us_upper",
    "construction_ms",
    "speedup_one_core",
    "speedup_all_cores",
    "target_cost",
    "target_gap",
    "target_seconds",
    "target_speedup_one_core",
    "target_speedup_all_cores",
    "failure",
)
"""Columns of the CSV: medians, with the quartiles as lower and upper."""

HEADINGS = (
    "COLONY",
    "DEVICE",
    "ANTS",
    "ms/ITERATION",
    "µs/{solution}",
    "× 1 CORE",
    "× ALL CORES",
    "s TO TARGET",
    "× 1 CORE",
    "× ALL CORES",
)
"""Columns of the table for people; the last two compare the times to the target."""


def measure_all(
    instances: Sequence[Instance],
    among: Mapping[Problem, Sequence[Contender]],
    parameters: Mapping[str, object],
    **options: float | None,
) -> tuple[list[SpeedupReport], Departure]:
    """Measure each instance in turn; a signal ends it with what there is.

    Parameters
    ----------
    instances : sequence of Instance
    among : mapping of Problem to sequence of Contender
        Who is measured on instances of each problem.
    parameters : mapping of str to object
        What differs from the defaults.
    **options : float or None
        ``seed``, ``repeats``, ``iterations`` and ``budget`` of :func:`gpu.measure.speedup.measure`.

    Raises
    ------
    ParameterError
        If a parameter is impossible.
    """
    reports: list[SpeedupReport] = []
    cancelled = threading.Event()

    def work() -> None:
        for instance in instances:
            if cancelled.is_set():
                return
            report = measure(
                instance,
                among[instance.problem],
                parameters,
                cancelled=cancelled.is_set,
                progress=_progress_of(instance),
                **options,  # type: ignore[arg-type]  # the command line gives each its type
            )
            reports.append(report)

    return reports, carry_out(work, cancelled.set)


def _progress_of(instance: Instance) -> Callable[[str, float], None]:
    return lambda text, share: show_progress(f"{instance.name}: {100 * share:.0f} %  {text}")


def text_of(report: SpeedupReport) -> str:
    """Return a report for people."""
    words = Problem(report.problem).words
    early = "" if report.complete else " (cancelled before the end)"
    lines = [
        f"{report.instance}, {report.n} {words.places}: "
        f"{counted(len(report.seeds), 'run')} of "
        f"{counted(report.iterations, 'iteration')} each{early}"
    ]
    if report.target_cost is not None:
        gap = report.target_gap
        lines.append(
            f"target: {words.cost} {report.target_cost}"
            + ("" if gap is None else f", {gap:.2f} % above the best known")
        )
    rows = [tuple(name.format(solution=words.solution.upper()) for name in HEADINGS)]
    for one in report.measurements:
        if not one.solution_us.samples:
            rows.append((one.system, one.device, str(one.ants), *[""] * (len(HEADINGS) - 3)))
            continue
        rows.append(
            (
                one.system,
                one.device,
                str(one.ants),
                _spread(one.iteration_ms),
                _spread(one.solution_us),
                _number(report.speedup(one, "cpu:1")),
                _number(report.speedup(one, "cpu")),
                _number(one.target_median) or ("not reached" if one.target_seconds else ""),
                _number(report.target_speedup(one, "cpu:1")),
                _number(report.target_speedup(one, "cpu")),
            )
        )
    lines.append(table(rows))
    lines += [
        f"{one.system} on {one.device} failed: {one.failure}"
        for one in report.measurements
        if one.failure
    ]
    return "\n".join(lines)


def json_of(reports: Sequence[SpeedupReport]) -> dict[str, object]:
    """Return all reports, with the devices they were made on, ready for JSON."""
    return {
        "formicarium": __version__,
        "devices": [dataclasses.asdict(device) for device in devices.survey().devices],
        "reports": [report.to_dict() for report in reports],
    }


def csv_of(reports: Sequence[SpeedupReport]) -> str:
    """Return all reports as CSV, one row a contender and instance."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for report in reports:
        for entry in report.to_dict()["measurements"]:
            row = {
                **entry,
                "instance": report.instance,
                "n": report.n,
                "iterations": report.iterations,
                "target_cost": report.target_cost,
                "target_gap": report.target_gap,
                "target_seconds": entry["target_median"],
            }
            for name in ("iteration_ms", "solution_us", "construction_ms"):
                spread = entry[name] or {}
                row[name] = spread.get("median")
                row[f"{name}_lower"], row[f"{name}_upper"] = (
                    spread.get("lower"),
                    spread.get("upper"),
                )
            writer.writerow(row)
    return text.getvalue()


def write(folder: Path, reports: Sequence[SpeedupReport]) -> tuple[Path, Path]:
    """Write ``speedup.json`` and ``speedup.csv``; raises ExportError."""
    whole, rows = folder / "speedup.json", folder / "speedup.csv"
    text = json.dumps(json_of(reports), indent=2, allow_nan=False) + "\n"
    write_whole(whole, lambda part: part.write_text(text, "utf-8"))
    write_whole(rows, lambda part: part.write_text(csv_of(reports), "utf-8", newline=""))
    return whole, rows


def _spread(spread: Spread) -> str:
    median = _number(spread.median)
    if spread.half is None:
        return median
    return f"{median} ({_number(spread.lower)}–{_number(spread.upper)})"


def _number(value: float | None) -> str:
    """Return three significant digits, without an exponent; empty for None."""
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
