"""Write docs/ant-system.md from what was measured.

    python docs/measurements/as_report.py

Reads as_speed.json, as_options.json and as_quality.json beside this file, as as_measure.py wrote
them, and as_remarks.md.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCS = HERE.parent
L2_READ = 7e12
"""Bytes a second that the H200 reads from its L2 cache at best."""


def read(name: str) -> dict[str, Any]:
    """What was measured of one kind."""
    measured: dict[str, Any] = json.loads((HERE / f"as_{name}.json").read_text())
    return measured


def by_instance(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows by instance, in their order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["instance"], []).append(row)
    return found


def table(head: list[str], lines: list[list[str]]) -> list[str]:
    """A Markdown table, numbers to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return ["| " + " | ".join(cells) + " |" for cells in (head, rule, *lines)]


def digits(milliseconds: float) -> str:
    """Three significant digits."""
    return f"{milliseconds:.3g}" if milliseconds < 100 else f"{milliseconds:.0f}"


def speed(rows: list[dict[str, Any]], phase: str) -> list[str]:
    """Milliseconds of one phase, or of whole iterations, by instance and system."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    lines = []
    for name, group in by_instance(rows).items():
        times = {row["system"]: digits(row[phase]) for row in group if phase in row}
        lines.append([name, *(times.get(system, "") for system in systems)])
    return table(["instance", *systems], lines)


def speedups(rows: list[dict[str, Any]]) -> list[str]:
    """ST-DYNAMIC over one core, and its construction over the floor."""
    lines = []
    for name, group in by_instance(rows).items():
        found = {row["system"]: row for row in group}
        best, one_core = found["as-st-dynamic"], found["as-seq"]
        floor = 1e3 * 4 * best["n"] ** 3 / L2_READ
        lines.append(
            [
                name,
                f"{one_core['whole'] / best['whole']:.0f}",
                f"{one_core['construction'] / best['construction']:.0f}",
                digits(floor),
                f"{best['construction'] / floor:.2f}",
            ]
        )
    head = ["instance", "whole iteration", "construction", "floor, ms", "construction / floor"]
    return table(head, lines)


def options(rows: list[dict[str, Any]]) -> list[str]:
    """Milliseconds of the phase that an option decides."""
    groups = by_instance(rows)
    kinds = list(dict.fromkeys((row["phase"], row["option"]) for row in rows))
    lines = []
    for phase, option in kinds:
        cells = []
        for group in groups.values():
            times = [r for r in group if (r["phase"], r["option"]) == (phase, option)]
            key = "whole" if option in ("tour", "step") else phase
            cells.append(digits(times[0][key]) if times else "")
        lines.append([f"{phase}: {option}", *cells])
    return table(["phase: option", *groups], lines)


def quality(rows: list[dict[str, Any]]) -> list[str]:
    """Mean error by way of choosing, with its standard error."""
    rules = list(dict.fromkeys(row["rule"] for row in rows))
    lines = []
    for name, group in by_instance(rows).items():
        cells = []
        for row in group:
            errors = [100 * (length / row["optimum"] - 1) for length in row["lengths"]]
            spread = statistics.stdev(errors) / len(errors) ** 0.5
            cells.append(f"{statistics.mean(errors):.2f} ± {spread:.2f}")
        lines.append([name, *cells])
    return table(["instance", *rules], lines)


def main() -> None:
    """Write the page."""
    measured = read("speed")
    remarks = (HERE / "as_remarks.md").read_text().split("\n---\n")
    text = [
        "# The Ant Systems: how fast, by which strategy, how good",
        "",
        f"Measured on {measured['devices'][0]}, and one core of its host",
        f"({measured['devices'][1].removeprefix('cpu:1: ')}), by `measurements/as_measure.py`:",
        "m = n, α = 1, β = 2, ρ = 0.5, no candidate lists; means of up to 100 iterations.",
        "",
        "## Milliseconds an iteration",
        "",
        *speed(measured["rows"], "whole"),
        "",
        "## Milliseconds of construction",
        "",
        *speed(measured["rows"], "construction"),
        "",
        "## Speedup of ST-DYNAMIC over one core, and the floor of its construction",
        "",
        remarks[0].strip(),
        "",
        *speedups(measured["rows"]),
        "",
        "## Ways to update, to raise to a power, to launch",
        "",
        "Milliseconds of that phase, with ST-DYNAMIC; of launches, of the whole iteration.",
        "",
        *options(read("options")["rows"]),
        "",
        "## Quality: mean error in % after 1000 iterations, 10 seeds",
        "",
        *quality(read("quality")["rows"]),
        "",
        remarks[1].strip(),
        "",
    ]
    (DOCS / "ant-system.md").write_text("\n".join(text))


if __name__ == "__main__":
    main()
