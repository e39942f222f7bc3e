"""The plots over all instances: ranks, speedups, times to targets, and parameters' effects."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from app.report.plot import Look, Plot, drawn, file_name
from app.report.plots import (
    AXES,
    MARKERS,
    colours_of,
    draw_reached,
    fit_rows,
    gap_text,
    legend,
    logarithmic,
    markers_of,
    names_below,
    plots_of_instance,
    styles_of,
)
from app.report.words import p_text
from gpu.batch.analysis import Analysis
from gpu.batch.measures import ParameterEffect, Quantity, Ratio, Reached, reached
from gpu.batch.statistics import Friedman, Interval
from gpu.core.cost_curve import RunAxis


def all_plots(analysis: Analysis) -> tuple[Plot, ...]:
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


def overall_plots(analysis: Analysis) -> Iterator[Plot]:
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


def rank_plot(analysis: Analysis, test: Friedman) -> Plot:
    """Mean ranks with Nemenyi's critical difference."""
    labels = analysis.comparisons.compared
    ordered = sorted(zip(test.ranks, labels, strict=True), key=lambda one: one[0])
    half = test.critical_difference / 2

    def draw(axes: Axes, look: Look) -> None:
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

    return Plot(
        name="ranks",
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


def overall_target_plot(analysis: Analysis) -> Plot:
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
    return Plot(
        name="target-seconds",
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
) -> Plot:
    """Speedups over the baseline, by the size of the instance."""
    labels = [
        label
        for label in analysis.labels
        if any(one.label == label and one.value for one in ratios)
    ]

    by_size = sorted({(one.n, one.instance) for one in ratios})
    places = {name: place for place, (_, name) in enumerate(by_size)}

    def draw(axes: Axes, look: Look) -> None:
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
                yerr=_error_bars(bars),
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

    return Plot(
        name=name,
        title=title,
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


def effect_plot(analysis: Analysis, effects: Sequence[ParameterEffect]) -> Plot:
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

    def draw(axes: Axes, look: Look) -> None:
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
                yerr=_error_bars(list(bars)),
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

    return Plot(
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


def _error_bars(bars: Sequence[tuple[Interval | None, float]]) -> list[list[float]]:
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
