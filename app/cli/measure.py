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
)
from app.cli.terminal import say, show_progress, succeeds

if TYPE_CHECKING:
    from app.cli.headless import Departure
    from gpu.batch.comparison_report import ComparisonReport
    from gpu.batch.speedup_report import SpeedupReport

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
    from gpu.batch.contenders import contenders
    from gpu.batch.speedup import measure
    from gpu.core.machine import devices
    from gpu.core.random import checked_seed

    instances = [find_instance(file) for file in files]
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
    from gpu.batch import comparison
    from gpu.core.random import checked_seed
    from gpu.run.session import choose, why_not_on_a_gpu

    instance = find_instance(file)
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
