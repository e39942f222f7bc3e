"""The command that compiles colonies ahead of their first run: compile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from app.cli.options import make_folder


@click.command("compile")
@click.argument("names", nargs=-1, metavar="[COLONY]...")
@click.option(
    "--archive",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the code into an archive in this folder, for a package to carry.",
)
def compile_command(names: tuple[str, ...], archive: Path | None) -> None:
    """Compile the colonies for the CPU now, so that no run waits for it; or those named.

    What is compiled is kept beside the program, for all users of this machine; where that place
    cannot be written, in your own cache. It is made for this very processor. What is in an archive
    is made for all processors of its kind, and a program that has it in its folder gpu/compiled
    compiles nothing.
    """
    from app.files import compiling
    from gpu.core.machine.code_files import code_folder, pack
    from gpu.cpu.processors import archive_name

    groups = compiling.families(names)
    if archive is None:
        _compile(groups)
        folder = code_folder()
        click.echo(f"kept in {folder.path}" if folder else "kept nowhere: no place can be written")
        return
    make_folder(archive)
    with compiling.for_all_processors() as made:
        _compile(groups)
        file = archive / archive_name()
        count = pack(made, file)
    click.echo(f"{file}: {count} functions, {file.stat().st_size / 2**20:.1f} MiB")


def _compile(groups: Sequence[Sequence[str]]) -> None:
    from app.files import compiling

    for colonies, seconds in compiling.compile_colonies(groups):
        click.echo(f"{', '.join(colonies)}: {seconds:.1f} s")
