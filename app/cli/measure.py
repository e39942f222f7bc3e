"""The commands that measure colonies: speedup and compare."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.options import (
    colony_option,
    device_option,
    json_option,
    make_folder,
    out_option,
    parameter_options,
)
from app.cli.terminal import say, show_progress

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.measure.comparison_report import ComparisonReport
    from gpu.measure.speedup_report import SpeedupReport

Progress = Callable[[str, float], None]
"""Gets a text with the present step, and the share of all steps that is done, in [0, 1]."""

NOTHING_MEASURED = "nothing was measured: it was cancelled too early"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--colony",
    "colonies",
    multiple=True,
    help="To be measured on its best device, against the same search on the CPU; by default acs "
    "for tours, coloring for graphs; repeatable.",
)
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
    from app.cli.measured_text import speedup_text
    from app.files.library import find_instance
    from app.files.measurements import export_speedup, speedup_json
    from gpu.core import devices
    from gpu.core.random import checked_seed
    from gpu.measure.contenders import contenders
    from gpu.measure.speedup import measure

    instances = [find_instance(file) for file in files]
    among = {
        problem: contenders(colonies or (problem.words.colony,))
        for problem in dict.fromkeys(instance.problem for instance in instances)
    }
    checked_seed(seed + max(repeats, 1) - 1)
    checked_seed(seed)
    make_folder(out)

    def measured(
        instance: Instance, cancelled: Callable[[], bool], progress: Progress = _untold
    ) -> SpeedupReport:
        return measure(
            instance,
            among[instance.problem],
            parameters,
            seed=seed,
            repeats=repeats,
            iterations=iterations,
            budget=budget,
            cancelled=cancelled,
            progress=progress,
        )

    for instance in instances:  # refuses what is impossible, before anything is said or done
        measured(instance, lambda: True)
    if why := devices.survey().without_cuda:
        say(f"no GPU: {why}; measuring on the CPU alone")
    reports: list[SpeedupReport] = []

    def work(cancelled: Callable[[], bool]) -> None:
        for instance in instances:
            if not cancelled():
                reports.append(measured(instance, cancelled, _progress(f"{instance.name}: ")))

    departure = interruptible(work)
    reports = [report for report in reports if report.measured]
    if as_json:
        click.echo(json.dumps(speedup_json(reports), allow_nan=False))
    elif reports:
        click.echo("\n\n".join(map(speedup_text, reports)))
    if not reports:
        say(NOTHING_MEASURED)
    elif out is not None:
        for form in ("json", "csv"):
            export_speedup(out / f"speedup.{form}", reports, form)
            say(f"written: {out / f'speedup.{form}'}")
    departure.leave()
    return departure.status


@click.command()
@click.argument("file")
@colony_option
@device_option
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
    parameters: Mapping[str, str],
    seed: int,
    repeats: int,
    limit: float,
    out: Path | None,
    as_json: bool,
) -> int:
    """Measure which colony of a search, and which of its options, is fastest on FILE.

    Every colony of the same search that the device can run is timed by phase, and for the chosen
    one every option of its update, selection and the like, all in turn and after a warm-up.
    """
    from app.cli.headless import interruptible
    from app.cli.measured_text import comparison_text
    from app.files.library import find_instance
    from app.files.measurements import comparison_json, export_comparison
    from gpu.core.random import checked_seed
    from gpu.measure import comparison
    from gpu.run.session import choose, why_not_on_a_gpu

    instance = find_instance(file)
    colony = colony or instance.problem.words.colony
    place, system = choose(colony, device)
    checked_seed(checked_seed(seed) + max(repeats, 1) - 1)
    make_folder(out)
    reports: list[ComparisonReport] = []

    def keep(report: ComparisonReport) -> None:
        reports[:] = [report]  # the newest says all that the others did

    show = _progress("")

    def work(cancelled: Callable[[], bool], progress: Progress = show) -> None:
        report = comparison.compare(
            instance,
            system,
            place,
            parameters,
            seed=seed,
            repeats=repeats,
            limit=limit,
            cancelled=cancelled,
            progress=progress,
            found=keep,
        )
        keep(report)

    work(lambda: True, _untold)  # refuses what is impossible, before anything is said or done
    reports.clear()
    if why := why_not_on_a_gpu(colony, device, place):
        say(f"no GPU: {why}; comparing on {place.name}")
    departure = interruptible(work)
    if reports and as_json:
        click.echo(json.dumps(comparison_json(reports[-1]), allow_nan=False))
    if not reports or not reports[-1].measured:
        say(NOTHING_MEASURED)
    else:
        if not as_json:
            click.echo(comparison_text(reports[-1]))
        if out is not None:
            for form in ("jsonl", "csv"):
                export_comparison(out / f"comparison.{form}", reports[-1], form)
                say(f"written: {out / f'comparison.{form}'}")
    departure.leave()
    return departure.status


def _progress(name: str) -> Progress:
    """Return a function that shows the progress of a measurement on the terminal."""
    return lambda text, share: show_progress(f"{name}{100 * share:.0f} %  {text}")


def _untold(text: str, share: float) -> None:
    """Show no progress."""
