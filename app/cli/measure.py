"""The commands that measure colonies: speedup and compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from app.cli.options import (
    colony_option,
    device_option,
    leave,
    make_folder,
    out_option,
    parameter_options,
)
from app.cli.terminal import say

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
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
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
    from app.cli import speedup as benchmark
    from app.files.library import find_instance
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
    options = {"seed": seed, "repeats": repeats, "iterations": iterations, "budget": budget}
    for instance in instances:  # refuses what is impossible, before anything is said or done
        measure(instance, among[instance.problem], parameters, cancelled=lambda: True, **options)  # type: ignore[arg-type]
    if why := devices.survey().without_cuda:
        say(f"no GPU: {why}; measuring on the CPU alone")
    reports, departure = benchmark.measure_all(instances, among, parameters, **options)
    reports = [report for report in reports if report.measured]
    if as_json:
        click.echo(json.dumps(benchmark.json_of(reports), allow_nan=False))
    elif reports:
        click.echo("\n\n".join(map(benchmark.text_of, reports)))
    if not reports:
        say(NOTHING_MEASURED)
    elif out is not None:
        for path in benchmark.write(out, reports):
            say(f"written: {path}")
    leave(departure)
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
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
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
    from app.cli import comparison as comparing
    from app.files.library import find_instance
    from gpu.core.random import checked_seed
    from gpu.measure import comparison
    from gpu.run.session import choose, why_not_on_a_gpu

    instance = find_instance(file)
    colony = colony or instance.problem.words.colony
    place, system = choose(colony, device)
    checked_seed(checked_seed(seed) + max(repeats, 1) - 1)
    make_folder(out)
    options = {"seed": seed, "rounds": repeats, "limit": limit}
    # Refuses what is impossible, before anything is said or done.
    comparison.compare(instance, system, place, parameters, cancelled=lambda: True, **options)  # type: ignore[arg-type]
    if why := why_not_on_a_gpu(colony, device, place):
        say(f"no GPU: {why}; comparing on {place.name}")
    report, departure = comparing.measure(instance, system, place, parameters, **options)  # type: ignore[arg-type]
    if report is not None and as_json:
        click.echo(json.dumps(comparing.json_of(report), allow_nan=False))
    if report is None or not report.measured:
        say(NOTHING_MEASURED)
    else:
        if not as_json:
            click.echo(comparing.text_of(report))
        if out is not None:
            for path in comparing.write(out, report):
                say(f"written: {path}")
    leave(departure)
    return departure.status
