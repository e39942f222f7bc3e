"""The commands that run a colony: solve and replay."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.options import (
    COST,
    device_option,
    json_option,
    limit_options,
    make_folder,
    out_option,
    parameter_options,
    reading_options,
)
from app.cli.terminal import one_line, say, show_progress, succeeds
from app.termination import BAD_INPUT
from gpu.core.errors import FormicariumError

if TYPE_CHECKING:
    from app.cli.headless import Departure
    from gpu.core.instance import Instance
    from gpu.problems.reading import ReadAs
    from gpu.run.log.recorder import Recorder
    from gpu.run.outcome import Result
    from gpu.run.session import Session


@click.command()
@click.argument("file")
@click.option(
    "--aim",
    type=click.Choice(["best", "paper", "watch"]),
    help="What to choose colony and parameters for, where no colony is named: the best solution, "
    "as measured on such a device (the default); as in the paper; or to watch, slow and clear.",
)
@click.option("--colony", help="See formicarium colonies; with the defaults of its paper.")
@device_option
@limit_options
@click.option(
    "--target-length",
    type=COST,
    help="Stop at a tour of this length, or a shorter one, in the unit of FILE.",
)
@click.option("--target-colors", type=int, help="Stop at a coloring with so many colors, or fewer.")
@click.option(
    "--go-on",
    is_flag=True,
    help="Do not stop at the best known solution, nor at one that is proved optimal.",
)
@click.option(
    "--no-limit",
    is_flag=True,
    help="Set no time limit, even if no other limit is given: Ctrl-C ends the run.",
)
@click.option(
    "--start",
    metavar="TOUR",
    help="Begin with the tour in this .tour file, or the coloring in this .sol file or table of "
    "classes, and improve it: focused, crossing, gpx and head colonies.",
)
@reading_options
@click.option(
    "--best-known",
    type=COST,
    help="The best known length (in the unit of FILE), or number of colors, that gaps are measured "
    "by; it is kept for this instance. 0 forgets it.",
)
@parameter_options
@click.option("--seed", type=int, help="Decides the run; drawn if not given.")
@out_option(
    "Folder for the run's log (.jsonl, .csv) and its tour (.tour) or coloring (.sol); for a table "
    "of places, also its route as a table (.csv), and for one on the globe as GPX, KML"
    " and GeoJSON; for a graph with names, or from a list or matrix, also its classes as a table."
)
@click.option(
    "--record",
    type=click.IntRange(0, 100_000),
    help="With --out, also record the past of the run (.frames), for formicarium film and the "
    "window: at most so many MB, by default 20. 0 records nothing.",
)
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    help="Draw the best tour, or the graph with its best coloring, into this file: .png, .svg or "
    ".pdf, 17 × 12 cm.",
)
@json_option("Print the result as one JSON object.")
def solve(
    file: str,
    aim: str | None,
    colony: str | None,
    device: str,
    limits: Mapping[str, Any],
    target_length: str | None,
    target_colors: int | None,
    go_on: bool,
    no_limit: bool,
    start: str | None,
    read_as: ReadAs,
    best_known: str | None,
    parameters: Mapping[str, str],
    seed: int | None,
    out: Path | None,
    record: int | None,
    picture: Path | None,
    as_json: bool,
) -> int:
    """Solve FILE (a TSPLIB or DIMACS file, or the name of a bundled instance) with no display.

    FILE may be packed by gzip, or be a table of places (.csv); - is standard input.

    The run ends at the first limit, at the best known solution, or at one that is proved optimal.
    If no limit is given, it ends after 3 to 60 s, by the number of cities or vertices.
    """
    from app.cli import headless
    from app.cli.picture import check_picture, draw_result
    from app.files.library import find_published, keep_best_known, with_kept
    from gpu.aims import seconds_for
    from gpu.core.machine import devices
    from gpu.run.frames.frame_file import USUAL_LIMIT
    from gpu.run.frames.frames import FRAMES_SUFFIX
    from gpu.run.log.names import free_path, stem
    from gpu.run.log.recorder import Recorder
    from gpu.run.session import new_session, why_not_on_a_gpu
    from gpu.run.stopping import StopSettings

    if record is not None and out is None:
        raise FormicariumError("--record is for the files in --out: name a folder there")
    if no_limit and limits["seconds"] is not None:
        raise FormicariumError("--no-limit is a run without --seconds: leave one of them out")
    show_progress(f"reading {one_line(file)}")  # a million cities take some seconds
    begun = time.perf_counter()
    try:
        instance = find_published(file, read_as)
    finally:
        show_progress("")
    reading = time.perf_counter() - begun
    if best_known is not None:
        keep_best_known(instance, instance.cost_unit.cost(best_known))
    instance = with_kept(instance)
    length = None if target_length is None else instance.cost_unit.cost(target_length)
    target = _target(instance, {"length": length, "colors": target_colors})
    stop = StopSettings(**limits, target_length=target, go_on=go_on)
    if unasked := not (stop.limited or no_limit):
        stop = replace(stop, seconds=seconds_for(instance))
    session = new_session(
        instance,
        aim=aim,
        colony=colony,
        device=device,
        parameters=parameters,
        seed=seed,
        stop=stop,
        start=start,
    )
    if picture is not None:
        check_picture(picture)
    make_folder(picture and picture.parent)
    make_folder(out)  # the last that can be refused
    if session.aim:
        say(_choice(session, instance))
    if unasked:
        others = "--seconds chooses another time, --no-limit none"
        say(f"no limit is given: the run ends after {stop.seconds:g} s ({others})")
    recorder = None
    if out is not None:
        suffix = instance.problem.words.suffix
        path = free_path(out, stem(session), ".jsonl", ".csv", suffix, FRAMES_SUFFIX)
        most = USUAL_LIMIT if record is None else record
        recorder = Recorder(path, session, instance, say, most)
    for sentence in instance.said:
        say(f"{file}: {sentence}")
    meant = colony or instance.problem.words.colony
    if why := why_not_on_a_gpu(meant, device, devices.find(session.device)):
        say(f"no GPU: {why}; solving on {session.device}")
    result, departure = headless.solve(instance, session, recorder)
    try:
        written = recorder is None or _export(recorder, result)
        if picture is not None:
            written &= succeeds(lambda: draw_result(picture, result))
    finally:  # whatever comes while files are written, the result is not lost
        _show(result, reading, as_json)
    status = _status(result, departure, written=written)
    departure.leave(status)
    return status


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--device", help="Another device than the recorded one.")
@json_option("Print the result as one JSON object.")
def replay(file: Path, device: str | None, as_json: bool) -> int:
    """Run the session of FILE (a run's log, or a session file) again, and compare."""
    from app.cli import headless
    from app.files.library import find_again
    from gpu.run.log.recorded import comparison, repeated
    from gpu.run.log.run_log import read_log

    begun = time.perf_counter()
    log = read_log(file)
    instance = find_again(log.session.instance, beside=file)
    session = repeated(log, device)
    reading = time.perf_counter() - begun
    if not session.stop.limited:  # nothing was run yet
        say(f"{file}: its run has no limit: Ctrl-C ends it")
    result, departure = headless.solve(instance, session)
    for change in session.changes:
        say(f"{file}: after iteration {change.iteration}, as recorded: {change.text}")
    _show(result, reading, as_json)
    status = _status(result, departure)
    if status == 0:
        same, sentence = comparison(log, result)
        say(f"{file}: {sentence}")
        status = 0 if same else 1
    departure.leave(status)
    return status


def _choice(session: Session, instance: Instance) -> str:
    """Return what the aim of ``session`` chose, and why, in one line."""
    from gpu import aims
    from gpu.core.machine import devices

    usual = session.system.parameters().to_dict()
    chosen = session.chosen.to_dict().items()
    values = ", ".join(f"{name} {value}" for name, value in chosen if value != usual[name])
    aim, device = aims.Aim(session.aim), devices.find(session.device)
    why = aims.choice(aim, instance, device, starts=session.start is not None).why
    others = "--aim or --colony chooses another"
    return f"{session.colony}{f' with {values}' if values else ''}: {why} ({others})"


def _target(instance: Instance, costs: Mapping[str, int | None]) -> int | None:
    """Return the one of the target ``costs`` that fits ``instance``; refuse any other."""
    wanted = instance.problem.words.cost
    for name, cost in costs.items():
        if name != wanted and cost is not None:
            raise FormicariumError(
                f"--target-{name} is not for {instance.name}: give --target-{wanted}"
            )
    return costs[wanted]


def _show(result: Result, reading: float, as_json: bool) -> None:
    """Print the result of a run, and what took the time; ``reading`` the file took such seconds."""
    from gpu.core.machine.processes import seconds_since_start

    if result.ending == "failed":
        say(one_line(result.reason))
    total = seconds_since_start()
    if as_json:
        times = {"reading": round(reading, 6), **result.times(), "total": round(total, 6)}
        click.echo(json.dumps({**result.to_dict(), "times": times}))
        return
    spent, noun = result.spent, result.instance.problem.words.solutions
    click.echo(_summary(result))
    click.echo(
        f"read in {reading:.2f} s, built in {spent.building:.2f} s, solved in {result.seconds:.2f} "
        f"s ({spent.checking:.2f} s of it to check {noun}); {total:.2f} s since the program began"
    )


def _summary(result: Result) -> str:
    """Return a run's result for people, in a few lines."""
    from gpu.core.bounds import KnownCosts
    from gpu.core.words import counted
    from gpu.run.stopping import PROVED

    instance, session, words = result.instance, result.session, result.instance.problem.words
    lines = [
        f"{instance.name}, {instance.size}, by {session.colony} on {session.device}, "
        f"seed {session.seed}",
        # Why a run failed is an error, which standard error has.
        result.ending.value + ("" if result.ending == "failed" else f": {result.reason}"),
    ]
    if result.cost is None:
        return "\n".join([*lines, instance.nothing_found])
    gap = result.gap_percent
    whose = "your" if instance.optimum_by_user else "the"
    beside = f", {words.known}" if gap == 0 else ""
    if gap and instance.optimum is not None:
        where = "above" if gap > 0 else "below"
        known = instance.cost_unit.text(instance.optimum, "")
        beside = f", {abs(gap):.2f} % {where} {whose} best known {known}"
    found = "with which the run began"
    if result.ants_cost is not None and result.cost < result.ants_cost:
        found += f"; the ants' best: {instance.cost_unit.amount(result.ants_cost, '')}"
    if result.best_iteration:
        found = f"found in iteration {result.best_iteration}"
        if result.found_by:
            found += f" by {result.found_by}"
    lines += [
        f"best {words.solution} {instance.cost_unit.amount(result.cost, '')}{beside}, {found}",
        f"{counted(result.iterations, 'iteration')}, "
        f"{counted(result.solutions_built, words.solution)}, {result.seconds:.2f} s",
    ]
    if result.bound is not None and result.criterion != PROVED:
        least = instance.cost_unit.amount(result.bound.cost, "")
        optimal = "it is optimal: " if result.proved else ""
        above = KnownCosts(instance.optimum, result.bound)
        if above.by_bound and not result.proved and (most := above.gap_percent(result.cost)):
            optimal = f"at most {most:.2f} % above the optimum: "
        none = f"no {words.solution} {words.none_below.format(least)} ({result.bound.why})"
        lines.insert(-1, f"{optimal}{none}")
    return "\n".join(lines)


def _status(result: Result, departure: Departure, *, written: bool = True) -> int:
    """Return the exit status: 0 if there is a solution and all that was asked for is ``written``.

    It is 1 if something of it is missing or the run failed, 2 if it was refused, and 128 + signal
    if one ended it.
    """
    if result.refused:
        return BAD_INPUT
    if result.ending == "failed" or not written:
        return 1
    return departure.status or int(result.cost is None)


def _export(recorder: Recorder, result: Result) -> bool:
    """Write CSV and solution beside the log; say what cannot be written; return whether all is."""
    from functools import partial

    from app.files.classes import export_classes
    from app.files.exports import export_csv, export_solution
    from app.files.routes import GLOBE_FORMATS, ROUTE_WRITERS
    from gpu.core.problem import Problem
    from gpu.run.log.run_log import read_log

    instance, session, path = result.instance, result.session, recorder.path
    written = recorder.complete and not recorder.frames_lost  # the recorder has said why not
    if (solution := result.solution) is not None:
        file = path.with_suffix(instance.problem.words.suffix)
        comment = f"by {session.colony}, seed {session.seed}"
        written &= succeeds(lambda: export_solution(file, instance, solution, comment))
        if instance.problem is Problem.COLORING:
            graph: Any = instance
            if graph.names or graph.read_as:  # of a file in which people look for its vertices
                table = path.with_name(f"{path.stem}-classes.csv")
                written &= succeeds(lambda: export_classes(table, graph, solution))
        elif instance.read_as:
            places: Any = instance  # of a table
            route = path.with_name(f"{path.stem}-route.csv")
            written &= succeeds(lambda: ROUTE_WRITERS["route"](route, places, solution))
            for name in GLOBE_FORMATS if instance.geographic else ():
                written &= succeeds(
                    partial(ROUTE_WRITERS[name], path.with_suffix(f".{name}"), places, solution)
                )
    if recorder.complete:
        written &= succeeds(lambda: export_csv(path.with_suffix(".csv"), read_log(path)))
    return written
