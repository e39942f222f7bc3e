"""What each configuration found on each instance, and which are better than others."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gpu.core.cost_unit import NO_UNIT, CostUnit
from gpu.studies.cases import DONE, FAILED, CaseRow
from gpu.studies.results.statistics import (
    SIGNIFICANCE,
    Effect,
    Friedman,
    Interval,
    RankSum,
    effect,
    friedman,
    holm,
    mean_interval,
    rank_sum,
    share_of_wins,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """The cost that gaps of one instance are measured from."""

    cost: int  # above 0
    known: bool  # the best known cost; otherwise the best one of this study

    def gap_percent(self, cost: float) -> float:
        """How far ``cost`` lies above the reference, in %."""
        return 100.0 * (cost - self.cost) / self.cost


@dataclass(frozen=True, slots=True)
class Sample:
    """All runs of one configuration on one instance, whatever became of them."""

    instance: str
    n: int
    label: str
    reference: Reference | None  # None if there is no cost above 0 to measure from
    rows: tuple[CaseRow, ...]

    @property
    def done(self) -> tuple[CaseRow, ...]:
        """The runs that finished with a solution."""
        return tuple(row for row in self.rows if row.state == DONE and row.best is not None)

    @property
    def lost(self) -> tuple[CaseRow, ...]:
        """The runs that failed, or finished without a solution."""
        return tuple(
            row
            for row in self.rows
            if row.state == FAILED or (row.state == DONE and row.best is None)
        )

    @property
    def costs(self) -> tuple[int, ...]:
        """The best cost of every run that is done."""
        return tuple(row.best for row in self.done if row.best is not None)

    @property
    def ended(self) -> int:
        """Runs that are done or have failed."""
        return len(self.done) + len(self.lost)

    @property
    def cost_unit(self) -> CostUnit:
        """In what costs of the instance are shown."""
        return self.rows[0].cost_unit if self.rows else NO_UNIT

    @property
    def added(self) -> int:
        """Runs that were added after the first ones had been planned."""
        return sum(row.batch > 1 for row in self.rows)


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of one sample. Costs and times are of the runs that are done."""

    done: int  # runs
    lost: int  # failed, or without a solution
    waiting: int  # not done yet
    added: int  # of all of them, those that were not planned at first
    mean: float | None  # of the costs; None without a run that is done, as all below
    median: float | None
    best: int | None
    worst: int | None
    deviation: float | None  # sample standard deviation; None for fewer than two runs
    interval: Interval | None  # of the mean
    mean_gap: float | None  # %
    best_gap: float | None  # %
    seconds: float | None  # mean
    iterations: float | None  # mean
    solution_us: float | None  # microseconds for each tour (coloring), mean


def samples_of(rows: Iterable[CaseRow]) -> tuple[Sample, ...]:
    """Return the runs by instance and configuration, both in the order in which they come."""
    rows = tuple(rows)
    references = references_of(rows)
    names = _names(rows)
    labels = tuple(dict.fromkeys(names.values()))
    grouped: dict[tuple[str, str], list[CaseRow]] = {}
    for row in rows:
        grouped.setdefault((row.instance, names[row.label, row.device]), []).append(row)
    return tuple(
        Sample(instance, one[0].n, label, references.get(instance), tuple(one))
        for instance in dict.fromkeys(row.instance for row in rows)
        for label in labels
        if (one := grouped.get((instance, label)))
    )


def _names(rows: Iterable[CaseRow]) -> dict[tuple[str, str], str]:
    """Return what each label and device is called: the device is named where there are several."""
    places = dict.fromkeys((row.label, row.device) for row in rows)
    several = Counter(label for label, _ in places)
    return {
        (label, device): f"{label}, {device}" if several[label] > 1 else label
        for label, device in places
    }


def references_of(rows: Iterable[CaseRow]) -> Mapping[str, Reference]:
    """Return for each instance the cost that gaps are measured from, where there is one above 0."""
    known: dict[str, int] = {}
    found: dict[str, int] = {}
    for row in rows:
        if row.optimum is not None:
            known[row.instance] = row.optimum
        if row.state == DONE and row.best is not None:
            found[row.instance] = min(row.best, found.get(row.instance, row.best))
    return {
        name: Reference(cost, name in known) for name, cost in (found | known).items() if cost > 0
    }


def summary_of(sample: Sample) -> Summary:
    """Return the numbers of ``sample``."""
    done, costs = sample.done, sample.costs
    lost, reference = len(sample.lost), sample.reference
    counts = len(done), lost, len(sample.rows) - len(done) - lost, sample.added
    if not costs:
        return Summary(*counts, *[None] * 11)
    mean, best = float(np.mean(costs)), min(costs)
    rates = [1e6 * row.seconds / row.solutions for row in done if row.solutions]
    return Summary(
        *counts,
        mean=mean,
        median=float(np.median(costs)),
        best=best,
        worst=max(costs),
        deviation=float(np.std(costs, ddof=1)) if len(costs) > 1 else None,
        interval=mean_interval(costs),
        mean_gap=reference.gap_percent(mean) if reference else None,
        best_gap=reference.gap_percent(best) if reference else None,
        seconds=math.fsum(row.seconds for row in done) / len(done),
        iterations=math.fsum(row.iterations for row in done) / len(done),
        solution_us=math.fsum(rates) / len(rates) if rates else None,
    )


CellKey = tuple[str, str]
"""An instance and a configuration's label."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One configuration compared with another one on the same instance."""

    instance: str
    label: str
    against: str  # label of the other one
    test: RankSum
    corrected_p: float  # by Holm, over all tests of the study
    effect: Effect  # above 0.5 where ``label`` is better

    @property
    def significant(self) -> bool:
        """Whether the difference is significant after the correction."""
        return self.corrected_p < SIGNIFICANCE

    @property
    def mark(self) -> str:
        """``+`` for significantly better, ``−`` for worse, ``≈`` for neither."""
        if not self.significant:
            return "≈"
        return "+" if self.effect.a12 > 0.5 else "−"


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All comparisons of a study."""

    baseline: str  # label that all are compared with; empty: with the lowest mean of the instance
    tests: int  # how many Holm's correction counts
    shown: Mapping[CellKey, Comparison]  # with the baseline, or with the lowest mean
    lowest: frozenset[CellKey]  # the lowest mean of each instance; several if they are equal
    clearly_best: frozenset[CellKey]  # significantly better than every other; only with no baseline
    untested: Mapping[CellKey, str]  # why there is no test
    note: str  # in a sentence, why no test could find a difference; empty if one could
    over_instances: Friedman | str  # on mean costs; or why there is no test
    compared: tuple[str, ...]  # the labels of ``over_instances``, in its order
    left_out: tuple[str, ...]  # instances on which some configuration has no finished run
    by_seed: Mapping[str, Friedman | str]  # of each instance, with seeds as blocks


def compare(samples: Sequence[Sample], baseline: str = "") -> Comparisons:
    """Compare the configurations of ``samples`` on each instance and over all instances.

    With no ``baseline``, each is compared with the lowest mean of its instance. Which one that is
    was not known before the runs, so the correction counts the tests of all pairs.
    """
    instances = tuple(dict.fromkeys(one.instance for one in samples))
    by_place = {(one.instance, one.label): one for one in samples}
    lowest = _lowest(samples)
    pairs: list[tuple[Sample, Sample]] = []
    references: dict[str, str] = {}
    untested: dict[CellKey, str] = {}
    for instance in instances:
        here = [one for one in samples if one.instance == instance]
        first = next((one.label for one in here if (instance, one.label) in lowest), "")
        references[instance] = against = baseline or first
        if baseline and not _testable(by_place.get((instance, baseline))):
            untested |= {
                (instance, one.label): f"{baseline} has fewer than two finished runs here"
                for one in here
            }
            continue
        untested |= {
            (instance, one.label): "fewer than two finished runs"
            for one in here
            if not _testable(one)
        }
        able = [one for one in here if _testable(one)]
        if baseline:
            pairs += [(one, by_place[instance, against]) for one in able if one.label != against]
        else:
            pairs += itertools.combinations(able, 2)
    tests = [rank_sum(one.costs, other.costs) for one, other in pairs]
    corrected = holm([test.p for test in tests])
    shown: dict[CellKey, Comparison] = {}
    wins: Counter[CellKey] = Counter()
    for (one, other), test, p in zip(pairs, tests, corrected, strict=True):
        if p < SIGNIFICANCE:
            better = one if share_of_wins(one.costs, other.costs) > 0.5 else other
            wins[better.instance, better.label] += 1
        for this, that in ((one, other), (other, one)):
            if that.label == references[this.instance]:
                size = effect(this.costs, that.costs)
                found = Comparison(this.instance, this.label, that.label, test, p, size)
                shown[this.instance, this.label] = found
    others = Counter(one.instance for one in samples)
    over, compared, left_out = _over_instances(samples, instances)
    return Comparisons(
        baseline=baseline,
        tests=len(tests),
        shown=shown,
        lowest=lowest,
        clearly_best=frozenset(
            () if baseline else (place for place in wins if wins[place] == others[place[0]] - 1)
        ),
        untested=untested,
        note=_note(tests, pairs),
        over_instances=over,
        compared=compared,
        left_out=left_out,
        by_seed={instance: _by_seed(samples, instance) for instance in instances},
    )


def _testable(sample: Sample | None) -> bool:
    return sample is not None and len(sample.costs) > 1


def _lowest(samples: Sequence[Sample]) -> frozenset[CellKey]:
    means = {(one.instance, one.label): float(np.mean(one.costs)) for one in samples if one.costs}
    least: dict[str, float] = {}
    for (instance, _), mean in means.items():
        least[instance] = min(mean, least.get(instance, mean))
    return frozenset(place for place, mean in means.items() if mean == least[place[0]])


def _note(tests: Sequence[RankSum], pairs: Sequence[tuple[Sample, Sample]]) -> str:
    """Say that there are too few seeds for any test to be significant, if that is so."""
    if not tests or min(test.least_p for test in tests) * len(tests) < SIGNIFICANCE:
        return ""
    needed = next(size for size in itertools.count(2) if _least(size) * len(tests) < SIGNIFICANCE)
    seeds = max(min(len(one.costs), len(other.costs)) for one, other in pairs)
    return (
        f"These tests need {needed} seeds, and there are {seeds}: with fewer, no difference is "
        "significant after the correction, however large it is."
    )


def _least(size: int) -> float:
    return 2.0 / math.comb(2 * size, size)


def _over_instances(
    samples: Sequence[Sample], instances: Sequence[str]
) -> tuple[Friedman | str, tuple[str, ...], tuple[str, ...]]:
    """Return Friedman's test with instances as blocks, its labels, and the instances left out."""
    labels = tuple(dict.fromkeys(one.label for one in samples if one.costs))
    means = {(one.instance, one.label): float(np.mean(one.costs)) for one in samples if one.costs}
    whole = [name for name in instances if all((name, label) in means for label in labels)]
    costs = np.array([[means[name, label] for label in labels] for name in whole], np.float64)
    found = friedman(costs.reshape(len(whole), len(labels)))
    return found, labels, tuple(name for name in instances if name not in whole)


def _by_seed(samples: Sequence[Sample], instance: str) -> Friedman | str:
    """Return Friedman's test on one instance with seeds as blocks, or why there is none.

    Where no two configurations have a seed in common, their runs are put together in their order.
    """
    here = [one for one in samples if one.instance == instance and one.costs]
    if not here:
        return "No run has finished."
    seeds = [{row.seed: row.best for row in one.done} for one in here]
    apart = len(set().union(*seeds)) == sum(map(len, seeds)) and len(set(map(len, seeds))) == 1
    if apart and not any(one.lost or len(one.done) < len(one.rows) for one in here):
        seeds = [dict(enumerate(one[seed] for seed in sorted(one))) for one in seeds]
    if any(one.keys() != seeds[0].keys() for one in seeds):
        return "Not every configuration has a result for the same seeds."
    costs = np.array([[one[seed] for one in seeds] for seed in seeds[0]], np.float64)
    return friedman(costs, "seed")
