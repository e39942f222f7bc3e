"""The command line. What is slow to import is imported by the command that needs it."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

import app
from gpu.errors import FormicariumError

if TYPE_CHECKING:
    from app.headless import Result
    from app.recorder import Recorder
    from app.session import Session
    from gpu.instances.instance import TspInstance

BAD_INPUT = 2
"""Exit status where nothing was run, because of what was asked for."""


class Commands(click.Group):
    """Commands, or else a file to open in the window."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take what is no command for the file of the hidden command ``open``."""
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "open", self.commands["open"], args


@click.group(
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="[FILE | COMMAND [ARGS]...]",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(app.__version__, prog_name="formicarium", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Print tracebacks and internal messages.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Watch ant colonies solve travelling-salesman instances, on the GPU or the CPU.

    With no command, open the window, with FILE loaded if one is given.
    """
    if debug:
        logging.basicConfig(level=logging.DEBUG)
        logging.getLogger("numba").setLevel(logging.WARNING)  # it tells every bytecode it reads
    else:
        logging.getLogger().addHandler(logging.NullHandler())
    if ctx.invoked_subcommand is None:
        ctx.invoke(open_window)


@cli.command("open", hidden=True)
@click.argument("file", required=False)
def open_window(file: str | None = None) -> int:
    """Open the window, with FILE loaded if one is given."""
    path = None
    if file is not None:
        from app.library import find_path

        try:
            path = find_path(file)
        except FormicariumError:
            raise FormicariumError(
                f"{file}: there is no such file, bundled instance or command "
                "(see formicarium instances and formicarium --help)"
            ) from None
    _need_display()
    from app.gui import open_window as window

    return window(path)


@cli.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("formicarium-demo"),
    show_default=True,
    help="Folder for pictures and log where there is no display.",
)
def demo(out: Path) -> int:
    """Show a bundled instance being solved; with no display, leave pictures and a log."""
    from app.gui import run_demo

    return run_demo(out)


@cli.command()
@click.argument("file")
@click.option("--colony", default="acs", show_default=True, help="See formicarium colonies.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cpu:1, cuda:0, ...")
@click.option("--iterations", type=int, help="Stop after exactly so many iterations.")
@click.option("--seconds", type=float, help="Stop after so many seconds of solving.")
@click.option("--target-gap", type=float, help="Stop at so many % above the known optimum.")
@click.option("--target-length", type=int, help="Stop at a tour of this length.")
@click.option("--no-improvement", type=int, help="Stop after so many iterations in vain.")
@click.option("--ants", help="Ants, each building one tour an iteration; auto is one a city.")
@click.option("--seed", type=int, help="Decides the run; drawn if not given.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a parameter; repeatable."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the run's log (.jsonl, .csv) and its tour (.tour).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def solve(
    file: str,
    colony: str,
    device: str,
    iterations: int | None,
    seconds: float | None,
    target_gap: float | None,
    target_length: int | None,
    no_improvement: int | None,
    ants: str | None,
    seed: int | None,
    settings: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> int:
    """Solve FILE (a TSPLIB file, or the name of a bundled instance) with no display.

    Without a limit the run goes on until Ctrl-C.
    """
    from app.library import find_instance
    from app.session import choose, new_session, why_not_on_a_gpu
    from app.stopping import StopSettings

    stop = StopSettings(seconds, iterations, target_gap, target_length, no_improvement)
    instance = find_instance(file)
    parameters = _parameters(settings, ants)
    session = new_session(
        instance, colony=colony, device=device, parameters=parameters, seed=seed, stop=stop
    )
    why = why_not_on_a_gpu(colony, device, choose(colony, device)[0])
    recorder = _recorder(out, session, instance)
    if instance.note:
        _say(f"{file}: {instance.note}")
    if why:
        _say(f"no GPU: {why}; solving on {session.device}")
    result = _run(instance, session, recorder, as_json)
    if recorder is not None:
        _export(recorder, instance, session, result)
    _leave(result, result.status)
    return result.status


@cli.command()
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
        _say(f"{file}: {sentence}")
        status = 0 if same else 1
    _leave(result, status)
    return status


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def colonies(as_json: bool) -> None:
    """List the colonies and their parameters."""
    from app import report

    click.echo(json.dumps(report.colony_rows(), indent=2) if as_json else report.colonies_text())


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def devices(as_json: bool) -> None:
    """List the devices that a colony can run on here."""
    from app import report

    click.echo(json.dumps(report.device_rows(), indent=2) if as_json else report.devices_text())


@cli.command()
def instances() -> None:
    """List the bundled and the downloaded instances."""
    from app import report

    click.echo(report.instances_text())


@cli.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--from", "source", default="", metavar="URL", help="A mirror of TSPLIB's files.")
def download(names: tuple[str, ...], source: str) -> None:
    """Fetch TSPLIB instances and check them; with no NAME, list those that are known."""
    from app import library

    if not names:
        click.echo(", ".join(library.downloadable()))
    for name in names:
        click.echo(f"{name}: {library.download(name, source)}")


def main() -> NoReturn:
    """Run the command line; every error is one line, and no traceback."""
    try:
        status = cli.main(prog_name="formicarium", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        status = ended.exit_code
    except click.ClickException as error:
        _say(_one_line(error.format_message()))
        status = BAD_INPUT
    except FormicariumError as error:
        logging.getLogger(__name__).debug("refused", exc_info=error)
        _say(_one_line(str(error)))
        status = BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        status = 130
    except BrokenPipeError:  # the reader of our output has gone; so do we, quietly
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except Exception as error:
        from app.notifications import sentence_for

        logging.getLogger(__name__).debug("failed", exc_info=error)
        _say(f"{sentence_for(error)} (formicarium --debug shows more)")
        status = 1
    sys.exit(status or 0)


def _run(
    instance: TspInstance, session: Session, recorder: Recorder | None, as_json: bool
) -> Result:
    """Run ``session`` with its progress on the terminal, and print its result."""
    from app import headless, report

    show = headless.progress_line(session, instance)
    result = headless.solve(instance, session, recorder, show)
    if show is not None:
        headless.clear_progress_line()
    outcome = result.outcome
    if outcome.ending.value == "failed":
        _say(_one_line(outcome.reason))
    if as_json:
        click.echo(json.dumps(report.result(instance, session, outcome)))
    else:
        click.echo(report.summary(instance, session, outcome))
    return result


def _leave(result: Result, status: int) -> None:
    """Leave at once if a thread is still at work, which cannot be stopped in any other way."""
    if result.left:
        sys.stdout.flush()
        os._exit(status)


def _parameters(settings: tuple[str, ...], ants: str | None) -> Mapping[str, str]:
    """Return the parameters of ``--set`` and ``--ants`` by name."""
    chosen = {} if ants is None else {"ants": ants}
    for setting in settings:
        name, equals, value = setting.partition("=")
        name = name.strip()
        if not equals or not name:
            raise FormicariumError(f"--set {setting}: write it as NAME=VALUE")
        if name in chosen:
            raise FormicariumError(f"--set {setting}: {name} is given twice")
        chosen[name] = value
    return chosen


def _recorder(out: Path | None, session: Session, instance: TspInstance) -> Recorder | None:
    """Return what writes the run's log into ``out``, where one is asked for."""
    if out is None:
        return None
    from app.notifications import sentence_for
    from app.recorder import Recorder, free_path, stem

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        error.filename = None
        raise FormicariumError(f"{out}: cannot be made ({sentence_for(error)})") from error
    path = free_path(out, stem(session), ".jsonl", ".csv", ".tour")
    return Recorder(path, session, instance, _say)


def _export(recorder: Recorder, instance: TspInstance, session: Session, result: Result) -> None:
    """Write CSV and tour beside the log; a file that cannot be written is told, not fatal."""
    from app.exports import export_csv, export_tour
    from app.recorder import read_log

    try:
        tour = result.outcome.state.best_tour
        if tour is not None:
            comment = f"by {session.colony}, seed {session.seed}"
            export_tour(recorder.path.with_suffix(".tour"), instance, tour, comment)
        if recorder.complete:
            export_csv(recorder.path.with_suffix(".csv"), read_log(recorder.path))
    except FormicariumError as error:
        _say(_one_line(str(error)))


def _need_display() -> None:
    """Refuse to open a window where Qt would only abort."""
    places = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform == "linux" and not any(os.environ.get(place) for place in places):
        raise FormicariumError(
            "there is no display to open a window on: "
            "use formicarium solve FILE, or formicarium demo"
        )


def _say(sentence: str) -> None:
    click.echo(f"formicarium: {sentence}", err=True)


def _one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
