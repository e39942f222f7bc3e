"""The commands that run a colony: solve and replay."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
from app.cli.terminal import one_line, say
from gpu.core.errors import FormicariumError

if TYPE_CHECKING:
    from app.cli.headless import Departure
    from gpu.core.instance import Instance
    from gpu.run.recorder import Recorder
    from gpu.run.result import Result
    from gpu.run.session import Session


@click.command()
@click.argument("file")
@colony_option
@device_option
@click.option("--iterations", type=int, help="Stop after exactly so many iterations.")
@click.option("--seconds", type=float, help="Stop after so many seconds of solving.")
@click.option("--target-gap", type=float, help="Stop at so many % above the known optimum.")
@click.option("--target-length", type=int, help="Stop at a tour of this length.")
@click.option("--target-colors", type=int, help="Stop at a coloring with so many colors.")
@click.option("--no-improvement", type=int, help="Stop after so many iterations in vain.")
@parameter_options
@click.option("--seed", type=int, help="Decides the run; drawn if not given.")
@out_option("Folder for the run's log (.jsonl, .csv) and its tour (.tour) or coloring (.sol).")
@json_option("Print the result as one JSON object.")
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
    parameters: Mapping[str, str],
    seed: int | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Solve FILE (a TSPLIB or DIMACS file, or the name of a bundled instance) with no display.

    Without a limit the run goes on until Ctrl-C.
    """
    from app.files.library import find_instance
    from gpu.run.recorder import Recorder, free_path, stem
    from gpu.run.session import choose, new_session, why_not_on_a_gpu
    from gpu.run.stopping import StopSettings

    instance = find_instance(file)
    target = _target(instance, {"length": target_length, "colors": target_colors})
    stop = StopSettings(seconds, iterations, target_gap, target, no_improvement)
    session = new_session(
        instance, colony=colony, device=device, parameters=parameters, seed=seed, stop=stop
    )
    recorder = None
    if out is not None:
        make_folder(out)
        path = free_path(out, stem(session), ".jsonl", ".csv", instance.problem.words.suffix)
        recorder = Recorder(path, session, instance, say)
    if instance.note:
        say(f"{file}: {instance.note}")
    meant = colony or instance.problem.words.colony
    if why := why_not_on_a_gpu(meant, device, choose(meant, device)[0]):
        say(f"no GPU: {why}; solving on {session.device}")
    result, departure = _run(instance, session, recorder, as_json)
    if recorder is not None:
        _export(recorder, result)
    departure.leave()
    return _status(result, departure)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--device", help="Another device than the recorded one.")
@json_option("Print the result as one JSON object.")
def replay(file: Path, device: str | None, as_json: bool) -> int:
    """Run the session of FILE (a run's log, or a session file) again, and compare."""
    from app.files.library import find_again
    from gpu.run.replay import comparison, repeated
    from gpu.run.run_log import read_log

    log = read_log(file)
    instance = find_again(log.session.instance, beside=file)
    session = repeated(log, device)
    result, departure = _run(instance, session, None, as_json)
    status = _status(result, departure)
    if status == 0:
        same, sentence = comparison(log, result)
        say(f"{file}: {sentence}")
        status = 0 if same else 1
    departure.leave()
    return status


def _target(instance: Instance, costs: Mapping[str, int | None]) -> int | None:
    """Return the one of the target ``costs`` that fits ``instance``; refuse any other."""
    wanted = instance.problem.words.cost
    for name, cost in costs.items():
        if name != wanted and cost is not None:
            raise FormicariumError(
                f"--target-{name} is not for {instance.name}: give --target-{wanted}"
            )
    return costs[wanted]


def _run(
    instance: Instance, session: Session, recorder: Recorder | None, as_json: bool
) -> tuple[Result, Departure]:
    """Run ``session`` with its progress on the terminal, and print its result."""
    from app.cli import headless

    result, departure = headless.solve(instance, session, recorder)
    if result.ending == "failed":
        say(one_line(result.reason))
    click.echo(json.dumps(result.to_dict()) if as_json else _summary(result))
    return result, departure


def _summary(result: Result) -> str:
    """Return a run's result for people, in a few lines."""
    from gpu.core.words import counted

    instance, session, words = result.instance, result.session, result.instance.problem.words
    lines = [
        f"{instance.name}, {instance.size}, by {session.colony} on {session.device}, "
        f"seed {session.seed}",
        # Why a run failed is an error, which standard error has.
        result.ending.value + ("" if result.ending == "failed" else f": {result.reason}"),
    ]
    if result.cost is None:
        more = ": allow more time, or fewer ants" if result.ending == "finished" else ""
        return "\n".join([*lines, f"no {words.solution} was built{more}"])
    gap = result.gap_percent
    above = "" if gap is None else f", {gap:.2f} % above the best known {instance.optimum}"
    if gap is not None and gap <= 0:
        above = f", {words.known}"
    found = "with which the run began"
    if result.best_iteration:
        found = f"found in iteration {result.best_iteration}"
    lines += [
        f"best {words.solution} {words.amount.format(result.cost)}{above}, {found}",
        f"{counted(result.iterations, 'iteration')}, "
        f"{counted(result.solutions_built, words.solution)}, {result.seconds:.2f} s",
    ]
    return "\n".join(lines)


def _status(result: Result, departure: Departure) -> int:
    """Return the exit status: 0 finished, 1 failed, 128 + signal."""
    return 1 if result.ending == "failed" else departure.status


def _export(recorder: Recorder, result: Result) -> None:
    """Write CSV and solution beside the log. A file that cannot be written only gets a message."""
    from app.files.exports import export_csv, export_solution
    from gpu.run.run_log import read_log

    instance, session = result.instance, result.session
    try:
        if result.solution is not None:
            comment = f"by {session.colony}, seed {session.seed}"
            path = recorder.path.with_suffix(instance.problem.words.suffix)
            export_solution(path, instance, result.solution, comment)
        if recorder.complete:
            export_csv(recorder.path.with_suffix(".csv"), read_log(recorder.path))
    except FormicariumError as error:
        say(one_line(str(error)))
