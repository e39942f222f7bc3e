"""The figures of a paper as its authors drew them: our curves, and the paper's where known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gpu.papers.items import BY_INSTANCE, FRIEDMAN, MEASURES, FigureDesign, Item
from gpu.papers.paper_comparison import RESULT_MEASURES, cut_short, number_of, relative_number
from gpu.studies.results.analysis import Analysis
from gpu.studies.results.findings import Sample
from gpu.studies.results.statistics import Interval


@dataclass(frozen=True, slots=True)
class FigurePoint:
    """A number of ours, or of the paper."""

    x: float
    y: float
    interval: Interval | None = None  # of ours, at 95 %


@dataclass(frozen=True, slots=True)
class FigureCurve:
    """One line of a figure, and the paper's beside it."""

    label: str
    ours: tuple[FigurePoint, ...]
    papers: Mapping[str, tuple[FigurePoint, ...]]  # by what the paper says of it, such as a device


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure: what its axes are, and its curves."""

    name: str  # in file names
    title: str
    x_title: str
    y_title: str
    instances: tuple[str, ...]  # at 0, 1, 2 of the x-axis; empty if that has numbers
    curves: tuple[FigureCurve, ...]


def paper_figures(item: Item, analysis: Analysis) -> Iterator[PaperFigure]:
    """Yield the figures of an item for which there are results."""
    for design in item.figures:
        for part, instances, curves in _parts(item, design, analysis):
            if any(curve.ours for curve in curves):
                yield _figure(design, part, instances, curves)


def number_figures(item: Item, analysis: Analysis) -> Iterator[PaperFigure]:
    """Yield a figure by instance of each kind of number that a table has, as far as there is one.

    The paper has drawn none of them.
    """
    kinds = dict.fromkeys((one.measure, one.against) for one in item.numbers)
    for measure, against in kinds:
        if measure in FRIEDMAN:
            continue
        design = FigureDesign(measure=measure, by=BY_INSTANCE, against=against)
        for part, instances, curves in _parts(item, design, analysis):
            if any(curve.ours for curve in curves):
                found = _figure(design, part, instances, curves)
                yield replace(found, name="-".join(filter(None, (found.name, against))))


def _figure(
    design: FigureDesign, part: str, instances: tuple[str, ...], curves: list[FigureCurve]
) -> PaperFigure:
    name, unit = MEASURES[design.measure]
    by_instance = design.by == BY_INSTANCE
    x_title = "instances by their cities" if by_instance else design.by.replace("_", " ")
    y_title = f"{name} [{unit}]" if unit else name
    if design.against:
        y_title += f", against {design.against}"
    title = f"{part}: {name}" if part else name
    return PaperFigure(
        "-".join(filter(None, (design.measure, part))),
        title,
        x_title,
        y_title,
        instances if by_instance else (),
        tuple(curve for curve in curves if curve.ours or curve.papers),
    )


def _parts(
    item: Item, design: FigureDesign, analysis: Analysis
) -> Iterator[tuple[str, tuple[str, ...], list[FigureCurve]]]:
    """Yield each figure that a design has: its name, its instances, and its curves."""
    sizes = {one.instance: one.n for one in analysis.samples}
    names = [name for name in item.design.instances if name in sizes]
    by_size = tuple(sorted(names, key=lambda name: sizes[name]))
    if design.by == BY_INSTANCE:
        curves = [
            _curve(
                item,
                design,
                analysis,
                label,
                [(at, label, name) for at, name in enumerate(by_size)],
            )
            for label in item.design.labels
            if label != design.against
        ]
        if design.each == "colony":
            yield from ((curve.label, by_size, [curve]) for curve in curves)
        else:
            yield "", by_size, curves
        return
    swept = _swept(item, design.by)
    one = len(names) == 1
    if design.each == "colony":
        for colony, places in swept.items():
            found = [
                _curve(item, design, analysis, name, [(x, label, name) for x, label in places])
                for name in names
            ]
            yield colony if len(swept) > 1 else "", by_size, found
        return
    for name in names:
        found = [
            _curve(item, design, analysis, colony, [(x, label, name) for x, label in places])
            for colony, places in swept.items()
        ]
        yield "" if one else name, by_size, found


def _swept(item: Item, by: str) -> Mapping[str, list[tuple[float, str]]]:
    """Return the values of a parameter with the labels that have them, by curve."""
    found: dict[str, list[tuple[float, str]]] = {}
    for one in item.design.colonies:
        for values in one.combinations:
            value, label = values.get(by), one.label_of(values)
            if not isinstance(value, int | float):
                continue
            several = len(one.parameters[by]) > 1
            curve = one.label if several else label.rpartition(", ")[0] or label
            found.setdefault(curve, []).append((float(value), label))
    return {curve: sorted(places) for curve, places in found.items()}


def _curve(
    item: Item,
    design: FigureDesign,
    analysis: Analysis,
    label: str,
    places: list[tuple[float, str, str]],
) -> FigureCurve:
    """Return a curve from its x, configurations and instances."""
    samples = {(one.instance, one.label): one for one in analysis.samples if one.done}
    ours, papers = [], dict[str, list[FigurePoint]]()
    for x, configuration, instance in places:
        sample = samples.get((instance, configuration))
        value, interval = None, None
        if design.against:
            place = design.measure, configuration, design.against, instance
            value, interval, _ = relative_number(*place, analysis)
        elif sample is not None and not _ended_early(item, design, sample):
            value, interval = number_of(design.measure, sample)
        if value is not None:
            ours.append(FigurePoint(x, value, interval))
        for one in item.numbers:
            same = one.measure, one.configuration, one.against
            if same == (design.measure, configuration, design.against) and instance in one.values:
                papers.setdefault(one.note, []).append(FigurePoint(x, float(one.values[instance])))
    return FigureCurve(label, tuple(ours), {note: tuple(some) for note, some in papers.items()})


def _ended_early(item: Item, design: FigureDesign, sample: Sample) -> bool:
    """Whether a result means nothing here, because runs ended before the paper's."""
    return design.measure in RESULT_MEASURES and cut_short(item, sample) is not None
