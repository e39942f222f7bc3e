"""The figures of a paper as plots: our curves over the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from app.report.plot import PlotLook, PrintPlot, drawn, file_name
from app.report.plots import MARKERS, Style, error_bars, logarithmic, names_below
from gpu.papers.items import Item
from gpu.papers.paper_figures import (
    FigureCurve,
    FigurePoint,
    PaperFigure,
    number_figures,
    paper_figures,
)
from gpu.studies.results.analysis import Analysis

LOGARITHMIC_FROM = 8.0  # ratio of the greatest number to the least, from which an axis is so
_PAPERS_STYLES: tuple[Style, ...] = ("--", ":", "-.")
_TEXT = (
    "Our numbers are drawn through, with confidence intervals at 95 %. The paper's are dashed, "
    "with hollow signs, where its text or tables have them. Results of runs that ended before the "
    "paper's are left out."
)
COLUMNS = ("curve", "whose", "x", "number", "low", "high")


def figure_plots(item: Item, analysis: Analysis) -> Iterator[PrintPlot]:
    """Yield a plot of each figure of an item."""
    for figure in paper_figures(item, analysis):
        yield _plot(item, figure)


def first_plots(item: Item, analysis: Analysis) -> Iterator[PrintPlot]:
    """Yield what is looked at first: an item's figures, or its own numbers where it has none."""
    for figure in paper_figures(item, analysis) if item.figures else number_figures(item, analysis):
        yield _plot(item, figure)


def _plot(item: Item, figure: PaperFigure) -> PrintPlot:
    return PrintPlot(
        name=file_name(item.path.stem, figure.name),
        title=f"{item.item}: {figure.title}",
        text=_TEXT,
        columns=COLUMNS,
        rows=tuple(row for curve in figure.curves for row in _rows(figure, curve)),
        draw=lambda axes, look: _draw(figure, axes, look),
    )


def _rows(figure: PaperFigure, curve: FigureCurve) -> Iterator[tuple[object, ...]]:
    def x(point: FigurePoint) -> object:
        return figure.instances[int(point.x)] if figure.instances else point.x

    for point in curve.ours:
        part = point.interval
        ends = (part.low, part.high) if part else (None, None)
        yield curve.label, "ours", x(point), point.y, *ends
    for note, points in curve.papers.items():
        for point in points:
            yield curve.label, _papers(note), x(point), point.y, None, None


def _papers(note: str) -> str:
    return f"the paper's, {note}" if note else "the paper's"


def _draw(figure: PaperFigure, axes: Axes, look: PlotLook) -> None:
    notes = list(dict.fromkeys(note for curve in figure.curves for note in curve.papers))
    for at, curve in enumerate(figure.curves):
        colour, marker = (
            look.theme.colours[at % len(look.theme.colours)],
            MARKERS[at % len(MARKERS)],
        )
        axes.errorbar(
            list(map(attrgetter("x"), curve.ours)),
            list(map(attrgetter("y"), curve.ours)),
            yerr=error_bars([(one.interval, one.y) for one in curve.ours]),
            color=colour,
            marker=marker,
            elinewidth=0.8,
            capsize=2,
        )
        for note, theirs in curve.papers.items():
            axes.plot(
                list(map(attrgetter("x"), theirs)),
                list(map(attrgetter("y"), theirs)),
                color=colour,
                marker=marker,
                markerfacecolor="none",
                linestyle=_PAPERS_STYLES[notes.index(note) % len(_PAPERS_STYLES)],
                linewidth=0.9,
            )
    points = [
        point
        for curve in figure.curves
        for several in (curve.ours, *curve.papers.values())
        for point in several
    ]
    _lay_out_x(figure, axes, look, [point.x for point in points])
    heights = [point.y for point in points]
    if min(heights) > 0 and max(heights) >= LOGARITHMIC_FROM * min(heights):
        logarithmic(axes, "y")
    else:
        axes.set_ylim(bottom=min(0.0, *heights))
    axes.set_xlabel(figure.x_title)
    axes.set_ylabel(figure.y_title)
    names_below(axes, look, *_names(figure, look, notes))


def _lay_out_x(figure: PaperFigure, axes: Axes, look: PlotLook, places: Sequence[float]) -> None:
    if figure.instances:
        room = max(6, look.letters // (len(figure.instances) + 1) - 2)
        names = [drawn(name, room) for name in figure.instances]
        axes.set_xticks(range(len(names)), names)
        axes.set_xlim(-0.4, len(names) - 0.6)
        return
    values = sorted(set(places))
    if values[0] > 0 and values[-1] >= LOGARITHMIC_FROM * values[0] and _doubling(values):
        logarithmic(axes, "x")
    if len(values) <= look.letters // 8:
        axes.set_xticks(values, [f"{one:g}" for one in values])
        axes.minorticks_off()


def _doubling(values: Sequence[float]) -> bool:
    """Whether steps grow from one value to the next, as in 1, 2, 4, 8."""
    steps = [after - before for before, after in pairwise(values)]
    return len(steps) > 1 and steps[-1] > 2 * steps[0]


def _names(
    figure: PaperFigure, look: PlotLook, notes: Sequence[str]
) -> tuple[list[Artist], list[str]]:
    handles: list[Artist] = [
        Line2D(
            [],
            [],
            color=look.theme.colours[at % len(look.theme.colours)],
            marker=MARKERS[at % len(MARKERS)],
        )
        for at in range(len(figure.curves))
    ]
    texts = [curve.label for curve in figure.curves]
    for at, note in enumerate(notes):
        style = _PAPERS_STYLES[at % len(_PAPERS_STYLES)]
        handles.append(
            Line2D(
                [],
                [],
                color=look.theme.ink,
                linestyle=style,
                marker="o",
                markerfacecolor="none",
                linewidth=0.9,
            )
        )
        texts.append(_papers(note))
    return handles, texts
