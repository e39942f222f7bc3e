"""Pages that stay: what came of the tables and figures of each paper, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from app.report.paper import hardware, label_of, ours_text, value_text
from app.report.plot import PrintPlot
from app.report.words import over_instances, why_failed
from gpu.core.formats import brief
from gpu.core.tables import texts
from gpu.core.words import counted
from gpu.papers.coverage import Coverage, coverage, extents_of, in_all
from gpu.papers.items import ALL, MEASURES, RATIOS, Item, Trial
from gpu.papers.paper_comparison import Compared, beside, cut_short, not_run, shortfall
from gpu.papers.verdicts import CLAIM_COLUMNS, ClaimVerdict, Judged, count_verdicts, judged
from gpu.studies.results.analysis import Analysis
from gpu.studies.results.statistics import Interval

DEVICE_WORDS = {"cuda": "on the GPU", "cpu:1": "on one core each", "cpu": "on all cores"}


def provenance(outcome: PaperOutcome, analysis: Analysis) -> Iterator[str]:
    """Yield lines on how the results were made, and what of the item they lack."""
    item, found = outcome.item, outcome.coverage
    results, design = analysis.results, item.design
    trial = Trial.told_by(design, results)
    yield "Command: `" + " ".join(["formicarium reproduce", item.name, *trial.options]) + "`"
    yield _extent(item, analysis, trial)
    for what, theirs, ours in hardware(item, analysis):
        yield f"{what}: the paper's {theirs}; ours {ours}"
    hosts = results.hosts
    said = {
        "version": _each(hosts, "version"),
        "commit": _each(hosts, "commit"),
        "driver": _each(hosts, "driver"),
    }
    began = results.created[:10]
    yield ", ".join([f"begun {began}", *(f"{name} {text}" for name, text in said.items() if text)])
    if at_once := _at_once(hosts):
        yield f"Runs at once: {at_once}"
    yield f"Of {found.planned:,} runs: {found.text}"
    if found.cut:
        yield f"Cut: {'; '.join(_cuts(item, analysis))}"
    if missing := not_run(item, analysis):
        names = dict.fromkeys(instance for instance, _ in missing)
        there = {sample.instance for sample in analysis.samples if sample.ended}
        whole = [name for name in names if name not in there]
        if whole:
            yield f"Not run: {', '.join(whole)}"
        if some := [f"{label} on {name}" for name, label in missing if name in there]:
            yield f"Not run: {'; '.join(some[:12])}{' …' if len(some) > 12 else ''}"
    if lost := sum(summary.lost for summary in analysis.summaries):
        rows = [row for sample in analysis.samples for row in sample.lost]
        why = dict.fromkeys(map(why_failed, rows))
        yield f"{counted(lost, 'run')} failed: {'; '.join(why)}"


def _cuts(item: Item, analysis: Analysis) -> Iterator[str]:
    """Say after how much of the paper's runs ours ended, those that ended the earliest first."""
    found = [
        (cut.share, f"{one.label} on {one.instance} after {cut.text}")
        for one in analysis.samples
        if (cut := cut_short(item, one)) is not None
    ]
    yield from (text for _, text in sorted(found)[:CUTS_NAMED])
    if len(found) > CUTS_NAMED:
        yield counted(len(found) - CUTS_NAMED, "other")


def _extent(item: Item, analysis: Analysis, trial: Trial) -> str:
    """Say how many of the study's runs there are, and what limits they have."""
    whole = len(item.design.seeds)
    made = [one.ended for one in analysis.samples if one.ended]
    least, most = min(made, default=0), max(made, default=0)
    text = f"All {whole} runs"
    if least < whole:
        some = str(most) if least == most else f"{least} to {most}"
        text = f"{some} of the whole study's {whole} runs"
    text += " of each configuration and instance"
    text += " that was run" if not_run(item, analysis) else ""
    limits = [
        *([f"{trial.seconds:g} s"] if trial.seconds is not None else []),
        *([counted(trial.iterations, "iteration")] if trial.iterations is not None else []),
    ]
    if limits:
        return f"{text}, each with a limit of {' and '.join(limits)}"
    cut = trial.runs is None and shortfall(item, analysis)
    return f"{text}, with {cut}" if cut else text


def _each(hosts: Iterable[Mapping[str, object]], name: str) -> str:
    return " / ".join(filter(None, dict.fromkeys(str(host.get(name) or "") for host in hosts)))


def _at_once(hosts: Iterable[Mapping[str, object]]) -> str:
    """Say how many runs went on at once on each kind of device, and how many others beside them."""
    found: dict[str, dict[str, None]] = {kind: {} for kind in DEVICE_WORDS}
    for host in hosts:
        device, at_once = str(host.get("device", "")), host.get("at_once")
        kind = "cuda" if device.startswith("cuda") else device
        if not isinstance(at_once, Mapping) or kind not in at_once or kind not in found:
            continue
        beside = [f"{n} {DEVICE_WORDS[other]}" for other, n in at_once.items() if other != kind]
        others = f" (beside {', '.join(beside)})" if beside else ""
        found[kind][f"{at_once[kind]}{others}"] = None
    said = {DEVICE_WORDS[kind]: some for kind, some in found.items() if some}
    return "; ".join(f"{' or '.join(some)} {place}" for place, some in said.items())


MOST_COLUMNS = 9  # of numbers; a wider table cannot be read
INDEX = ("item", "runs", "claims", "commit", "shows")
FIGURES = "figures"  # the folder of the figures' files, beside the pages
CUTS_NAMED = 6  # configurations that are named whose runs ended before the paper's
PAGE_BEGINNING = """\
*These pages are written by a command, `formicarium reproduce --outcomes`, from the results beside
them. Every number of ours comes from runs of the program.*

How to read the tables:

- A number is the mean of our runs, with ± half of its 95 % confidence interval. A speedup has the
  interval itself. **In brackets: the paper's number.** A paper gives no deviation, so no test of
  two samples is possible. Where the paper's number lies outside our interval, its difference from
  ours is more than the spread of our runs.
- No ± means that there is one run only, or that all runs gave the same number.
- A result is the best that ants have built, not the nearest-neighbour tour or the greedy coloring.
- \\+ and − mark a significant difference from the configuration that the table compares with, or
  else from the one with the lowest mean. They stand behind our number for our runs (rank-sum test,
  level 0.05, Holm's correction), and behind the paper's for the paper's. ≈: no significant
  difference.
- Instances without any run are named above the tables, and left out there. *Not run* or *failed*
  stands where only the paper has a number. An empty cell is no part of the study.
- *Runs at once* says how many runs of the study went on at the same time, and in brackets what
  else went on beside them. A run on a GPU had it for itself where the number is 1. Runs that shared
  it took longer, or made fewer iterations where their time was limited. Runs on one core each that
  go on at once share caches and memory: times of one core can then be longer than alone, and
  speedups over them greater.
- The best of a few runs is worse than that of the paper's many, by chance alone.
- † marks results of runs that ended before the paper's. These cannot be compared with the
  paper's. Times for a tour can.

Beside each table stands **what the paper says of it, in our words, and a verdict**:

- *reproduced*: our runs bear it out; *not reproduced*: they do not. Each verdict is computed from
  the results, by a condition that stands with the claim in the item's file in
  [resources/studies](../../resources/studies). Where the reason is known, it is given.
- *untested*: nothing that we have run decides it; the reason stands beside it.
- The condition is also computed for 999 resamples of our runs (bootstrap). Where more than 5 % of
  them say otherwise, and we have fewer runs than the paper, the claim counts as untested. So does
  one that holds where less than half of its cases were run.
"""


@dataclass(frozen=True)
class PaperOutcome:
    """An item, and what was found; None where there are no results."""

    item: Item
    analysis: Analysis | None
    file: str  # of the results, from the folder of the pages on
    plots: Sequence[PrintPlot] = ()  # its figures, whose files lie in the folder FIGURES

    @cached_property
    def claims(self) -> Sequence[Judged]:
        """The verdicts on what the paper says of it."""
        return judged(self.item, self.analysis)

    @cached_property
    def coverage(self) -> Coverage:
        """How many of its runs there are."""
        ends = () if self.analysis is None else extents_of(self.analysis.results)
        return coverage(self.item, ends)


def paper_page(outcomes: Sequence[PaperOutcome]) -> str:
    """Return the page of one paper: all of its items, in their order."""
    first = outcomes[0].item
    parts = [f"# {_plain(first.authors)}, *{_plain(first.title)}* ({first.year})", PAGE_BEGINNING]
    every = [each for one in outcomes for each in one.claims]
    if every:
        parts.append(f"Of {counted(len(every), 'claim')} of this paper: {_counts(every)}.")
    for one in outcomes:
        parts.append(f"## {one.item.item}")
        parts.extend(_section(one))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def index_page(papers: Mapping[str, Sequence[PaperOutcome]]) -> str:
    """Return the list of all items, by the names of the pages that they are on."""
    every = [one for outcomes in papers.values() for one in outcomes]
    found = in_all(one.coverage for one in every)
    whole = sum(one.coverage.whole for one in every)
    claims = [each for one in every for each in one.claims]
    commits = f"commit {''.join(found.commits)}"
    if len(found.commits) != 1:
        commits = f"{len(found.commits)} commits, which the tables name"
    parts = [
        "# The papers, measured again",
        f"`formicarium reproduce` knows {_kinds([one.item for one in every])}. They have "
        f"{found.planned:,} runs: {found.text}. Of {len(every)} items {whole} are whole. The "
        f"results are of {commits}.",
        f"Of {counted(len(claims), 'claim')} of the papers: {_counts(claims)}.",
        "*Runs*: a run that was *cut* ended by a limit of time before the paper's; its time for a "
        "tour, or of a phase, comes from fewer iterations. One that is *missing* was not made. "
        "*Claims*: how many of the paper's sentences on results are reproduced, not reproduced, "
        "and untested.",
    ]
    for page, outcomes in papers.items():
        item = outcomes[0].item
        parts.append(f"## {_plain(item.authors)}, {item.year}: [{_plain(item.title)}]({page})")
        lines = [_index_row(one) for one in outcomes]
        parts.append(_table(INDEX, lines, [":---", ":---", "---:", ":---", ":---"]))
    return "\n\n".join(parts) + "\n"


def _counts(several: Sequence[Judged]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in count_verdicts(several).items())


def _three(several: Sequence[Judged]) -> str:
    counts = count_verdicts(several)
    return " / ".join(str(counts[one]) for one in ClaimVerdict) if several else ""


def _index_row(one: PaperOutcome) -> Sequence[str]:
    found = one.coverage
    return one.item.item, found.text, _three(one.claims), ", ".join(found.commits), one.item.shows


def _kinds(items: Sequence[Item]) -> str:
    """Say how many items are tables, figures, and neither."""
    tables, figures = (sum(one.item.startswith(kind) for one in items) for kind in ("Tab", "Fig"))
    rest = len(items) - tables - figures
    also = (
        f" and {counted(rest, 'item')} that {'is' if rest == 1 else 'are'} neither" if rest else ""
    )
    return f"{counted(tables, 'table')}, {counted(figures, 'figure')}{also}"


def _section(one: PaperOutcome) -> Iterator[str]:
    item, analysis = one.item, one.analysis
    yield f"{_plain(item.shows)}."
    if claims := one.claims:
        heads = [column.title for column in CLAIM_COLUMNS]
        yield _table(heads, [texts(CLAIM_COLUMNS, each) for each in claims], [":---"] * len(heads))
    if analysis is None:
        hours = f", and took {item.hours:g} hours on the paper's hardware" if item.hours else ""
        yield f"Not run yet: it needs a GPU{hours}."
        return
    yield "\n".join(f"- {_plain(line)}" for line in provenance(one, analysis))
    for plot in one.plots:
        yield f"![{_plain(plot.title)}]({FIGURES}/{plot.name}.svg)"
    if one.plots:
        yield f"*{_plain(one.plots[0].text)}*"
    numbers = beside(item, analysis)
    for measure in dict.fromkeys(each.measure for each in numbers):
        yield from _numbers(measure, [each for each in numbers if each.measure == measure], item)
    yield from _significance(analysis, numbers)
    if item.differs:
        yield "What differs from the paper:"
        yield "\n".join(f"- {_plain(text)}" for text in item.differs)
    yield f"*Results: [{one.file}]({one.file}).*"


def _numbers(measure: str, numbers: Sequence[Compared], item: Item) -> Iterator[str]:
    name, unit = MEASURES[measure]
    yield f"**{name[0].upper()}{name[1:]}{f', {unit}' if unit else ''}**"
    same = _same_but_for_notes(numbers)
    cells = {(one[0].instance, _label(one)): _cell(one) for one in same}
    labels, names = item.design.labels, (ALL, *item.design.instances)
    found = [one for one in same if one[0].ours is not None]
    found.sort(key=lambda one: _places(one[0], labels, names))
    rows = list(dict.fromkeys(one[0].instance for one in found))
    by_label = sorted(found, key=lambda one: _places(one[0], labels, names)[1])
    columns = list(dict.fromkeys(map(_label, by_label)))
    for quoted in item.quoted:
        if quoted.measure == measure:
            columns.append(quoted.algorithm)
            cells |= {(of, quoted.algorithm): value_text(one) for of, one in quoted.values.items()}
    if not rows:
        yield "Nothing of it was run."
        return
    places = _sweep(item)
    if len(rows) == 1 and len(columns) > MOST_COLUMNS and places.keys() >= set(columns):
        swept = {places[label]: cells[rows[0], label] for label in columns}
        sides = [list(dict.fromkeys(side)) for side in zip(*swept, strict=True)]
        lines = [[value, *(swept.get((one, value), "") for one in sides[0])] for value in sides[1]]
        yield _table(["", *sides[0]], lines)
        columns = []
    elif len(columns) > min(MOST_COLUMNS, len(rows)) and len(rows) <= MOST_COLUMNS:
        lines = [[label, *(cells.get((row, label), "") for row in rows)] for label in columns]
        yield _table(["", *rows], lines)
        columns = []
    for at in range(0, len(columns), MOST_COLUMNS):
        some = columns[at : at + MOST_COLUMNS]
        lines = [[row, *(cells.get((row, label), "") for label in some)] for row in rows]
        yield _table(["", *some], lines)
    if cuts := [f"{label_of(one)} on {one.instance}: {one.cut}" for one in numbers if one.cut]:
        yield f"† Ended after, on average: {_plain('; '.join(cuts))}."


def _places(one: Compared, labels: Sequence[str], names: Sequence[str]) -> tuple[int, int]:
    """Return where a number stands in the order of the study: its instance, its configuration."""
    return (
        names.index(one.instance) if one.instance in names else len(names),
        labels.index(one.configuration) if one.configuration in labels else len(labels),
    )


def _sweep(item: Item) -> Mapping[str, tuple[str, str]]:
    """Return colony and value of each configuration, if the colonies sweep one same parameter."""
    design = item.design
    swept = [
        {name for name, some in one.parameters.items() if len(some) > 1} for one in design.colonies
    ]
    if len(set().union(*swept)) != 1 or not all(swept):
        return {}
    (name,) = swept[0]
    return {
        one.label_of(values): (one.label, f"{name} {values[name]}")
        for one in design.colonies
        for values in one.combinations
    }


def _same_but_for_notes(numbers: Sequence[Compared]) -> list[list[Compared]]:
    """Return numbers of a paper together that one number of ours stands beside."""
    groups: dict[tuple[str, str, str], list[Compared]] = {}
    for one in numbers:
        groups.setdefault((one.instance, one.configuration, one.against), []).append(one)
    return list(groups.values())


def _label(same: Sequence[Compared]) -> str:
    """Return what numbers are of; where several have notes, these stand behind the numbers."""
    return label_of(same[0] if len(same) == 1 else replace(same[0], note=""))


def _cell(same: Sequence[Compared]) -> str:
    """Return our number, and those of the paper in brackets."""
    one = same[0]
    text = ours_text(one)
    if one.ours is not None:
        if one.interval is not None and one.interval.high > one.interval.low:
            text += spread(one.measure, one.interval)
        text += f" {one.our_mark}" if one.our_mark else ""
        text += "†" if one.cut else ""
    theirs = [
        " ".join(filter(None, (value_text(each.paper), each.paper_mark, note)))
        for each in same
        if each.paper is not None
        for note in [each.note if len(same) > 1 else ""]
    ]
    return f"{text} ({'; '.join(theirs)})" if theirs else text


def spread(measure: str, interval: Interval) -> str:
    """Return an interval as it stands behind a number.

    That of a ratio has two ends, of as few digits as tell them apart.
    """
    if measure in RATIOS:
        ends = [
            [brief(end, few, ",") for end in (interval.low, interval.high)] for few in (2, 3, 4)
        ]
        low, high = next((pair for pair in ends if pair[0] != pair[1]), ends[-1])
        return f", {low} to {high}"
    half = (interval.high - interval.low) / 2
    return f" ± {half:,.0f}" if half >= 10 else f" ± {half:.2g}"


def _significance(analysis: Analysis, numbers: Sequence[Compared]) -> Iterator[str]:
    marked = [one for one in numbers if one.our_mark]
    if not marked:
        return
    found = analysis.comparisons
    against = found.baseline or "the lowest mean of the instance"
    said = [f"The marks compare with {against}. {counted(found.tests, 'test')} in all."]
    said += [found.note] if found.note else list(over_instances(analysis))
    yield _plain(" ".join(said))


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]], align: Sequence[str] = ()) -> str:
    rows = [heads, align or [":---", *["---:"] * (len(heads) - 1)], *lines]
    return "\n".join("| " + " | ".join(map(_plain, row)) + " |" for row in rows)


def _plain(text: str) -> str:
    """Return a text in which nothing but what these pages write themselves is Markdown."""
    line = " ".join(text.split())
    return line.replace("|", "\\|").replace("<", "&lt;")
