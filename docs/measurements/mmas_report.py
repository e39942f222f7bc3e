"""Write docs/max-min.md from what was measured.

    python docs/measurements/mmas_report.py

Reads mmas.json beside this file, as mmas_measure.py wrote it, and mmas_remarks.md.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from mmas_measure import TARGETS
from scipy.stats import friedmanchisquare

HERE = Path(__file__).parent
DOCS = HERE.parent

Row = dict[str, Any]

PUBLISHED = {
    "d198": (0.148, 0.129),
    "pcb442": (0.412, 0.240),
    "rat783": (0.978, 0.454),
    "pr1002": (1.530, 0.629),
    "pcb1173": (2.099, 0.727),
    "pr2392": (14.84, 1.835),
}
"""Construction by the published program on an H100, ms: MMAS-WRS-CT, and its best with lists."""

L2_READ = 5.5e12
"""Bytes a second that an H100 reads from its L2 cache, as measured with the Ant System."""


def table(head: list[str], lines: list[list[str]]) -> list[str]:
    """A Markdown table, numbers to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return ["| " + " | ".join(cells) + " |" for cells in (head, rule, *lines)]


def digits(value: float) -> str:
    """Three significant digits."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def named(rows: list[Row], what: str) -> list[Row]:
    """The rows of one measurement."""
    return [row for row in rows if row["what"] == what]


def by_instance(rows: list[Row]) -> dict[str, list[Row]]:
    """Rows by instance, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["instance"], []).append(row)
    return found


def speed(rows: list[Row], phase: str, listed: bool) -> list[str]:
    """Milliseconds of one phase, by instance and variant."""
    own = [r for r in rows if r["system"].endswith("-cl") == listed and "weights" not in r]
    systems = list(dict.fromkeys(row["system"] for row in own))
    lines = []
    for name, group in by_instance(own).items():
        times = {row["system"]: digits(row[phase]) for row in group if phase in row}
        lines.append([name, *(times.get(system, "") for system in systems)])
    return table(["instance", *(s.removeprefix("mmas-") for s in systems)], lines)


def precision(rows: list[Row]) -> list[str]:
    """The quickest variant with weights of either precision."""
    own = [row for row in rows if row["system"] == "mmas-rwm-bt"]
    lines = []
    for name, group in by_instance(own).items():
        half = next(row for row in group if "weights" not in row)
        full = next(row for row in group if "weights" in row)
        lines.append([name, digits(half["construction"]), digits(full["construction"])])
    return table(["instance: rwm-bt", "half, ms", "full, ms"], lines)


def ratios(rows: list[Row]) -> list[str]:
    """The quickest variants against the published program's, and the floor."""
    lines = []
    for name, group in by_instance(rows).items():
        cells = [name]
        for listed, published in zip((False, True), PUBLISHED[name], strict=True):
            own = [r for r in group if r["system"].endswith("-cl") == listed]
            best = min((r for r in own if "construction" in r), key=lambda r: r["construction"])
            cells += [
                best["system"].removeprefix("mmas-"),
                digits(best["construction"]),
                digits(published),
                f"{published / best['construction']:.2f}",
            ]
            if not listed:
                floor = 1e3 * 2 * best["n"] ** 3 / L2_READ
                cells += [digits(floor), f"{best['construction'] / floor:.1f}"]
            else:
                cells.append(f"{1e6 * best['construction'] / (best['n'] - 1):.0f}")
        lines.append(cells)
    head = [
        "instance",
        "all cities: quickest",
        "ms",
        "published",
        "ratio",
        "floor, ms",
        "ms / floor",
        "lists: quickest",
        "ms",
        "published",
        "ratio",
        "ns a step",
    ]
    return table(head, lines)


def warps(rows: list[Row]) -> list[str]:
    """Milliseconds of construction by the warps an ant."""
    counts = sorted({row["warps"] for row in rows})
    lines = []
    for name, group in by_instance(rows).items():
        for system in dict.fromkeys(row["system"] for row in group):
            times = {
                r["warps"]: digits(r["construction"])
                for r in group
                if r["system"] == system and "construction" in r
            }
            lines.append(
                [f"{name}: {system.removeprefix('mmas-')}", *(times.get(c, "") for c in counts)]
            )
    return table(["warps an ant", *map(str, counts)], lines)


def quality(rows: list[Row]) -> list[str]:
    """Mean errors of the six variants, and the Friedman test."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    lines = []
    for name, group in by_instance(rows).items():
        if len(group) < len(systems):
            continue
        samples = {row["system"]: row["lengths"] for row in group}
        errors = [
            f"{statistics.mean(100 * (x / group[0]['optimum'] - 1) for x in samples[system]):.2f}"
            for system in systems
        ]
        test = friedmanchisquare(*(samples[system] for system in systems))
        runs = str(len(group[0]["lengths"]))
        lines.append([name, runs, *errors, f"{test.statistic:.2f}", f"{test.pvalue:.2f}"])
    head = ["instance", "runs", *(s.removeprefix("mmas-") for s in systems), "statistic", "p"]
    return table(head, lines)


def search(rows: list[Row]) -> list[str]:
    """Seconds to the paper's mean error."""
    lines = []
    for name, group in by_instance(rows).items():
        error, seconds = TARGETS[name]
        for row in group:
            times = [run[0] for run in row["runs"]]
            errors = [run[2] for run in row["runs"]]
            reached = sum(found <= error for found in errors)
            iterations = [run[1] for run in row["runs"]]
            lines.append(
                [
                    f"{name}: {row['kind']}",
                    f"{error:.2f}",
                    digits(seconds),
                    f"{statistics.mean(errors):.2f}",
                    digits(statistics.mean(times)),
                    digits(max(times)),
                    digits(statistics.mean(iterations)),
                    f"{reached} of {len(times)}",
                    f"{seconds / statistics.mean(times):.1f}",
                ]
            )
    head = [
        "instance: local search",
        "paper, %",
        "paper, s",
        "mean error at the end, %",
        "mean s",
        "longest s",
        "iterations",
        "reached",
        "paper's s / ours",
    ]
    return table(head, lines)


def curve(rows: list[Row]) -> list[str]:
    """Error against time, at powers of two of a second."""
    marks = [0.25 * 2**i for i in range(10)]
    lines = []
    for row in rows:
        cells = [f"{row['instance']}: {row['kind']}, ρ = {row['settings']['rho']}"]
        last = row["curve"][-1][0]
        for mark in marks:
            before = [error for seconds, _, error in row["curve"] if seconds <= mark]
            cells.append(f"{before[-1]:.2f}" if before and mark / 2 < last else "")
        lines.append(cells)
    return table(["seconds", *(f"{mark:g}" for mark in marks)], lines)


def main() -> None:
    """Write the page."""
    rows: list[Row] = json.loads((HERE / "mmas.json").read_text())["rows"]
    remarks = (HERE / "mmas_remarks.md").read_text().split("\n---\n")
    devices = sorted({row["device"] for row in rows if row["what"] != "quality"})
    times = named(rows, "speed")
    sections: list[tuple[str, list[str]]] = [
        ("Construction against the published program", ratios(times)),
        ("Milliseconds of construction, from all cities", speed(times, "construction", False)),
        ("Milliseconds of construction, candidate lists of 32", speed(times, "construction", True)),
        ("Weights of half and of full precision", precision(times)),
        ("Milliseconds of whole iterations", speed(times, "whole", False)),
        ("Milliseconds of whole iterations, with lists", speed(times, "whole", True)),
        ("Warps an ant", warps(named(rows, "warps"))),
        ("Quality of the six variants", quality(named(rows, "quality"))),
        ("Local search: time to the paper's quality", search(named(rows, "search"))),
        ("Error in % against time", curve(named(rows, "curve"))),
    ]
    text = ["# The MAX-MIN Ant Systems: how fast, how good, and with local search", ""]
    text += [f"Measured on {' and '.join(devices)}, by `measurements/mmas_measure.py`.", ""]
    text += [remarks[0].strip(), ""]
    for (head, lines), remark in zip(sections, remarks[1:], strict=True):
        if len(lines) == 2:  # nothing was measured
            lines = ["Not measured yet."]
        text += [f"## {head}", ""]
        if remark.strip():
            text += [remark.strip(), ""]
        text += [*lines, ""]
    (DOCS / "max-min.md").write_text("\n".join(text))


if __name__ == "__main__":
    main()
