"""The command that runs a study: study."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.options import json_option
from app.cli.terminal import one_line, say, show_progress
from gpu.core.errors import FormicariumError
from gpu.core.words import command_line, counted, shown

if TYPE_CHECKING:
    from gpu.studies.cases import Case
    from gpu.studies.design import Design
    from gpu.studies.execution.executor import Executor
    from gpu.studies.plan import Plan
    from gpu.studies.study import StudyProgress


processes_option = click.option(
    "--processes", type=int, help="Runs at once on one core each; by default one for each core."
)
gpu_runs_option = click.option(
    "--gpu-runs", type=int, default=1, show_default=True, help="Runs at once on each GPU."
)
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Run on a Dask cluster: tcp://HOST:8786, or local to start one here.",
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the results; by default FILE with the ending .sqlite. What is finished there is "
    "not done again.",
)
@processes_option
@gpu_runs_option
@cluster_option
@click.option("--retry-failed", is_flag=True, help="Do the runs again that have failed.")
@click.option("--plan", "only_plan", is_flag=True, help="Say how many runs and how long; run none.")
@json_option("Print a summary as one JSON object at the end.")
def study(
    file: Path,
    out: Path | None,
    processes: int | None,
    gpu_runs: int,
    cluster: str | None,
    retry_failed: bool,
    only_plan: bool,
    as_json: bool,
) -> int:
    """Run the study of FILE (TOML): colonies, parameter values, instances and seeds, all combined.

    Each result is kept as it comes. After Ctrl-C or a crash, the same command goes on.
    """
    from app.files.library import find_path
    from gpu.studies.design import read_design
    from gpu.studies.plan import make_plan

    check_plan(only_plan, cluster)
    design, text = read_design(file)
    out = out or file.with_suffix(".sqlite")
    try:
        whole, design = design, measured(design, file.parent, [out], find_path)
        text = text if design is whole else ""
        plan = make_plan(
            design, file.parent, text, find=find_path, reading=partial(show_what, "reading")
        )
    finally:
        show_progress("")
    executor = executor_of(processes, gpu_runs, cluster)
    if only_plan:
        return tell_expected_time(plan, plan.cases, executor, as_json)
    return work_on(plan, out, executor, retry_failed, as_json)


def measured(
    design: Design, folder: Path, results: Sequence[Path], find: Callable[[str], Path]
) -> Design:
    """Return ``design`` with the limits that are measured first, or are known from ``results``."""
    from gpu.core.files import exists
    from gpu.studies.measured_limit import limits_kept, with_measured_limits

    if (limit := design.measured_limit) is None:
        return design
    known: dict[str, float] = {}
    for path in filter(exists, results):
        known.update(limits_kept(path, limit))
    tell = partial(show_what, "first")
    return with_measured_limits(design, folder, known=known, find=find, telling=tell)


def check_plan(only_plan: bool, cluster: str | None) -> None:
    """Raise FormicariumError if the time on a cluster is asked for."""
    if only_plan and cluster is not None:
        raise FormicariumError("--plan foresees the time on this machine: leave --cluster out")


def executor_of(processes: int | None, gpu_runs: int, cluster: str | None) -> Executor:
    """Return what does the runs, as the options have it."""
    if cluster is not None:
        from gpu.studies.execution.cluster import ClusterExecutor

        return ClusterExecutor(cluster, processes)
    from gpu.studies.execution.local import LocalExecutor

    return LocalExecutor(processes, gpu_runs)


def work_on(
    plan: Plan,
    out: Path,
    executor: Executor,
    retry_failed: bool,
    as_json: bool,
    sources: Sequence[Path] = (),
    *,
    on: str = "",
    runs_none: bool = False,
) -> int:
    """Do the runs of ``plan`` that ``out`` has no results of, and say so; return the exit status.

    It is 0 if every run has succeeded. Runs that one of the files ``sources`` has results of are
    taken over from there; with ``runs_none`` that is all that is done. Where ``on`` names a kind of
    device, only its runs are done.
    """
    from app.cli.headless import Departure, attend
    from gpu.studies.store import Store
    from gpu.studies.study import Study

    with Store(out) as store:
        work = Study(plan, store, executor, sources=sources, retry_failed=retry_failed, on=on)
        if not runs_none:
            executor.check(work.cases)
        before = work.progress
        if 0 < work.added < before.total:
            say(f"{out}: {counted(work.added, 'run')} added to a study that has begun")
        if work.taken:
            say(f"{out}: {counted(work.taken, 'run')} taken over from other results")
        departure, broken = Departure(), False
        try:
            if not runs_none:
                departure = attend(work.run, work.cancel, lambda: _look(work.progress))
        except FormicariumError as error:  # the disk is full, or no process can start
            say(one_line(str(error)))
            broken = True
        after = work.progress
        failures = [row for row in store.results().rows if row.state == "failed"]
    for sentence in dict.fromkeys(
        f"{row.label} on {row.instance}: {row.error}" for row in failures
    ):
        say(sentence)
    if as_json:
        summary = {
            "results": str(out),
            "title": plan.design.title,
            "planned": after.total,
            "done": after.done,
            "failed": after.failed,
            "waiting": after.total - after.done - after.failed,
            "added": work.added,
            "seconds": round(after.seconds, 3),
        }
        click.echo(json.dumps(summary))
    else:
        click.echo(_summary(out, before, after))
    status = departure.status or int(broken or after.failed > 0)
    departure.leave(status)
    return status


def tell_expected_time(plan: Plan, runs: Sequence[Case], executor: Executor, as_json: bool) -> int:
    """Print the number of runs, and the time that they will take."""
    from app.cli.headless import interruptible
    from gpu.studies.study import BY_LIMITS, BY_TRIALS, ExpectedTime, expected_time

    found: list[ExpectedTime] = []

    def work(cancelled: Callable[[], bool]) -> None:
        tell = partial(show_what, "trying")
        found.append(expected_time(runs, executor, cancelled=cancelled, trying=tell))

    departure = interruptible(work)
    departure.leave(departure.status)
    if not found or departure.status:
        return departure.status
    (time,) = found
    if as_json:
        plain = {"planned": len(runs), "seconds": time.seconds, "basis": time.basis}
        click.echo(json.dumps(plain))
        return 0
    click.echo(f"{shown(plan.design.title)}: {_sizes(runs)}")
    limit = {BY_LIMITS: "at most ", BY_TRIALS: "about "}
    if time.seconds is not None:
        how = "by their time limit" if time.basis == BY_LIMITS else "by short trials"
        click.echo(f"{limit[time.basis]}{duration(time.seconds)} on this machine, {how}")
    else:
        why = time.why or "neither their time nor their iterations are limited"
        click.echo(f"how long they take is not known: {why}")
    return 0


def _sizes(runs: Sequence[Case]) -> str:
    """Return the number of runs, and what it is the product of."""
    labels = len({run.configuration.label for run in runs})
    instances = len({run.instance.name for run in runs})
    seeds = len({run.seed for run in runs})
    return (
        f"{counted(len(runs), 'run')}: {counted(labels, 'configuration')} on "
        f"{counted(instances, 'instance')} with {counted(seeds, 'seed')}"
    )


def _summary(out: Path, before: StudyProgress, after: StudyProgress) -> str:
    """Say what has been done, in a line or two."""
    made = after.done - before.done
    line = f"{out}: {counted(made, 'run')} done in {duration(after.seconds)}"
    if before.done:
        line += f", {before.done} earlier"
    if after.failed:
        line += f", {after.failed} failed (--retry-failed does them again)"
    if not after.complete:
        left = after.total - after.done - after.failed
        line += f"; {counted(left, 'run')} left: the same command goes on"
    return (
        f"{line}\n{command_line('formicarium', 'report', str(out))} says what the results are worth"
    )


def duration(seconds: float) -> str:
    """Return a time for people: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


def _look(progress: StudyProgress) -> None:
    """Show how far the study is, on the terminal."""
    parts = [f"{progress.done + progress.failed} of {counted(progress.total, 'run')}"]
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.running:
        parts.append(f"{progress.running} running")
    if progress.seconds_left is not None:
        parts.append(f"about {duration(progress.seconds_left)} left")
    show_progress("   ".join(parts))


def show_what(what: str, name: str) -> None:
    """Show on the terminal what is being done with which file or colony."""
    show_progress(f"{what} {one_line(shown(name))}")
