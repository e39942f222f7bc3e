"""The commands that measure colonies: speedup and compare."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.options import (
    colony_option,
    device_option,
    json_option,
    make_folder,
    out_option,
    parameter_options,
    reading_options,
)
from app.cli.terminal import beside_known, say, show_progress, succeeds, table
from gpu.core.formats import brief
from gpu.core.problem import Problem
from gpu.core.tables import Column
from gpu.core.words import counted

if TYPE_CHECKING:
    from app.cli.headless import Departure
    from gpu.core.instance import Instance
    from gpu.problems.reading import ReadAs
    from gpu.timing.measured import (
        ComparisonReport,
        ComparisonRow,
        Measurement,
        SpeedupReport,
        Spread,
    )


def speedup_text(report: SpeedupReport) -> str:
    """Return a report of speedups for people."""
    words = Problem(report.problem).words
    lines = [
        f"{report.instance}, {counted(report.n, words.place)}: "
        f"{counted(len(report.seeds), 'run')} of "
        f"{counted(report.iterations, 'iteration')} each{_early(report.complete)}"
    ]
    if report.target_cost is not None:
        beside = beside_known(report.target_gap, words)
        cost = report.cost_unit.amount(report.target_cost, "")
        lines.append(f"target: {words.cost} {cost}{beside}")
    columns: Sequence[Column[Measurement]] = (
        Column("COLONY", lambda one: one.system),
        Column("DEVICE", lambda one: one.device),
        Column("ANTS", lambda one: one.ants),
        Column("ms/ITERATION", lambda one: _with_quartiles(one.iteration_ms)),
        Column(f"µs/{words.solution.upper()}", lambda one: _with_quartiles(one.solution_us)),
        Column("× 1 CORE", lambda one: report.speedup(one, "cpu:1"), brief),
        Column("× ALL CORES", lambda one: report.speedup(one, "cpu"), brief),
        Column("s TO TARGET", _to_target),
        Column("× 1 CORE", lambda one: report.target_speedup(one, "cpu:1"), brief),
        Column("× ALL CORES", lambda one: report.target_speedup(one, "cpu"), brief),
    )
    lines.append(table(columns, report.measurements))
    lines += [
        f"{one.system} on {one.device} failed: {one.failure}"
        for one in report.measurements
        if one.failure
    ]
    lines += [
        f"{one.system} on {one.device}: only times to the target are compared, because "
        f"{one.own_work}"
        for one in report.measurements
        if one.own_work
    ]
    return "\n".join(lines)


def comparison_text(report: ComparisonReport) -> str:
    """Return a comparison for people."""
    first = {row.group: row.option for row in reversed(report.rows)}  # of each group
    columns: Sequence[Column[ComparisonRow]] = (
        Column("", lambda row: "*" * row.chosen),
        Column("WHAT", lambda row: row.group if row.option == first[row.group] else ""),
        Column("OPTION", lambda row: row.option),
        *map(_phase, report.phases),
        Column("ms ITERATION", lambda row: _with_half(row.iteration_ms)),
        Column("×", report.ratio, "{:.2f}".format),
    )
    slowed = any(row.scale < 1 for row in report.rows)
    return "\n".join(
        [
            f"{report.instance}, {counted(report.n, Problem(report.problem).words.place)}, "
            f"{report.system} on {report.device} ({report.model}): "
            f"{counted(len(report.seeds), 'round')}{_early(report.complete)}",
            table(columns, report.rows),
            "*: what is chosen. Times are medians ± half of the distance between the quartiles.",
            "×: time of the phase that the option decides, divided by that of the fastest option; "
            "of the whole iteration, if one of the options has no such phase.",
            *["Timing its phases slows an iteration down: they may take longer than it."] * slowed,
            *(f"{_name(row)}: {row.why_not}" for row in report.rows if row.why_not),
        ]
    )


def _phase(phase: str) -> Column[ComparisonRow]:
    return Column(f"ms {phase.upper()}", lambda row: _with_half(row.phases_ms.get(phase)))


def _to_target(one: Measurement) -> str:
    if one.target_median is not None:
        return brief(one.target_median)
    return "not reached" if one.target_seconds and one.solution_us.samples else ""


def _early(complete: bool) -> str:
    return "" if complete else " (cancelled before the end)"


def _name(row: ComparisonRow) -> str:
    return row.option if row.option == row.system else f"{row.group} = {row.option}"


def _with_quartiles(spread: Spread) -> str:
    if not spread.samples:
        return ""
    median = brief(spread.median)
    if spread.half is None:
        return median
    return f"{median} ({brief(spread.lower)}–{brief(spread.upper)})"


def _with_half(spread: Spread | None) -> str:
    if spread is None or not spread.samples:
        return ""
    return f"{spread.median:.4g}" + ("" if spread.half is None else f" ±{spread.half:.2g}")


NOTHING_MEASURED = "nothing was measured: it was cancelled too early"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--colony",
    "colonies",
    multiple=True,
    help="To be measured on its best device, against its family on the CPU; by default acs "
    "for tours, coloring for graphs; repeatable.",
)
@reading_options
@parameter_options
@click.option("--seed", type=int, default=1, show_default=True, help="Of the first repeat.")
@click.option("--repeats", type=int, default=5, show_default=True, help="Runs of each colony.")
@click.option("--iterations", type=int, help="Timed in each run; by default about a second's.")
@click.option(
    "--budget",
    type=float,
    default=30.0,
    show_default=True,
    help="Seconds for each run to reach the same gap; 0 leaves that part out.",
)
@out_option("Folder for speedup.json and speedup.csv.")
@json_option("Print the results as one JSON object.")
def speedup(
    files: tuple[str, ...],
    colonies: tuple[str, ...],
    read_as: ReadAs,
    parameters: Mapping[str, str],
    seed: int,
    repeats: int,
    iterations: int | None,
    budget: float,
    out: Path | None,
    as_json: bool,
) -> int:
    """Measure how much faster colonies are than one core, and than all cores, on each FILE.

    All get the same instance, parameters and number of tours; compiling and warming up are left
    out, and what is shown is the median of the runs with its quartiles.
    """
    from app.cli.headless import interruptible
    from app.cli.measure import speedup_text
    from app.files.library import find_instance
    from app.files.measurements import export_speedup, speedup_json
    from gpu.core.machine import devices
    from gpu.core.random import checked_seed
    from gpu.timing.speedup import contenders, measure

    instances = [find_instance(file, read_as) for file in files]
    among = {
        problem: contenders(colonies or (problem.words.colony,))
        for problem in dict.fromkeys(instance.problem for instance in instances)
    }
    checked_seed(seed + max(repeats, 1) - 1)
    checked_seed(seed)
    make_folder(out)

    measured = partial(
        measure,
        parameters=parameters,
        seed=seed,
        repeats=repeats,
        iterations=iterations,
        budget=budget,
    )
    for instance in instances:  # refuses what is impossible, before anything is said or done
        measured(instance, among[instance.problem], cancelled=lambda: True)
    for file, instance in zip(files, instances, strict=True):
        _tell_of(file, instance)
    if why := devices.survey().without_cuda:
        say(f"no GPU: {why}; measuring on the CPU alone")
    reports: list[SpeedupReport] = []

    def work(cancelled: Callable[[], bool]) -> None:
        for instance in instances:
            if not cancelled():
                show, those = _progress(f"{instance.name}: "), among[instance.problem]
                reports.append(measured(instance, those, cancelled=cancelled, progress=show))

    departure = interruptible(work)
    reports = [report for report in reports if report.measured]
    text = "\n\n".join(map(speedup_text, reports))
    plain = speedup_json(reports) if as_json else None
    export = partial(export_speedup, reports=reports)
    return _conclude(departure, text, plain, out, ("speedup.json", "speedup.csv"), export)


@click.command()
@click.argument("file")
@colony_option
@device_option
@reading_options
@parameter_options
@click.option("--seed", type=int, default=1, show_default=True, help="Of the first round.")
@click.option("--repeats", type=int, default=3, show_default=True, help="Rounds of each option.")
@click.option(
    "--limit",
    type=float,
    default=5.0,
    show_default=True,
    help="Seconds that an iteration may take; slower options are left out.",
)
@out_option("Folder for comparison.jsonl and comparison.csv.")
@json_option("Print the result as one JSON object.")
def compare(
    file: str,
    colony: str | None,
    device: str,
    read_as: ReadAs,
    parameters: Mapping[str, str],
    seed: int,
    repeats: int,
    limit: float,
    out: Path | None,
    as_json: bool,
) -> int:
    """Measure which colony of a family, and which of its options, is fastest on FILE.

    Every colony of the same family that the device can run is timed by phase, and for the chosen
    one every option of its update, selection and the like, all in turn and after a warm-up.
    """
    from app.cli.headless import interruptible
    from app.cli.measure import comparison_text
    from app.files.library import find_instance
    from app.files.measurements import comparison_json, export_comparison
    from gpu.core.random import checked_seed
    from gpu.run.session import choose, why_not_on_a_gpu
    from gpu.timing import comparison

    instance = find_instance(file, read_as)
    colony = colony or instance.problem.words.colony
    place, system = choose(colony, device)
    checked_seed(checked_seed(seed) + max(repeats, 1) - 1)
    make_folder(out)
    compared = partial(
        comparison.compare,
        instance,
        system,
        place,
        parameters,
        seed=seed,
        repeats=repeats,
        limit=limit,
    )
    compared(cancelled=lambda: True)  # refuses what is impossible, before anything is said or done
    _tell_of(file, instance)
    if why := why_not_on_a_gpu(colony, device, place):
        say(f"no GPU: {why}; comparing on {place.name}")
    newest: deque[ComparisonReport] = deque(maxlen=1)  # it says all that the others did

    def work(cancelled: Callable[[], bool]) -> None:
        show = _progress("")
        newest.append(compared(cancelled=cancelled, progress=show, found=newest.append))

    departure = interruptible(work)
    report = newest[-1] if newest else None
    text = comparison_text(report) if report is not None and report.measured else ""
    plain = comparison_json(report) if report is not None and as_json else None

    def export(path: Path, form: Any) -> None:
        export_comparison(path, newest[-1], form)

    names = ("comparison.jsonl", "comparison.csv")
    return _conclude(departure, text, plain, out, names, export)


def _tell_of(file: str, instance: Instance) -> None:
    """Say what the file of ``instance`` was taken for."""
    for sentence in instance.said:
        say(f"{file}: {sentence}")


def _conclude(
    departure: Departure,
    text: str,
    plain: Mapping[str, object] | None,
    out: Path | None,
    names: Sequence[str],
    export: Callable[..., object],
) -> int:
    """Write the files, print the text (empty if nothing was measured) or the JSON, and leave."""
    written = True
    if text and out is not None:
        for name in names:
            if succeeds(partial(export, out / name, form=name.rpartition(".")[2])):
                say(f"written: {out / name}")
            else:
                written = False
    if plain is not None:
        click.echo(json.dumps(plain, allow_nan=False))
    elif text:
        click.echo(text)
    if not text:
        say(NOTHING_MEASURED)
    status = departure.status or int(not text) if written else 1
    departure.leave(status)
    return status


def _progress(name: str) -> Callable[[str, float], None]:
    """Return a function that shows the progress of a measurement on the terminal."""
    return lambda text, share: show_progress(f"{name}{100 * share:.0f} %  {text}")
