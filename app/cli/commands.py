"""The commands. Each one itself imports the slow modules that it needs."""

from __future__ import annotations

import difflib
import json
import logging
import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from app.cli.compile import compile_command
from app.cli.film import film
from app.cli.measure import compare, speedup
from app.cli.options import json_option, make_folder, out_option
from app.cli.race import race
from app.cli.report import report
from app.cli.reproduce import reproduce
from app.cli.runs import runs
from app.cli.solve import replay, solve
from app.cli.study import study
from app.cli.table import table_command
from app.cli.terminal import width
from gpu.core.errors import FormicariumError
from gpu.core.words import shown, without_secrets


@click.command()
@click.option(
    "--install", "action", flag_value="install", help="Write the entry, or write it anew."
)
@click.option("--remove", "action", flag_value="remove", help="Remove the entry.")
def desktop(action: str | None) -> None:
    """Install an entry in the desktop's menus, with its icon and the types of its files.

    On Linux that is a desktop entry, on Windows a shortcut in the Start menu, on macOS a bundle
    in Applications. All is your own; each file is named as it is written.
    """
    from app.files.desktop import entry

    if action is None:
        raise click.UsageError("say --install or --remove")
    for sentence in entry.install() if action == "install" else entry.remove():
        click.echo(shown(sentence))


@click.command()
@click.argument(
    "kind",
    type=click.Choice(
        ["uniform", "clustered", "board", "ring", "map", "random", "geometric", "roads"]
    ),
)
@click.argument("size", type=int)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", type=int, help="Decides the instance; drawn if not given.")
@click.option(
    "--density",
    type=float,
    help="Of a random or geometric graph: the share of pairs that are edges; by default 0.5, or "
    "0.1 if geometric, and of more than 3,000 vertices so much that each has ten neighbours.",
)
def generate(kind: str, size: int, file: Path, seed: int | None, density: float | None) -> None:
    """Write an instance of this SIZE to FILE: cities (TSPLIB), or a graph (DIMACS).

    Up to 10,000,000 cities are spread evenly over a square (uniform), gathered in clusters, the
    holes of a circuit board, on a ring, or the towns of a map. Up to 2,000,000 vertices are
    joined at random, where they are close (geometric), or as places by roads. A seed gives the same
    file on every machine.
    """
    from app.files.writing import write_whole
    from gpu.core.words import counted, shown
    from gpu.problems.making import INSTANCE_KINDS, Recipe, make
    from gpu.run.log.names import named

    seed = secrets.randbits(32) if seed is None else seed
    made = make(Recipe(kind, size, seed, density))
    write_whole(file, lambda part: made.write(part, named(file.stem)))
    places = counted(size, INSTANCE_KINDS[kind].problem.words.place, f"{size:,}")
    about = f"{shown(str(file))}: {places}, seed {seed}"
    if made.about is not None:
        about += f"; the shortest tour has a length of about {made.about:,}"
    click.echo(about)


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
def present(file: Path | None) -> int:
    """Play the script FILE (.toml) in the window, as a presentation; by default an example.

    Page Down, or a click on the text, goes on; Page Up goes back; B is a black screen; Esc leaves.
    """
    from app.files.scripts import example, load_script

    path = file or example()
    load_script(path)  # what is wrong with it is said before a window opens
    need_display("a presentation needs one")

    from app.window.launch import open_window

    return open_window(None, script=path)


def need_display(advice: str) -> None:
    """Raise an error that ends with ``advice`` where no window can be opened."""
    places = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform == "linux" and not any(os.environ.get(place) for place in places):
        # Qt would abort the process
        raise FormicariumError(f"there is no display to open a window on: {advice}")


COMPLETION = """\b
The shell completes commands and options after
  eval "$(_FORMICARIUM_COMPLETE=bash_source formicarium)"
and, in place of bash_source, after zsh_source or fish_source."""


class Commands(click.Group):
    """The commands; any other word is a file to open in the window."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Take a word that is not a command as the file of the hidden command ``open``."""
        if len(args) > 1 and args[0] not in self.commands and self.meant(args[0]):
            raise _no_such(args[0])
        return super().resolve_command(ctx, args if args[0] in self.commands else ["open", *args])

    def meant(self, word: str) -> str:
        """Return the command that ``word`` may have been meant for."""
        shown = [name for name, command in self.commands.items() if not command.hidden]
        return next(iter(difflib.get_close_matches(word.lower(), shown, 1)), "")


class _Discreet(logging.Formatter):
    """Writes messages and tracebacks without passwords in addresses."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


def _tell_version(ctx: click.Context) -> None:
    from gpu.core.machine.checkout import version

    click.echo(f"formicarium {version()}")
    ctx.exit()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="[FILE | COMMAND [ARGS]...]",
    epilog=COMPLETION,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: _tell_version(ctx) if wanted else None,
    help="Show the version, and the commit where it is known, and exit.",
)
@click.option("--debug", is_flag=True, help="Print tracebacks and internal messages.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Watch ant colonies solve travelling-salesman and graph-coloring instances, on GPU or CPU.

    With no command, open the window, with FILE loaded if one is given.
    """
    if debug:
        logging.basicConfig(level=logging.DEBUG)
        for handler in logging.getLogger().handlers:
            handler.setFormatter(_Discreet(logging.BASIC_FORMAT))
        logging.getLogger("numba").setLevel(logging.WARNING)  # it tells every bytecode it reads
        logging.getLogger("urllib3").setLevel(logging.INFO)  # it tells every address, with secrets
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
            raise _no_such(file) from None
    need_display("use formicarium solve FILE, or formicarium demo")
    from app.window.launch import open_window as window

    return window(path)


@cli.command()
@out_option("Folder for pictures and log where there is no display.", Path("formicarium-demo"))
def demo(out: Path) -> int:
    """Show a bundled instance being solved; with no display, leave pictures and a log."""
    from app.window.launch import run_demo
    from app.window.qt_libraries import platforms_here

    if platforms_here() == ("offscreen",):
        make_folder(out)
    return run_demo(out)


for _command in (
    *(solve, replay, runs, race, present, speedup, compare, study, report, reproduce, generate),
    *(desktop, film, compile_command, table_command),
):
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
@click.option(
    "--from",
    "source",
    default="",
    metavar="FOLDER|URL",
    help="A mirror of the files: a folder, or its address.",
)
def download(names: tuple[str, ...], source: str) -> None:
    """Fetch instances of TSPLIB and DIMACS; with no NAME, list those that are known.

    Each is checked against the published one's SHA-256, wherever it comes from.
    """
    from app.files import downloads

    if not names:
        click.echo(", ".join(downloads.downloadable()))
    for name in names:
        click.echo(f"{name}: {downloads.download(name, source)}")


def _no_such(word: str) -> FormicariumError:
    meant = cli.meant(word)
    advice = f"did you mean {meant}?" if meant else "see formicarium instances and --help"
    return FormicariumError(
        f"{word}: there is no such file, bundled instance or command ({advice})"
    )


def _print(rows: Callable[[], object], text: Callable[[], str], as_json: bool) -> None:
    """Print a list, as JSON or for people."""
    click.echo(json.dumps(rows(), indent=2) if as_json else shown(text()))
