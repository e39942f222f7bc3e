"""The plots of a study: of each instance, and over all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import AutoLocator, LogLocator, NullFormatter, PercentFormatter

from app.report.plot import LIGHT_PLOT, RUN_POINTS, PlotLook, PlotTheme, PrintPlot, drawn, file_name
from app.report.words import p_text
from gpu.core.cost_curve import RunAxis
from gpu.studies.results.analysis import (
    Analysis,
    ParameterEffect,
    Quantity,
    Ratio,
    Reached,
    convergence,
    reached,
)
from gpu.studies.results.findings import Sample
from gpu.studies.results.statistics import Friedman, Interval

Style = Literal["-", "--", "-.", ":"]

AXES = {
    RunAxis.SECONDS: ("seconds", "seconds of solving"),
    RunAxis.ITERATIONS: ("iterations", "iterations"),
    RunAxis.SOLUTIONS: ("solutions", "tours or colorings built"),
}
"""Of each axis: a word for titles and files, and the text beside the axis."""
_STYLES: tuple[Style, ...] = ("-", "--", "-.", ":")
MARKERS = "osD^vPX"
WIDEST_RATIO = 50.0  # ratio of the ends of an x-axis that has more numbers than the powers of ten


def plots_of_instance(analysis: Analysis, instance: str) -> Iterator[PrintPlot]:
    """Return every plot of one instance for which there are results."""
    samples = [one for one in analysis.on(instance) if one.done]
    if not samples:
        return
    yield box_plot(analysis, samples)
    for axis in AXES:
        if plot := convergence_plot(analysis, samples, axis):
            yield plot
    for axis in AXES:
        if plot := target_plot(analysis, samples, axis):
            yield plot


def box_plot(analysis: Analysis, samples: Sequence[Sample]) -> PrintPlot:
    """Every run's result of one instance, by configuration."""
    reference = samples[0].reference
    names, unit = [one.label for one in samples], samples[0].cost_unit
    values = [
        [
            reference.gap_percent(cost) if reference else unit.scaled(float(cost))
            for cost in one.costs
        ]
        for one in samples
    ]
    rows = tuple(
        (one.instance, one.label, row.seed, row.batch, unit.value(row.best or 0), value)
        for one, among in zip(samples, values, strict=True)
        for row, value in zip(one.done, among, strict=True)
    )

    def draw(axes: Axes, look: PlotLook) -> None:
        theme = look.theme
        colours = colours_of(analysis, theme)
        places = range(len(samples), 0, -1)  # the first one on top
        boxes = axes.boxplot(
            values,
            positions=list(places),
            orientation="horizontal",
            widths=0.55,
            showfliers=False,
            showmeans=True,
            patch_artist=True,
            tick_labels=[drawn(name, int(0.4 * look.letters)) for name in names],
            medianprops={"color": theme.ink, "linewidth": 1.4},
            meanprops={
                "marker": "D",
                "markerfacecolor": theme.paper,
                "markeredgecolor": theme.ink,
                "markersize": 4,
            },
            whiskerprops={"color": theme.ink, "linewidth": 0.8},
            capprops={"color": theme.ink, "linewidth": 0.8},
        )
        for box, name, place, among in zip(boxes["boxes"], names, places, values, strict=True):
            box.set(facecolor=colours[name], alpha=0.35, edgecolor=colours[name])
            # Beside each other, in an order that does not depend on the values.
            heights = [place + 0.3 * ((step * 0.618) % 1 - 0.5) for step in range(len(among))]
            axes.plot(
                *(among, heights, "."),
                color=colours[name],
                markersize=3.5,
                zorder=3,
                gid=RUN_POINTS,
            )
        result = f"result{f' in {unit.name}' if unit.name else ''} (less is better)"
        axes.set_xlabel(gap_text(reference.known) if reference else result)
        axes.grid(visible=False, axis="y")
        fit_rows(axes, look, len(names))

    where = samples[0].instance
    return PrintPlot(
        name=file_name("results", where),
        title=f"{where}: result of every run",
        text="Each dot is one run. The box holds the middle half of the runs, the line in it is "
        "their median and the diamond their mean; the whiskers reach to the last run within 1.5 "
        "lengths of the box. Further left is better.",
        columns=("instance", "configuration", "seed", "batch", "result", "gap_percent")
        if reference
        else ("instance", "configuration", "seed", "batch", "result", "shown"),
        rows=rows,
        draw=draw,
        instance=where,
        kind="Result of every run",
        runs=tuple(row.key for one in samples for row in one.done),
    )


def convergence_plot(
    analysis: Analysis, samples: Sequence[Sample], axis: RunAxis
) -> PrintPlot | None:
    """Mean gap along the runs of one instance, with a band from the best run to the worst."""
    reference = samples[0].reference
    bands = [(one.label, convergence(one, axis)) for one in samples] if reference else []
    bands = [(label, band) for label, band in bands if len(band.places) > 1]
    if reference is None or not bands:
        return None
    word, text = AXES[axis]
    rows = tuple(
        (samples[0].instance, label, *map(float, row))
        for label, band in bands
        for row in zip(band.places, band.mean, band.low, band.high, strict=True)
    )

    def draw(axes: Axes, look: PlotLook) -> None:
        theme = look.theme
        colours, styles = colours_of(analysis, theme), styles_of(analysis)
        for label, band in bands:
            axes.plot(
                band.places,
                band.mean,
                color=colours[label],
                linestyle=styles[label],
                drawstyle="steps-post",
            )
            axes.fill_between(
                band.places,
                band.low,
                band.high,
                step="post",
                color=colours[label],
                alpha=0.15,
                lw=0,
            )
        first = min(float(band.places[band.places > 0].min()) for _, band in bands)
        last = max(float(band.places[-1]) for _, band in bands)
        if last > 20 * first:
            logarithmic(axes, "x")
            axes.set_xlim(first, last)
        highest = max(float(band.mean.max()) for _, band in bands)
        lowest = min(float(band.low.min()) for _, band in bands)
        if lowest > 0 and highest > 20 * lowest:
            logarithmic(axes, "y")
        axes.set_xlabel(text)
        axes.set_ylabel(gap_text(reference.known))
        legend(axes, analysis, look, [label for label, _ in bands])

    where = samples[0].instance
    return PrintPlot(
        name=file_name("convergence", word, where),
        title=f"{where}: mean convergence by {word}",
        text="Each line is the mean of the best result so far over the runs of a configuration. "
        "The band reaches from the best of these runs to the worst. A line begins where all runs "
        "have a solution and ends where the first run ends without the best known result.",
        columns=("instance", "configuration", word, "mean_gap", "lowest_gap", "highest_gap"),
        rows=rows,
        draw=draw,
        instance=where,
        aside=axis is not RunAxis.SECONDS,
        kind="Mean convergence",
        axis=text,
    )


def target_plot(analysis: Analysis, samples: Sequence[Sample], axis: RunAxis) -> PrintPlot | None:
    """The share of runs that had reached the target, along the runs (an ECDF)."""
    where = samples[0].instance
    gap = analysis.targets.get(where)
    if gap is None:
        return None
    found = [reached(one, gap, axis) for one in samples]
    word, text = AXES[axis]
    chosen = analysis.chosen_target is not None
    return PrintPlot(
        name=file_name("target", word, where),
        title=f"{where}: runs within {gap:.3g} % by {word}",
        text=f"The share of runs that had come within {gap:.3g} % of the reference, by {word} (the "
        "empirical distribution function of the time to target). Higher and further left is "
        "better; a line that ends below 100 % belongs to runs that never arrived."
        + (
            ""
            if chosen
            else " This target was chosen after the runs: the least gap that every configuration "
            "reached in more than half of its runs."
        ),
        columns=("instance", "configuration", "target_gap_percent", word, "share", "runs"),
        rows=tuple(
            (where, one.label, gap, float(moment), rank / one.runs, one.runs)
            for one in found
            for rank, moment in enumerate(one.moments, 1)
        ),
        draw=lambda axes, look: draw_reached(axes, look, analysis, found, text),
        instance=where,
        aside=axis is not RunAxis.SECONDS,
        kind="Runs that reached the target",
        axis=text,
    )


def draw_reached(
    axes: Axes, look: PlotLook, analysis: Analysis, found: Sequence[Reached], text: str
) -> None:
    """Draw the share of runs that had reached a target."""
    colours, styles = colours_of(analysis, look.theme), styles_of(analysis)
    moments = [float(moment) for one in found for moment in one.moments if moment > 0]
    if moments and max(moments) > 20 * min(moments):
        logarithmic(axes, "x")
    first, last = (min(moments) / 1.1, max(moments) * 1.1) if moments else (0.0, 1.0)
    for one in found:
        shares = [rank / one.runs for rank in range(len(one.moments) + 1)] if one.runs else [0.0]
        axes.plot(
            [first, *(max(first, float(moment)) for moment in one.moments), last],
            [*shares, shares[-1]],
            drawstyle="steps-post",
            color=colours[one.label],
            linestyle=styles[one.label],
        )
    axes.set_xlim(first, last)
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel(text)
    axes.set_ylabel("runs that reached it")
    legend(axes, analysis, look, [one.label for one in found])


def logarithmic(axes: Axes, name: Literal["x", "y"]) -> None:
    """Make an axis logarithmic, with plain numbers."""
    if name == "x":
        axes.set_xscale("log")
    else:
        axes.set_yscale("log")
    axis = axes.xaxis if name == "x" else axes.yaxis
    axis.set_major_locator(_PlainNumbers(room=name == "y"))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


class _PlainNumbers(LogLocator):
    """The powers of ten, and 2 and 5 times these where there is ``room`` or few powers are seen."""

    def __init__(self, *, room: bool) -> None:
        super().__init__()
        self._room = room

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Return the numbers between the two ends of the axis."""
        few = self._room or (vmin > 0 and vmax / vmin < WIDEST_RATIO)
        # Where not even every power fits, matplotlib has no numbers at all between the powers.
        for factors in ((1.0, 2.0, 5.0), (1.0,)) if few else ((1.0,),):
            self.set_params(subs=factors)
            places = super().tick_values(vmin, vmax)
            if sum(vmin <= place <= vmax for place in places) > 1:
                return places
        return AutoLocator().tick_values(vmin, vmax)


def gap_text(known: bool) -> str:
    """Return the text beside an axis of gaps, which are to the best known cost or another."""
    return f"% above the best {'known' if known else 'of this study'}"


def colours_of(analysis: Analysis, theme: PlotTheme) -> dict[str, str]:
    """Return the colour of each configuration: the same in every plot."""
    colours = theme.colours
    return {label: colours[at % len(colours)] for at, label in enumerate(analysis.labels)}


def styles_of(analysis: Analysis) -> dict[str, Style]:
    """Return the line style of each configuration; it changes where colours begin again."""
    count = len(LIGHT_PLOT.colours)
    return {label: _STYLES[at // count % len(_STYLES)] for at, label in enumerate(analysis.labels)}


def markers_of(analysis: Analysis) -> dict[str, str]:
    """Return the marker of each configuration."""
    return {label: MARKERS[at % len(MARKERS)] for at, label in enumerate(analysis.labels)}


def fit_rows(axes: Axes, look: PlotLook, count: int) -> None:
    """Make the names beside ``count`` rows so small that they do not touch."""
    if count > (room := 0.7 * look.lines):
        axes.tick_params(axis="y", labelsize=max(2.0, look.points * room / count))


def legend(
    axes: Axes, analysis: Analysis, look: PlotLook, labels: Sequence[str], *, marked: bool = False
) -> None:
    """Name the configurations below the plot; of very many, the first ones."""
    colours, styles = colours_of(analysis, look.theme), styles_of(analysis)
    markers = markers_of(analysis) if marked else dict.fromkeys(labels, "")
    handles = [
        Line2D([], [], color=colours[one], linestyle=styles[one], marker=markers[one])
        for one in labels
    ]
    names_below(axes, look, handles, labels)


def names_below(
    axes: Axes, look: PlotLook, handles: Sequence[Artist], texts: Sequence[str]
) -> None:
    """Write names below the plot, beside their lines."""
    figure = axes.get_figure(root=True)
    if figure is None or not handles:
        return
    names = [drawn(text, int(0.8 * look.letters)) for text in texts]
    columns = max(1, min(6, look.letters // (max(map(len, names)) + 7)))
    most = columns * max(1, int(0.35 * look.lines))
    if len(names) > most:  # the others are in the CSV
        names = [*names[: most - 1], f"and {len(names) - most + 1} more"]
        handles = [*handles[: most - 1], Line2D([], [], linestyle="none")]
    figure.legend(handles, names, loc="outside lower center", ncols=columns)


def all_plots(analysis: Analysis) -> tuple[PrintPlot, ...]:
    """Return every plot for which the study has results: over all instances, then one by one."""
    plots = [
        *overall_plots(analysis),
        *(plot for name in analysis.instances for plot in plots_of_instance(analysis, name)),
    ]
    taken: Counter[str] = Counter()
    for at, plot in enumerate(plots):  # two instances may differ in signs that no file name has
        taken[plot.name.lower()] += 1
        if (count := taken[plot.name.lower()]) > 1:
            plots[at] = replace(plot, name=f"{plot.name}~{count}")
    return tuple(plots)


def overall_plots(analysis: Analysis) -> Iterator[PrintPlot]:
    """Return every plot over all instances for which there are results."""
    over = analysis.comparisons.over_instances
    if isinstance(over, Friedman):
        yield rank_plot(analysis, over)
    if len(analysis.targets) > 1:
        yield overall_target_plot(analysis)
    base = analysis.speedup_baseline
    if any(one.value for one in analysis.rates):
        yield speedup_plot(
            analysis,
            analysis.rates,
            "speedup-solution",
            f"Speedup of making a solution over {base}",
            f"How many times faster than {base} a tour or coloring is made, on instances of "
            "different size. The bars are confidence intervals at 95 %; above 1 is faster.",
        )
    if any(one.value for one in analysis.target_speedups):
        yield speedup_plot(
            analysis,
            analysis.target_speedups,
            "speedup-target",
            f"Speedup to the same gap over {base}",
            f"How many times sooner than {base} the target of each instance is reached, as the "
            "ratio of the median times. A point is missing where half of the runs or more did not "
            "reach it, or began with it.",
        )
    effects: dict[tuple[str, ...], list[ParameterEffect]] = {}
    for one in analysis.effects:
        effects.setdefault((one.quantity, one.colony, one.parameter), []).append(one)
    for some in effects.values():
        yield effect_plot(analysis, some)


def rank_plot(analysis: Analysis, test: Friedman) -> PrintPlot:
    """Mean ranks with Nemenyi's critical difference."""
    labels = analysis.comparisons.compared
    ordered = sorted(zip(test.ranks, labels, strict=True), key=lambda one: one[0])
    half = test.critical_difference / 2

    def draw(axes: Axes, look: PlotLook) -> None:
        theme = look.theme
        colours = colours_of(analysis, theme)
        places = range(len(ordered), 0, -1)
        for place, (rank, label) in zip(places, ordered, strict=True):
            colour = colours[label]
            axes.plot([rank - half, rank + half], [place, place], color=colour, lw=5, alpha=0.35)
            axes.plot([rank], [place], "o", color=colour, markersize=6)
        best = ordered[0][0]
        axes.axvline(best + half, color=theme.ink, lw=0.7, ls=":")
        axes.set_yticks(
            list(places), [drawn(label, int(0.4 * look.letters)) for _, label in ordered]
        )
        fit_rows(axes, look, len(ordered))
        axes.set_ylim(0.4, len(ordered) + 0.6)
        axes.set_xticks(range(1, len(ordered) + 1, 1 + len(ordered) // 15))
        axes.set_xlabel("mean rank (1 is best)")
        axes.grid(visible=False, axis="y")

    return PrintPlot(
        name="ranks",
        kind="Mean ranks",
        title=f"Mean ranks over {test.blocks} instances",
        text="On each instance the configuration with the lowest mean has rank 1. Two "
        "configurations differ significantly if their bars do not overlap (Nemenyi); each bar is "
        f"as long as the critical difference, {test.critical_difference:.3g}. The dotted line is "
        f"the end of the best one's bar. Friedman's test: p = {p_text(test.p)}"
        + ("." if test.rejected else ", no difference: the bars are no evidence then."),
        columns=("configuration", "mean_rank", "critical_difference", "instances"),
        rows=tuple((label, rank, test.critical_difference, test.blocks) for rank, label in ordered),
        draw=draw,
    )


def overall_target_plot(analysis: Analysis) -> PrintPlot:
    """The share of all runs that had reached the target of their instance, by seconds."""
    found = []
    for label in analysis.labels:
        parts = [
            reached(one, analysis.targets[one.instance], RunAxis.SECONDS)
            for one in analysis.samples
            if one.label == label and one.instance in analysis.targets and one.reference
        ]
        moments = np.sort(np.concatenate([one.moments for one in parts] or [np.empty(0)]))
        found.append(Reached(label, moments, sum(one.runs for one in parts)))
    _, text = AXES[RunAxis.SECONDS]
    return PrintPlot(
        name="target-seconds",
        kind="Runs that reached the target",
        axis=text,
        title="All instances: runs that reached their target, by seconds",
        text="The share of the runs on all instances that had reached the target of their "
        "instance. Higher and further left is better.",
        columns=("configuration", "seconds", "share", "runs"),
        rows=tuple(
            (one.label, float(moment), rank / one.runs, one.runs)
            for one in found
            for rank, moment in enumerate(one.moments, 1)
        ),
        draw=lambda axes, look: draw_reached(axes, look, analysis, found, text),
    )


def speedup_plot(
    analysis: Analysis, ratios: Sequence[Ratio], name: str, title: str, text: str
) -> PrintPlot:
    """Speedups over the baseline, by the size of the instance."""
    labels = [
        label
        for label in analysis.labels
        if any(one.label == label and one.value for one in ratios)
    ]

    by_size = sorted({(one.n, one.instance) for one in ratios})
    places = {name: place for place, (_, name) in enumerate(by_size)}

    def draw(axes: Axes, look: PlotLook) -> None:
        colours, styles = colours_of(analysis, look.theme), styles_of(analysis)
        markers = markers_of(analysis)
        for at, label in enumerate(labels):
            mine = [one for one in ratios if one.label == label and one.value is not None]
            kept = sorted(mine, key=lambda one: places[one.instance])
            aside = 0.3 * ((at + 0.5) / len(labels) - 0.5)  # bars stand beside each other
            values = [one.value or math.nan for one in kept]
            bars = [(one.interval, value) for one, value in zip(kept, values, strict=True)]
            axes.errorbar(
                [places[one.instance] + aside for one in kept],
                values,
                yerr=error_bars(bars),
                color=colours[label],
                linestyle=styles[label],
                marker=markers[label],
                elinewidth=0.8,
                capsize=2,
            )
        axes.axhline(1.0, color=look.theme.ink, lw=0.7, ls=":")
        found = [one.value for one in ratios if one.value]
        if max(found) > 20 * min(found):
            logarithmic(axes, "y")
        else:
            axes.set_ylim(bottom=0)
        room = max(6, look.letters // (len(by_size) + 1) - 2)
        step = 1 + 10 * len(by_size) // look.letters  # of very many, every second or third
        shown = by_size[::step]
        names = [f"{drawn(name, room)}\n{n:,}" for n, name in shown]
        axes.set_xticks([places[name] for _, name in shown], names)
        axes.set_xlim(-0.5, len(by_size) - 0.5)
        axes.grid(visible=False, axis="x")
        axes.set_xlabel("instances by their cities or vertices")
        axes.set_ylabel("times faster")
        legend(axes, analysis, look, labels, marked=True)

    return PrintPlot(
        name=name,
        title=title,
        kind=title.partition(" over ")[0],
        text=text,
        columns=("instance", "n", "configuration", "times_faster", "low", "high"),
        rows=tuple(
            (
                one.instance,
                one.n,
                one.label,
                one.value,
                one.interval.low if one.interval else None,
                one.interval.high if one.interval else None,
            )
            for one in ratios
        ),
        draw=draw,
    )


def effect_plot(analysis: Analysis, effects: Sequence[ParameterEffect]) -> PrintPlot:
    """The mean gap or hits for each value of a parameter, a line for each instance."""
    quantity, colony, parameter = effects[0].quantity, effects[0].colony, effects[0].parameter
    gaps, updates = quantity is Quantity.GAP, quantity.replace("_hits", " updates")
    what, column = "mean gap of the runs", "mean_gap"
    title = f"Effect of {parameter} on {colony}"
    if not gaps:
        title = f"{updates.capitalize()} of {colony} that hit, by {parameter}"
        what = f"share of the {updates} that found their trail in the selective memory"
        column = f"{quantity}_percent"
    values = list(dict.fromkeys(value for one in effects for value in one.values))
    numbers = [value for value in values if isinstance(value, int | float)]
    numeric = len(numbers) == len(values) and not any(isinstance(one, bool) for one in values)

    def draw(axes: Axes, look: PlotLook) -> None:
        theme = look.theme
        lines: list[Artist] = []
        for at, one in enumerate(effects):
            places = [
                float(value) if numeric and isinstance(value, int | float) else values.index(value)
                for value in one.values
            ]
            bars = zip(one.intervals, one.means, strict=True)
            drawing = axes.errorbar(
                places,
                one.means,
                yerr=error_bars(list(bars)),
                color=theme.colours[at % len(theme.colours)],
                marker=MARKERS[at % len(MARKERS)],
                elinewidth=0.8,
                capsize=2,
            )
            lines.append(drawing.lines[0])
        if not numeric:
            room = max(3, look.letters // (len(values) + 1) - 2)
            names = ["automatic" if value is None else drawn(str(value), room) for value in values]
            axes.set_xticks(range(len(values)), names)
            axes.set_xlim(-0.4, len(values) - 0.6)
        elif min(numbers) > 0 and max(numbers) >= 8 * min(numbers):
            logarithmic(axes, "x")
        if numeric and len(values) <= look.letters // 8:
            axes.set_xticks([float(one) for one in numbers], [f"{one:g}" for one in numbers])
            axes.minorticks_off()
        axes.set_xlabel(drawn(parameter, look.letters // 2))
        if quantity is Quantity.GAP:
            axes.set_ylabel(_gap_text(analysis, (one.instance for one in effects)))
        else:
            axes.set_ylim(0, 102)
            axes.set_ylabel(f"hits, % of the {quantity.removesuffix('_hits')} updates")
        names_below(axes, look, lines, [one.instance for one in effects])

    return PrintPlot(
        name=file_name("effect", colony, parameter, *([] if gaps else [quantity])),
        title=title,
        text=f"The {what} of {colony} with each value of {parameter}, over all values of its other "
        "parameters: where two were changed together, this cannot tell their effects apart. The "
        f"bars are confidence intervals at 95 %; {'lower' if gaps else 'higher'} is better.",
        columns=("colony", "parameter", "instance", "value", column, "low", "high", "runs"),
        rows=tuple(
            (
                colony,
                parameter,
                one.instance,
                "automatic" if value is None else value,
                mean,
                part.low if part else None,
                part.high if part else None,
                runs,
            )
            for one in effects
            for value, mean, part, runs in zip(
                one.values, one.means, one.intervals, one.runs, strict=True
            )
        ),
        draw=draw,
    )


def error_bars(bars: Sequence[tuple[Interval | None, float]]) -> list[list[float]]:
    """Return how far each interval reaches below and above its value; 0 without an interval."""
    return [
        [value - part.low if part else 0.0 for part, value in bars],
        [part.high - value if part else 0.0 for part, value in bars],
    ]


def _gap_text(analysis: Analysis, instances: Iterable[str]) -> str:
    """Return the text beside an axis of gaps on several instances."""
    found = [one.reference for name in instances for one in analysis.on(name)[:1]]
    known = {one.known for one in found if one is not None}
    either = "% above the best known, or best of this study"
    return gap_text(known.pop()) if len(known) == 1 else either
