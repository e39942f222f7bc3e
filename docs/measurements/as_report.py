"""Write docs/ant-system.md from what was measured.

    python docs/measurements/as_report.py

Reads the as_*.json files beside this one, as as_measure.py wrote them, and as_remarks.md.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from scipy import stats

HERE = Path(__file__).parent
DOCS = HERE.parent
L2_READ = 7e12
"""Bytes a second that an H100 or H200 reads from its L2 cache at best."""

SEEDS = 10
"""How many are not mentioned."""


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


def elsewhere(here: list[dict[str, Any]], there: list[dict[str, Any]]) -> list[str]:
    """Whole iterations of ST-DYNAMIC and one core, here and there."""
    lines = []
    for name in by_instance(here):
        times = [
            next(r["whole"] for r in rows if (r["instance"], r["system"]) == (name, system))
            for rows in (here, there)
            for system in ("as-st-dynamic", "as-seq")
        ]
        ratios = (times[1] / times[0], times[3] / times[2])
        lines.append([name, *map(digits, times), *(f"{ratio:.0f}" for ratio in ratios)])
    head = ["instance", "H100", "its host", "H200", "its host", "speedup", "speedup on the H200"]
    return table(head, lines)


def percent(row: dict[str, Any]) -> list[float]:
    """Errors against the optimum, in percent."""
    return [100 * (length / row["optimum"] - 1) for length in row["lengths"]]


def mean(errors: list[float]) -> str:
    """The mean error, its standard error, and the number of seeds where it is not as usual."""
    text = f"{statistics.mean(errors):.2f}"
    if len(errors) > 1:
        text += f" ± {statistics.stdev(errors) / len(errors) ** 0.5:.2f}"
    return text if len(errors) == SEEDS else f"{text} ({len(errors)})"


def quality(rows: list[dict[str, Any]]) -> list[str]:
    """Mean error by way of choosing, with its standard error."""
    rules = list(dict.fromkeys(row["rule"] for row in rows))
    lines = []
    for name, group in by_instance(rows).items():
        cells = {row["rule"]: mean(percent(row)) for row in group}
        lines.append([name, *(cells.get(rule, "") for rule in rules)])
    return table(["instance", *rules], lines)


def orders(rows: list[dict[str, Any]]) -> list[str]:
    """Mean errors of the same wheel in two orders, and how likely they are so far apart."""
    lines = []
    for name, group in by_instance(rows).items():
        one, other = (percent(row) for row in group)
        chance = stats.ttest_ind(one, other, equal_var=False).pvalue
        lines.append([name, str(group[0]["iterations"]), mean(one), mean(other), f"{chance:.2g}"])
    head = ["instance", "iterations", *(row["rule"] for row in rows[:2]), "p (Welch)"]
    return table(head, lines)


def twins(rows: list[dict[str, Any]]) -> list[str]:
    """Iterations after which GPU and CPU stood the same, of those made."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    lines = [
        [name, *(f"{row['same']} of {row['iterations']}" for row in group)]
        for name, group in by_instance(rows).items()
    ]
    return table(["instance", *systems], lines)


def main() -> None:
    """Write the page."""
    measured, beside, choices = read("speed"), read("speed_h200"), read("options")
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
        remarks[1].strip(),
        "",
        *elsewhere(measured["rows"], beside["rows"]),
        "",
        "## Ways to update, to raise to a power, to launch",
        "",
        "Milliseconds of that phase, with ST-DYNAMIC; of launches, of the whole iteration. On",
        f"{choices['devices'][0]}.",
        "",
        *options(choices["rows"]),
        "",
        "## Quality: mean error in % after 1000 iterations, 10 seeds",
        "",
        *quality(read("quality")["rows"]),
        "",
        remarks[2].strip(),
        "",
        *twins(read("equal")["rows"]),
        "",
        remarks[3].strip(),
        "",
        *orders(read("rules")["rows"]),
        "",
        remarks[4].strip(),
        "",
    ]
    (DOCS / "ant-system.md").write_text("\n".join(text))


if __name__ == "__main__":
    main()
