"""Everything that the report of a study is made from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.cost_curve import CostBand, CostCurve, RunAxis, cost_band
from gpu.core.errors import FormicariumError
from gpu.core.tables import value_order
from gpu.studies.cases import CaseRow, StudyResults
from gpu.studies.results.findings import (
    Comparison,
    Comparisons,
    Sample,
    Summary,
    compare,
    samples_of,
    summary_of,
)
from gpu.studies.results.statistics import SIGNIFICANCE, Interval, mean_interval

BAND_POINTS_MOST = 150  # of a curve; more cannot be told apart in print


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """When the runs of one configuration reached a target."""

    label: str
    moments: NDArray[np.float64]  # (k,): of the runs that reached it, ascending
    runs: int  # all that are done or lost: a failed run has not reached it

    @property
    def median(self) -> float:
        """The median moment; infinite unless more than half of the runs reached the target."""
        padded = [*self.moments, *[math.inf] * (self.runs - len(self.moments))]
        return float(np.median(padded)) if padded else math.inf


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times faster a configuration is than the baseline on one instance."""

    instance: str
    n: int
    label: str
    value: float | None  # None where it is unknown
    interval: Interval | None


class Quantity(StrEnum):
    """What a parameter may have an effect on, all in %."""

    GAP = "gap"
    LOCAL_HITS = "local_hits"  # share of the local updates that a selective memory had a trail for
    GLOBAL_HITS = "global_hits"  # the same of the global updates


@dataclass(frozen=True, slots=True)
class ParameterEffect:
    """A mean for each value of one parameter, on one instance, over all its other runs."""

    quantity: Quantity
    colony: str
    parameter: str
    instance: str
    values: tuple[object, ...]  # ascending where they are numbers
    means: tuple[float, ...]  # of the quantity, %
    intervals: tuple[Interval | None, ...]
    runs: tuple[int, ...]


def series_of(row: CaseRow) -> CostCurve | None:
    """Return the improvements of a run and its last state; None without a solution."""
    if row.curve is None or not len(row.curve):
        return None
    rows = row.curve.rows
    iteration, built, seconds, cost = rows[-1]
    end = max(iteration, row.iterations), max(built, row.solutions), max(seconds, row.seconds), cost
    return CostCurve.of([*rows, end])


def common_target(samples: Sequence[Sample]) -> float | None:
    """Return the least gap in % that every configuration reached in more than half of its runs.

    So each of them has a median time to it. Configurations that have no result in half of their
    runs or more reach no gap so often; they are left out. ``samples`` are those of one instance.
    The result is None where there is no gap.
    """
    gaps = []
    for one in samples:
        most = (len(one.done) + len(one.lost)) // 2  # the cost at this place is the median, or next
        if one.reference and most < len(one.costs):
            gaps.append(one.reference.gap_percent(sorted(one.costs)[most]))
    return max(gaps, default=None)


def reached(sample: Sample, gap: float, axis: RunAxis) -> Reached:
    """Return when the runs of ``sample`` came within ``gap`` % of its reference; it has one."""
    reference = sample.reference
    if reference is None:
        raise ValueError("there is no cost to measure gaps from")
    highest = reference.cost * (1 + gap / 100) * (1 + 1e-12)
    moments = []
    for row in sample.done:
        series = series_of(row)
        at = None if series is None else series.reached(highest, axis)
        if at is not None:
            moments.append(at)
    runs = len(sample.done) + len(sample.lost)
    return Reached(sample.label, frozen(np.sort(np.array(moments, np.float64))), runs)


def convergence(sample: Sample, axis: RunAxis) -> CostBand:
    """Return mean, lowest and highest gap of the runs, in %, where the sample has a reference.

    The band begins where all runs have a solution. It ends where the first of them ends that has
    not reached the best known cost.
    """
    rows = [(row, one) for row in sample.done if (one := series_of(row)) is not None]
    solved = [bool(row.optimum) and one.costs[-1] <= row.optimum for row, one in rows]
    band = cost_band([one for _, one in rows], axis, ended=solved, most=BAND_POINTS_MOST)
    cost = sample.reference.cost if sample.reference else math.nan

    def gaps(costs: NDArray[np.float64]) -> NDArray[np.float64]:
        return frozen(100 * (costs - cost) / cost)

    return CostBand(band.places, gaps(band.mean), gaps(band.low), gaps(band.high), band.runs)


def rates(samples: Sequence[Sample], baseline: str) -> tuple[Ratio, ...]:
    """Return how much faster than ``baseline`` solutions are made, on each instance.

    The value is the ratio of the geometric means of the time for a solution; the interval is
    Student's for the difference of the logarithms, with unequal variances (Welch).
    """
    from scipy import stats

    found = []
    for one, base in _with_baseline(samples, baseline):
        ours, theirs = (np.log(_solution_seconds(sample)) for sample in (one, base))
        if not len(ours) or not len(theirs):
            found.append(Ratio(one.instance, one.n, one.label, None, None))
            continue
        value = math.exp(float(theirs.mean() - ours.mean()))
        interval = None
        if min(len(ours), len(theirs)) > 1 and np.ptp(ours) + np.ptp(theirs) > 0:
            test = stats.ttest_ind(theirs, ours, equal_var=False)
            low, high = test.confidence_interval(1 - SIGNIFICANCE)
            interval = Interval(math.exp(float(low)), math.exp(float(high)), "t")
        found.append(Ratio(one.instance, one.n, one.label, value, interval))
    return tuple(found)


def target_speedups(
    samples: Sequence[Sample], baseline: str, targets: Mapping[str, float]
) -> tuple[Ratio, ...]:
    """Return how much sooner than ``baseline`` the target of each instance is reached.

    The value is the ratio of the median seconds; it is None where no more than half of the runs of
    one side reached the target, or where half of them began with it. There is no interval: a run
    that did not arrive has no time.
    """
    found = []
    for one, base in _with_baseline(samples, baseline):
        gap = targets.get(one.instance)
        if gap is None:
            continue
        ours, theirs = (reached(sample, gap, RunAxis.SECONDS).median for sample in (one, base))
        usable = math.isfinite(ours) and math.isfinite(theirs) and ours > 0 and theirs > 0
        value = theirs / ours if usable else None
        found.append(Ratio(one.instance, one.n, one.label, value, None))
    return tuple(found)


def parameter_effects(samples: Sequence[Sample]) -> tuple[ParameterEffect, ...]:
    """Return the effects of each parameter that has several values, colony by colony."""
    return tuple(one for quantity in Quantity for one in _effects(samples, quantity))


def _effects(samples: Sequence[Sample], quantity: Quantity) -> Iterator[ParameterEffect]:
    found: dict[tuple[str, str, str], dict[object, list[float]]] = {}
    for sample in samples:
        for row in sample.done:
            percent = _percent(quantity, sample, row)
            if percent is None:
                continue
            for name, value in row.parameters.items():
                values = found.setdefault((row.colony, name, row.instance), {})
                values.setdefault(value, []).append(percent)
    varied = {place[:2] for place, values in found.items() if len(values) > 1}
    for place, values in found.items():
        if place[:2] in varied:
            yield _effect(quantity, *place, values)


def _percent(quantity: Quantity, sample: Sample, row: CaseRow) -> float | None:
    """Return the quantity of one run that is done; None where there is none."""
    if quantity is Quantity.GAP:
        if sample.reference is None or row.best is None:
            return None
        return sample.reference.gap_percent(row.best)
    rate = row.hit_rate(quantity.removesuffix("_hits"))
    return None if rate is None else 100 * rate


def _effect(
    quantity: Quantity,
    colony: str,
    parameter: str,
    instance: str,
    found: Mapping[object, Sequence[float]],
) -> ParameterEffect:
    ordered = sorted(found, key=value_order)
    return ParameterEffect(
        quantity,
        colony,
        parameter,
        instance,
        values=tuple(ordered),
        means=tuple(float(np.mean(found[value])) for value in ordered),
        intervals=tuple(mean_interval(found[value]) for value in ordered),
        runs=tuple(len(found[value]) for value in ordered),
    )


def _with_baseline(samples: Sequence[Sample], baseline: str) -> list[tuple[Sample, Sample]]:
    """Return every sample with the baseline's one on the same instance, where there is one."""
    bases = {one.instance: one for one in samples if one.label == baseline}
    return [
        (one, bases[one.instance])
        for one in samples
        if one.label != baseline and one.instance in bases
    ]


def _solution_seconds(sample: Sample) -> NDArray[np.float64]:
    """Return the seconds for one solution of each run that is done and made some, (k,)."""
    times = [row.seconds / row.solutions for row in sample.done if row.solutions]
    return np.array([time for time in times if time > 0], np.float64)


class ReportError(FormicariumError):
    """A report that cannot be made as it was asked for; the message says why."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row of the results: what a configuration found on an instance, and how it was tested."""

    sample: Sample
    summary: Summary
    tested: Comparison | None
    untested: str  # why there is no test
    lowest: bool  # whether its mean is the lowest on the instance
    best: bool  # whether it is significantly better than every other one

    @property
    def mark(self) -> str:
        """The mark of the test; empty without any."""
        return "" if self.tested is None else self.tested.mark


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The results of a study with all that was computed from them."""

    results: StudyResults
    samples: tuple[Sample, ...]  # by instance, then by configuration
    summaries: tuple[Summary, ...]  # of the samples, in their order
    comparisons: Comparisons
    chosen_target: float | None  # the gap in % that was asked for; None: one for each instance
    targets: Mapping[str, float]  # gap in % by instance; without those that have no gap
    speedup_baseline: str  # label that speedups are relative to; empty without any run
    rates: tuple[Ratio, ...]  # speedup for each solution
    target_speedups: tuple[Ratio, ...]  # speedup to the target
    effects: tuple[ParameterEffect, ...]

    @property
    def instances(self) -> tuple[str, ...]:
        """The names of the instances."""
        return tuple(dict.fromkeys(one.instance for one in self.samples))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the configurations."""
        return labels_of(self.samples)

    @property
    def rows(self) -> tuple[ResultRow, ...]:
        """The rows of the table of results."""
        found = self.comparisons
        return tuple(
            ResultRow(
                *(sample, summary, found.shown.get(place), found.untested.get(place, "")),
                *(place in found.lowest, place in found.clearly_best),
            )
            for sample, summary in zip(self.samples, self.summaries, strict=True)
            for place in [(sample.instance, sample.label)]
        )

    def on(self, instance: str) -> tuple[Sample, ...]:
        """Return the samples of one instance."""
        return tuple(one for one in self.samples if one.instance == instance)


def labels_of(samples: tuple[Sample, ...]) -> tuple[str, ...]:
    """Return the labels of the configurations, in the order of the study."""
    return tuple(dict.fromkeys(one.label for one in samples))


def analyse(results: StudyResults, baseline: str = "", target: float | None = None) -> Analysis:
    """Compute all that a report shows; a large study takes seconds.

    Parameters
    ----------
    baseline
        Label of the configuration that the others are compared with. If it is empty, tests compare
        with the lowest mean of each instance, and speedups with the first configuration.
    target
        Gap in % for the time to target. Without it, each instance has its own: the least one that
        every configuration reached in more than half of its runs.

    Raises
    ------
    ReportError
        If there is no configuration of this label, or the target is no gap.
    """
    samples = samples_of(results.rows)
    labels = labels_of(samples)
    if baseline and baseline not in labels:
        raise ReportError(
            f"{baseline}: the study has no configuration of this name; "
            f"it has {'; '.join(labels) or 'none'}"
        )
    if target is not None and not 0 <= target < float("inf"):
        raise ReportError(f"target = {target:g} is no gap in %: choose 0 or more")
    targets: dict[str, float] = {}
    for instance in dict.fromkeys(one.instance for one in samples):
        here = [one for one in samples if one.instance == instance]
        common = common_target(here)
        if common is not None:
            targets[instance] = common if target is None else target
    base = baseline or next(iter(labels), "")
    return Analysis(
        results=results,
        samples=samples,
        summaries=tuple(summary_of(one) for one in samples),
        comparisons=compare(samples, baseline),
        chosen_target=target,
        targets=targets,
        speedup_baseline=base,
        rates=rates(samples, base),
        target_speedups=target_speedups(samples, base, targets),
        effects=parameter_effects(samples),
    )
