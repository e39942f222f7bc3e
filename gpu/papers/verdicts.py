"""Whether what a paper says is borne out by our runs: a verdict on each of its claims."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.formats import brief
from gpu.core.tables import Column
from gpu.core.words import counted
from gpu.papers.claims import (
    GPU,
    Claim,
    ClaimCase,
    Condition,
    Evidence,
    Judgement,
    MissingError,
    Values,
    text_parts,
)
from gpu.papers.items import FRIEDMAN, RATIOS, Item, names_of
from gpu.papers.paper_comparison import RESULT_MEASURES, cut_short, value_of
from gpu.studies.cases import CaseRow
from gpu.studies.results.analysis import Analysis
from gpu.studies.results.findings import Sample
from gpu.studies.results.statistics import SIGNIFICANCE, Friedman

RESAMPLES = 999  # of the runs, by which it is known how sure a verdict is
EXCEPTIONS_NAMED = 4  # cases that are named in which a claim does not hold
CAUSE_UNKNOWN = "Cause not known."
OWN_NUMBERS = "The paper's own numbers do not bear it out."


class ClaimVerdict(StrEnum):
    """What our runs say of a claim."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    UNTESTED = "untested"


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its verdict."""

    claim: Claim
    verdict: ClaimVerdict
    ours: str  # our numbers, in words; empty where there are none
    why: str  # why it is not reproduced, or not tested, and how sure that is; may be empty


_MARKS = {ClaimVerdict.NOT_REPRODUCED: "notable"}
CLAIM_COLUMNS: Sequence[Column[Judged]] = (
    Column("the paper says", lambda one: f"{one.claim.where}: {one.claim.says}"),
    Column("verdict", lambda one: one.verdict, mark=lambda one: _MARKS.get(one.verdict, "")),
    Column("our runs", lambda one: " ".join(filter(None, (one.ours, one.why)))),
)


class _Case(NamedTuple):
    """One case of a claim: what was found in it, or why nothing was."""

    name: str
    found: Judgement | None
    missing: str


def judged(item: Item, analysis: Analysis | None) -> tuple[Judged, ...]:
    """Return the verdicts on all claims of an item, by the results that there are."""
    evidence = _Ours(item, analysis) if analysis is not None else None
    return tuple(_judged(claim, item, evidence) for claim in item.claims)


def count_verdicts(several: Sequence[Judged]) -> Mapping[ClaimVerdict, int]:
    """Return how many claims have each verdict."""
    return {one: sum(each.verdict is one for each in several) for one in ClaimVerdict}


def verdicts_text(several: Sequence[Judged]) -> str:
    """Say how many claims have each verdict: 3 reproduced, 1 not reproduced."""
    return ", ".join(f"{count} {one}" for one, count in count_verdicts(several).items() if count)


def _judged(claim: Claim, item: Item, evidence: _Ours | None) -> Judged:
    if not claim.check:
        return Judged(claim, ClaimVerdict.UNTESTED, "", claim.untested)
    remarks = [OWN_NUMBERS] if _by_the_paper(claim, item) is False else []
    if evidence is None:
        return Judged(claim, ClaimVerdict.UNTESTED, "", " ".join(["Not run yet.", *remarks]))
    evidence.fewest = len(item.design.seeds)
    cases = _cases(claim, item, evidence)
    fewest, whole = evidence.fewest, len(item.design.seeds)
    known = [(one.name, one.found) for one in cases if one.found is not None]
    missing = list(dict.fromkeys(one.missing for one in cases if one.found is None))
    absent = len(cases) - len(known)
    # what was not run speaks neither for a claim that is of all cases nor against it
    needed = len(cases) - absent if claim.cases is None else claim.cases
    if not known:
        return Judged(claim, ClaimVerdict.UNTESTED, "", " ".join([_sentences(missing), *remarks]))
    holding = np.sum(np.broadcast_arrays(*[found.holds for _, found in known]), axis=0)
    held = int(holding[0])
    if claim.cases is not None and held < needed <= held + absent:
        return Judged(claim, ClaimVerdict.UNTESTED, "", " ".join([_sentences(missing), *remarks]))
    ours = " ".join(filter(None, (_filled(claim, item, evidence), _told(cases, known, held))))
    share = float(np.mean(holding[1:] >= needed)) if len(holding) > 1 else float(held >= needed)
    sure = min(share, 1 - share) <= SIGNIFICANCE and fewest > 1
    if not sure and fewest < whole:
        why = [f"1 run instead of {whole} does not tell."]  # all resamples of it are the same
        if fewest > 1:
            few = f"{fewest} instead of {whole} runs do not tell"
            why = [f"{few}: it holds in {100 * share:.0f} % of resamples."]
        return Judged(claim, ClaimVerdict.UNTESTED, ours, " ".join([*why, *remarks]))
    verdict = ClaimVerdict.REPRODUCED if held >= needed else ClaimVerdict.NOT_REPRODUCED
    why = [_cause(claim, evidence)] if verdict is ClaimVerdict.NOT_REPRODUCED else []
    if verdict is ClaimVerdict.REPRODUCED and absent > len(known):
        verdict = ClaimVerdict.UNTESTED  # the cases that were run are too small a part
    if absent:
        away = [one.name for one in cases if one.found is None]
        why.append(f"Without {_few(away)}: {missing[0]}.")
    if not sure:
        why.append(f"It holds in {100 * share:.0f} % of resamples of our runs.")
    return Judged(claim, verdict, ours, " ".join([*why, *remarks]))


def _cause(claim: Claim, evidence: _Ours) -> str:
    """Return why a claim is not reproduced, with the GPUs on which our runs were made."""
    return (claim.cause or CAUSE_UNKNOWN).replace(GPU, " and ".join(evidence.gpus) or "no GPU")


def _sentences(several: Sequence[str]) -> str:
    """Return the first two of several reasons as sentences."""
    return " ".join(f"{one[0].upper()}{one[1:]}." for one in several[:2])


def _cases(claim: Claim, item: Item, evidence: Evidence) -> list[_Case]:
    condition, names = Condition.read(claim.check), names_of(item.design, item.quoted)
    found = []
    for case in claim.each(item.design.instances):
        name = _name_of(case)
        try:
            found.append(_Case(name, condition.judge(evidence, names, case), ""))
        except MissingError as error:
            found.append(_Case(name, None, str(error)))
    return found


def _name_of(case: ClaimCase) -> str:
    instance, values = case
    swept = ", ".join(f"{name} = {value}" for name, value in values.items())
    return " on ".join(filter(None, (swept, instance)))


def _by_the_paper(claim: Claim, item: Item) -> bool | None:
    """Return whether the paper's own numbers bear a claim out; None where it has too few."""
    cases = _cases(claim, item, _Papers(item))
    known = [one.found for one in cases if one.found is not None]
    if len(known) < len(cases):
        return None
    return sum(bool(one.holds[0]) for one in known) >= (claim.cases or len(cases))


def _filled(claim: Claim, item: Item, evidence: Evidence) -> str:
    """Return the claim's text of our numbers, with these in it; empty if one is missing."""
    names = names_of(item.design, item.quoted)
    said = []
    try:
        for at, part in enumerate(text_parts(claim.ours)):
            number = Condition.read(part).value(evidence, names, ("", {})) if at % 2 else None
            said.append(part if number is None else brief(number, 3, ","))
    except MissingError:
        return ""
    text = "".join(said)
    return f"{text}." if text and not text.endswith(".") else text


def _told(cases: Sequence[_Case], known: Sequence[tuple[str, Judgement]], held: int) -> str:
    """Say in how many cases a claim holds, and where it does not."""
    against = [
        f"{name} ({_sides(found)})" if name else _sides(found)
        for name, found in known
        if not found.holds[0]
    ]
    if len(cases) == 1:
        ((_, found),) = known
        return f"{_sides(found, every=True)}." if found.holds[0] else f"Not so: {_sides(found)}."
    if not against:
        return (
            f"So in all {len(known)} cases." if len(known) > 1 else "So in the one case with runs."
        )
    return f"So in {held} of {len(known)} cases; not with {_few(against, '; ')}."


def _few(names: Sequence[str], between: str = ", ") -> str:
    more = len(names) - EXCEPTIONS_NAMED
    named = between.join(names[:EXCEPTIONS_NAMED])
    return named if more <= 0 else f"{named} and {counted(more, 'other')}"


def _sides(found: Judgement, *, every: bool = False) -> str:
    """Return the comparisons that do not hold, or all of them."""
    return ", ".join(
        f"{brief(one.left, 3, ',')} {one.sign} {brief(one.right, 3, ',')}"
        for one in found.sides
        if every or not one.holds
    )


class _Quoted:
    """The numbers that a paper quotes of other algorithms."""

    def __init__(self, item: Item) -> None:
        self._algorithms = {one.algorithm for one in item.quoted}
        self._values = {(one.algorithm, one.measure): one.values for one in item.quoted}

    def has(self, label: str) -> bool:
        """Return whether it is the name of such an algorithm."""
        return label in self._algorithms

    def number(self, measure: str, label: str, instance: str) -> Values:
        """Return a number of an algorithm, or raise MissingError."""
        found = self._values.get((label, measure), {}).get(instance)
        if found is None:
            raise MissingError(f"the paper quotes no such number of {label} on {instance}")
        return np.asarray(float(found))


class _Ours:
    """The numbers of our runs: each with what it would be if other runs had been drawn."""

    def __init__(self, item: Item, analysis: Analysis) -> None:
        self._item, self._analysis, self._quoted = item, analysis, _Quoted(item)
        self._samples = {(one.instance, one.label): one for one in analysis.samples}
        self._drawn: dict[tuple[str, int], NDArray[np.intp]] = {}
        self.fewest = len(item.design.seeds)  # runs behind a number that was asked for

    def number(self, measure: str, label: str, against: str, instance: str) -> Values:
        """Return a number of a configuration on an instance, or raise MissingError."""
        if measure in FRIEDMAN:
            return self._friedman(measure, instance)
        if self._quoted.has(label):
            return self._quoted.number(measure, label, instance)
        mine = self._sample(label, instance, measure)
        if measure == "speedup":
            base = self._sample(against, instance, measure)
            logs = [np.log(self._each("tours-ms", one)).mean(axis=-1) for one in (base, mine)]
            return np.asarray(np.exp(logs[0] - logs[1]))
        if measure in RATIOS:
            phase = f"{measure.removesuffix('-speedup')}-ms"
            base = self._sample(against, instance, measure)
            mean, other = (self._each(phase, one).mean(axis=-1) for one in (mine, base))
            return np.asarray(other / mean)
        if measure in ("best", "least-gap"):
            which = "mean" if measure == "best" else "mean-gap"
            return np.asarray(self._each(which, mine).min(axis=-1))
        return np.asarray(self._each(measure, mine).mean(axis=-1))

    @property
    def gpus(self) -> Iterable[str]:
        """The models of the GPUs on which the runs were made."""
        hosts = self._analysis.results.hosts
        on_gpu = (one for one in hosts if str(one.get("device", "")).startswith("cuda"))
        return dict.fromkeys(str(one.get("model", "")) for one in on_gpu)

    def size(self, instance: str) -> Values:
        """Return the cities or vertices of an instance, or raise MissingError."""
        for one in self._analysis.samples:
            if one.instance == instance:
                return np.asarray(float(one.n))
        raise MissingError(f"no runs on {instance}")

    def _friedman(self, measure: str, instance: str) -> Values:
        test = self._analysis.comparisons.by_seed.get(instance)
        if not isinstance(test, Friedman):
            raise MissingError(f"no test on {instance}: {(test or 'no runs').rstrip('.')}")
        return np.asarray(test.statistic if measure == "friedman" else test.chi_square_p)

    def _sample(self, label: str, instance: str, measure: str) -> Sample:
        found = self._samples.get((instance, label))
        if found is None or not found.done:
            there = any(one.instance == instance and one.done for one in self._analysis.samples)
            of = f" of {label}" if there else ""
            raise MissingError(f"no runs{of} on {instance}")
        cut = cut_short(self._item, found) if measure in RESULT_MEASURES else None
        if cut is not None:
            raise MissingError(f"our runs of {label} on {instance} ended after {cut.text}")
        self.fewest = min(self.fewest, len(found.done))
        return found

    def _each(self, measure: str, sample: Sample) -> NDArray[np.float64]:
        """Return the runs' numbers; below them, those of each resample: (1 + RESAMPLES, runs)."""
        values = np.array(list(_values(measure, sample)), np.float64)
        if not len(values):
            raise MissingError(f"our runs of {sample.label} on {sample.instance} do not tell it")
        # the same draw for all configurations: some have the same tours for the same seeds
        place = sample.instance, len(values)
        if place not in self._drawn:
            random = np.random.default_rng(zlib.crc32(sample.instance.encode()))
            drawn = random.integers(len(values), size=(RESAMPLES, len(values)))
            self._drawn[place] = np.vstack([np.arange(len(values)), drawn])
        return np.asarray(values[self._drawn[place]])


def _values(measure: str, sample: Sample) -> Iterator[float]:
    row: CaseRow
    for row in sample.done:
        value = value_of(measure, row, sample)
        if value is not None:
            yield float(value)


class _Papers:
    """The numbers that the paper itself has."""

    def __init__(self, item: Item) -> None:
        self._known: dict[tuple[str, str, str, str], list[float]] = {}
        self._quoted = _Quoted(item)
        for one in item.numbers:
            for instance, value in one.values.items():
                place = one.measure, one.configuration, one.against, instance
                self._known.setdefault(place, []).append(float(value))

    def number(self, measure: str, label: str, against: str, instance: str) -> Values:
        """Return the paper's number, or raise MissingError unless it has exactly one."""
        if self._quoted.has(label):
            return self._quoted.number(measure, label, instance)
        known = self._known.get((measure, label, against, instance), [])
        if len(known) != 1:
            raise MissingError("the paper has no number of it, or several")
        return np.asarray(known[0])

    def size(self, instance: str) -> Values:
        """Raise MissingError: sizes are not among a paper's numbers."""
        raise MissingError(f"the size of {instance} is none of the paper's numbers")
