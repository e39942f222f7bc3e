"""Write docs/coloring.md from what was measured.

    python docs/measurements/coloring_report.py

Reads coloring_speed.json and coloring_tabu.json beside this one, as coloring_measure.py wrote them,
coloring_cpu.json, if coloring_cpu.py has, and coloring_remarks.md.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCS = HERE.parent

TABLE_1 = {
    "DSJC500.1": (18, 12.452, 0.464),
    "DSJC500.5": (68, 10.454, 0.448),
    "DSJC500.9": (167, 10.232, 0.426),
    "DSJC1000.1": (28, 100.866, 2.740),
    "DSJC1000.5": (121, 84.922, 2.642),
    "DSJC1000.9": (308, 49.551, 2.517),
}
"""Table I of the 2017 paper: colors on the GPU, seconds on its CPU and on its GPU."""

ITERATIONS = 50
FASTEST = "aco-rlf-prefix"


def read(name: str) -> dict[str, Any]:
    """What was measured of one kind."""
    measured: dict[str, Any] = json.loads((HERE / f"coloring_{name}.json").read_text())
    return measured


def table(head: list[str], lines: list[list[str]]) -> str:
    """A Markdown table, numbers to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines))


def of(rows: list[dict[str, Any]], instance: str, system: str) -> list[dict[str, Any]]:
    """The runs of a system on an instance."""
    return [row for row in rows if (row["instance"], row["system"]) == (instance, system)]


def seconds_of(runs: list[dict[str, Any]]) -> float:
    """Median seconds of 50 iterations; of fewer, in proportion."""
    return float(
        statistics.median(
            run["seconds"] * ITERATIONS / run.get("iterations", ITERATIONS) for run in runs
        )
    )


def against_the_paper(rows: list[dict[str, Any]]) -> str:
    """Colors and seconds, the paper's and ours."""
    lines = []
    for name, (colors, cpu, gpu) in TABLE_1.items():
        runs = of(rows, name, FASTEST)
        ours = [run["colors"] for run in runs]
        seconds, core = seconds_of(runs), seconds_of(of(rows, name, "aco-rlf-seq"))
        lines.append(
            [
                name,
                str(colors),
                f"{statistics.mean(ours):.1f}",
                f"{min(ours)} to {max(ours)}",
                f"{cpu:.3f}",
                f"{gpu:.3f}",
                f"{core:.2f}",
                f"{seconds:.4f}",
                f"{gpu / seconds:.1f}",
                f"{core / seconds:.1f}",
            ]
        )
    head = [
        "instance",
        "colors, 2017",
        "ours, mean",
        "of seeds",
        "s, CPU 2017",
        "s, GPU 2017",
        "s, one core",
        "s, GPU",
        "faster than GPU 2017",
        "speedup over one core",
    ]
    return table(head, lines)


def selections(rows: list[dict[str, Any]]) -> str:
    """Seconds and colors of the three selections."""
    systems = ("aco-rlf-prefix", "aco-rlf-hybrid", "aco-rlf-trial")
    lines = []
    for name in TABLE_1:
        cells = [name]
        for system in systems:
            runs = of(rows, name, system)
            colors = statistics.mean(run["colors"] for run in runs)
            cells += [f"{seconds_of(runs):.3f}", f"{colors:.1f} ({len(runs)})"]
        lines.append(cells)
    head = ["instance"]
    for system in systems:
        head += [f"{system.removeprefix('aco-rlf-')}, s", "colors"]
    return table(head, lines)


def phases(rows: list[dict[str, Any]]) -> str:
    """Milliseconds of an iteration by phase, and microseconds of a step."""
    lines = []
    for name in TABLE_1:
        run = of(rows, name, FASTEST)[0]
        spent = run["phases"]
        lines.append(
            [
                name,
                *(f"{spent[phase]:.3f}" for phase in ("choice info", "construction", "update")),
                f"{1e3 * spent['construction'] / run['n']:.2f}",
            ]
        )
    return table(["instance", "choice info", "construction", "update", "µs a step"], lines)


def goals(rows: list[dict[str, Any]]) -> str:
    """Seconds until a goal was reached."""
    lines = []
    for name, goal in (("DSJC500.5", 50), ("DSJC1000.5", 90)):
        runs = [run for run in rows if (run["instance"], run["goal"]) == (name, goal)]
        times = [run["seconds"] for run in runs if run["steps"][-1][1] <= goal]
        spread = (min(times), statistics.median(times), max(times))
        cells = [f"{value:.2f}" for value in spread]
        lines.append([name, str(goal), f"{len(times)} of {len(runs)}", *cells])
    return table(["instance", "goal", "reached", "s, least", "median", "most"], lines)


def descents(rows: list[dict[str, Any]]) -> str:
    """When how few colors were reached in a minute."""
    lines = []
    for run in rows:
        if run["goal"]:
            continue
        steps = ", ".join(f"{colors} after {when:.2g} s" for when, colors in run["steps"])
        lines.append(f"- {run['instance']}, seed {run['seed']}, {run['seconds']:.0f} s: {steps}.")
    return "\n".join(lines)


def rewards(rows: list[dict[str, Any]]) -> str:
    """Mean colors by L and by what is rewarded."""
    amounts = sorted({row["reward"] for row in rows})
    cells: dict[tuple[str, str], dict[float, str]] = {}
    for row in rows:
        seeds = cells.setdefault((row["graph"], row["deposit"]), {})
        seeds[row["reward"]] = f"{statistics.mean(row['colors']):.1f}"
    lines = [
        [f"{graph}, {deposit}", *(found.get(amount, "") for amount in amounts)]
        for (graph, deposit), found in cells.items()
    ]
    return table(["instance, deposit", *(f"L = {amount:g}" for amount in amounts)], lines)


def on_one_core(rows: list[dict[str, Any]]) -> str:
    """Seconds of processor time and colors by selection."""
    lines = [
        [
            f"{row['graph']}, {row['selection']}",
            f"{row['mean_colors']:.1f} ({len(row['colors'])})",
            f"{row['least_seconds']:.2f}",
            f"{row['median_seconds']:.2f}",
            f"{row['paper_seconds']:.2f}",
        ]
        for row in rows
    ]
    return table(["instance, selection", "colors", "s, least", "median", "s, 2017"], lines)


def cpu_part() -> list[str]:
    """What was measured on one core, if it was."""
    if not (HERE / "coloring_cpu.json").exists():
        return []
    found = read("cpu")
    parts = []
    if "reward" in found:
        parts += [
            "## What a coloring should deposit",
            f"Mean colors after {found['iterations']} iterations, by L and by the pairs rewarded.",
            rewards(found["reward"]),
        ]
    if "table" in found:
        parts += [
            "## On one core",
            f"Seconds of processor time for {found['iterations']} iterations of `aco-rlf-seq` on "
            f"{found['processor']}, another machine than above.",
            on_one_core(found["table"]),
        ]
    return parts


def main() -> None:
    """Write the page."""
    speed, tabu = read("speed"), read("tabu")
    remarks = (HERE / "coloring_remarks.md").read_text().split("\n---\n")
    opening, quality, floor, choices, searching = (remark.strip() for remark in remarks)
    rows = speed["rows"]
    machine = f"GPU: {speed['gpu']}. One core of its host: {speed['core']}."
    parts = [
        "# Coloring graphs",
        f"{opening}\n\n{machine}",
        "## Against the paper",
        against_the_paper(rows),
        quality,
        "## Where the time goes",
        phases(rows),
        floor,
        "## The three selections",
        selections(rows),
        choices,
        "## Tabu searches, beyond the paper",
        goals(tabu["rows"]),
        searching,
        descents(tabu["rows"]),
        *cpu_part(),
    ]
    (DOCS / "coloring.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
