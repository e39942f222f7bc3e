"""The numbers of a paper beside those of our runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from gpu.papers.coverage import unreached
from gpu.papers.items import ALL, FRIEDMAN, RATIOS, Item, Numbers
from gpu.studies.cases import CaseRow
from gpu.studies.design import Design
from gpu.studies.results.analysis import Analysis, rates
from gpu.studies.results.findings import Sample
from gpu.studies.results.statistics import Friedman, Interval, mean_interval

GAUGED: Mapping[str, str] = {
    "occupancy": "construction_warps",
    "choice-gflops": "choice_operations",
    "choice-gbs": "choice_bytes",
    "tabu-bytes": "tabu_bytes",
}
"""Measures that come from a colony's gauges, and which; see :class:`gpu.core.colony.Gauged`."""

RESULT_MEASURES = (
    *("mean-gap", "least-gap", "mean", "best", "seconds", "greatest-deviation"),
    *FRIEDMAN,
)
"""Measures that mean nothing beside the paper's where our runs ended earlier than the paper's."""

BELOW, WITHIN, ABOVE = "below", "within", "above"


@dataclass(frozen=True, slots=True)
class Compared:
    """One number of a paper, and ours."""

    instance: str  # its name, or ALL
    configuration: str  # empty for a number that is of all configurations
    measure: str  # one of MEASURES
    ours: float | None  # None where no run is done that it could come from
    interval: Interval | None  # at 95 %, of our mean (or speedup)
    runs: int  # of ours that are done
    our_mark: str = ""  # our mark of significance, against the item's baseline
    cut: str = ""  # how far our runs came, if they ended before the paper's
    failed: int = 0  # of ours that failed
    paper: float | None = None  # None where the paper has no number
    paper_mark: str = ""  # the paper's mark of significance
    note: str = ""  # what else the paper says of it, such as its device
    against: str = ""  # label of what it is relative to

    @property
    def verdict(self) -> str:
        """Where the paper's number lies: BELOW, WITHIN or ABOVE our interval.

        It is empty where there is none, and where our runs were cut short.
        """
        if self.interval is None or self.ours is None or self.paper is None or self.cut:
            return ""
        if self.paper < self.interval.low:
            return BELOW
        return ABOVE if self.paper > self.interval.high else WITHIN


def beside(item: Item, analysis: Analysis) -> tuple[Compared, ...]:
    """Return every number of the paper that the item has, with ours where there is one.

    Behind them come our numbers of what the item lists.
    """
    samples = {(one.instance, one.label): one for one in analysis.samples}
    theirs = [
        _compared(part, instance, paper, item, analysis, samples)
        for part in item.numbers
        for instance, paper in part.values.items()
    ]
    known = {(one.measure, one.configuration, one.instance) for one in theirs}
    ours = [
        _listed(measure, sample, item, analysis)
        for measure in item.lists
        for sample in analysis.samples
        if sample.done and (measure, sample.label, sample.instance) not in known
    ]
    return (*theirs, *(one for one in ours if one.ours is not None))


def shortfall(item: Item, analysis: Analysis) -> str:
    """Say what our runs have less of than the paper's, if they do; else return an empty text."""
    design = item.design
    said = []
    planned = max((len({row.seed for row in one.rows}) for one in analysis.samples), default=0)
    if planned < len(design.seeds):
        said.append(
            f"{planned} instead of {len(design.seeds)} runs of each configuration on each instance"
        )
    if dict(analysis.results.budget) != design.limits and not _is_part(
        analysis.results.budget, design
    ):
        said.append("other limits than the paper's runs")
    return " and ".join(said)


def not_run(item: Item, analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """Return each instance and configuration of the item of which no run has ended."""
    found = {(one.instance, one.label) for one in analysis.samples if one.ended}
    return tuple(
        (name, label)
        for one in item.design.colonies
        for label in map(one.label_of, one.combinations)
        for name in one.instances or item.design.instances
        if (name, label) not in found
    )


def _is_part(budget: Mapping[str, object], design: Design) -> bool:
    """Whether a study's limits are those of the item, for some of its instances.

    Limits that are measured differ from machine to machine.
    """
    limits = design.limits
    own, every = budget.get("instances", {}), limits.get("instances", {})
    rest = {name: value for name, value in limits.items() if name != "instances"}
    if {name: value for name, value in budget.items() if name != "instances"} != rest:
        return False
    return (
        isinstance(own, dict)
        and isinstance(every, dict)
        and (design.measured_limit is not None or all(every.get(name) == own[name] for name in own))
    )


def _listed(measure: str, sample: Sample, item: Item, analysis: Analysis) -> Compared:
    ours, interval = number_of(measure, sample)
    shown = analysis.comparisons.shown.get((sample.instance, sample.label))
    mark = shown.mark if shown and measure == "mean-gap" else ""
    cut = cut_short(item, sample) if measure in RESULT_MEASURES else None
    told, runs = cut.text if cut else "", len(sample.done)
    return Compared(sample.instance, sample.label, measure, ours, interval, runs, mark, told)


class Cut(NamedTuple):
    """How far runs came on average of which some ended before the paper's."""

    what: str  # iterations, solutions or seconds
    made: float
    whole: float  # of a run of the paper

    @property
    def share(self) -> float:
        """Which part of the paper's run that is."""
        return self.made / self.whole

    @property
    def text(self) -> str:
        """It in words: 40 of 100 iterations."""
        form = ".3g" if self.what == "seconds" else ",.0f"
        return f"{self.made:{form}} of {self.whole:{form}} {self.what}"


def cut_short(item: Item, sample: Sample) -> Cut | None:
    """Return how far the runs came on average, if some ended before the paper's; else None."""
    budget = item.design.budget_of(sample.instance)  # the paper's, whatever its colony has
    name = next(filter(None, (unreached(budget, row) for row in sample.done)), "")
    if not name:
        return None
    made = float(np.mean([getattr(row, name) for row in sample.done]))
    return Cut(name, made, getattr(budget, name))


def _compared(
    part: Numbers,
    instance: str,
    paper: float,
    item: Item,
    analysis: Analysis,
    samples: Mapping[tuple[str, str], Sample],
) -> Compared:
    sample = samples.get((instance, part.configuration))
    ours, interval, runs = None, None, len(sample.done) if sample else 0
    if part.measure in FRIEDMAN:
        test = analysis.comparisons.by_seed.get(instance)
        if isinstance(test, Friedman):
            runs = test.blocks
            ours = test.statistic if part.measure == "friedman" else test.chi_square_p
    elif part.against:
        place = part.configuration, part.against, instance
        ours, interval, runs = relative_number(part.measure, *place, analysis)
    elif instance == ALL:
        every = [one for one in analysis.samples if one.label == part.configuration and one.done]
        numbers = [(number_of(part.measure, one), len(one.done)) for one in every]
        known = [(*pair, count) for pair, count in numbers if pair[0] is not None]
        ours, interval, runs = max(known, key=lambda one: one[0] or 0.0, default=(None, None, 0))
    elif sample is not None and sample.done:
        ours, interval = number_of(part.measure, sample)
    shown = analysis.comparisons.shown.get((instance, part.configuration))
    mark = shown.mark if shown and part.measure == "mean-gap" else ""
    cut = ""
    if part.measure in RESULT_MEASURES:
        own = (part.configuration, part.against)
        used = [one for one in analysis.samples if not any(own) or one.label in own]
        at = [one for one in used if instance in (one.instance, ALL)]
        cuts = [(one, found.text) for one in at if (found := cut_short(item, one))]
        if instance == ALL:
            cut = ", ".join(f"{one.label} on {one.instance} {text}" for one, text in cuts)
        else:
            cut = next((text for _, text in cuts), "")
    return Compared(
        *(instance, part.configuration, part.measure, ours, interval, runs, mark, cut),
        failed=len(sample.lost) if sample else 0,
        paper=float(paper),
        paper_mark=part.marks.get(instance, ""),
        note=part.note,
        against=part.against,
    )


def number_of(measure: str, sample: Sample) -> tuple[float | None, Interval | None]:
    """Return our number of one sample, with the interval of a mean."""
    reference = sample.reference if sample.reference and sample.reference.known else None
    if measure == "best":
        return float(min(sample.costs)), None
    if measure == "least-gap":
        return (reference.gap_percent(min(sample.costs)) if reference else None), None
    values = [value for row in sample.done if (value := value_of(measure, row, sample)) is not None]
    if not values:
        return None, None
    return float(np.mean(values)), mean_interval(values)


def value_of(measure: str, row: CaseRow, sample: Sample) -> float | None:
    """Return the number of one run; None if it has none."""
    if measure == "mean-gap":
        cost, reference = row.best, sample.reference
        if reference is None or not reference.known or cost is None:
            return None
        return reference.gap_percent(cost)
    if measure == "mean":
        return row.best
    if measure == "seconds":
        return row.seconds
    if measure in ("local-hits", "global-hits"):
        rate = row.hit_rate(measure.partition("-")[0])
        return None if rate is None else 100 * rate
    if measure == "tours-ms":
        return 1e3 * row.seconds / row.solutions * row.n if row.solutions else None
    if measure in GAUGED:
        return _gauged(measure, row)
    if not row.phases:
        return None
    if measure == "rest-ms":
        return sum(row.phases.values()) - row.phases.get("construction", 0.0)
    return row.phases.get(measure.removesuffix("-ms"))


def _gauged(measure: str, row: CaseRow) -> float | None:
    """Return what the colony's gauges say, alone or divided by the time of a phase."""
    what = GAUGED[measure]
    if what not in row.counts:
        return None
    if measure == "occupancy":
        return 100 * row.counts[what] / row.counts["most_warps"]
    if measure == "tabu-bytes":
        return float(row.counts[what])
    milliseconds = row.phases.get("choice info", 0.0)
    return row.counts[what] / (1e6 * milliseconds) if milliseconds else None


def relative_number(
    measure: str, label: str, against: str, instance: str, analysis: Analysis
) -> tuple[float | None, Interval | None, int]:
    """Return how a configuration compares with another one: on one instance, or the greatest.

    Behind the number come its interval, where it has one, and the runs that it is of.
    """
    mine = [
        one for one in analysis.samples if one.label == label and instance in (one.instance, ALL)
    ]
    theirs = {one.instance: one for one in analysis.samples if one.label == against}
    pairs = [(one, theirs[one.instance]) for one in mine if one.instance in theirs]
    pairs = [(one, base) for one, base in pairs if one.done and base.done]
    runs = min((len(one.done) for one, _ in pairs), default=0)
    if not pairs:
        return None, None, 0
    if measure in ("speedup", "greatest-speedup"):
        ratios = rates([one for pair in pairs for one in pair], against)
        known = [one for one in ratios if one.value is not None]
        best = max(known, key=lambda one: one.value or 0.0, default=None)
        return (best.value, best.interval, runs) if best else (None, None, 0)
    value: Callable[[Sample, Sample], float | None] = _deviation
    if measure in RATIOS:
        value = partial(_phase_speedup, f"{measure.removesuffix('-speedup')}-ms")
    values = [found for one, base in pairs if (found := value(one, base)) is not None]
    return (max(values) if values else None), None, runs


def _deviation(one: Sample, base: Sample) -> float | None:
    """Return how far the mean result of ``one`` is from that of ``base``, in %."""
    mine, other = _mean(one.costs), _mean(base.costs)
    return 100 * abs(mine - other) / other if other else None


def _phase_speedup(measure: str, one: Sample, base: Sample) -> float | None:
    mine, other = (number_of(measure, each)[0] for each in (one, base))
    return other / mine if mine and other else None


def _mean(costs: Sequence[int]) -> float:
    return math.fsum(costs) / len(costs)
