"""The commands that compute: solve, replay, speedup and compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.command_parts import leave, make_folder, parameters_of
from app.terminal import one_line, say, show_progress
from gpu.errors import FormicariumError

if TYPE_CHECKING:
    from app.headless import Result
    from app.recorder import Recorder
    from app.session import Session
    from gpu.instances.instance import Instance

_set = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter to a number, or to one of its options; formicarium colonies lists them. "
    "Repeatable.",
)
_colony = click.option(
    "--colony",
    help="See formicarium colonies; by default acs for tours, coloring for graphs.",
)
_ants = click.option(
    "--ants",
    help="Ants, each making one solution an iteration; auto is as many as the colony's paper has.",
)
_local_search = click.option(
    "--local-search",
    metavar="KIND",
    help="Improve every tour by 2opt, 2opt+oropt, oropt or none, where the colony can.",
)


@click.command()
@click.argument("file")
@_colony
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cpu:1, cuda:0, ...")
@click.option("--iterations", type=int, help="Stop after exactly so many iterations.")
@click.option("--seconds", type=float, help="Stop after so many seconds of solving.")
@click.option("--target-gap", type=float, help="Stop at so many % above the known optimum.")
@click.option("--target-length", type=int, help="Stop at a tour of this length.")
@click.option("--target-colors", type=int, help="Stop at a coloring with so many colors.")
@click.option("--no-improvement", type=int, help="Stop after so many iterations in vain.")
@_ants
@click.option("--seed", type=int, help="Decides the run; drawn if not given.")
@_local_search
@_set
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the run's log (.jsonl, .csv) and its tour (.tour) or coloring (.sol).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def solve(
    file: str,
    colony: str | None,
    device: str,
    iterations: int | None,
    seconds: float | None,
    target_gap: float | None,
    target_length: int | None,
    target_colors: int | None,
    no_improvement: int | None,
    ants: str | None,
    local_search: str | None,
    seed: int | None,
    settings: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> int:
    """Solve FILE (a TSPLIB or DIMACS file, or the name of a bundled instance) with no display.

    Without a limit the run goes on until Ctrl-C.
    """
    from app.library import find_instance
    from app.session import choose, new_session, why_not_on_a_gpu
    from app.stopping import StopSettings

    instance = find_instance(file)
    target = _target(instance, {"length": target_length, "colors": target_colors})
    stop = StopSettings(seconds, iterations, target_gap, target, no_improvement)
    parameters = parameters_of(settings, ants, local_search)
    session = new_session(
        instance, colony=colony, device=device, parameters=parameters, seed=seed, stop=stop
    )
    meant = colony or instance.problem.words.colony
    why = why_not_on_a_gpu(meant, device, choose(meant, device)[0])
    recorder = _recorder(out, session, instance)
    if instance.note:
        say(f"{file}: {instance.note}")
    if why:
        say(f"no GPU: {why}; solving on {session.device}")
    result = _run(instance, session, recorder, as_json)
    if recorder is not None:
        _export(recorder, instance, session, result)
    leave(result.departure)
    return result.status


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--device", help="Another device than the recorded one.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def replay(file: Path, device: str | None, as_json: bool) -> int:
    """Run the session of FILE (a run's log, or a session file) again, and compare."""
    from app.library import find_again
    from app.recorder import read_log
    from app.replay import comparison, repeated

    log = read_log(file)
    instance = find_again(log.session.instance, beside=file)
    session = repeated(log, device)
    result = _run(instance, session, None, as_json)
    status = result.status
    if status == 0:
        same, sentence = comparison(log, instance, session, result.outcome)
        say(f"{file}: {sentence}")
        status = 0 if same else 1
    leave(result.departure)
    return status


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--colony",
    "colonies",
    multiple=True,
    help="To be measured on its best device, against the same search on the CPU; by default acs "
    "for tours, coloring for graphs; repeatable.",
)
@_ants
@_local_search
@_set
@click.option("--seed", type=int, default=1, show_default=True, help="Of the first repeat.")
@click.option("--repeats", type=int, default=5, show_default=True, help="Runs of each colony.")
@click.option("--iterations", type=int, help="Timed in each run; by default about a second's.")
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="Seconds for each run to reach the same gap; 0 leaves that part out.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for speedup.json and speedup.csv.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
def speedup(
    files: tuple[str, ...],
    colonies: tuple[str, ...],
    ants: str | None,
    local_search: str | None,
    settings: tuple[str, ...],
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
    from app import benchmark
    from app.library import find_instance
    from app.session import checked_seed
    from gpu import devices
    from gpu.contenders import contenders
    from gpu.speedup import measure

    instances = [find_instance(file) for file in files]
    among = {
        problem: contenders(colonies or (problem.words.colony,))
        for problem in dict.fromkeys(instance.problem for instance in instances)
    }
    parameters = parameters_of(settings, ants, local_search)
    checked_seed(seed + max(repeats, 1) - 1)
    checked_seed(seed)
    make_folder(out)
    options = {"seed": seed, "repeats": repeats, "iterations": iterations, "budget": budget}
    for instance in instances:  # refuses what is impossible, before anything is said or done
        measure(instance, among[instance.problem], parameters, cancelled=lambda: True, **options)  # type: ignore[arg-type]
    if why := devices.survey().without_cuda:
        say(f"no GPU: {why}; measuring on the CPU alone")
    reports, departure = benchmark.measure_all(instances, among, parameters, **options)
    if as_json:
        click.echo(json.dumps(benchmark.json_of(reports), allow_nan=False))
    else:
        click.echo("\n\n".join(map(benchmark.text_of, reports)))
    if out is not None:
        for path in benchmark.write(out, reports):
            say(f"written: {path}")
    leave(departure)
    return departure.status


@click.command()
@click.argument("file")
@_colony
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cpu:1, cuda:0, ...")
@_ants
@_local_search
@_set
@click.option("--seed", type=int, default=1, show_default=True, help="Of the first round.")
@click.option("--repeats", type=int, default=3, show_default=True, help="Rounds of each option.")
@click.option(
    "--limit",
    type=float,
    default=5.0,
    show_default=True,
    help="Seconds that an iteration may take; slower options are left out.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for comparison.jsonl and comparison.csv.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def compare(
    file: str,
    colony: str | None,
    device: str,
    ants: str | None,
    local_search: str | None,
    settings: tuple[str, ...],
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
    from app import comparing
    from app.library import find_instance
    from app.session import checked_seed, choose, why_not_on_a_gpu
    from gpu import comparison

    instance = find_instance(file)
    colony = colony or instance.problem.words.colony
    place, system = choose(colony, device)
    given = parameters_of(settings, ants, local_search)
    checked_seed(checked_seed(seed) + max(repeats, 1) - 1)
    make_folder(out)
    options = {"seed": seed, "rounds": repeats, "limit": limit}
    # Refuses what is impossible, before anything is said or done.
    comparison.compare(instance, system, place, given, cancelled=lambda: True, **options)  # type: ignore[arg-type]
    if why := why_not_on_a_gpu(colony, device, place):
        say(f"no GPU: {why}; comparing on {place.name}")
    report, departure = comparing.measure(instance, system, place, given, **options)  # type: ignore[arg-type]
    if report is not None:
        if as_json:
            click.echo(json.dumps(comparing.json_of(report), allow_nan=False))
        else:
            click.echo(comparing.text_of(report))
        if out is not None:
            for path in comparing.write(out, report):
                say(f"written: {path}")
    leave(departure)
    return departure.status


def _target(instance: Instance, costs: Mapping[str, int | None]) -> int | None:
    """Return the one of the target ``costs`` that fits ``instance``; refuse any other."""
    wanted = instance.problem.words.cost
    for name, cost in costs.items():
        if name != wanted and cost is not None:
            raise FormicariumError(
                f"--target-{name} is not for {instance.name}: give --target-{wanted}"
            )
    return costs[wanted]


def _run(instance: Instance, session: Session, recorder: Recorder | None, as_json: bool) -> Result:
    """Run ``session`` with its progress on the terminal, and print its result."""
    from app import headless, report

    show = headless.progress_of(session, instance)
    result = headless.solve(instance, session, recorder, show)
    show_progress("")
    outcome = result.outcome
    if outcome.ending.value == "failed":
        say(one_line(outcome.reason))
    if as_json:
        click.echo(json.dumps(report.result(instance, session, outcome)))
    else:
        click.echo(report.summary(instance, session, outcome))
    return result


def _recorder(out: Path | None, session: Session, instance: Instance) -> Recorder | None:
    """Return what writes the run's log into ``out``, where one is asked for."""
    if out is None:
        return None
    from app.recorder import Recorder, free_path, stem

    make_folder(out)
    path = free_path(out, stem(session), ".jsonl", ".csv", instance.problem.words.suffix)
    return Recorder(path, session, instance, say)


def _export(recorder: Recorder, instance: Instance, session: Session, result: Result) -> None:
    """Write CSV and solution beside the log; a file that cannot be written is told, not fatal."""
    from app.exports import export_csv, export_solution
    from app.recorder import read_log

    try:
        best = result.outcome.state.best_solution
        if best is not None:
            comment = f"by {session.colony}, seed {session.seed}"
            path = recorder.path.with_suffix(instance.problem.words.suffix)
            export_solution(path, instance, best, comment)
        if recorder.complete:
            export_csv(recorder.path.with_suffix(".csv"), read_log(recorder.path))
    except FormicariumError as error:
        say(one_line(str(error)))
