"""The command that makes a report of a study: report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from app.cli.options import Folder, make_folder
from app.cli.terminal import say, show_progress
from gpu.core.errors import FormicariumError
from gpu.core.files import exists
from gpu.core.words import counted


@click.command()
@click.argument("results", metavar="RESULTS.sqlite", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The page; by default RESULTS with the ending .html.",
)
@click.option(
    "--plots",
    type=Folder(file_okay=False, path_type=Path),
    help="Folder for every plot as PNG, SVG, PDF and CSV, and the tables as CSV.",
)
@click.option(
    "--logs",
    type=Folder(file_okay=False, path_type=Path),
    help="Folder for a log of every run, as if it had been made alone: formicarium replay, picture "
    "and the window take it.",
)
@click.option(
    "--size", default="16x9", show_default=True, help="Width x height of each plot, in cm."
)
@click.option(
    "--theme",
    type=click.Choice(("light", "dark")),
    default="light",
    show_default=True,
    help="Colors of the page and of its plots.",
)
@click.option(
    "--baseline",
    default="",
    metavar="LABEL",
    help="Compare every configuration with this one; by default with the lowest mean of each "
    "instance.",
)
@click.option(
    "--target",
    type=float,
    metavar="GAP",
    help="Compare the times until this gap in %; by default, for each instance, until the least "
    "gap that every configuration reached in more than half of its runs.",
)
def report(
    results: Path,
    out: Path | None,
    plots: Path | None,
    logs: Path | None,
    size: str,
    theme: str,
    baseline: str,
    target: float | None,
) -> int:
    """Make one HTML page of a study's results: tables, tests and plots, with nothing else needed.

    It may be made while the study still runs; then it says that it is preliminary.
    """
    from app.cli.headless import StoppedError, interruptible, show_share
    from app.files.study_runs import write_case_log
    from app.report.export import export_page, export_plots
    from app.report.plot import PlotLook
    from gpu.studies.cases import DONE, FAILED
    from gpu.studies.results.analysis import analyse
    from gpu.studies.store import read_results
    from gpu.studies.study_runs import place_of

    look = PlotLook.of(size, theme)
    found = read_results(results)
    out = out or results.with_suffix(".html")
    if exists(out) and out.samefile(results):
        raise FormicariumError(f"{out}: it holds the results; name another file with --out")
    if not out.name or (exists(out) and not out.is_file()):
        raise FormicariumError(f"{out}: it is no file; name one with --out")
    make_folder(plots)
    make_folder(logs)

    def work(cancelled: Callable[[], bool]) -> None:
        with suppress(StoppedError):
            make(partial(show_share, cancelled))

    def make(told: Callable[[float, str], None]) -> None:
        show_progress("computing the tests")
        analysis = analyse(found, baseline, target)
        export_page(out, analysis, look, told)
        show_progress("")
        say(f"written: {out}")
        if plots is not None:
            files = export_plots(plots, analysis, look, told)
            show_progress("")
            say(f"written: {counted(len(files), 'file')} in {plots}")
        if logs is not None:
            ended = [one.key for one in found.rows if one.state in (DONE, FAILED)]
            for number, key in enumerate(ended):
                told(number / len(ended), "logs")
                write_case_log(place_of(results, key), logs)
            show_progress("")
            say(f"written: {counted(len(ended), 'log')} in {logs}")

    departure = interruptible(work)
    departure.leave(departure.status)
    return departure.status
