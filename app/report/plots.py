"""The plots of one instance: results, convergence, and times to a target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import AutoLocator, LogLocator, NullFormatter, PercentFormatter

from app.report.plot import Look, Plot, Theme, drawn, file_name
from gpu.batch.analysis import Analysis
from gpu.batch.measures import Reached, convergence, reached
from gpu.batch.summary import Sample
from gpu.core.cost_curve import RunAxis

Style = Literal["-", "--", "-.", ":"]

AXES = {
    RunAxis.SECONDS: ("seconds", "seconds of solving"),
    RunAxis.ITERATIONS: ("iterations", "iterations"),
    RunAxis.SOLUTIONS: ("solutions", "tours or colorings built"),
}
"""Of each axis: a word for titles and files, and the text beside the axis."""
_STYLES: tuple[Style, ...] = ("-", "--", "-.", ":")
MARKERS = "osD^vPX"
WIDEST = 50.0  # ratio of the ends of an x-axis that has more numbers than the powers of ten


def plots_of_instance(analysis: Analysis, instance: str) -> Iterator[Plot]:
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


def box_plot(analysis: Analysis, samples: Sequence[Sample]) -> Plot:
    """Every run's result of one instance, by configuration."""
    reference = samples[0].reference
    names = [one.label for one in samples]
    values = [
        [reference.gap_percent(cost) if reference else float(cost) for cost in one.costs]
        for one in samples
    ]
    rows = tuple(
        (one.instance, one.label, row.seed, row.batch, row.best, value)
        for one, among in zip(samples, values, strict=True)
        for row, value in zip(one.done, among, strict=True)
    )

    def draw(axes: Axes, look: Look) -> None:
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
            axes.plot(among, heights, ".", color=colours[name], markersize=3.5, zorder=3)
        axes.set_xlabel(gap_text(reference.known) if reference else "result (less is better)")
        axes.grid(visible=False, axis="y")
        fit_rows(axes, look, len(names))

    where = samples[0].instance
    return Plot(
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
    )


def convergence_plot(analysis: Analysis, samples: Sequence[Sample], axis: RunAxis) -> Plot | None:
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

    def draw(axes: Axes, look: Look) -> None:
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
    return Plot(
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
    )


def target_plot(analysis: Analysis, samples: Sequence[Sample], axis: RunAxis) -> Plot | None:
    """The share of runs that had reached the target, along the runs (an ECDF)."""
    where = samples[0].instance
    gap = analysis.targets.get(where)
    if gap is None:
        return None
    found = [reached(one, gap, axis) for one in samples]
    word, text = AXES[axis]
    chosen = analysis.chosen_target is not None
    return Plot(
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
    )


def draw_reached(
    axes: Axes, look: Look, analysis: Analysis, found: Sequence[Reached], text: str
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
        few = self._room or (vmin > 0 and vmax / vmin < WIDEST)
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


def colours_of(analysis: Analysis, theme: Theme) -> dict[str, str]:
    """Return the colour of each configuration: the same in every plot."""
    colours = theme.colours
    return {label: colours[at % len(colours)] for at, label in enumerate(analysis.labels)}


def styles_of(analysis: Analysis) -> dict[str, Style]:
    """Return the line style of each configuration; it changes where colours begin again."""
    count = len(Theme.LIGHT.colours)
    return {label: _STYLES[at // count % len(_STYLES)] for at, label in enumerate(analysis.labels)}


def markers_of(analysis: Analysis) -> dict[str, str]:
    """Return the marker of each configuration."""
    return {label: MARKERS[at % len(MARKERS)] for at, label in enumerate(analysis.labels)}


def fit_rows(axes: Axes, look: Look, count: int) -> None:
    """Make the names beside ``count`` rows so small that they do not touch."""
    if count > (room := 0.7 * look.lines):
        axes.tick_params(axis="y", labelsize=max(2.0, look.points * room / count))


def legend(
    axes: Axes, analysis: Analysis, look: Look, labels: Sequence[str], *, marked: bool = False
) -> None:
    """Name the configurations below the plot; of very many, the first ones."""
    colours, styles = colours_of(analysis, look.theme), styles_of(analysis)
    markers = markers_of(analysis) if marked else dict.fromkeys(labels, "")
    handles = [
        Line2D([], [], color=colours[one], linestyle=styles[one], marker=markers[one])
        for one in labels
    ]
    names_below(axes, look, handles, labels)


def names_below(axes: Axes, look: Look, handles: Sequence[Artist], texts: Sequence[str]) -> None:
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
