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
    """Compile the colonies now, so that no run waits for it: all of them, or those named.

    What is compiled is kept beside the program, for all users of this machine; where that place
    cannot be written, in your own cache. It is made for this very processor, and for the GPUs that
    are here. What is in archives is made for all processors of this kind, and for the usual GPUs
    if CuPy is installed: a program that has them in its folder gpu/compiled compiles nothing.
    """
    from app.files import compiling
    from gpu.core.machine.code_files import code_folder

    groups = compiling.families(names)
    if archive is not None:
        make_folder(archive)
        _write(groups, archive, whole=not names)
        return
    _compile(groups, whole=not names)
    if not names and (generations := compiling.generations_here()):
        click.echo(f"{compiling.compile_kernels(generations)} files of kernels")
    folder = code_folder()
    click.echo(f"kept in {folder.path}" if folder else "kept nowhere: no place can be written")


def _compile(groups: Sequence[Sequence[str]], *, whole: bool) -> None:
    from app.files import compiling

    for colonies, seconds in compiling.compile_colonies(groups, for_gpus=whole):
        click.echo(f"{', '.join(colonies)}: {seconds:.1f} s")


def _write(groups: Sequence[Sequence[str]], folder: Path, *, whole: bool) -> None:
    """Compile for all processors of this kind, and for the usual GPUs, and write the archives."""
    from app.files import compiling
    from gpu.core.machine.code_files import pack
    from gpu.cpu.processors import archive_name
    from gpu.cuda.binaries import ARCHIVE, GENERATIONS, NAMES

    written = [folder / archive_name()]
    with compiling.for_all_processors() as made:
        _compile(groups, whole=whole)
        pack(made, written[0])
        if whole:
            try:
                compiling.compile_kernels(GENERATIONS)
            except ImportError:
                click.echo("no kernels for GPUs: CuPy is not installed")
            else:
                written.append(folder / ARCHIVE)
                pack(made, written[1], NAMES)
    for file in written:
        click.echo(f"{file}: {file.stat().st_size / 2**20:.1f} MiB")
