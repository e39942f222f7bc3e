"""The tables of a report."""

from __future__ import annotations

import json
from xml.etree.ElementTree import Element

from app.report.html import Part, element, table
from app.report.plot import as_csv
from app.report.words import number, p_text, runs_text, why_failed
from gpu.core.words import counted, without_folders
from gpu.study.findings.analysis import Analysis
from gpu.study.findings.statistics import EQUAL, Friedman, Interval
from gpu.study.findings.summary import Sample, Summary
from gpu.study.results import numbered

RESULTS = (
    *("configuration", "runs", "mean", "95 % interval of the mean", "median", "best"),
    *("standard deviation", "mean gap [%]", "seconds", "iterations", "µs/solution"),
)
COMPARISONS = (
    *("configuration", "compared with", "p", "p by Holm", "how p was found"),
    *("A12 [%]", "95 % interval of A12", "effect"),
)
SUMMARY_COLUMNS = (
    *("instance", "n", "optimum", "configuration", "done", "failed", "to_be_done", "added"),
    *("mean", "low", "high", "interval", "median", "best", "worst", "deviation"),
    *("mean_gap_percent", "best_gap_percent", "seconds", "iterations", "us_per_solution"),
    *("mark", "lowest_mean", "clearly_best", "p", "p_holm", "a12", "a12_low", "a12_high"),
)
RUN_COLUMNS = (
    *("instance", "n", "optimum", "configuration", "colony", "parameters", "device", "seed"),
    *("batch", "state", "error", "best", "gap_percent", "seconds", "iterations", "solutions"),
)


def results_table(analysis: Analysis) -> Element:
    """Return what every configuration found, with the marks of the tests."""
    rows: dict[str, list[list[Part]]] = {}
    for sample, summary in zip(analysis.samples, analysis.summaries, strict=True):
        rows.setdefault(sample.instance, []).append(_result(analysis, sample, summary))
    return table(RESULTS, ((_heading(analysis.on(name)[0]), lines) for name, lines in rows.items()))


def _result(analysis: Analysis, sample: Sample, summary: Summary) -> list[Part]:
    found, place = analysis.comparisons, (sample.instance, sample.label)
    best = number_in_full(summary.best)
    if summary.best_gap is not None:
        best += f" ({summary.best_gap:.2f} %)"
    gap = "—" if summary.mean_gap is None else f"{summary.mean_gap:.3f}"
    mean: Part = cost(summary.mean)
    if place in found.lowest:
        mean = element("u", mean, class_="lowest")
    value: Part = gap
    mark = found.shown[place].mark if place in found.shown else ""
    if place in found.clearly_best:
        value = element("strong", gap, class_="best")
        mean = element("strong", mean, class_="best")
    return [
        sample.label,
        runs_text(summary),
        mean,
        interval_text(summary.interval),
        cost(summary.median),
        best,
        "—" if summary.deviation is None else f"{summary.deviation:.1f}",
        element("span", value, f" {mark}"),
        number(summary.seconds, 3),
        number(summary.iterations, 4),
        number(summary.solution_us, 3),
    ]


def comparisons_table(analysis: Analysis) -> Element:
    """Return every comparison of the results table, and why others were not made."""
    found = analysis.comparisons
    groups = []
    for name in analysis.instances:
        lines: list[list[Part]] = []
        for one in analysis.on(name):
            place = one.instance, one.label
            if place in found.shown:
                part = found.shown[place]
                if part.test.equal:
                    lines.append([part.label, part.against, "—", "≈", EQUAL, *[""] * 3])
                    continue
                low, high = part.effect.interval.low, part.effect.interval.high
                lines.append(
                    [
                        part.label,
                        part.against,
                        p_text(part.test.p),
                        f"{p_text(part.corrected_p)} {part.mark}",
                        part.test.method,
                        f"{100 * part.effect.a12:.0f}",
                        f"{100 * low:.0f} to {100 * high:.0f}",
                        part.effect.size,
                    ]
                )
            elif why := found.untested.get(place):
                lines.append([one.label, f"not tested: {why}", *[""] * 6])
        if lines:
            groups.append((name, lines))
    return table(COMPARISONS, groups)


def seeds_table(analysis: Analysis) -> Element:
    """Return Friedman's test on each instance."""
    lines: list[list[Part]] = []
    for name, test in analysis.comparisons.by_seed.items():
        if isinstance(test, Friedman):
            rejected = "Yes" if test.chi_square_p < 0.05 else "No"
            values = [f"{test.statistic:.2f}", p_text(test.chi_square_p), rejected]
            lines.append([name, str(test.blocks), *values])
        else:
            lines.append([name, "", test, "", ""])
    heads = ("instance", "seeds", "test statistic", "p by chi-square", "equal results rejected")
    return table(heads, [("", lines)])


def failures_table(analysis: Analysis) -> Element | None:
    """Return every run that failed; None without any."""
    lines: list[list[Part]] = [
        [row.instance, sample.label, str(row.seed), why_failed(row)]
        for sample in analysis.samples
        for row in sample.lost
    ]
    heads = ("instance", "configuration", "seed", "why")
    return table(heads, [("", lines)]) if lines else None


def design_table(analysis: Analysis) -> Element:
    """Return the configurations with their parameters, which may differ between instances."""
    seeds: dict[tuple[str, str, str, str], set[int]] = {}
    for sample in analysis.samples:
        for row in sample.rows:
            given = ", ".join(
                f"{name} = {'automatic' if value is None else value}"
                for name, value in row.parameters.items()
            )
            place = sample.label, row.colony, row.device, given or "—"
            seeds.setdefault(place, set()).add(row.seed)
    lines = [[*place, _seeds(sorted(some))] for place, some in seeds.items()]
    return table(("configuration", "colony", "device", "parameters", "seeds"), [("", lines)])


def hosts_table(analysis: Analysis) -> Element:
    """Return where the runs took place: numbers of machines, whose names nobody else needs."""
    names = (
        *("machine", "device", "model", "at_once", "version", "commit", "driver", "system"),
        "versions",
    )
    hosts = numbered(analysis.results.hosts)
    lines: list[list[Part]] = [[_plain(host.get(name)) for name in names] for host in hosts]
    heads = ("runs at once" if name == "at_once" else name for name in names)
    return table(tuple(heads), [("", lines)])


def summary_csv(analysis: Analysis) -> str:
    """Return the results table with the tests as CSV."""
    rows = []
    for sample, one in zip(analysis.samples, analysis.summaries, strict=True):
        place = sample.instance, sample.label
        found = analysis.comparisons.shown.get(place)
        known = sample.reference.cost if sample.reference and sample.reference.known else None
        part = one.interval
        rows.append(
            (
                *(sample.instance, sample.n, known, sample.label),
                *(one.done, one.lost, one.waiting, one.added, one.mean),
                *((part.low, part.high, part.method) if part else (None, None, None)),
                *(one.median, one.best, one.worst, one.deviation, one.mean_gap, one.best_gap),
                *(one.seconds, one.iterations, one.solution_us),
                found.mark if found else None,
                place in analysis.comparisons.lowest,
                place in analysis.comparisons.clearly_best,
                *((found.test.p, found.corrected_p) if found else (None, None)),
                found.effect.a12 if found else None,
                *(
                    (found.effect.interval.low, found.effect.interval.high)
                    if found
                    else (None,) * 2
                ),
            )
        )
    return as_csv(SUMMARY_COLUMNS, tuple(rows))


def runs_csv(analysis: Analysis) -> str:
    """Return every run as CSV."""
    rows = (
        (
            *(row.instance, row.n, row.optimum, sample.label, row.colony),
            json.dumps(dict(row.parameters)),
            *(row.device, row.seed, row.batch, row.state, without_folders(row.error)),
            *(row.best, row.gap_percent),
            *(row.seconds, row.iterations, row.solutions),
        )
        for sample in analysis.samples
        for row in sample.rows
    )
    return as_csv(RUN_COLUMNS, tuple(rows))


def interval_text(interval: Interval | None) -> str:
    """Return an interval with its method; — for None."""
    if interval is None:
        return "—"
    if interval.low == interval.high:
        return EQUAL
    return f"{cost(interval.low)} to {cost(interval.high)} ({interval.method})"


def cost(value: float | None) -> str:
    """Return a mean or median of costs; — for None."""
    return "—" if value is None else f"{value:,.1f}"


def number_in_full(value: int | None) -> str:
    """Return a whole number; — for None."""
    return "—" if value is None else f"{value:,}"


def _heading(sample: Sample) -> str:
    reference = sample.reference
    size = f"{sample.instance}, n = {sample.n:,}"
    if reference is None:
        return size
    return f"{size}, best {'known' if reference.known else 'of this study'}: {reference.cost:,}"


def _seeds(seeds: list[int]) -> str:
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    text = ", ".join(map(str, seeds[:12]))
    return text if len(seeds) <= 12 else f"{text}, …: {counted(len(seeds), 'seed')}"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    return "" if value is None else str(value)
