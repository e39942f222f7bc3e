"""Everything that the report of a study is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu.batch.measures import (
    ParameterEffect,
    Ratio,
    common_target,
    parameter_effects,
    rates,
    target_speedups,
)
from gpu.batch.paired_differences import Comparison, Comparisons, compare
from gpu.batch.results import StudyResults
from gpu.batch.summary import Sample, Summary, samples_of, summary_of
from gpu.core.errors import FormicariumError


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
