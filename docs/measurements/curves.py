"""Pictures against seconds of gaps or colors: a plot for each instance, a curve for each system."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from gaps import Aims, mean_of, of
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from runs import ANYTIME, FAST_TSP, Row
from tables import grouped

mpl.use("agg")

LEAST = 0.001
"""The gap in % that stands for smaller ones, for a logarithm has no 0."""

ACROSS = 3
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
GREYS = ("0.35", "0.65")  # of anytime programs
MARKERS = ("o", "s")


GAPS, COLORS = "gap, %", "colors"
"""What a picture shows: gaps are on a logarithmic axis."""


def draw(
    rows: list[Row], systems: Sequence[str], aims: Aims, path: Path, shown: str = GAPS
) -> None:
    """Write the picture of all instances of these rows.

    A curve is the mean of a system's runs, from when all of them have a solution. Each of
    fast-tsp's runs ends at a time of its own, so it has points. A cross is an aim.
    """
    ours = [row["instance"] for row in rows if row["system"] in systems]
    where = {name: group for name, group in grouped(rows).items() if name in ours}
    down = math.ceil(len(where) / ACROSS)
    figure = Figure((10, 2.7 * down + 0.6), layout="constrained")
    for place, (name, group) in enumerate(where.items()):
        axes = figure.add_subplot(down, ACROSS, place + 1)
        _plot(axes, group, systems, aims.get(name, {}))
        if shown == GAPS:
            axes.set_yscale("log")
            axes.set_ylim(bottom=LEAST / 1.5)
        else:
            axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
            axes.set_xlim(left=0.01)
            axes.xaxis.set_major_locator(LogLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_title(name, fontsize=10)
    labels: dict[str, Artist] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            labels.setdefault(label, handle)
    figure.legend([*labels.values()], [*labels], loc="outside upper center", ncols=5, frameon=False)
    figure.supxlabel("seconds", fontsize=10)
    figure.supylabel(shown, fontsize=10)
    figure.savefig(path, dpi=90, metadata={"Software": None})


def _plot(axes: Axes, rows: list[Row], systems: Sequence[str], aims: Mapping[float, float]) -> None:
    colours = [*zip(systems, COLOURS, strict=False), *zip(ANYTIME, GREYS, strict=True)]
    for system, colour in colours:
        own = [row for row in of(rows, system=system) if "curve" in row]
        times = sorted({when for row in own for when, _, _ in row["curve"]})
        means = [(when, mean_of(own, when)) for when in times]
        found = [(when, max(gap, LEAST)) for when, gap in means if gap is not None]
        if not found:
            continue
        limit = max(statistics.mean(row["limit"] for row in own), found[-1][0])
        found.append((limit, found[-1][1]))  # a run that ended at the optimum stays there
        axes.step(*zip(*found, strict=True), where="post", color=colour, label=system)
    theirs = of(rows, system=FAST_TSP)
    for threads, marker in zip(sorted({row["threads"] for row in theirs}), MARKERS, strict=False):
        own = [row for row in of(theirs, threads=threads) if "curve" in row]
        points = [
            (when, max(statistics.mean(gaps), LEAST))
            for when in sorted({when for row in own for when, _, _ in row["curve"]})
            if (gaps := [gap for row in own for at, _, gap in row["curve"] if at == when])
        ]
        if points:
            who = f"{FAST_TSP}, {threads} thread{'s' * (threads > 1)}"
            axes.plot(*zip(*points, strict=True), ":k", marker=marker, fillstyle="none", label=who)
    if aims:
        axes.plot(*zip(*aims.items(), strict=True), "x", color="#b00020", ms=9, mew=2, label="aim")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.grid(alpha=0.3)
    axes.tick_params(labelsize=8)
