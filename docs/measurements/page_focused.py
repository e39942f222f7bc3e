"""The tables of the pages on focused and crossing colonies, on cores and on a GPU."""

from __future__ import annotations

import statistics
from pathlib import Path

import gaps
from gaps import cell, found_after
from instances import CORE_AIMS, GPU_AIMS, TWELVE
from runs import FAST_TSP, Row
from tables import Sources, grouped, table

from gpu.crossing.parameters import MOST_CROSSED

MARKS = (1.0, 2.0, 5.0, 10.0, 20.0)
LARGER_MARKS = (5.0, 10.0, 20.0, 60.0, 120.0)
THEIRS = (5.0, 20.0)
GPU_MARKS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0)
HUGE_MARKS = (20.0, 40.0, 60.0, 120.0, 300.0)
LONG_MARKS = (10.0, 30.0, 60.0, 120.0, 240.0, 360.0, 450.0)
ANYTIME_MARKS = (10.0, 60.0, 120.0)
ON_CORES = ("focused-cores", "crossing-cores")


def former(rows: list[Row], before: list[Row]) -> str:
    """Gaps after 5 s: the focused and crossing colonies, and those that were chosen before."""
    systems = list(dict.fromkeys(row["system"] for row in before))
    lines = []
    for name, group in grouped(before).items():
        own = [cell(gaps.of(rows, instance=name, system=each), 5.0) for each in ON_CORES]
        lines.append([name, *own, *(cell(gaps.of(group, system=each), 6.0) for each in systems)])
    return table(["instance", *ON_CORES, *systems], lines)


def chosen(row: Row) -> str:
    """The colony that ``--aim best`` takes on cores for the instance of a row."""
    return "crossing-cores" if row["n"] <= MOST_CROSSED else "focused-cores"


def directed(rows: list[Row]) -> str:
    """Gaps after 5 s of directed instances, and when the tour was found."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    lines = []
    for name, group in grouped(rows).items():
        line = [name, str(group[0]["n"])]
        for system in systems:
            own = gaps.of(group, system=system)
            line += [cell(own, 6.0), f"{statistics.mean(map(found_after, own)):.2f}"]
        lines.append(line)
    head = [text for system in systems for text in (f"{system}: gap %", "found after s")]
    return table(["instance", "n", *head], lines)


def _beside_fast_tsp(sources: Sources, file: str, system: str, *experiments: str) -> list[Row]:
    """Rows of a colony, and those of fast-tsp."""
    rows = sources.rows(file, *experiments)
    return [row for row in rows if row["system"] in (system, FAST_TSP)]


def _on_cores(sources: Sources, system: str) -> dict[str, str]:
    """What both pages show of their colony, beside fast-tsp."""
    report = _beside_fast_tsp(sources, "focused", system, "cores")
    return {
        "by_time": sources.under(gaps.against_time(report, system, MARKS, THEIRS), report),
        "means": sources.under(gaps.means(report, (system, FAST_TSP), THEIRS), report),
    }


def _trails(sources: Sources, experiment: str) -> str:
    rows = sources.rows("trails", experiment)
    return sources.under(gaps.pairs(rows) if rows else "", rows)


def focused(sources: Sources) -> dict[str, str]:
    """The focused colonies against time on cores, and against what else there is."""
    rows = sources.rows("focused", "cores")
    before = sources.rows("focused", "cores-former")
    one_way = sources.rows("focused", "directed")
    return {
        **_on_cores(sources, "focused-cores"),
        "former": sources.under(former(rows, before), [*rows, *before]),
        "directed": sources.under(directed(one_way), one_way),
        "trails": _trails(sources, "trails-focused"),
        "trails_gpu": _trails(sources, "trails-gpu"),
    }


def crossing(sources: Sources) -> dict[str, str]:
    """The crossing colonies against time on cores."""
    return {**_on_cores(sources, "crossing-cores"), "trails": _trails(sources, "trails-crossing")}


def on_cores(sources: Sources) -> dict[str, str]:
    """Both against time on two cores, in longer runs."""
    rows = sources.rows("focused", "cores-larger")
    twelve = [row for row in rows if f"{row['instance']}.tsp" in {Path(one).name for one in TWELVE}]
    standing = gaps.standing(twelve, chosen, (10.0, 20.0, 60.0))
    values = {
        "aims": sources.under(gaps.reached(rows, CORE_AIMS, ON_CORES), rows),
        "standing": sources.under(standing, twelve),
    }
    for name, system in (("crossing", "crossing-cores"), ("focused", "focused-cores")):
        shown = _beside_fast_tsp(sources, "focused", system, "cores-larger")
        values[name] = sources.under(gaps.against_time(shown, system, LARGER_MARKS), shown)
    return values


def on_gpu(sources: Sources) -> dict[str, str]:
    """Both against time on a GPU."""
    aimed = sources.rows("focused_gpu", "gpu", "gpu-larger", "gpu-huge")
    shown = _beside_fast_tsp(sources, "focused_gpu", "crossing-gpu", "gpu", "gpu-larger")
    report = sources.rows("focused_gpu", "gpu-report")
    huge = sources.rows("focused_gpu", "gpu-huge")
    long = sources.rows("focused_gpu", "gpu-long")
    focused = sources.rows("focused_gpu", "gpu-focused")
    return {
        "aims": sources.under(gaps.reached(aimed, GPU_AIMS, ("crossing-gpu",)), aimed),
        "crossing": sources.under(gaps.against_time(shown, "crossing-gpu", GPU_MARKS), shown),
        "beside": sources.under(gaps.beside(aimed, "crossing-gpu", ANYTIME_MARKS), aimed),
        "huge": sources.under(gaps.against_time(huge, "crossing-gpu", HUGE_MARKS), huge),
        "focused": sources.under(gaps.against_time(focused, "focused-gpu", GPU_MARKS), focused),
        "long": sources.under(gaps.against_time(long, "crossing-gpu", LONG_MARKS), long),
        "report": sources.under(gaps.against_time(report, "crossing-gpu", GPU_MARKS[:3]), report),
    }
