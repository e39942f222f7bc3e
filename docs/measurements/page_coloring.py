"""The tables of the page on coloring."""

from __future__ import annotations

import statistics

from papers import TABLE_1
from runs import Row
from tables import Sources, pivot, table

COLORED_IN = 50
"""Iterations of a coloring colony for which seconds are given."""


def same(one: Row, other: Row) -> bool:
    """Whether two rows are runs of one colony on one graph."""
    return all(one[key] == other[key] for key in ("instance", "system"))


def of_seeds(runs: list[Row]) -> str:
    """Mean colors, and median seconds."""
    colors = statistics.mean(run["colors"] for run in runs)
    return f"{colors:.1f} in {statistics.median(run['seconds'] for run in runs):.3f} s"


def coloring(sources: Sources) -> dict[str, str]:
    """The coloring colonies: colors, seconds, selections, tabu searches, deposits."""
    runs: dict[tuple[str, str], list[Row]] = {}
    timed = sources.rows("coloring_speed", "coloring-speed")
    for row in timed:
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
    searched = sources.rows("coloring_tabu", "coloring-tabu", "coloring-descent")
    rewards = sources.rows("coloring_reward", "coloring-reward")
    goals = []
    for name, goal in (("DSJC500.5", 50), ("DSJC1000.5", 90)):
        tried = [run for run in searched if (run["instance"], run["goal"]) == (name, goal)]
        when = [run["seconds"] for run in tried if run["steps"][-1][1] <= goal]
        found = (min(when), statistics.median(when), max(when)) if when else ()
        spread = [f"{value:.2f}" for value in found] or [""] * 3
        goals.append([name, str(goal), f"{len(when)} of {len(tried)}", *spread])
    descents = []
    for run in (run for run in searched if not run["goal"]):
        steps = ", ".join(f"{colors} after {when:.2g} s" for when, colors in run["steps"])
        descents.append(
            f"- {run['instance']}, seed {run['seed']}, {run['seconds']:.0f} s: {steps}."
        )
    report = sources.rows("coloring_speed", "coloring-report")
    of_goals = [run for run in searched if run["goal"]]
    tables = {
        "against": (
            table(
                [
                    *("instance", "colors, 2017", "ours, mean", "of seeds", "s, CPU 2017"),
                    *("s, GPU 2017", "s, one core", "s, GPU", "faster than GPU 2017"),
                    "speedup over one core",
                ],
                against,
            ),
            timed,
        ),
        "report": (
            pivot(
                "instance",
                report,
                "instance",
                lambda row: row["system"].removeprefix("aco-rlf-"),
                lambda row: of_seeds([one for one in report if same(one, row)]),
            ),
            report,
        ),
        "phases": (
            table(["instance", "choice info", "construction", "update", "µs a step"], phases),
            timed,
        ),
        "selections": (
            table(
                ["instance", "prefix, s", "colors", "hybrid, s", "colors", "trial, s", "colors"],
                selections,
            ),
            timed,
        ),
        "goals": (
            table(["instance", "goal", "reached", "s, least", "median", "most"], goals),
            of_goals,
        ),
        "descents": ("\n".join(descents), [run for run in searched if not run["goal"]]),
        "rewards": (
            pivot(
                "instance, deposit",
                rewards,
                lambda row: f"{row['instance']}, {row['deposit']}",
                lambda row: f"L = {row['reward']:g}",
                lambda row: f"{statistics.mean(row['colors']):.1f} ({len(row['colors'])})",
            ),
            rewards,
        ),
    }
    return {name: sources.under(*each) for name, each in tables.items()}
