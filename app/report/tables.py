"""The tables of a report."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple
from xml.etree.ElementTree import Element

from app.report.html import table
from app.report.words import p_text, runs_text, why_failed
from gpu.core.cost_unit import NO_UNIT, CostUnit
from gpu.core.formats import brief
from gpu.core.tables import Column, csv_of, fields
from gpu.core.words import counted, without_folders
from gpu.studies.cases import CaseRow, numbered
from gpu.studies.results.analysis import Analysis, ResultRow
from gpu.studies.results.findings import Comparison, Sample
from gpu.studies.results.statistics import EQUAL, Friedman, Interval

_BRIEF = partial(brief, thousands=",")
_HOST = "machine", "device", "model", "at_once", "version", "commit", "driver", "system", "versions"


class _Run(NamedTuple):
    label: str  # of its configuration, with the device where there are several
    row: CaseRow


def results_table(analysis: Analysis) -> Element:
    """Return what every configuration found, with the marks of the tests."""
    columns: Sequence[Column[ResultRow]] = (
        Column("configuration", lambda one: one.sample.label),
        Column("runs", lambda one: runs_text(one.summary)),
        Column("mean", _mean_of("mean"), mark=_marks),
        Column("95 % interval of the mean", _interval),
        Column("median", _mean_of("median")),
        Column("best", _best),
        Column("standard deviation", _mean_of("deviation")),
        Column("mean gap [%]", _mean_gap, mark=lambda one: "best" if one.best else ""),
        Column("seconds", lambda one: one.summary.seconds, _BRIEF),
        Column("iterations", lambda one: one.summary.iterations, partial(_BRIEF, digits=4)),
        Column("µs/solution", lambda one: one.summary.solution_us, _BRIEF),
    )
    return table(columns, ((_heading(rows[0].sample), rows) for rows in _by_instance(analysis)))


def comparisons_table(analysis: Analysis) -> Element:
    """Return every comparison of the results table, and why others were not made."""
    columns: Sequence[Column[ResultRow]] = (
        Column("configuration", lambda one: one.sample.label),
        Column("compared with", _against),
        Column("p", _tested(lambda one: p_text(one.test.p), equal="—")),
        Column("p by Holm", _tested(lambda one: f"{p_text(one.corrected_p)} {one.mark}", "≈")),
        Column("how p was found", _tested(lambda one: one.test.method, EQUAL)),
        Column("A12 [%]", _tested(lambda one: f"{100 * one.effect.a12:.0f}")),
        Column("95 % interval of A12", _tested(_effect_interval)),
        Column("effect", _tested(lambda one: one.effect.size)),
    )
    groups = (
        (rows[0].sample.instance, [one for one in rows if one.tested or one.untested])
        for rows in _by_instance(analysis)
    )
    return table(columns, ((name, rows) for name, rows in groups if rows))


def seeds_table(analysis: Analysis) -> Element:
    """Return Friedman's test on each instance."""
    columns: Sequence[Column[tuple[str, Friedman | str]]] = (
        Column("instance", itemgetter(0)),
        Column("seeds", _friedman(lambda test: str(test.blocks))),
        Column("test statistic", _friedman(lambda test: f"{test.statistic:.2f}", why_not=str)),
        Column("p by chi-square", _friedman(lambda test: p_text(test.chi_square_p))),
        Column(
            "equal results rejected",
            _friedman(lambda test: "Yes" if test.chi_square_p < 0.05 else "No"),
        ),
    )
    return table(columns, [("", analysis.comparisons.by_seed.items())])


def failures_table(analysis: Analysis) -> Element | None:
    """Return every run that failed; None without any."""
    columns: Sequence[Column[_Run]] = (
        Column("instance", lambda run: run.row.instance),
        Column("configuration", lambda run: run.label),
        Column("seed", lambda run: run.row.seed),
        Column("why", lambda run: why_failed(run.row)),
    )
    runs = [_Run(sample.label, row) for sample in analysis.samples for row in sample.lost]
    return table(columns, [("", runs)]) if runs else None


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
    columns: Sequence[Column[tuple[str, str, str, str]]] = (
        Column("configuration", itemgetter(0)),
        Column("colony", itemgetter(1)),
        Column("device", itemgetter(2)),
        Column("parameters", itemgetter(3)),
        Column("seeds", lambda place: _seeds(sorted(seeds[place]))),
    )
    return table(columns, [("", seeds)])


def hosts_table(analysis: Analysis) -> Element:
    """Return where the runs took place: numbers of machines, whose names nobody else needs."""
    columns = [Column("runs at once" if key == "at_once" else key, _of_host(key)) for key in _HOST]
    return table(columns, [("", numbered(analysis.results.hosts))])


def summary_csv(analysis: Analysis) -> str:
    """Return the results table with the tests as CSV."""
    columns = (
        *fields("instance", "n", of="sample"),
        Column("unit", lambda one: one.sample.cost_unit.name),
        Column("optimum", _known),
        Column("configuration", lambda one: one.sample.label),
        Column("done", lambda one: one.summary.done),
        Column("failed", lambda one: one.summary.lost),
        Column("to_be_done", lambda one: one.summary.waiting),
        *fields("added", of="summary"),
        *_in_unit("mean"),
        *_in_unit("low", "high", of="summary.interval"),
        Column("interval", lambda one: one.summary.interval and one.summary.interval.method),
        *_in_unit("median", "best", "worst", "deviation"),
        Column("mean_gap_percent", lambda one: one.summary.mean_gap),
        Column("best_gap_percent", lambda one: one.summary.best_gap),
        *fields("seconds", "iterations", of="summary"),
        Column("us_per_solution", lambda one: one.summary.solution_us),
        Column("mark", lambda one: one.mark),
        Column("lowest_mean", lambda one: one.lowest),
        Column("clearly_best", lambda one: one.best),
        *fields("p", of="tested.test"),
        Column("p_holm", lambda one: one.tested and one.tested.corrected_p),
        *fields("a12", of="tested.effect"),
        Column("a12_low", lambda one: one.tested and one.tested.effect.interval.low),
        Column("a12_high", lambda one: one.tested and one.tested.effect.interval.high),
    )
    return csv_of(columns, analysis.rows)


def runs_csv(analysis: Analysis) -> str:
    """Return every run as CSV."""
    columns = (
        *fields("instance", "n", "unit", of="row"),
        Column("optimum", lambda run: _shown(run.row, run.row.optimum)),
        Column("configuration", lambda run: run.label),
        *fields("colony", of="row"),
        Column("parameters", lambda run: json.dumps(dict(run.row.parameters))),
        *fields("device", "seed", "batch", "state", of="row"),
        Column("error", lambda run: without_folders(run.row.error)),
        Column("best", lambda run: _shown(run.row, run.row.best)),
        *fields("gap_percent", "seconds", "iterations", "solutions", of="row"),
    )
    runs = (_Run(sample.label, row) for sample in analysis.samples for row in sample.rows)
    return csv_of(columns, runs)


def _by_instance(analysis: Analysis) -> list[list[ResultRow]]:
    groups = itertools.groupby(analysis.rows, lambda one: one.sample.instance)
    return [list(rows) for _, rows in groups]


def _marks(one: ResultRow) -> str:
    return " ".join(["lowest"] * one.lowest + ["best"] * one.best)


def _best(one: ResultRow) -> str | None:
    best, gap = one.summary.best, one.summary.best_gap
    if best is None:
        return None
    return one.sample.cost_unit.text(best, ",") + ("" if gap is None else f" ({gap:.2f} %)")


def _mean_of(name: str) -> Callable[[ResultRow], str | None]:
    """Return what shows a mean of costs in the summary, in the unit of its instance."""

    def text(one: ResultRow) -> str | None:
        value: float | None = getattr(one.summary, name)
        return None if value is None else one.sample.cost_unit.mean(value, ",")

    return text


def _interval(one: ResultRow) -> str:
    return interval_text(one.summary.interval, one.sample.cost_unit)


def _in_unit(*names: str, of: str = "summary") -> list[Column[ResultRow]]:
    """Return columns of costs in the unit of their instance, under their own names."""

    def column(plain: Column[ResultRow]) -> Column[ResultRow]:
        def value(one: ResultRow) -> int | float | None:
            found: int | float | None = plain.value(one)
            unit = one.sample.cost_unit
            if found is None:
                return None
            return unit.value(found) if isinstance(found, int) else unit.scaled(float(found))

        return Column(plain.title, value)

    return [column(one) for one in fields(*names, of=of)]


def _mean_gap(one: ResultRow) -> str:
    gap = one.summary.mean_gap
    return f"{'—' if gap is None else f'{gap:.3f}'} {one.mark}".strip()


def _known(one: ResultRow) -> int | float | None:
    reference = one.sample.reference
    known = reference.cost if reference and reference.known else None
    return None if known is None else one.sample.cost_unit.value(known)


def _against(one: ResultRow) -> str:
    return one.tested.against if one.tested else f"not tested: {one.untested}"


def _effect_interval(one: Comparison) -> str:
    return f"{100 * one.effect.interval.low:.0f} to {100 * one.effect.interval.high:.0f}"


def _of_host(key: str) -> Callable[[Mapping[str, object]], str]:
    return lambda host: _plain(host.get(key))


def _tested(show: Callable[[Comparison], str], equal: str = "") -> Callable[[ResultRow], str]:
    """Return what a cell says of a test: ``equal`` if all results are, nothing without a test."""

    def text(one: ResultRow) -> str:
        return "" if one.tested is None else equal if one.tested.test.equal else show(one.tested)

    return text


def _friedman(
    show: Callable[[Friedman], str], why_not: Callable[[str], str] = lambda _: ""
) -> Callable[[tuple[str, Friedman | str]], str]:
    """Return what a cell says of a test, or of why there is none."""
    return lambda row: why_not(row[1]) if isinstance(row[1], str) else show(row[1])


def _shown(row: CaseRow, cost: int | None) -> int | float | None:
    """Return a cost of a run in the unit of its instance."""
    return None if cost is None else row.cost_unit.value(cost)


def interval_text(interval: Interval | None, unit: CostUnit = NO_UNIT) -> str:
    """Return an interval of a mean cost with its method; — for None."""
    if interval is None:
        return "—"
    if interval.low == interval.high:
        return EQUAL
    low, high = (unit.mean(value, ",") for value in (interval.low, interval.high))
    return f"{low} to {high} ({interval.method})"


def _heading(sample: Sample) -> str:
    reference, unit = sample.reference, sample.cost_unit
    size = f"{sample.instance}, n = {sample.n:,}" + (f", in {unit.name}" if unit.name else "")
    if reference is None:
        return size
    whose = "known" if reference.known else "of this study"
    return f"{size}, best {whose}: {unit.text(reference.cost, ',')}"


def _seeds(seeds: list[int]) -> str:
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    text = ", ".join(map(str, seeds[:12]))
    return text if len(seeds) <= 12 else f"{text}, …: {counted(len(seeds), 'seed')}"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    return "" if value is None else str(value)
