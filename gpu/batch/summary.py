"""What the runs of each configuration found on each instance, in numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gpu.batch.results import DONE, FAILED, RunRow
from gpu.batch.statistics import Interval, mean_interval


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
    rows: tuple[RunRow, ...]

    @property
    def done(self) -> tuple[RunRow, ...]:
        """The runs that finished with a solution."""
        return tuple(row for row in self.rows if row.state == DONE and row.best is not None)

    @property
    def lost(self) -> tuple[RunRow, ...]:
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


def samples_of(rows: Iterable[RunRow]) -> tuple[Sample, ...]:
    """Return the runs by instance and configuration, both in the order in which they come."""
    rows = tuple(rows)
    references = references_of(rows)
    names = _names(rows)
    labels = tuple(dict.fromkeys(names.values()))
    grouped: dict[tuple[str, str], list[RunRow]] = {}
    for row in rows:
        grouped.setdefault((row.instance, names[row.label, row.device]), []).append(row)
    return tuple(
        Sample(instance, one[0].n, label, references.get(instance), tuple(one))
        for instance in dict.fromkeys(row.instance for row in rows)
        for label in labels
        if (one := grouped.get((instance, label)))
    )


def _names(rows: Iterable[RunRow]) -> dict[tuple[str, str], str]:
    """Return what each label and device is called: the device is named where there are several."""
    places = dict.fromkeys((row.label, row.device) for row in rows)
    several = Counter(label for label, _ in places)
    return {
        (label, device): f"{label}, {device}" if several[label] > 1 else label
        for label, device in places
    }


def references_of(rows: Iterable[RunRow]) -> Mapping[str, Reference]:
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
