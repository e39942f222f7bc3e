"""The command line. Each command itself imports the slow modules that it needs."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from app.cli.measure import compare, speedup
from app.cli.options import json_option, out_option
from app.cli.solve import replay, solve
from app.cli.terminal import one_line, say, width
from gpu import __version__
from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.words import shown

BAD_INPUT = 2  # exit status if the input is bad and nothing was run


class Commands(click.Group):
    """The commands; any other word is a file to open in the window."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Take a word that is not a command as the file of the hidden command ``open``."""
        return super().resolve_command(ctx, args if args[0] in self.commands else ["open", *args])


@click.group(
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="[FILE | COMMAND [ARGS]...]",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="formicarium", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Print tracebacks and internal messages.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Watch ant colonies solve travelling-salesman and graph-coloring instances, on GPU or CPU.

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
        from app.files.library import NotDownloadedError, find_path

        try:
            path = find_path(file)
        except NotDownloadedError:
            raise
        except FormicariumError:
            raise FormicariumError(
                f"{file}: there is no such file, bundled instance or command "
                "(see formicarium instances and formicarium --help)"
            ) from None
    places = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform == "linux" and not any(os.environ.get(place) for place in places):
        raise FormicariumError(  # Qt would abort the process
            "there is no display to open a window on: "
            "use formicarium solve FILE, or formicarium demo"
        )
    from app.window.launch import open_window as window

    return window(path)


@cli.command()
@out_option("Folder for pictures and log where there is no display.", Path("formicarium-demo"))
def demo(out: Path) -> int:
    """Show a bundled instance being solved; with no display, leave pictures and a log."""
    from app.window.launch import run_demo

    return run_demo(out)


for _command in (solve, replay, speedup, compare):
    cli.add_command(_command)


@cli.command()
@json_option("Print a JSON array.")
def colonies(as_json: bool) -> None:
    """List the colonies and their parameters."""
    from app.cli import lists

    _print(lists.colony_rows, lambda: lists.colonies_text(width()), as_json)


@cli.command()
@json_option("Print a JSON object.")
def devices(as_json: bool) -> None:
    """List the devices that a colony can run on here."""
    from app.cli import lists

    _print(lists.device_rows, lists.devices_text, as_json)


@cli.command()
@json_option("Print a JSON object.")
def instances(as_json: bool) -> None:
    """List the bundled and the downloaded instances."""
    from app.cli import lists

    _print(lists.instance_rows, lambda: lists.instances_text(width()), as_json)


@cli.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--from", "source", default="", metavar="URL", help="A mirror of TSPLIB's files.")
def download(names: tuple[str, ...], source: str) -> None:
    """Fetch TSPLIB instances and check them; with no NAME, list those that are known."""
    from app.files import library

    if not names:
        click.echo(", ".join(library.downloadable()))
    for name in names:
        click.echo(f"{name}: {library.download(name, source)}")


def main() -> NoReturn:
    """Run the command line. Every error is one line, without a traceback."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before the start
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    try:
        status = cli.main(prog_name="formicarium", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        status = ended.exit_code
    except click.ClickException as error:
        say(one_line(error.format_message()))
        status = BAD_INPUT
    except FormicariumError as error:
        logging.getLogger(__name__).debug("refused", exc_info=error)
        say(one_line(str(error)))
        status = BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        status = 130
    except BrokenPipeError:  # the reader of the output has gone: exit without a message
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except Exception as error:
        logging.getLogger(__name__).debug("failed", exc_info=error)
        say(f"{sentence_for(error)} (formicarium --debug shows more)")
        status = 1
    sys.exit(status or 0)


def _print(rows: Callable[[], object], text: Callable[[], str], as_json: bool) -> None:
    """Print a list, as JSON or for people."""
    click.echo(json.dumps(rows(), indent=2) if as_json else shown(text()))


if __name__ == "__main__":
    main()
