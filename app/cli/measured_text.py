"""Measured speedups and comparisons, as the terminal shows them."""

from __future__ import annotations

from app.cli.terminal import beside_known, table
from gpu.core.problem import Problem
from gpu.core.words import counted
from gpu.measure.comparison_report import ComparisonReport, Row
from gpu.measure.speedup_report import SpeedupReport
from gpu.measure.spread import Spread

_TO_BASELINES = ("× 1 CORE", "× ALL CORES")
_PER_SOLUTION = ("ms/ITERATION", "µs/{solution}", *_TO_BASELINES)
SPEEDUP_HEADINGS = ("COLONY", "DEVICE", "ANTS", *_PER_SOLUTION, "s TO TARGET", *_TO_BASELINES)
"""Headings of a speedup's table; the last two columns compare the times to the target."""


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
    rows = [tuple(name.format(solution=words.solution.upper()) for name in SPEEDUP_HEADINGS)]
    for one in report.measurements:
        row = [one.system, one.device, str(one.ants)]
        if one.solution_us.samples:
            row += [
                _with_quartiles(one.iteration_ms),
                _with_quartiles(one.solution_us),
                *(_number(report.speedup(one, base)) for base in ("cpu:1", "cpu")),
                _number(one.target_median) or ("not reached" if one.target_seconds else ""),
                *(_number(report.target_speedup(one, base)) for base in ("cpu:1", "cpu")),
            ]
        rows.append((*row, *[""] * (len(SPEEDUP_HEADINGS) - len(row))))
    lines.append(table(rows))
    lines += [
        f"{one.system} on {one.device} failed: {one.failure}"
        for one in report.measurements
        if one.failure
    ]
    return "\n".join(lines)


def comparison_text(report: ComparisonReport) -> str:
    """Return a comparison for people."""
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
                *(_with_half(row.phases_ms.get(phase)) for phase in phases),
                _with_half(row.iteration_ms),
                "" if ratio is None else f"{ratio:.2f}",
            )
        )
        group = row.group
    slowed = any(row.scale < 1 for row in report.rows)
    return "\n".join(
        [
            f"{report.instance}, {counted(report.n, Problem(report.problem).words.place)}, "
            f"{report.system} on {report.device} ({report.model}): "
            f"{counted(len(report.seeds), 'round')}{_early(report.complete)}",
            table(rows),
            "*: what is chosen. Times are medians ± half of the distance between the quartiles.",
            "×: time of the phase that the option decides, divided by that of the fastest option; "
            "of the whole iteration, if one of the options has no such phase.",
            *["Timing its phases slows an iteration down: they may take longer than it."] * slowed,
            *(f"{_name(row)}: {row.why_not}" for row in report.rows if row.why_not),
        ]
    )


def _early(complete: bool) -> str:
    return "" if complete else " (cancelled before the end)"


def _name(row: Row) -> str:
    return row.option if row.option == row.system else f"{row.group} = {row.option}"


def _with_quartiles(spread: Spread) -> str:
    median = _number(spread.median)
    if spread.half is None:
        return median
    return f"{median} ({_number(spread.lower)}–{_number(spread.upper)})"


def _with_half(spread: Spread | None) -> str:
    if spread is None or not spread.samples:
        return ""
    return f"{spread.median:.4g}" + ("" if spread.half is None else f" ±{spread.half:.2g}")


def _number(value: float | None) -> str:
    """Return three significant digits, without an exponent; empty for None."""
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
