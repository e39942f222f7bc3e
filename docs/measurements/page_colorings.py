"""The tables of the page on colorings on cores, beside HEAD and gcol."""

from __future__ import annotations

import math
import statistics

from gaps import gap_at, of
from instances import COLOR_AIMS, FEWEST_COLORS, TOLD_COLORS
from runs import GCOL, HEAD, TOLD_HEAD, Row
from tables import Sources, grouped, table

OURS = "gpx-cores"
COLORINGS = ("colorings", "colorings-told", "colorings-gcol")
"""The experiments."""

MARKS = (1.0, 5.0, 10.0, 20.0)
CORES = {OURS: "two cores", HEAD: "one core", GCOL: "one core"}


def colors_at(rows: list[Row], seconds: float) -> list[float]:
    """The colors of each run after so many seconds, if all of them have a coloring."""
    found = [gap_at(row, seconds) for row in rows]
    known = [colors for colors in found if colors is not None]
    return known if len(known) == len(rows) else []


def cell(rows: list[Row], seconds: float) -> str:
    """The mean number of colors, and the most where runs differ."""
    colors = colors_at(rows, seconds)
    if not colors:
        return "-"
    mean, most = statistics.mean(colors), max(colors)
    return f"{mean:g}" if mean == most else f"{mean:.1f} ({most:g})"


def _mean_at(rows: list[Row], seconds: float) -> float:
    """The mean number of colors; infinity if not all runs have a coloring."""
    colors = colors_at(rows, seconds)
    return statistics.mean(colors) if colors else math.inf


def by_time(rows: list[Row]) -> str:
    """Colors of each program on each graph, at each mark."""
    lines = []
    for name, group in grouped(rows).items():
        for system, cores in CORES.items():
            own = [row for row in of(group, system=system) if "curve" in row]
            if not own:
                continue
            limit = own[0]["limit"]
            marks = [cell(own, mark) if mark <= limit else "" for mark in MARKS]
            known = str(FEWEST_COLORS.get(name, ""))
            first = [name, str(own[0]["n"]), known] if system == OURS else ["", "", ""]
            lines.append([*first, f"{system}, {cores}", str(len(own)), *marks])
    head = ["graph", "n", "best known", "program", "runs", *(f"{mark:g} s" for mark in MARKS)]
    return table(head, lines, (0, 3))


def standing(rows: list[Row]) -> str:
    """On how many graphs ours has fewer colors than each other program, as many, or more."""
    lines = []
    for rival in (HEAD, GCOL):
        for mark in MARKS:
            fewer, same, more, graphs = 0, 0, list[str](), 0
            for name, group in grouped(rows).items():
                both = [of(group, system=system) for system in (OURS, rival)]
                if not all(both) or any(mark > one[0]["limit"] for one in both):
                    continue
                graphs += 1
                own, theirs = (_mean_at(one, mark) for one in both)
                if own < theirs:
                    fewer += 1
                elif own == theirs:
                    same += 1
                else:
                    more.append(name)
            counts = [str(graphs), str(fewer), str(same)]
            if not graphs:
                continue
            lines.append([rival, f"{mark:g} s", *counts, ", ".join(more) or "none"])
    head = ["beside", "after", "graphs", "ours has fewer", "as many", "more"]
    return table(head, lines, (0, 5))


def aims(rows: list[Row]) -> str:
    """What was aimed at on two cores, how many runs reached it in time, and what HEAD has then."""
    lines = []
    for name, each in COLOR_AIMS.items():
        group = of(rows, instance=name)
        own = of(group, system=OURS)
        for seconds, colors in each.items():
            when = [_reached(row, colors) for row in own]
            found = [one for one in when if one is not None and one <= seconds]
            reached = f"{len(found)} of {len(own)}"
            if own and own[0]["limit"] < seconds:
                reached += f" in {own[0]['limit']:g} s"
            mean = f"{statistics.mean(found):.2g} ({max(found):.2g})" if found else ""
            theirs = cell(of(group, system=HEAD), seconds)
            lines.append([name, f"{colors:g} in {seconds:g} s", reached, mean, theirs])
    head = [
        "graph",
        "aim",
        "runs that reach it",
        "after s",
        "HEAD, one core, has then, or at its end",
    ]
    return table(head, lines, (0, 1))


def told(rows: list[Row]) -> str:
    """Who has a coloring with so many colors, and after how many seconds on average."""
    lines = []
    for name, group in grouped(rows).items():
        colors, limit = TOLD_COLORS[name], min(row["limit"] for row in group)
        cells = []
        for system in (TOLD_HEAD, OURS):
            own = [row for row in of(group, system=system) if "curve" in row]
            when = [_reached(row, colors) for row in own]
            found = [seconds for seconds in when if seconds is not None and seconds <= limit]
            cells.append(f"{len(found)} of {len(own)}")
            cells.append(f"{statistics.mean(found):.3g}" if found else "")
        lines.append([name, str(colors), f"{limit:g} s", *cells])
    head = ["graph", "colors", "within", "HEAD, told", "s, mean", OURS, "s, mean"]
    return table(head, lines)


def _reached(row: Row, colors: float) -> float | None:
    """Seconds after which a run had so few colors; None if it had not."""
    return next((when for when, _, found in row["curve"] if found <= colors), None)


def colorings(sources: Sources) -> dict[str, str]:
    """Colors against time on two cores, beside HEAD and gcol on one."""
    rows = sources.rows("colorings", *COLORINGS)
    ours = of(rows, system=OURS)
    heads = [row for row in rows if row["system"] in (OURS, TOLD_HEAD)]
    return {
        "by_time": sources.under(by_time(rows), rows),
        "standing": standing(rows) if ours else "",
        "aims": aims(rows) if ours else "",
        "told": sources.under(told(heads), heads),
    }
