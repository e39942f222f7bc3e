"""The command that puts the program into the menus of a Linux desktop: desktop."""

from __future__ import annotations

import click

from gpu.core.words import shown


@click.command()
@click.option("--install", "action", flag_value="install", help="Write them, or write them anew.")
@click.option("--remove", "action", flag_value="remove", help="Remove them again.")
def desktop(action: str | None) -> None:
    """Install an entry in the desktop's menus, with its icon and the types of its files.

    They are written into the user's own folders; each file is told.
    """
    from app.files import desktop as entry

    if action is None:
        raise click.UsageError("say --install or --remove")
    for sentence in entry.install() if action == "install" else entry.remove():
        click.echo(shown(sentence))
