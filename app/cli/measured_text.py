"""Measured speedups and comparisons, as the terminal shows them."""

from __future__ import annotations

from collections.abc import Sequence

from app.cli.terminal import beside_known, table
from gpu.batch.comparison_report import ComparisonReport, Row
from gpu.batch.speedup_report import Measurement, SpeedupReport
from gpu.batch.spread import Spread
from gpu.core.problem import Problem
from gpu.core.tables import Column
from gpu.core.words import counted


def speedup_text(report: SpeedupReport) -> str:
    """Return a report of speedups for people."""
    words = Problem(report.problem).words
    lines = [
        f"{report.instance}, {counted(report.n, words.place)}: "
        f"{counted(len(report.seeds), 'run')} of "
        f"{counted(report.iterations, 'iteration')} each{_early(report.complete)}"
    ]
    if report.target_cost is not None:
        beside = beside_known(report.target_gap, words)
        lines.append(f"target: {words.cost} {report.target_cost}{beside}")
    columns: Sequence[Column[Measurement]] = (
        Column("COLONY", lambda one: one.system),
        Column("DEVICE", lambda one: one.device),
        Column("ANTS", lambda one: one.ants),
        Column("ms/ITERATION", lambda one: _with_quartiles(one.iteration_ms)),
        Column(f"µs/{words.solution.upper()}", lambda one: _with_quartiles(one.solution_us)),
        Column("× 1 CORE", lambda one: report.speedup(one, "cpu:1"), _number),
        Column("× ALL CORES", lambda one: report.speedup(one, "cpu"), _number),
        Column("s TO TARGET", _to_target),
        Column("× 1 CORE", lambda one: report.target_speedup(one, "cpu:1"), _number),
        Column("× ALL CORES", lambda one: report.target_speedup(one, "cpu"), _number),
    )
    lines.append(table(columns, report.measurements))
    lines += [
        f"{one.system} on {one.device} failed: {one.failure}"
        for one in report.measurements
        if one.failure
    ]
    return "\n".join(lines)


def comparison_text(report: ComparisonReport) -> str:
    """Return a comparison for people."""
    first = {row.group: row.option for row in reversed(report.rows)}  # of each group
    columns: Sequence[Column[Row]] = (
        Column("", lambda row: "*" * row.chosen),
        Column("WHAT", lambda row: row.group if row.option == first[row.group] else ""),
        Column("OPTION", lambda row: row.option),
        *map(_phase, report.phases),
        Column("ms ITERATION", lambda row: _with_half(row.iteration_ms)),
        Column("×", report.ratio, "{:.2f}".format),
    )
    slowed = any(row.scale < 1 for row in report.rows)
    return "\n".join(
        [
            f"{report.instance}, {counted(report.n, Problem(report.problem).words.place)}, "
            f"{report.system} on {report.device} ({report.model}): "
            f"{counted(len(report.seeds), 'round')}{_early(report.complete)}",
            table(columns, report.rows),
            "*: what is chosen. Times are medians ± half of the distance between the quartiles.",
            "×: time of the phase that the option decides, divided by that of the fastest option; "
            "of the whole iteration, if one of the options has no such phase.",
            *["Timing its phases slows an iteration down: they may take longer than it."] * slowed,
            *(f"{_name(row)}: {row.why_not}" for row in report.rows if row.why_not),
        ]
    )


def _phase(phase: str) -> Column[Row]:
    return Column(f"ms {phase.upper()}", lambda row: _with_half(row.phases_ms.get(phase)))


def _to_target(one: Measurement) -> str:
    if one.target_median is not None:
        return _number(one.target_median)
    return "not reached" if one.target_seconds and one.solution_us.samples else ""


def _early(complete: bool) -> str:
    return "" if complete else " (cancelled before the end)"


def _name(row: Row) -> str:
    return row.option if row.option == row.system else f"{row.group} = {row.option}"


def _with_quartiles(spread: Spread) -> str:
    if not spread.samples:
        return ""
    median = _number(spread.median)
    if spread.half is None:
        return median
    return f"{median} ({_number(spread.lower)}–{_number(spread.upper)})"


def _with_half(spread: Spread | None) -> str:
    if spread is None or not spread.samples:
        return ""
    return f"{spread.median:.4g}" + ("" if spread.half is None else f" ±{spread.half:.2g}")


def _number(value: float) -> str:
    """Return three significant digits, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
