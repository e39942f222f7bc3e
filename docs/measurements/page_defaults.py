"""The tables of the page on what is chosen where nothing is chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from runs import Row
from tables import Sources, grouped, table

from gpu import aims
from gpu.aims import Aim
from gpu.core.machine.devices import Device
from gpu.core.problem import Problem
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance

PLACES = {"cuda": "GPU", "cpu": "all cores", "cpu:1": "one core"}
DEVICES = {
    "defaults-gpu": ("H100", Device("cuda:0", "cuda", 0, 132, "an H100", 80 << 30)),
    "defaults-cores": ("4 cores", Device("cpu", "cpu", 0, 4, "a CPU", 64 << 30)),
}
"""Where the experiments ran, as a choice needs to know it."""

NO_PARAMETERS = {"system", "local_search", "experiment", "instance", "seed"}
FOUND = ("n", "made", "limit", "cost", "gap", "iterations", "seconds")


def text_of(values: Mapping[str, object]) -> str:
    """Parameters but for the local search, which all of these colonies have."""
    return ", ".join(f"{name} {is_}" for name, is_ in values.items() if name != "local_search")


def settings(row: Row) -> str:
    """The parameters of a run."""
    return text_of({k: v for k, v in row.items() if k not in NO_PARAMETERS and k not in FOUND})


def chosen() -> str:
    """What is chosen for tours where the best solution is wanted."""
    lines: list[list[str]] = []
    for row in aims.AIM_ROWS:
        if (row.aim, row.problem) != (Aim.BEST, Problem.TSP):
            continue
        assert row.place is not None
        bound = f"up to {row.most:,}" if row.most < math.inf else "more"
        if row.directed:
            bound += ", directed"
        elif row.colony.startswith(("crossing", "focused")):
            bound += ", symmetric"
        elif not row.matrix:  # the row before it may have served all sizes
            bound = "where the matrix is too large"
            if lines[-1][1] != "more":
                bound = f"more, or {bound}"
        lines.append([PLACES[row.place], bound, row.colony, text_of(row.parameters)])
    return table(["device", "cities", "colony", "parameters"], lines, (0, 1, 2, 3))


def every(rows: list[Row]) -> str:
    """All runs, the best of an instance first."""
    lines = []
    for name, group in grouped(rows).items():
        for row in sorted(group, key=lambda row: (row["gap"], row["seconds"])):
            cells = [f"{row['gap']:.2f}", str(row["iterations"]), f"{row['seconds']:.2f}"]
            lines.append([name, row["system"], settings(row), *cells])
    head = ["instance", "colony", "parameters", "gap %", "iterations", "seconds"]
    return table(head, lines, (0, 1, 2))


def better(rows: list[Row]) -> list[list[str]]:
    """The instances on which something else was better than what is chosen for their size.

    Larger ones stand for directed instances: there are colonies for the others, which were
    measured elsewhere.
    """
    lines = []
    for name, group in grouped(rows).items():
        where, device = DEVICES[group[0]["experiment"]]
        choice = aims.choice(Aim.BEST, _cities(group[0]["n"]), device)
        usual = text_of(choice.parameters)
        own = [r for r in group if (r["system"], settings(r)) == (choice.system.name, usual)]
        best = min(group, key=lambda row: (row["gap"], row["seconds"]))
        if own and round(best["gap"], 2) < round(own[0]["gap"], 2):
            both = [(own[0]["system"], own[0]), (best["system"], best)]
            cells = [f"{system}, {settings(row)} | {row['gap']:.2f}" for system, row in both]
            lines.append([where, name, *" | ".join(cells).split(" | ")])
    return lines


def _cities(n: int) -> TspInstance:
    places = np.zeros((n, 2))
    return TspInstance("", "", Metric.EUC_2D, places, None, places, directed=n > 200)


def colors(rows: list[Row]) -> str:
    """Colors found by each run."""
    lines = []
    for name, group in grouped(rows).items():
        found = [str(row["cost"] if row["cost"] is not None else "none") for row in group]
        best = [str(round(r["cost"] / (1 + r["gap"] / 100))) for r in group if r["gap"] is not None]
        lines.append([name, str(group[0]["n"]), best[0] if best else "", ", ".join(found)])
    return table(["graph", "vertices", "best known", "colors of each run"], lines, (0, 3))


def defaults(sources: Sources) -> dict[str, str]:
    """What is chosen, and the runs behind it."""
    on_gpu = sources.rows("defaults", "defaults-gpu")
    on_cores = sources.rows("defaults", "defaults-cores")
    graphs = sources.rows("defaults", "defaults-colors")
    worse = better(on_gpu) + better(on_cores)
    head = ["device", "instance", "chosen", "gap %", "best measured", "gap %"]
    return {
        "chosen": chosen(),
        "seconds": _seconds(),
        "better": sources.under(table(head, worse, (0, 1, 2, 4)), [*on_gpu, *on_cores]),
        "gpu": sources.under(every(on_gpu), on_gpu),
        "cores": sources.under(every(on_cores), on_cores),
        "colors": sources.under(colors(graphs), graphs),
    }


def _seconds() -> str:
    lines = [
        ["more" if most == math.inf else f"up to {most:,}", f"{seconds:g}"]
        for most, seconds in aims.SECONDS
    ]
    return table(["cities or vertices", "seconds"], lines, (0, 1))
