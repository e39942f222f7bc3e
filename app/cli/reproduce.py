"""The command that reproduces a table or figure of a paper: reproduce."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.options import Folder, json_option, make_folder
from app.cli.study import (
    check_plan,
    cluster_option,
    duration,
    executor_of,
    gpu_runs_option,
    measured,
    processes_option,
    show_what,
    tell_expected_time,
    work_on,
)
from app.cli.terminal import aligned, one_line, say, show_progress, width
from gpu.core.errors import FormicariumError
from gpu.core.words import counted, shown

if TYPE_CHECKING:
    from gpu.papers.items import Item, Readiness


@click.command()
@click.argument("item", required=False)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the results; the page lies beside it. By default NAME.sqlite in this folder. "
    "What is finished there is not done again.",
)
@click.option(
    "--instances",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with instances, beside the bundled and downloaded ones.",
)
@click.option("--runs", type=int, metavar="N", help="For a trial: fewer runs than the paper has.")
@click.option(
    "--only", metavar="NAME,NAME...", help="For a trial: some of the instances, by their names."
)
@click.option(
    "--iterations", type=int, metavar="N", help="For a trial: at most so many iterations a run."
)
@click.option("--seconds", type=float, metavar="S", help="For a trial: at most so long a run.")
@click.option(
    "--from",
    "sources",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Results of another item, or of a trial of it: runs that are the same are taken over. May "
    "be given repeatedly; with --page nothing else is done.",
)
@click.option(
    "--on",
    type=click.Choice(("cuda", "cpu", "cpu:1")),
    help="Do the runs on this kind of device alone; the others wait. --on cpu:1 does the "
    "baselines, on an idle machine that needs no GPU.",
)
@processes_option
@gpu_runs_option
@cluster_option
@click.option("--retry-failed", is_flag=True, help="Do the runs again that have failed.")
@click.option("--plan", "only_plan", is_flag=True, help="Say how many runs and how long; run none.")
@click.option("--page", "only_page", is_flag=True, help="Make the page of what is done; run none.")
@click.option(
    "--outcomes",
    type=Folder(file_okay=False, path_type=Path),
    help="Write pages to this folder (Markdown), one for each paper, of all results in its folder "
    "results; run none.",
)
@click.option(
    "--keep",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --outcomes: first take over the results in this folder, without curves and "
    "solutions.",
)
@click.option(
    "--results",
    "results",
    type=Folder(file_okay=False, path_type=Path),
    help="With --outcomes: the folder of the results, in the place of its folder results and of "
    "those that come with the program.",
)
@json_option("Print the list, or a summary of the runs, as JSON.")
def reproduce(
    item: str | None,
    out: Path | None,
    folder: Path | None,
    runs: int | None,
    only: str | None,
    iterations: int | None,
    seconds: float | None,
    sources: tuple[Path, ...],
    on: str | None,
    processes: int | None,
    gpu_runs: int,
    cluster: str | None,
    retry_failed: bool,
    only_plan: bool,
    only_page: bool,
    outcomes: Path | None,
    keep: Path | None,
    results: Path | None,
    as_json: bool,
) -> int:
    """Reproduce a table or figure of a paper, and put its numbers beside ours on a page.

    ITEM is a name such as 2016/table-5, or a TOML file; with none, all are listed, with what can
    run here. After Ctrl-C, the same command goes on.
    """
    from app.files.reproduction import find_in, results_name, row_of, why_not
    from gpu.core.machine.devices import survey
    from gpu.papers.items import Trial, find_item, items, readiness
    from gpu.studies.design import DesignError
    from gpu.studies.plan import make_plan

    for_one = {
        "--out": out, "--runs": runs, "--only": only, "--iterations": iterations,
        "--seconds": seconds, "--from": sources, "--on": on, "--processes": processes,
        "--cluster": cluster, "--retry-failed": retry_failed, "--plan": only_plan,
        "--page": only_page,
    }  # fmt: skip
    given = [
        name for name, value in for_one.items() if value not in (None, ()) and value is not False
    ]
    if outcomes is not None:
        if item is not None:
            raise FormicariumError("--outcomes is of all items: name none")
        if given:
            raise FormicariumError(f"{given[0]} does not go with --outcomes: leave one of them out")
        write_outcomes(outcomes, results, keep)
        return 0
    if keep is not None or results is not None:
        raise FormicariumError(f"--{'results' if keep is None else 'keep'} belongs to --outcomes")
    if item is None and given:
        raise FormicariumError(
            f"{given[0]} is for one table or figure: name it (formicarium reproduce lists them)"
        )
    find = partial(find_in, folder)
    cuda = any(device.kind == "cuda" for device in survey().devices)
    if item is None:
        found = [(one, readiness(one, find, cuda=cuda)) for one in items()]
        rows = [row_of(*pair) for pair in found]
        click.echo(json.dumps(rows, indent=2) if as_json else shown(_text(rows)))
        return 0
    if only_plan and only_page:
        raise FormicariumError("--plan and --page: choose one of them")
    check_plan(only_plan, cluster)
    wanted = find_item(item)
    if on not in (None, *(one.device for one in wanted.design.colonies)):
        raise DesignError(f"{wanted.name}: it has no runs on {on}")
    ready = readiness(wanted, find, cuda=cuda or bool(on) or (only_page and bool(sources)))
    names = tuple(filter(None, map(str.strip, (only or "").split(","))))
    trial = Trial(runs, iterations, seconds, names)
    out = out or Path(f"{results_name(wanted, trial)}.sqlite")
    status = 0
    if not only_page or sources:
        if ready.design is None:
            raise DesignError(
                f"{wanted.name}: nothing of it can be run here: {why_not(wanted, ready)}"
            )
        design = trial.of(ready.design)
        for what, why in {**ready.instances, **ready.colonies}.items():
            say(one_line(f"left out: {shown(what)}: {why}"))
        whole = design == wanted.design
        try:
            design = measured(design, wanted.path.parent, [*sources, out], find)
            plan = make_plan(
                design,
                wanted.path.parent,
                wanted.text if whole and design.measured_limit is None else "",
                find=find,
                reading=partial(show_what, "reading"),
            )
        finally:
            show_progress("")
        executor = executor_of(processes, gpu_runs, cluster)
        here = [case for case in plan.cases if on in (None, case.device)]
        if only_plan:
            return tell_expected_time(plan, here, executor, as_json)
        status = work_on(
            plan, out, executor, retry_failed, as_json, sources, on=on or "", runs_none=only_page
        )
        if status not in (0, 1):
            return status
    return _make_page(wanted, ready, out) or status


def _text(rows: list[dict[str, object]]) -> str:
    """Return the list for people."""
    lines: list[str] = []
    for paper in dict.fromkeys(row["paper"] for row in rows):
        lines += [*([""] if lines else []), str(paper)]
        shown_rows = [("NAME", "RUNS HERE", "TIME", "")]
        for row in (one for one in rows if one["paper"] == paper):
            shown_rows.append((str(row["name"]), str(row["runs"]), _time(row), f"{row['shows']}."))
            if row["why"]:
                shown_rows.append(("", "", "", f"  {row['why']}"))
            if row["kept"]:
                shown_rows.append(("", "", "", f"  kept: {_kept(row['kept'])}"))
        lines.append(aligned(shown_rows, width()))
    return "\n".join(
        [
            *lines,
            "",
            "TIME is for all runs, one after the other: at most (by their limits), about (on an",
            "H100 or H200) or paper (on the paper's hardware). reproduce NAME --plan tries it out",
            "here.",
            "kept: runs that come with the program; docs/papers has their numbers.",
            "A run that was cut ended by a limit of time before the paper's.",
        ]
    )


def _kept(kept: object) -> str:
    """Say how many runs come with the program, and of which commits."""
    from gpu.papers.coverage import counts_text

    assert isinstance(kept, dict)
    commits = kept["commits"]
    told = counts_text({name: count for name, count in kept.items() if name != "commits"})
    return f"{told}; commit{'' if len(commits) == 1 else 's'} {', '.join(commits) or 'unknown'}"


def _time(row: Mapping[str, object]) -> str:
    limit, ours, theirs = row["seconds_at_most"], row["hours_on_h100"], row["hours_in_paper"]
    if isinstance(limit, float):
        return f"at most {duration(limit)}"
    if isinstance(ours, float):
        return f"about {ours:g} h" if ours >= 1 else f"about {math.ceil(60 * ours)} min"
    return f"paper: {duration(3600 * theirs)}" if isinstance(theirs, float) else "see --plan"


def _make_page(item: Item, ready: Readiness, out: Path) -> int:
    """Make the page of the results in ``out``; return the exit status."""
    from app.cli.headless import StoppedError, interruptible, show_share
    from app.report.export import make_page

    def make(cancelled: Callable[[], bool]) -> None:
        show_progress("computing the tests")
        with suppress(StoppedError):
            page = make_page(item, ready, out, told=partial(show_share, cancelled))
            show_progress("")
            say(f"written: {page}")

    departure = interruptible(make)
    departure.leave(departure.status)
    return departure.status


RESULTS_FOLDER = "results"  # the folder of results, beside the pages


def write_outcomes(folder: Path, given: Path | None, kept: Path | None) -> None:
    """Write a page for each paper, and one that lists them, to ``folder``.

    They are made from the results in the folder ``given``; without one, from those in the folder's
    own folder of results, or else from those that come with the program. Those of the folder
    ``kept``, if there is one, are taken over first, without curves and solutions.
    """
    from app.files.writing import write_text, write_whole
    from app.report.export import export_plot
    from app.report.figures import figure_plots
    from app.report.outcome import FIGURES, PaperOutcome, index_page, paper_page
    from app.report.plot import PlotLook, PrintPlot
    from gpu.papers.items import items
    from gpu.studies.results.analysis import Analysis, analyse
    from gpu.studies.store import read_results, write_slim

    results = folder / RESULTS_FOLDER if given is None else given
    make_folder(folder)
    papers: dict[str, list[PaperOutcome]] = {}
    taken = 0
    for item in items():
        name = f"{item.path.stem}.sqlite"
        show_progress(item.name)
        if kept is not None and (kept / name).is_file():
            make_folder(results)
            write_whole(results / name, partial(write_slim, kept / name))
            taken += 1
        file = results / name
        if given is None and not file.is_file():
            file = item.kept_results
        analysis: Analysis | None = None
        plots: tuple[PrintPlot, ...] = ()
        if file.is_file():
            found = read_results(file)
            labels = {row.label for row in found.rows}
            analysis = analyse(found, item.baseline if item.baseline in labels else "")
            plots = tuple(figure_plots(item, analysis))
        for plot in plots:
            make_folder(folder / FIGURES)
            export_plot(folder / FIGURES / f"{plot.name}.svg", plot, "svg", PlotLook())
        page = f"{item.name.partition('/')[0]}.md"
        link = os.path.relpath(file, folder).replace(os.sep, "/")
        papers.setdefault(page, []).append(PaperOutcome(item, analysis, link, plots))
    show_progress("")
    texts = {page: paper_page(several) for page, several in papers.items()}
    texts["README.md"] = index_page(papers)
    for page, text in texts.items():
        write_text(folder / page, text)
    if kept is not None:
        say(f"taken over: {counted(taken, 'file')} of results to {results}")
    say(f"written: {counted(len(texts), 'page')} in {folder}")
