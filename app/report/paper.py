"""The part of a report that puts our numbers beside those of a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from xml.etree.ElementTree import Element

from matplotlib.axes import Axes

from app.report.figures import figure_plots
from app.report.html import download, element, table
from app.report.plot import PlotLook, PrintPlot, drawn, figure, file_name
from app.report.plots import logarithmic
from gpu.core.formats import brief
from gpu.core.tables import Column, csv_of, fields
from gpu.core.words import counted, without_folders
from gpu.papers.items import FRIEDMAN, MEASURES, Item
from gpu.papers.paper_comparison import (
    ABOVE,
    BELOW,
    WITHIN,
    Compared,
    beside,
    not_run,
    shortfall,
)
from gpu.papers.verdicts import CLAIM_COLUMNS, judged, verdicts_text
from gpu.studies.results.analysis import Analysis
from gpu.studies.results.statistics import Interval

PAPER_COLUMNS: Sequence[Column[Compared]] = (
    *fields("measure", "configuration", "note", "instance", "paper", "ours"),
    *fields("low", "high", of="interval"),
    *fields("runs", "paper_mark", "our_mark"),
)
"""Columns of the CSV."""

VERDICTS = {BELOW: "below our interval", WITHIN: "within our interval", ABOVE: "above our interval"}
PERCENT = ("mean-gap", "least-gap", "greatest-deviation", "occupancy")
PICTURE = (
    "The paper shows this as a picture, and its text has no numbers to put beside ours. Our "
    "results are below."
)
ABOUT_PAPER_INTERVALS = (
    "The paper gives means and no deviations, so no test of two samples can be made. The table "
    "says instead whether the paper's number lies within the 95 % confidence interval of ours. The "
    "paper's number has an error of its own, which nobody knows, so a number that lies just "
    "outside is no proof of a difference. Gaps are from the best known results; where none is on "
    "record, ours is unknown."
)
ABOUT_PAPER_MARKS = (
    "The marks + and − say that a configuration is significantly better or worse than {baseline}, "
    "in the paper and in our runs; ours are corrected for the number of tests."
)


def paper_parts(
    item: Item, analysis: Analysis, look: PlotLook, absent: Mapping[str, str]
) -> Iterator[Element]:
    """Return the comparison with the paper; ``absent`` says why something could not be run."""
    numbers = beside(item, analysis)
    yield element("h2", "Against the paper", id="paper")
    yield element("p", f"{item.item} of {item.paper}: {item.shows}.")
    if short := shortfall(item, analysis):
        yield element(
            "p",
            element("strong", "This is a trial."),
            f" It has {short}. Fewer runs make our intervals wide. Results of runs that were cut "
            "short cannot be compared with the paper's; times for a tour can.",
            class_="note",
        )
    if claims := judged(item, analysis):
        yield element("p", f"What the paper says of it, in our words: {verdicts_text(claims)}.")
        yield table(CLAIM_COLUMNS, [("", claims)])
    heads = ("hardware", "the paper's", "ours")
    yield table(_texts_under(*heads), [("", hardware(item, analysis))])
    if any(one.paper is not None for one in numbers):
        yield element("p", ABOUT_PAPER_INTERVALS)
        if item.baseline and any(one.paper_mark or one.our_mark for one in numbers):
            yield element("p", ABOUT_PAPER_MARKS.format(baseline=item.baseline))
    else:
        yield element("p", PICTURE)
    if numbers:
        yield _table(numbers, len(item.design.seeds))
        yield element(
            "p", download("paper.csv", csv_of(PAPER_COLUMNS, numbers), "This table as CSV")
        )
    if item.quoted:
        yield element("p", "What the paper quotes of other algorithms, which were not run here:")
        yield _quoted_table(item)
    told: set[str] = set()
    for plot in (*figure_plots(item, analysis), *paper_plots(numbers)):
        yield figure(plot, look, told)
    yield element("h3", "What differs from the paper")
    yield element("ul", *(element("li", text) for text in item.differs or ("Nothing is known.",)))
    yield from _left_out(item, analysis, absent)


def paper_plots(numbers: Sequence[Compared]) -> Iterator[PrintPlot]:
    """Return a plot of our numbers against the paper's, for each measure that has two or more."""
    for measure in dict.fromkeys(one.measure for one in numbers):
        some = [one for one in numbers if one.measure == measure and not one.cut]
        known = [
            (one, one.paper, one.ours)
            for one in some
            if one.paper is not None and one.ours is not None
        ]
        if len(known) > 1:
            yield _plot(measure, known)


def _plot(measure: str, known: Sequence[tuple[Compared, float, float]]) -> PrintPlot:
    name, unit = MEASURES[measure]
    titled = f"{name} [{unit}]" if unit else name
    labels = list(dict.fromkeys(label_of(one) for one, _, _ in known))
    values = [value for _, paper, ours in known for value in (paper, ours)]

    def draw(axes: Axes, look: PlotLook) -> None:
        theme = look.theme
        low, high = min(values), max(values)
        if low > 0 and high > 10 * low:
            logarithmic(axes, "x")
            logarithmic(axes, "y")
        axes.axline((low, low), (high, high), color=theme.ink, linewidth=0.8, linestyle=":")
        for at, label in enumerate(labels):
            some = [each for each in known if label_of(each[0]) == label]
            axes.plot(
                [paper for _, paper, _ in some],
                [ours for _, _, ours in some],
                "os^Dvp*"[at % 7],
                color=theme.colours[at % len(theme.colours)],
                label=drawn(label, int(0.35 * look.letters)),
            )
            for one, paper, _ in some:
                if one.interval is not None:
                    axes.plot(
                        [paper, paper],
                        [one.interval.low, one.interval.high],
                        color=theme.colours[at % len(theme.colours)],
                        linewidth=0.8,
                    )
        axes.set_xlabel(f"{titled}, the paper's")
        axes.set_ylabel(f"{titled}, ours")
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))

    return PrintPlot(
        name=file_name("paper", measure),
        title=f"{name}: ours against the paper's",
        text="Each sign is one instance; on the dotted line, both numbers are equal. The thin line "
        "is our 95 % interval.",
        columns=tuple(column.title for column in PAPER_COLUMNS),
        rows=tuple(tuple(column.value(one) for column in PAPER_COLUMNS) for one, _, _ in known),
        draw=draw,
    )


def hardware(item: Item, analysis: Analysis) -> list[list[str]]:
    """Return a line for each kind of hardware: its name, the paper's, and ours."""
    models: dict[str, list[str]] = {"cuda": [], "cpu": []}
    for host in analysis.results.hosts:
        kind = "cuda" if str(host.get("device", "")).startswith("cuda") else "cpu"
        models[kind].append(f"{host.get('model', '')} ({host.get('device', '')})")
    return [
        [what, theirs or "not said", "; ".join(dict.fromkeys(models[kind])) or "none was used"]
        for what, theirs, kind in (("GPU", item.gpu, "cuda"), ("processor", item.cpu, "cpu"))
    ]


def _table(numbers: Sequence[Compared], planned: int) -> Element:
    columns: Sequence[Column[Compared]] = (
        Column("configuration", label_of),
        Column("instance", lambda one: one.instance),
        Column("paper", lambda one: one.paper, value_text),
        Column("ours", ours_text),
        Column("95 % interval of ours", lambda one: one.interval, _interval),
        Column(
            "runs", lambda one: f"{one.runs} of {planned}" if planned > one.runs else str(one.runs)
        ),
        Column("ours against the paper", _difference),
        Column("the paper's number lies", _verdict),
        Column("marks: paper, ours", _marks),
    )
    groups: dict[str, list[Compared]] = {}
    for one in numbers:
        groups.setdefault(_titled(one.measure), []).append(one)
    return table(columns, groups.items())


def _quoted_table(item: Item) -> Element:
    lines = [
        [one.algorithm, instance, value_text(value), _titled(one.measure)]
        for one in item.quoted
        for instance, value in one.values.items()
    ]
    return table(_texts_under("algorithm", "instance", "the paper's number", "of"), [("", lines)])


def _titled(measure: str) -> str:
    name, unit = MEASURES[measure]
    return f"{name}, {unit}" if unit else name


def _interval(interval: Interval) -> str:
    return f"{value_text(interval.low)} to {value_text(interval.high)}"


def _verdict(one: Compared) -> str | None:
    return f"not comparable: {one.cut}" if one.cut else VERDICTS.get(one.verdict)


def _marks(one: Compared) -> str:
    marked = one.paper_mark or one.our_mark
    return f"{one.paper_mark or '·'}, {one.our_mark or '·'}" if marked else ""


def ours_text(one: Compared) -> str:
    """Return our number, or why there is none."""
    if one.ours is None:
        return "unknown" if one.runs else "failed" if one.failed else "not run"
    return value_text(one.ours)


def value_text(value: float) -> str:
    """Return a number with four digits, or in full if it is a whole one."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else brief(value, 4, ",")


def _difference(one: Compared) -> str:
    """Return our number against the paper's: in points for %, in % for results, else as a ratio."""
    if one.ours is None or one.paper is None or one.cut:
        return "—"
    if one.measure in PERCENT:
        return f"{one.ours - one.paper:+.2f} points"
    if one.measure in ("mean", "best"):
        return f"{100 * (one.ours - one.paper) / one.paper:+.2f} %" if one.paper else "—"
    if one.measure in FRIEDMAN:
        return f"{one.ours - one.paper:+.2f}"
    return f"{brief(one.ours / one.paper, thousands=',')} times" if one.paper else "—"


def _left_out(item: Item, analysis: Analysis, absent: Mapping[str, str]) -> Iterator[Element]:
    missing = not_run(item, analysis)
    if not missing:
        return
    yield element("h3", "What was not run")
    yield element(
        "p",
        f"{counted(len(missing), 'combination')} of configuration and instance "
        f"{'has' if len(missing) == 1 else 'have'} no run in these results.",
    )
    whys: dict[str, list[str]] = {}
    for instance, label in missing:
        why = absent.get(instance) or absent.get(label)
        why = without_folders(why or "it was not part of these runs")
        whys.setdefault(why, []).append(f"{label} on {instance}")
    lines = [[_some(names), why] for why, names in whys.items()]
    yield table(_texts_under("not run", "why"), [("", lines)])


def _texts_under(*titles: str) -> list[Column[Sequence[str]]]:
    """Return columns for rows of texts."""
    return [Column(title, itemgetter(at)) for at, title in enumerate(titles)]


def _some(names: Sequence[str]) -> str:
    text = "; ".join(names[:40])
    return text if len(names) <= 40 else f"{text} and {len(names) - 40} more"


def label_of(one: Compared) -> str:
    """Return what a number is of: its configuration, and what it is relative to."""
    against = f"against {one.against}" if one.against else ""
    return ", ".join(filter(None, (one.configuration, one.note, against))) or "all configurations"
