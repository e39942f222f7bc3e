"""How much of a paper's table or figure has been run: runs done, cut, failed and missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gpu.papers.items import Item
from gpu.run.stopping import StopSettings
from gpu.studies.cases import DONE, FAILED, StudyResults
from gpu.studies.design import Design
from gpu.studies.store import CaseExtent, read_extents

NEARLY = 0.99  # share of a limit of time after which a run has reached it


class Ended(Protocol):
    """How far a run came."""

    @property
    def iterations(self) -> int:
        """Iterations that it made."""

    @property
    def solutions(self) -> int:
        """Solutions that it built."""

    @property
    def seconds(self) -> float:
        """How long it took."""


def unreached(budget: StopSettings, end: Ended) -> str:
    """Return the limit of the paper's run that a run did not reach; empty if it reached all."""
    for name in ("iterations", "solutions"):
        whole: int | None = getattr(budget, name)
        if whole is not None and getattr(end, name) < whole:
            return name
    if budget.seconds is not None and end.seconds < NEARLY * budget.seconds:
        return "seconds"
    return ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the paper's runs of one item, or of several, there are."""

    planned: int = 0  # that the paper has
    done: int = 0  # to their end
    cut: int = 0  # ended by a limit of time, or another one, before their end
    failed: int = 0
    commits: tuple[str, ...] = ()  # of the program that made them

    @property
    def missing(self) -> int:
        """Runs that the paper has, and that were not made."""
        return max(0, self.planned - self.done - self.cut - self.failed)

    @property
    def whole(self) -> bool:
        """Whether all runs of the paper are done, to their end."""
        return 0 < self.planned == self.done

    @property
    def counts(self) -> Mapping[str, int]:
        """How many runs are done, cut, failed and missing."""
        return {"done": self.done, "cut": self.cut, "failed": self.failed, "missing": self.missing}

    @property
    def text(self) -> str:
        """The counts in words: 80 done, 40 cut, 600 missing."""
        return counts_text(self.counts)


def counts_text(counts: Mapping[str, int]) -> str:
    """Return the counts of a coverage in words, without those that are 0."""
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


def planned_runs(design: Design) -> int:
    """Return how many runs a design has."""
    return len(design.seeds) * sum(
        len(one.instances or design.instances) * len(one.combinations) for one in design.colonies
    )


def coverage(item: Item, ends: Iterable[CaseExtent]) -> Coverage:
    """Return how many of the item's runs are among ``ends``; others are left aside."""
    design = item.design
    wanted = {
        (name, one.label_of(values))
        for one in design.colonies
        for values in one.combinations
        for name in one.instances or design.instances
    }
    counts = dict.fromkeys(("done", "cut", "failed"), 0)
    commits: dict[str, None] = {}
    for end in ends:
        if (end.instance, end.label) not in wanted or end.state not in (DONE, FAILED):
            continue
        # the paper's limits: those of a colony alone are ours, so that a run ends
        cut = unreached(design.budget_of(end.instance), end)
        counts["failed" if end.state == FAILED else "cut" if cut else "done"] += 1
        if end.commit:
            commits[end.commit] = None
    return Coverage(planned_runs(design), **counts, commits=tuple(commits))


def kept_coverage(item: Item) -> Coverage:
    """Return how many of the item's runs are in the results that come with the program."""
    kept = item.kept_results
    return coverage(item, read_extents(kept) if kept.is_file() else ())


def extents_of(results: StudyResults) -> Iterator[CaseExtent]:
    """Yield how far each run of a study came."""
    for row in results.rows:
        counts = row.iterations, row.solutions, row.seconds
        yield CaseExtent(
            row.instance, row.label, row.state, *counts, str(row.host.get("commit", ""))
        )


def in_all(several: Iterable[Coverage]) -> Coverage:
    """Return the sums of several coverages, and the commits of all."""
    parts: Sequence[Coverage] = tuple(several)
    names = ("planned", "done", "cut", "failed")
    sums = {name: sum(getattr(one, name) for one in parts) for name in names}
    commits = dict.fromkeys(commit for one in parts for commit in one.commits)
    return Coverage(**sums, commits=tuple(commits))
