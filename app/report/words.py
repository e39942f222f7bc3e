"""The sentences of a report: what was planned, what was tested, and what the tests mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpu.core.stop_limits import STOP_LIMITS
from gpu.core.words import counted, without_folders
from gpu.studies.cases import CaseRow
from gpu.studies.results.analysis import Analysis
from gpu.studies.results.findings import Summary
from gpu.studies.results.statistics import FEWEST_FOR_BOOTSTRAP, SIGNIFICANCE, Friedman

ABOUT_RANK_SUM = (
    "The rank-sum test (Wilcoxon; Mann and Whitney) puts the results of two configurations on one "
    "instance in order and asks whether one side stands lower than chance would place it. It "
    "assumes no distribution; p is how often chance alone would bring so great a difference. "
    "For small samples p is exact, for larger ones it follows the normal approximation."
)
ABOUT_HOLM = (
    "Of many tests some find a difference by chance. Holm's correction raises the p-values so that "
    f"the risk of even one false mark in the whole table is at most {SIGNIFICANCE:.0%}."
)
A12 = (
    "A12 (Vargha and Delaney) is how often a run of the configuration is better than a run of the "
    "other one; equal results count half. 50 % means that none is better; from 56 % (or 44 %) on "
    "it is called small, from 64 % (36 %) medium, from 71 % (29 %) large. Its confidence interval "
    "is Newcombe's, which also holds where all runs of one side are better."
)
ABOUT_INTERVALS = (
    "Confidence intervals are at 95 %. Those of means come from a bootstrap (BCa), which "
    "follows skewed results, where there are "
    f"{FEWEST_FOR_BOOTSTRAP} runs or more; fewer do not show their distribution, and the interval "
    "is Student's."
)
ABOUT_FRIEDMAN = (
    "Friedman's test gives the configurations ranks on each instance and asks whether some rank "
    "better over all instances than chance would have it. Its p-value comes from "
    "permutations of the ranks within instances; that of the chi-square distribution, which papers "
    "state, is beside it. If it finds a difference, Nemenyi's post-hoc test says which pairs "
    "differ: those whose mean ranks are farther apart than the critical difference."
)
BY_SEED = (
    "The same test on each instance, with the runs of equal seeds in place of instances, as the "
    "2020 paper on MMAS has it in Table 8. Here the p-values are not corrected for the number of "
    "instances."
)


def planned(analysis: Analysis) -> Iterator[str]:
    """Say how many runs were planned, done, failed and added."""
    rows = analysis.results.rows
    first = sum(row.batch == 1 for row in rows)
    added = len(rows) - first
    yield (
        f"{counted(first, 'run')} {'was' if first == 1 else 'were'} planned before the first one "
        "began; their number was fixed then."
    )
    if added:
        batches = len({row.batch for row in rows if row.batch > 1})
        yield (
            f"{counted(added, 'run')} {'was' if added == 1 else 'were'} added later, in "
            f"{counted(batches, 'batch')}. Rows with "
            "such runs have the mark †: whoever adds runs after a look at the results finds "
            "differences too often, so take their p-values as hints."
        )
    done = sum(one.done for one in analysis.summaries)
    lost = sum(one.lost for one in analysis.summaries)
    waiting = sum(one.waiting for one in analysis.summaries)
    yield f"{counted(done, 'run')} finished with a result."
    if lost:
        yield (
            f"{counted(lost, 'run')} failed or found no solution. They are listed below, and count "
            "as runs that never reach a target; means are of the other runs."
        )
    if waiting:
        yield (
            f"{counted(waiting, 'run')} {'is' if waiting == 1 else 'are'} still to be done: "
            "all that follows is preliminary."
        )


def limits(budget: Mapping[str, Any]) -> str:
    """Say when each run ended, by the limits in the study's file."""
    said = [
        limit.ending(budget[name])
        for name, limit in STOP_LIMITS.items()
        if isinstance(budget.get(name), int | float)
    ]
    said += [] if budget.get("go_on") else ["at a cost that is best known, or proved to be optimal"]
    own = budget.get("instances")
    each = own.items() if isinstance(own, dict) else ()
    texts = [f"on {name} {limits(one)}" for name, one in each if isinstance(one, dict)]
    return "; ".join([" or ".join(said) or "when it is stopped", *texts])


def marks(analysis: Analysis) -> Iterator[str]:
    """Say what the marks in the table mean, and against what they compare."""
    found = analysis.comparisons
    if not found.tests:
        yield "Underlined: the lowest mean on this instance."
        yield (
            "No test was made, so nothing else is marked: a test compares two configurations that "
            "have two finished runs each on an instance."
        )
        return
    if found.baseline:
        yield (
            f"+ and − : significantly better or worse than {found.baseline}; ≈ : no significant "
            "difference (two-sided rank-sum test, level 0.05, Holm's correction)."
        )
    else:
        yield (
            "Bold: significantly better than every other configuration on this instance. − and + : "
            "significantly worse or better than the one with the lowest mean; ≈ : no significant "
            "difference from it (two-sided rank-sum test, level 0.05, Holm's correction)."
        )
        yield (
            "Which configuration has the lowest mean was only seen after the runs. The correction "
            "therefore counts the tests of all pairs."
        )
    yield "Underlined: the lowest mean on this instance, whether significant or not."
    yield (
        f"{counted(found.tests, 'test')} {'was' if found.tests == 1 else 'were'} made; Holm's "
        "correction counts all of them."
    )
    if found.note:
        yield found.note


def references(analysis: Analysis) -> Iterator[str]:
    """Say what gaps are measured from."""
    unknown = [
        name
        for name in analysis.instances
        if any(one.reference and not one.reference.known for one in analysis.on(name))
    ]
    yield "The gap is how far a result lies above the best known one, in %."
    if unknown:
        yield (
            f"No best known result is on record for {listed(unknown)}: there the gap is measured "
            "from the best result of this study, so it says nothing about other programs."
        )


def over_instances(analysis: Analysis) -> Iterator[str]:
    """Say what Friedman's test found, or why it was not made."""
    found, over = analysis.comparisons, analysis.comparisons.over_instances
    if found.left_out:
        yield (
            f"Left out, because some configuration has no result there: {listed(found.left_out)}."
        )
    if not isinstance(over, Friedman):
        yield over
        return
    differ = "some configurations differ" if over.rejected else "no difference was found"
    yield (
        f"Friedman's statistic over {counted(over.blocks, 'instance')} is {over.statistic:.3f}, "
        f"p = {p_text(over.p)} (by chi-square {p_text(over.chi_square_p)}): {differ}."
    )
    if over.rejected:
        labels = found.compared
        pairs = [
            f"{labels[one]} and {labels[other]} (p = {p_text(float(over.pairs[one, other]))})"
            for one in range(len(labels))
            for other in range(one + 1, len(labels))
            if over.pairs[one, other] < SIGNIFICANCE
        ]
        yield (
            f"By Nemenyi's test, these differ: {listed(pairs, 40)}."
            if pairs
            else "Nemenyi's test, which is more careful, names no pair."
        )
    else:
        yield "So the post-hoc test is not read."


def why_failed(row: CaseRow) -> str:
    """Return why a run has no result, without the folders of this machine."""
    return without_folders(row.error) or "it found no solution"


def runs_text(summary: Summary) -> str:
    """Return the number of runs of a sample: those done, and what became of the others."""
    parts = [str(summary.done)]
    if summary.lost:
        parts.append(f"{summary.lost} failed")
    if summary.waiting:
        parts.append(f"{summary.waiting} to be done")
    if summary.added:
        parts.append(f"{summary.added} added †")
    return ", ".join(parts)


def p_text(p: float) -> str:
    """Return a p-value; tiny ones as a bound."""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.01 else f"{p:.3f}"


def listed(texts: list[str] | tuple[str, ...], most: int = 12) -> str:
    """Return texts as a list in a sentence; of very many, the first ones."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")
