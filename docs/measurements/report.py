"""Write the pages of docs/ from what was measured, and the picture of Fig. 6.

    python docs/measurements/report.py [PAGE...]

The text of a page is in pages/ beside this file, with a name in braces for each table. The tables
are made of the JSON files that measure.py wrote.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyqtgraph as pg
from papers import PUBLISHED, TABLE_1, TABLE_9, TARGETS
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from runs import Row
from scipy import stats
from tables import by_system, digits, errors, grouped, mean_error, pivot, read, table

DOCS = Path(__file__).parents[1]
COLOURS = {"a280": "#0072b2", "pcb442": "#009e73", "pr1002": "#d55e00"}
COLORED_IN = 50
"""Iterations of a coloring colony for which seconds are given."""


def table_9(name: str) -> str:
    """The rows of Table 9, each with its verdict."""
    lines = []
    for row in sorted(read(name)["rows"], key=lambda row: list(TABLE_9).index(row["instance"])):
        alt, spm = row["acs-gpu-alt"], row["acs-gpu-spm"]
        share = f" in {row['share']:.0%}" if "share" in row else ""
        iterations = f"{alt['iterations']} / {spm['iterations']}{share}"
        errors_of = [
            f"{one['mean_error']:.2f} % ({one['paper_mean_error']:.2f})" for one in (alt, spm)
        ]
        best, chance = f"{alt['best']} / {spm['best']}", f"{row['p_value']:.2g}"
        better = "SPM" if spm["mean_error"] < alt["mean_error"] else "Alt"
        verdict = better if row["p_value"] < 0.05 else "neither"
        runs = str(len(alt["lengths"]))
        lines.append([row["instance"], runs, iterations, *errors_of, best, chance, verdict])
    means = [f"{one}: mean error (paper)" for one in ("Alt", "SPM")]
    head = ["instance", "runs", "iterations Alt / SPM", *means, "best Alt / SPM"]
    return table([*head, "p (rank sum)", "significantly better"], lines, left=(0, 2, 7))


def draw_fig_6(rows: list[Row], out: Path) -> None:
    """Draw the ratios against s: local updates solid, global ones dashed."""
    pg.mkQApp()
    pg.setConfigOptions(antialias=True, background="w", foreground="#222222")
    plot = pg.PlotWidget()
    plot.resize(900, 560)
    plot.setLabel("bottom", "s, trails remembered at each city")
    plot.setLabel("left", "updates that find their trail, %")
    plot.showGrid(x=True, y=True, alpha=0.2)
    legend = plot.addLegend(offset=(-20, -30))
    legend.setLabelTextSize("10pt")
    for name, colour in COLOURS.items():
        group = grouped(rows)[name]
        for kind, style in (("local", Qt.PenStyle.SolidLine), ("global", Qt.PenStyle.DashLine)):
            plot.plot(
                [row["s"] for row in group],
                [100 * row[kind] for row in group],
                pen=pg.mkPen(QColor(colour), width=2, style=style),
                symbol="o",
                symbolSize=6,
                symbolBrush=QColor(colour),
                symbolPen=None,
                name=f"{name}, {kind}",
            )
    plot.setYRange(0, 102)
    plot.show()
    plot.grab().save(str(out))
    plot.close()


def acs_quality() -> dict[str, str]:
    """Table 9 and Fig. 6 of Skinderowicz 2016."""
    rows = read("fig6")["rows"]
    draw_fig_6(rows, DOCS / "images" / "fig6.png")
    return {
        "there": read("table9")["devices"][0],
        "table_9": table_9("table9"),
        "here": read("equal_time")["devices"][0],
        "equal_time": table_9("equal_time"),
        "fig_6": pivot(
            "s",
            rows,
            "s",
            lambda row: f"{row['instance']} local / global",
            lambda row: f"{100 * row['local']:.1f} / {100 * row['global']:.1f} %",
            left=range(4),
        ),
    }


def ant_system() -> dict[str, str]:
    """The Ant Systems: times, speedups, options, quality."""
    rows = read("as_speed")["rows"]
    gpu, core = read("as_speed")["devices"]
    here, there = (
        {name: {row["system"]: row for row in group} for name, group in grouped(each).items()}
        for each in (rows, read("as_speed_h200")["rows"])
    )
    speedups, elsewhere = [], []
    for name, found in here.items():
        best, one_core = found["as-st-dynamic"], found["as-seq"]
        floor = 1e3 * 4 * best["n"] ** 3 / 7e12  # bytes, and bytes a second of the L2 cache at best
        ratios = [f"{one_core[each] / best[each]:.0f}" for each in ("whole", "construction")]
        over = f"{best['construction'] / floor:.2f}"
        speedups.append([name, *ratios, digits(floor), over])
        other, its_core = there[name]["as-st-dynamic"], there[name]["as-seq"]
        times = [digits(one["whole"]) for one in (best, one_core, other, its_core)]
        elsewhere.append([name, *times, ratios[0], f"{its_core['whole'] / other['whole']:.0f}"])
    orders = []
    for name, (one, other) in grouped(read("as_rules")["rows"]).items():
        chance = stats.ttest_ind(errors(one), errors(other), equal_var=False).pvalue
        means = mean_error(one), mean_error(other)
        orders.append([name, str(one["iterations"]), *means, f"{chance:.2g}"])
    return {
        "gpu": gpu,
        "core": core.removeprefix("cpu:1: "),
        "whole": by_system(rows, "whole"),
        "construction": by_system(rows, "construction"),
        "speedups": table(
            ["instance", "whole iteration", "construction", "floor, ms", "construction / floor"],
            speedups,
        ),
        "elsewhere": table(
            ["instance", "H100", "its host", "H200", "its host", "speedup", "speedup on the H200"],
            elsewhere,
        ),
        "where_options": read("as_options")["devices"][0],
        "options": pivot(
            "phase: option",
            read("as_options")["rows"],
            lambda row: f"{row['phase']}: {row['option']}",
            "instance",
            lambda row: digits(row["whole" if row["option"] in ("tour", "step") else row["phase"]]),
        ),
        "quality": pivot("instance", read("as_quality")["rows"], "instance", "rule", mean_error),
        "equal": pivot(
            "instance",
            read("as_equal")["rows"],
            "instance",
            "system",
            lambda row: f"{row['same']} of {row['iterations']}",
        ),
        "orders": table(
            ["instance", "iterations", one["rule"], other["rule"], "p (Welch)"], orders
        ),
    }


def published(times: list[Row]) -> str:
    """The quickest MAX-MIN variants against the published program's, and the floor."""
    lines = []
    for name, group in grouped(times).items():
        cells = [name]
        for listed, milliseconds in zip((False, True), PUBLISHED[name], strict=True):
            own = [r for r in group if r["system"].endswith("-cl") == listed]
            best = min((r for r in own if "construction" in r), key=lambda r: r["construction"])
            taken = best["construction"]
            cells += [best["system"].removeprefix("mmas-"), digits(taken), digits(milliseconds)]
            cells.append(f"{milliseconds / taken:.2f}")
            if not listed:
                floor = 1e3 * 2 * best["n"] ** 3 / 5.5e12  # an H100's L2 cache, as measured
                cells += [digits(floor), f"{taken / floor:.1f}"]
        lines.append([*cells, f"{1e6 * taken / (best['n'] - 1):.0f}"])
    ours = ["ms", "published", "ratio"]
    floors = ["floor, ms", "ms / floor"]
    head = ["instance", "all cities: quickest", *ours, *floors, "lists: quickest", *ours]
    return table([*head, "ns a step"], lines)


def variants(rows: list[Row]) -> str:
    """Mean errors of the six variants, and the Friedman test."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    lines = []
    for name, group in grouped(rows).items():
        found = {row["system"]: row for row in group}
        if len(found) == len(systems):
            means = [f"{statistics.mean(errors(found[system])):.2f}" for system in systems]
            test = stats.friedmanchisquare(*(found[system]["lengths"] for system in systems))
            runs = str(len(group[0]["lengths"]))
            lines.append([name, runs, *means, f"{test.statistic:.2f}", f"{test.pvalue:.2f}"])
    names = [system.removeprefix("mmas-") for system in systems]
    return table(["instance", "runs", *names, "statistic", "p"], lines)


def search(row: Row) -> list[str]:
    """Seconds to the paper's mean error."""
    error, seconds = TARGETS[row["instance"]]
    times, iterations, found = zip(*row["runs"], strict=True)
    mean = statistics.mean(times)
    return [
        f"{row['instance']}: {row['kind']}",
        f"{error:.2f}",
        digits(seconds),
        f"{statistics.mean(found):.2f}",
        *map(digits, (mean, max(times), statistics.mean(iterations))),
        f"{sum(each <= error for each in found)} of {len(times)}",
        f"{seconds / mean:.1f}",
    ]


def curve(row: Row, marks: list[float]) -> list[str]:
    """Error against time, at ``marks``."""
    cells = [f"{row['instance']}: {row['kind']}, ρ = {row['settings']['rho']}"]
    for mark in marks:
        before = [error for seconds, _, error in row["curve"] if seconds <= mark]
        cells.append(f"{before[-1]:.2f}" if before and mark / 2 < row["curve"][-1][0] else "")
    return cells


def max_min() -> dict[str, str]:
    """The MAX-MIN Ant Systems: times, quality, local search."""
    kinds = ("speed", "warps", "quality", "search", "curve")
    rows = read("mmas")["rows"]
    speed, warps, quality, searches, curves = (
        [row for row in rows if row["what"] == kind] for kind in kinds
    )
    usual = [row for row in speed if "weights" not in row]
    whole, listed = (
        [row for row in usual if row["system"].endswith("-cl") == lists] for lists in (False, True)
    )
    marks = [0.25 * 2**i for i in range(10)]
    return {
        "devices": " and ".join(sorted({row["device"] for row in rows if row not in quality})),
        "published": published(speed),
        "construction": by_system(whole, "construction"),
        "construction_lists": by_system(listed, "construction"),
        "precision": pivot(
            "instance: rwm-bt",
            [row for row in speed if row["system"] == "mmas-rwm-bt"],
            "instance",
            lambda row: f"{row.get('weights', 'half')}, ms",
            lambda row: digits(row["construction"]),
        ),
        "whole": by_system(whole, "whole"),
        "whole_lists": by_system(listed, "whole"),
        "warps": pivot(
            "warps an ant",
            warps,
            lambda row: f"{row['instance']}: {row['system'].removeprefix('mmas-')}",
            "warps",
            lambda row: digits(row["construction"]) if "construction" in row else "",
        ),
        "variants": variants(quality),
        "search": table(
            [
                *("instance: local search", "paper, %", "paper, s", "mean error at the end, %"),
                *("mean s", "longest s", "iterations", "reached", "paper's s / ours"),
            ],
            [search(row) for group in grouped(searches).values() for row in group],
        ),
        "curve": table(
            ["seconds", *(f"{mark:g}" for mark in marks)], [curve(row, marks) for row in curves]
        ),
    }


def coloring() -> dict[str, str]:
    """The coloring colonies: colors, seconds, selections, tabu searches, deposits."""
    runs: dict[tuple[str, str], list[Row]] = {}
    for row in read("coloring_speed")["rows"]:
        runs.setdefault((row["instance"], row["system"].removeprefix("aco-rlf-")), []).append(row)

    def seconds(name: str, system: str) -> float:
        """Median seconds of 50 iterations; of fewer, in proportion."""
        taken = (
            float(run["seconds"]) * COLORED_IN / run.get("iterations", COLORED_IN)
            for run in runs[name, system]
        )
        return float(statistics.median(taken))

    against, phases, selections = [], [], []
    for name, (colors, cpu, gpu) in TABLE_1.items():
        own = [run["colors"] for run in runs[name, "prefix"]]
        here, core = seconds(name, "prefix"), seconds(name, "seq")
        reached = [str(colors), f"{statistics.mean(own):.1f}", f"{min(own)} to {max(own)}"]
        times = [f"{cpu:.3f}", f"{gpu:.3f}", f"{core:.2f}", f"{here:.4f}"]
        against.append([name, *reached, *times, f"{gpu / here:.1f}", f"{core / here:.1f}"])
        run = runs[name, "prefix"][0]
        spent = [run["phases"][phase] for phase in ("choice info", "construction", "update")]
        step = f"{1e3 * spent[1] / run['n']:.2f}"
        phases.append([name, *(f"{milliseconds:.3f}" for milliseconds in spent), step])
        cells = [name]
        for system in ("prefix", "hybrid", "trial"):
            own = [run["colors"] for run in runs[name, system]]
            cells += [f"{seconds(name, system):.3f}", f"{statistics.mean(own):.1f} ({len(own)})"]
        selections.append(cells)
    searched = read("coloring_tabu")["rows"]
    goals = []
    for name, goal in (("DSJC500.5", 50), ("DSJC1000.5", 90)):
        tried = [run for run in searched if (run["instance"], run["goal"]) == (name, goal)]
        when = [run["seconds"] for run in tried if run["steps"][-1][1] <= goal]
        spread = (f"{value:.2f}" for value in (min(when), statistics.median(when), max(when)))
        goals.append([name, str(goal), f"{len(when)} of {len(tried)}", *spread])
    descents = []
    for run in (run for run in searched if not run["goal"]):
        steps = ", ".join(f"{colors} after {when:.2g} s" for when, colors in run["steps"])
        descents.append(
            f"- {run['instance']}, seed {run['seed']}, {run['seconds']:.0f} s: {steps}."
        )
    gpu_name, core_name = read("coloring_speed")["devices"]
    return {
        "gpu": gpu_name,
        "core": core_name,
        "against": table(
            [
                *("instance", "colors, 2017", "ours, mean", "of seeds", "s, CPU 2017"),
                *("s, GPU 2017", "s, one core", "s, GPU", "faster than GPU 2017"),
                "speedup over one core",
            ],
            against,
        ),
        "phases": table(["instance", "choice info", "construction", "update", "µs a step"], phases),
        "selections": table(
            ["instance", "prefix, s", "colors", "hybrid, s", "colors", "trial, s", "colors"],
            selections,
        ),
        "goals": table(["instance", "goal", "reached", "s, least", "median", "most"], goals),
        "descents": "\n".join(descents),
        "rewards": pivot(
            "instance, deposit",
            read("coloring_reward")["rows"],
            lambda row: f"{row['instance']}, {row['deposit']}",
            lambda row: f"L = {row['reward']:g}",
            lambda row: f"{statistics.mean(row['colors']):.1f}",
        ),
    }


PAGES: dict[str, Callable[[], dict[str, str]]] = {
    "acs-quality": acs_quality,
    "ant-system": ant_system,
    "max-min": max_min,
    "coloring": coloring,
}


def main() -> None:
    """Write the pages."""
    for name in sys.argv[1:] or PAGES:
        text = Path(__file__).with_name("pages").joinpath(f"{name}.md").read_text("utf-8")
        (DOCS / f"{name}.md").write_text(text.format(**PAGES[name]()), "utf-8")


if __name__ == "__main__":
    main()
